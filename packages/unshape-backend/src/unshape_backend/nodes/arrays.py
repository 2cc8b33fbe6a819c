"""Arithmetic on arrays of any shape: element by element, reductions, and the matrix product.

Pictures of at most four channels are better served by the nodes of ``binary``, which are expressions and fuse. These
nodes are for all other arrays, and for what needs all elements at once. Every sum is taken in a stated order, so that
each backend can give the same bits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from unshape_backend.nodes.array_rules import MATRIX, check_array_type, element_type, same_shape
from unshape_backend.nodes.ports import value_output, value_port
from unshape_core.context import ContextField, EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value import Value
from unshape_core.value_type import TEXTURE, ArrayType
from unshape_core.workload import OpClass

if TYPE_CHECKING:
    from unshape_core.protocols import Node, SupportsExecute

_BLOCK_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class AddArrays:
    """``a + b``, element by element; integers wrap.

    Parameters
    ----------
    value_type : ArrayType
        Type of both arrays and of the sum.
    """

    type_name: ClassVar[str] = "array::Add"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()

    value_type: ArrayType = TEXTURE

    def __post_init__(self) -> None:
        check_array_type(self.type_name, self.value_type)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The arrays."""
        return (value_port("a", self.value_type), value_port("b", self.value_type))

    @property
    def outputs(self) -> tuple[Port, ...]:
        """Their sum."""
        return value_output(self.value_type)

    def infer(self, input_specs: Sequence[ValueSpec], _ctx: EvalContext, /) -> tuple[ValueSpec, ...]:
        """Return the spec of the sum; both arrays have one shape."""
        return (same_shape(self.type_name, input_specs),)

    def execute(self, inputs: Sequence[Value], _ctx: EvalContext, /) -> tuple[Value, ...]:
        """Return the sum."""
        return (_array(inputs[0]) + _array(inputs[1]),)


@dataclass(frozen=True, slots=True)
class ScaleArray:
    """``a * factor``, element by element; the factor is brought to the element type first.

    Parameters
    ----------
    value_type : ArrayType
        Type of the array and of the product; float32 or float64.
    """

    type_name: ClassVar[str] = "array::Scale"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()

    value_type: ArrayType = TEXTURE

    def __post_init__(self) -> None:
        element_type(self.type_name, self.value_type)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The array and the factor."""
        scalar = element_type(self.type_name, self.value_type)
        return (value_port("a", self.value_type), Port("factor", scalar, 1.0, "What every element is multiplied by."))

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The product."""
        return value_output(self.value_type)

    def infer(self, input_specs: Sequence[ValueSpec], _ctx: EvalContext, /) -> tuple[ValueSpec, ...]:
        """Return the spec of the array."""
        return (input_specs[0],)

    def execute(self, inputs: Sequence[Value], _ctx: EvalContext, /) -> tuple[Value, ...]:
        """Return the product."""
        array = _array(inputs[0])
        with np.errstate(all="ignore"):
            return (array * array.dtype.type(inputs[1]),)


@dataclass(frozen=True, slots=True)
class Reduction(ABC):
    """What the nodes have in common that make one number of an array.

    Parameters
    ----------
    value_type : ArrayType
        Type of the array; float32 or float64.
    """

    type_name: ClassVar[str] = "array::Reduction"
    op_class: ClassVar[OpClass] = OpClass.REDUCTION
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()

    value_type: ArrayType = TEXTURE

    def __post_init__(self) -> None:
        element_type(self.type_name, self.value_type)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The array."""
        return (value_port("a", self.value_type),)

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The number."""
        return value_output(element_type(self.type_name, self.value_type))

    def infer(self, _input_specs: Sequence[ValueSpec], _ctx: EvalContext, /) -> tuple[ValueSpec, ...]:
        """Return the spec of the number."""
        return (ValueSpec(element_type(self.type_name, self.value_type)),)

    def execute(self, inputs: Sequence[Value], _ctx: EvalContext, /) -> tuple[Value, ...]:
        """Return the number."""
        with np.errstate(all="ignore"):
            return (float(self.reduce(_array(inputs[0]).reshape(-1))),)

    @abstractmethod
    def reduce(self, elements: npt.NDArray[Any]) -> float:
        """Return the number that all elements give, in C order."""

    def _check_not_empty(self, elements: npt.NDArray[Any]) -> None:
        if elements.size == 0:
            msg = f"{self.type_name}: expected at least one element, got an array without any"
            raise InvalidArgumentError(msg, type_name=self.type_name)


