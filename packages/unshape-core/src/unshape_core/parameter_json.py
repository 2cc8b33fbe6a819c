"""Parameters of nodes as JSON, strictly typed in both directions.

A parameter may be a bool, an int, a float, a string, None, an enum, a vector, a value type, a small array, a tuple or a
frozen dataclass of such, or a union of these. What is read must be of the field's type; nothing is converted but whole
numbers to float where that is exact. Numbers that JSON does not know are written as the strings ``"nan"``, ``"inf"``
and ``"-inf"``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from unshape_core.value import Vec2, Vec3, Vec4
from unshape_core.value_type import TEXTURE, ArrayType, CustomType

_NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_VECTORS: dict[type, tuple[str, int]] = {Vec2: ("vec2", 2), Vec3: ("vec3", 3), Vec4: ("vec4", 4)}


class ParameterError(Exception):
    """A parameter does not fit; carries the path below the parameters, what was expected and what there was."""

    def __init__(self, path: str, expected: str, got: str) -> None:
        super().__init__(f"{path}: expected {expected}, got {got}")
        self.path = path
        self.expected = expected
        self.got = got


def parameters_to_json(node: object) -> dict[str, Any]:
    """Return the fields of a node as JSON, all of them.

    Raises
    ------
    ParameterError
        If one is of a kind that has no JSON form.
    """
    cls: type = type(node)
    return {name: _encode(getattr(node, name), f".{name}") for name in _hints(cls)}


def parameters_from_json(node_type: type, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments to make a node of that type with.

    Raises
    ------
    ParameterError
        If a parameter is unknown, missing or of another type.
    """
    hints = _hints(node_type)
    for name in params:
        if name not in hints:
            known = ", ".join(hints) or "none"
            raise ParameterError(f".{name}", f"one of the parameters {known}", f"{name!r}")
    required = {
        field.name
        for field in fields(node_type)
        if field.init and field.default is MISSING and field.default_factory is MISSING
    }
    for name in hints:
        if name in required and name not in params:
            raise ParameterError("", f"a parameter {name!r}", "none")
    return {name: _decode(value, hints[name], f".{name}") for name, value in params.items()}


@cache
def _hints(node_type: Hashable) -> dict[str, Any]:
    if not isinstance(node_type, type) or not is_dataclass(node_type):
        raise ParameterError("", "a node that is a dataclass", str(node_type))
    hints = get_type_hints(node_type)
    return {field.name: hints[field.name] for field in fields(node_type) if field.init}


def _encode(value: object, path: str) -> Any:
    match value:
        case Enum():
            return value.value if isinstance(value.value, str) else value.name
        case None | bool() | int() | str():
            return value
        case float() if math.isfinite(value):
            return value
        case float():
            return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
        case Vec2() | Vec3() | Vec4():
            return {_VECTORS[type(value)][0]: [_encode(component, path) for component in value]}
        case tuple():
            return [_encode(item, f"{path}[{index}]") for index, item in enumerate(value)]
        case np.ndarray() if not value.dtype.hasobject:
            import base64

            little = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<"))
            data = base64.b64encode(little.tobytes()).decode()
            return {"array": {"dtype": value.dtype.name, "shape": list(value.shape), "base64": data}}
        case ArrayType() if value == TEXTURE:
            return "texture"
        case ArrayType():
            return {"dtype": value.dtype, "axes": list(value.axes)}
        case CustomType():
            raise ParameterError(path, "a value type that graph files know", str(value))
        case _ if is_dataclass(value) and not isinstance(value, type):
            return {name: _encode(getattr(value, name), f"{path}.{name}") for name in _hints(type(value))}
        case _:
            raise ParameterError(path, "a value that graph files know", f"a {type(value).__name__}")


def _decode(value: Any, hint: Any, path: str) -> Any:
    origin = get_origin(hint)
    alias = hint if origin is None else origin
    if hasattr(alias, "__value__"):  # a `type` statement, which is what NDArray is from NumPy 2.5 on
        return _decode(value, alias.__value__, path)
    if origin is Union or origin is UnionType:
        return _decode_union(value, get_args(hint), path)
    if origin is Literal:
        for choice in get_args(hint):
            if type(choice) is type(value) and choice == value:
                return choice
        raise ParameterError(path, " or ".join(map(repr, get_args(hint))), _shown(value))
    if origin is tuple:
        return _decode_tuple(value, get_args(hint), path)
    if origin is np.ndarray:
        return _decode_array(value, path)
    decode = _DECODERS.get(hint)
    if decode is not None:
        return decode(value, path)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _decode_enum(value, hint, path)
    if isinstance(hint, type) and is_dataclass(hint) and hint is not CustomType:
        return _decode_dataclass(value, hint, path)
    raise ParameterError(path, "a parameter of a type that graph files know", getattr(hint, "__name__", str(hint)))


def _decode_union(value: Any, alternatives: tuple[Any, ...], path: str) -> Any:
    expected: list[str] = []
    for alternative in alternatives:
        try:
            return _decode(value, alternative, path)
        except ParameterError as error:
            if error.path != path:
                raise  # the alternative is the right one, but something inside it is not
            if not error.expected.startswith("a parameter of a type"):
                expected.append(error.expected)
    raise ParameterError(path, " or ".join(dict.fromkeys(expected)), _shown(value))


def _decode_none(value: Any, path: str) -> None:
    if value is not None:
        raise ParameterError(path, "null", _shown(value))


