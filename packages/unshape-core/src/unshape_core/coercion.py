"""Bringing values from outside to the type of a port.

Accepted is whatever means the value exactly: a whole number for ``F32`` if a float32 holds it, NumPy scalars, sequences
for vectors, arrays of any layout and byte order, and anything that gives an array (``__array__``, DLPack, the buffer
protocol). What would lose something is refused, with the conversion to write. Nothing is copied unless the layout asks
for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, TypeGuard, cast

import numpy as np
import numpy.typing as npt

from unshape_core.argument_checks import shown
from unshape_core.errors import InvalidArgumentError, PortTypeError
from unshape_core.protocols import GraphValue
from unshape_core.value import Value, Vec2, Vec3, Vec4, Vector, round_to_f32
from unshape_core.value_type import ArrayType, CustomType, ScalarType, ValueType

_I32_MIN, _I32_MAX = -(2**31), 2**31 - 1
_VECTORS: dict[ScalarType, type[Vector]] = {ScalarType.VEC2: Vec2, ScalarType.VEC3: Vec3, ScalarType.VEC4: Vec4}
_COMPONENTS = {ScalarType.VEC2: 2, ScalarType.VEC3: 3, ScalarType.VEC4: 4}


def is_graph_value(value: object) -> TypeGuard[GraphValue]:
    """Return whether a value says for itself where it lives, how large it is and what it holds.

    It is not asked for any of that: to know what it holds, a value on a device would have to be waited for.
    """
    kind = type(value)
    if kind is float or kind is np.ndarray:  # asked of every value of every step: most are one of these
        return False
    return _offers(value, kind, "content_key") and _offers(value, kind, "space") and _offers(value, kind, "nbytes")


def _offers(value: object, kind: type, name: str) -> bool:
    return hasattr(kind, name) or name in getattr(value, "__dict__", ())


def fits(value: object, value_type: ValueType) -> bool:
    """Return whether an array is of a type as it is: what :func:`coerce_value` would return unchanged.

    False says nothing; it is a short cut for what backends return, which nearly always fits.
    """
    if not isinstance(value_type, ArrayType):
        return False
    if type(value) is np.ndarray:
        if not value.flags.c_contiguous or value.ndim == 0:
            return False
    elif not is_graph_value(value):
        return False
    shape, dtype = getattr(value, "shape", None), _native_dtype(value_type.dtype)
    return (
        type(shape) is tuple
        and len(shape) == len(value_type.axes)
        and dtype is not None
        and getattr(value, "dtype", None) == dtype
        and (len(shape) != 3 or not is_picture(value_type) or 1 <= shape[2] <= 4)
    )


@cache
def _native_dtype(name: str) -> np.dtype[Any] | None:
    """Return NumPy's type of that name, None if it has none."""
    try:
        return np.dtype(name)
    except TypeError:
        return None


def coerce_value(value: object, value_type: ValueType, *, where: str) -> Value:
    """Return the value as it travels on a wire of that type.

    Parameters
    ----------
    value : object
        The value from outside.
    value_type : ValueType
        Type of the port it goes to.
    where : str
        Begins the error message, for example ``"input 'gain'"``.

    Raises
    ------
    PortTypeError
        If the value is of another type.
    InvalidArgumentError
        If it is of the type but out of range (a number too large, a picture of five channels).
    """
    match value_type:
        case ArrayType():
            return _coerce_array(value, value_type, where)
        case CustomType():
            if not isinstance(value, value_type.cls):
                raise _mismatch(where, value_type, value)
            return cast("Value", value)  # a class of its own is not named in Value
        case ScalarType.VEC2 | ScalarType.VEC3 | ScalarType.VEC4:
            return _coerce_vector(value, value_type, where)
        case ScalarType.BOOL:
            if isinstance(value, bool):
                return value
            item = _item(value)
            if isinstance(item, bool):
                return item
            raise _mismatch(where, value_type, value)
        case ScalarType.I32:
            return _coerce_i32(value, where)
        case ScalarType.F32 | ScalarType.F64:
            return _coerce_float(value, value_type, where)


def _item(value: object) -> object:
    """Return the Python scalar in a NumPy scalar or zero-dimensional array, anything else as it is."""
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        return value.item()
    return value


def _mismatch(where: str, value_type: ValueType, value: object) -> PortTypeError:
    return PortTypeError(f"{where}: expected {value_type}, got {describe(value)}")