@dataclass(frozen=True, slots=True)
class Sum(Reduction):
    """The sum of all elements.

    Neighbours are added, then neighbouring sums, and so on (a binary tree over the elements in C order); an odd one at
    the end is taken along. The error grows with the logarithm of the number of elements.
    """

    type_name: ClassVar[str] = "array::Sum"

    def reduce(self, elements: npt.NDArray[Any]) -> float:
        """Return the sum; 0 of nothing."""
        return float(tree_sum(elements))


@dataclass(frozen=True, slots=True)
class Mean(Reduction):
    """The sum of all elements, as ``array::Sum`` takes it, divided by their number."""

    type_name: ClassVar[str] = "array::Mean"

    def reduce(self, elements: npt.NDArray[Any]) -> float:
        """Return the mean."""
        self._check_not_empty(elements)
        return float(tree_sum(elements) / elements.dtype.type(elements.size))


@dataclass(frozen=True, slots=True)
class ArrayMinimum(Reduction):
    """The smallest element; NaN if one is."""

    type_name: ClassVar[str] = "array::Minimum"

    def reduce(self, elements: npt.NDArray[Any]) -> float:
        """Return the minimum."""
        self._check_not_empty(elements)
        return float(elements.min())


@dataclass(frozen=True, slots=True)
class ArrayMaximum(Reduction):
    """The largest element; NaN if one is."""

    type_name: ClassVar[str] = "array::Maximum"

    def reduce(self, elements: npt.NDArray[Any]) -> float:
        """Return the maximum."""
        self._check_not_empty(elements)
        return float(elements.max())


@dataclass(frozen=True, slots=True)
class MatrixProduct:
    """The product of two float32 matrices.

    Each element is summed over the inner index from 0 upwards, product and sum rounded to float32 each.
    """

    type_name: ClassVar[str] = "array::MatrixProduct"
    op_class: ClassVar[OpClass] = OpClass.MATMUL
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (
        Port("a", MATRIX, doc="float32[rows, inner]."),
        Port("b", MATRIX, doc="float32[inner, columns]."),
    )
    outputs: ClassVar[tuple[Port, ...]] = (Port("value", MATRIX, doc="float32[rows, columns]."),)

    def infer(self, input_specs: Sequence[ValueSpec], _ctx: EvalContext, /) -> tuple[ValueSpec, ...]:
        """Return the spec of the product."""
        a, b = (spec.shape for spec in input_specs)
        if a is None or b is None:
            return (ValueSpec(MATRIX),)
        if a[1] != b[0]:
            msg = (
                f"{self.type_name}: expected as many columns in a as rows in b, got {a[0]} x {a[1]} and "
                f"{b[0]} x {b[1]}; transpose one of them"
            )
            raise InvalidArgumentError(msg, type_name=self.type_name)
        return (ValueSpec(MATRIX, (a[0], b[1])),)

    def execute(self, inputs: Sequence[Value], ctx: EvalContext, /) -> tuple[Value, ...]:
        """Return the product, computed in blocks of rows that stay in the cache."""
        a, b = _array(inputs[0]), _array(inputs[1])
        product = np.zeros((a.shape[0], b.shape[1]), np.float32)
        rows = max(1, _BLOCK_BYTES // max(4 * b.shape[1], 1))
        with np.errstate(all="ignore"):
            for top in range(0, a.shape[0], rows):
                ctx.raise_if_cancelled()
                block = product[top : top + rows]
                for inner in range(a.shape[1]):
                    block += a[top : top + rows, inner, np.newaxis] * b[inner]
        return (product,)


def tree_sum(elements: npt.NDArray[Any]) -> Any:
    """Return the sum of a flat array as a binary tree over its elements takes it; 0 of nothing.

    Examples
    --------
    >>> float(tree_sum(np.array([1.0, 2.0, 3.0], np.float32)))
    6.0
    """
    if elements.size == 0:
        return elements.dtype.type(0)
    while elements.size > 1:
        pairs = elements.size // 2
        sums = elements[: 2 * pairs : 2] + elements[1 : 2 * pairs : 2]
        elements = np.append(sums, elements[-1:]) if elements.size % 2 else sums
    return elements[0]


def _array(value: Value) -> npt.NDArray[Any]:
    assert isinstance(value, np.ndarray)  # inputs are of the ports' types
    return value


if TYPE_CHECKING:
    _nodes: tuple[type[Node], ...] = (AddArrays, ScaleArray, Sum, Mean, ArrayMinimum, ArrayMaximum, MatrixProduct)
    _meanings: tuple[type[SupportsExecute], ...] = (AddArrays, ScaleArray, Sum, Mean, ArrayMinimum, MatrixProduct)