def _decode_bool(value: Any, path: str) -> bool:
    if not isinstance(value, bool):
        raise ParameterError(path, "true or false", _shown(value))
    return value


def _decode_int(value: Any, path: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ParameterError(path, "a whole number", _shown(value))
    return value


def _decode_float(value: Any, path: str) -> float:
    if isinstance(value, str) and value in _NOT_FINITE:
        return _NOT_FINITE[value]
    if isinstance(value, bool) or not isinstance(value, float | int):
        raise ParameterError(path, "a number", _shown(value))
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if number != value:
        raise ParameterError(path, "a number that a float holds", _shown(value))
    return number


def _decode_str(value: Any, path: str) -> str:
    if not isinstance(value, str):
        raise ParameterError(path, "a string", _shown(value))
    return value


def _decode_vector(cls: type[Vec2 | Vec3 | Vec4]) -> Callable[[Any, str], Vec2 | Vec3 | Vec4]:
    tag, count = _VECTORS[cls]

    def decode(value: Any, path: str) -> Vec2 | Vec3 | Vec4:
        items = value[tag] if isinstance(value, dict) and value.keys() == {tag} else value
        if not isinstance(items, list) or len(items) != count:
            raise ParameterError(path, f"a list of {count} numbers", _shown(value))
        return cls(*(_decode_float(item, f"{path}[{index}]") for index, item in enumerate(items)))

    return decode


def _decode_array_type(value: Any, path: str) -> ArrayType:
    if value == "texture":
        return TEXTURE
    if not isinstance(value, dict):
        raise ParameterError(path, "'texture' or an object of dtype and axes", _shown(value))
    array_type: ArrayType = _decode_dataclass(value, ArrayType, path)
    _dtype(array_type.dtype, f"{path}.dtype")
    return array_type


_DECODERS: dict[Any, Callable[[Any, str], Any]] = {
    NoneType: _decode_none,
    bool: _decode_bool,
    int: _decode_int,
    float: _decode_float,
    str: _decode_str,
    ArrayType: _decode_array_type,
    Vec2: _decode_vector(Vec2),
    Vec3: _decode_vector(Vec3),
    Vec4: _decode_vector(Vec4),
}


def _decode_tuple(value: Any, hints: tuple[Any, ...], path: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise ParameterError(path, "a list", _shown(value))
    if len(hints) == 2 and hints[1] is ...:
        return tuple(_decode(item, hints[0], f"{path}[{index}]") for index, item in enumerate(value))
    if len(value) != len(hints):
        raise ParameterError(path, f"a list of {len(hints)}", f"one of {len(value)}")
    return tuple(
        _decode(item, hint, f"{path}[{index}]") for index, (item, hint) in enumerate(zip(value, hints, strict=True))
    )


def _decode_enum(value: Any, cls: type[Enum], path: str) -> Enum:
    by_text = {member.value if isinstance(member.value, str) else member.name: member for member in cls}
    if not isinstance(value, str) or value not in by_text:
        raise ParameterError(path, " or ".join(map(repr, by_text)), _shown(value))
    return by_text[value]


def _decode_dataclass(value: Any, cls: type, path: str) -> Any:
    if not isinstance(value, dict):
        raise ParameterError(path, f"an object of {', '.join(_hints(cls))}", _shown(value))
    try:
        arguments = parameters_from_json(cls, value)
    except ParameterError as error:
        raise ParameterError(path + error.path, error.expected, error.got) from None
    return cls(**arguments)


def _decode_array(value: Any, path: str) -> np.ndarray[Any, Any]:
    if not isinstance(value, dict) or value.keys() != {"array"} or not isinstance(value["array"], dict):
        raise ParameterError(path, "an object {'array': {dtype, shape, base64}}", _shown(value))
    import base64
    import binascii

    inner, path = value["array"], f"{path}.array"
    if inner.keys() != {"dtype", "shape", "base64"}:
        raise ParameterError(path, "dtype, shape and base64", ", ".join(map(str, inner)) or "nothing")
    dtype = _dtype(_decode_str(inner["dtype"], f"{path}.dtype"), f"{path}.dtype")
    shape = _decode_tuple(inner["shape"], (int, ...), f"{path}.shape")
    try:
        data = base64.b64decode(_decode_str(inner["base64"], f"{path}.base64"), validate=True)
    except binascii.Error as error:
        raise ParameterError(f"{path}.base64", "base64", str(error)) from None
    if any(side < 0 for side in shape) or math.prod(shape) * dtype.itemsize != len(data):
        raise ParameterError(path, f"{math.prod(shape) * dtype.itemsize} bytes for the shape", f"{len(data)}")
    return np.frombuffer(data, dtype=dtype.newbyteorder("<")).reshape(shape).astype(dtype)


def _dtype(name: str, path: str) -> np.dtype[Any]:
    try:
        dtype = np.dtype(name)
    except TypeError:
        dtype = np.dtype(object)
    if dtype.kind not in "biufc" or dtype.name != name:
        raise ParameterError(path, "a name of a number type such as 'float32'", _shown(name))
    return dtype


def _shown(value: object) -> str:
    """Return a JSON value in the few words that an error message has room for."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case list():
            return f"a list of {len(value)}"
        case dict():
            return "an object"
        case _:
            text = repr(value)
            return text if len(text) <= 40 else f"{text[:37]}..."
