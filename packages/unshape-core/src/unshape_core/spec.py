"""What is known of a value before it exists: its type and, for an array, its shape.

Specs describe whole pictures; which window of a picture a run computes is kept beside them, in a :class:`Region`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from unshape_core.errors import InvalidArgumentError
from unshape_core.value import Value
from unshape_core.value_type import ArrayType, ScalarType, ValueType
from unshape_core.window import Window

_SCALAR_BYTES = {
    ScalarType.F32: 4,
    ScalarType.F64: 8,
    ScalarType.I32: 4,
    ScalarType.BOOL: 1,
    ScalarType.VEC2: 8,
    ScalarType.VEC3: 12,
    ScalarType.VEC4: 16,
}


@dataclass(frozen=True, slots=True)
class ValueSpec:
    """The type and shape of a value.

    Parameters
    ----------
    value_type : ValueType
        The type on the wire.
    shape : tuple of int or None
        The shape of an array; None for a scalar, and for an array whose shape depends on data.
    """

    value_type: ValueType
    shape: tuple[int, ...] | None = None

    @property
    def elements(self) -> int | None:
        """Number of elements of an array, 1 for a scalar, None if unknown."""
        if isinstance(self.value_type, ArrayType):
            return None if self.shape is None else prod(self.shape)
        return 1 if isinstance(self.value_type, ScalarType) else None

    @property
    def nbytes(self) -> int | None:
        """Bytes of the whole value, None if unknown (never zero for unknown)."""
        if isinstance(self.value_type, ArrayType):
            return None if self.shape is None else prod(self.shape) * np.dtype(self.value_type.dtype).itemsize
        if isinstance(self.value_type, ScalarType):
            return _SCALAR_BYTES[self.value_type]
        return None

    @property
    def picture_px(self) -> tuple[int, int] | None:
        """``(width_px, height_px)`` of a picture, None for anything else."""
        if isinstance(self.value_type, ArrayType) and self.value_type.axes[:2] == ("height", "width") and self.shape:
            return self.shape[1], self.shape[0]
        return None


def spec_of(value: Value, value_type: ValueType) -> ValueSpec:
    """Return the spec of a value that is there.

    Raises
    ------
    InvalidArgumentError
        If it should be an array and does not tell its shape.
    """
    if not isinstance(value_type, ArrayType):
        return ValueSpec(value_type)
    shape = getattr(value, "shape", None)
    if shape is None:
        msg = f"a value of {value_type}: expected a shape, got {type(value).__name__}, which has none"
        raise InvalidArgumentError(msg)
    return ValueSpec(value_type, tuple(shape))


@dataclass(frozen=True, slots=True)
class Region:
    """Which part of a node's picture is computed, and which parts of its inputs are at hand.

    Parameters
    ----------
    output : Window
        The rectangle to compute, in pixels of the node's whole output picture.
    inputs : tuple of (Window or None)
        For each input port the rectangle that the array at hand covers; None where the input is no picture.
    input_specs : tuple of ValueSpec
        For each input port the spec of the whole picture.
    output_specs : tuple of ValueSpec
        For each output port the spec of the whole picture.
    """

    output: Window
    inputs: tuple[Window | None, ...]
    input_specs: tuple[ValueSpec, ...]
    output_specs: tuple[ValueSpec, ...]