def describe(value: object) -> str:
    """Return a value in the few words that an error message has room for."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}[{', '.join(map(str, value.shape))}]"
    return f"{shown(value)} of type {type(value).__name__}"


def _coerce_i32(value: object, where: str) -> int:
    item = _item(value)
    if isinstance(item, bool) or not isinstance(item, int):
        raise _mismatch(where, ScalarType.I32, value)
    if not _I32_MIN <= item <= _I32_MAX:
        msg = f"{where}: expected a whole number from {_I32_MIN} to {_I32_MAX}, got {shown(item)}"
        raise InvalidArgumentError(msg)
    return item


def _coerce_float(value: object, value_type: ScalarType, where: str) -> float:
    item = value if type(value) is float else _item(value)
    if isinstance(item, bool) or not isinstance(item, float | int):
        raise _mismatch(where, value_type, value)
    if isinstance(item, int):
        try:
            number = float(item)
        except OverflowError:
            number = float("inf")
        rounded = round_to_f32(number) if value_type is ScalarType.F32 else number
        if rounded != item:
            msg = f"{where}: {value_type} cannot hold {shown(item)} exactly; pass float({shown(item)}) to round it"
            raise InvalidArgumentError(msg)
        return rounded
    return round_to_f32(item) if value_type is ScalarType.F32 else item


def _coerce_vector(value: object, value_type: ScalarType, where: str) -> Vector:
    cls, count = _VECTORS[value_type], _COMPONENTS[value_type]
    if isinstance(value, cls):
        return value
    if isinstance(value, str | bytes | Vec2 | Vec3 | Vec4) or not isinstance(value, Iterable):
        raise _mismatch(where, value_type, value)
    items = [_item(item) for item in value] if not isinstance(value, np.ndarray) or value.ndim == 1 else []
    if len(items) != count or not all(isinstance(i, float | int) and not isinstance(i, bool) for i in items):
        raise _mismatch(where, value_type, value)
    return cls(*(_coerce_float(item, ScalarType.F32, where) for item in items))


def _coerce_array(value: object, array_type: ArrayType, where: str) -> Value:
    if is_graph_value(value):
        _check_array(getattr(value, "dtype", None), getattr(value, "shape", None), array_type, where)
        return value
    array = value if isinstance(value, np.ndarray) else _foreign_array(value, array_type, where)
    if array.dtype.byteorder not in "=|" or array.dtype.isnative is False:
        array = array.astype(array.dtype.newbyteorder("="))
    if is_picture(array_type) and array.ndim == 2:
        array = array[:, :, np.newaxis]
    _check_array(array.dtype, array.shape, array_type, where)
    try:
        return np.ascontiguousarray(array) if type(array) is np.ndarray else np.array(array, order="C", subok=False)
    except MemoryError as error:  # a broadcast array may stand for more than there is
        msg = f"{where}: {describe(array)} of {array.nbytes} bytes does not fit into memory; give a smaller part of it"
        raise InvalidArgumentError(msg) from error


def is_picture(value_type: ValueType) -> bool:
    """Return whether a type is one of pictures: rows, columns, channels."""
    return isinstance(value_type, ArrayType) and value_type.axes == ("height", "width", "channel")


def _check_array(dtype: object, shape: tuple[int, ...] | None, array_type: ArrayType, where: str) -> None:
    if dtype is not None and str(dtype) != array_type.dtype:
        msg = f'{where}: expected {array_type}, got elements of {dtype}; use .astype("{array_type.dtype}")'
        raise PortTypeError(msg)
    if shape is None:
        return
    if len(shape) != len(array_type.axes):
        msg = f"{where}: expected {array_type}, got an array of shape {tuple(shape)}"
        raise PortTypeError(msg)
    if is_picture(array_type) and not 1 <= shape[2] <= 4:
        msg = f"{where}: expected a picture of 1 to 4 channels, got {shape[2]} in an array of shape {tuple(shape)}"
        raise InvalidArgumentError(msg)


def _foreign_array(value: object, array_type: ArrayType, where: str) -> npt.NDArray[Any]:
    try:
        return as_host_array(value)
    except TypeError:
        raise _mismatch(where, array_type, value) from None


def as_host_array(value: object) -> npt.NDArray[Any]:
    """Return a NumPy array of anything that offers one, without a copy where that is possible.

    Tried in turn: ``__array__`` (also of values on a device, which are downloaded), DLPack, the buffer protocol.

    Raises
    ------
    TypeError
        If the value offers none of them.
    """
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "__array__"):
        return np.asarray(value)
    if hasattr(value, "__dlpack__"):
        return np.from_dlpack(value)
    try:
        return np.asarray(memoryview(value))  # type: ignore[arg-type]  # raises TypeError where it is none
    except TypeError:
        msg = f"expected an array (or __array__, __dlpack__, the buffer protocol), got {describe(value)}"
        raise TypeError(msg) from None
