"""What the array nodes ask of types and shapes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unshape_core.errors import InvalidArgumentError
from unshape_core.spec import ValueSpec
from unshape_core.value_type import F32, F64, ArrayType, ValueType

MATRIX = ArrayType("float32", ("row", "column"))
"""What a matrix product is made of."""

_FLOATS: dict[str, ValueType] = {"float32": F32, "float64": F64}


def check_array_type(type_name: str, value_type: ValueType) -> np.dtype[np.generic]:
    """Return the element type of arrays of numbers.

    Parameters
    ----------
    type_name : str
        The node's type, for the message.
    value_type : ValueType
        What the node is to work on.
    """
    dtype = np.dtype(value_type.dtype) if isinstance(value_type, ArrayType) else None
    if dtype is None or dtype.kind not in "iuf":
        msg = f"{type_name}: value_type: expected an array of numbers, got {value_type}"
        raise InvalidArgumentError(msg, type_name=type_name)
    return dtype


def element_type(type_name: str, value_type: ValueType) -> ValueType:
    """Return the scalar type of the elements of float32 and float64 arrays.

    Parameters
    ----------
    type_name : str
        The node's type, for the message.
    value_type : ValueType
        What the node is to work on.
    """
    found = _FLOATS.get(value_type.dtype) if isinstance(value_type, ArrayType) else None
    if found is None:
        msg = f"{type_name}: value_type: expected an array of float32 or float64, got {value_type}"
        raise InvalidArgumentError(msg, type_name=type_name)
    return found


def same_shape(type_name: str, specs: Sequence[ValueSpec]) -> ValueSpec:
    """Return the spec that all inputs share.

    Parameters
    ----------
    type_name : str
        The node's type, for the message.
    specs : sequence of ValueSpec
        Specs of the inputs; an unknown shape is taken to fit.
    """
    known = [spec for spec in specs if spec.shape is not None]
    shapes = {spec.shape for spec in known}
    if len(shapes) > 1:
        listed = " and ".join(str(list(spec.shape or ())) for spec in known)
        msg = f"{type_name}: expected arrays of one shape, got {listed}; resize or reshape one of them"
        raise InvalidArgumentError(msg, type_name=type_name)
    return known[0] if len(known) == len(specs) else ValueSpec(specs[0].value_type)
