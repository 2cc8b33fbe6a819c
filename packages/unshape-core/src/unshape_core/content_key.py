"""Keys that stand for contents.

A value's key is made of its bits, a node's of its type and parameters; equal keys mean equal contents, in this process
and in any other, whatever the addresses. Numbers are told apart by their bits and types: ``0.0`` and ``-0.0``, ``1``,
``1.0`` and ``True`` have different keys although Python calls them equal. All NaN are one number.

Parameters may be scalars, strings, bytes, enums, vectors, arrays, tuples, frozensets and mappings of such, frozen
dataclasses that compare by value, and objects that offer ``content_key`` (made of the same). For anything else there is
no key, and a node that has such a parameter is never found in a cache.
"""

from __future__ import annotations

import struct
from collections.abc import Hashable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from unshape_core.value import Value

_double = struct.Struct("<d").pack
_NAN = _double(float("nan"))


class NoContentKeyError(TypeError):
    """A parameter is of a kind that has no content key."""


def value_key(value: Value) -> bytes:
    """Return the key of a value on a wire.

    Raises
    ------
    NoContentKeyError
        If the value has none.
    """
    if type(value) is float:
        return _float_key(value)
    return b"d" + digest(content_bytes(value))


def node_key(node: object) -> bytes | None:
    """Return the key of a node's type and parameters, None if one of them has no key."""
    try:
        return digest(content_bytes((node.type_name, node)))  # type: ignore[attr-defined]  # a Node; see protocols.py
    except NoContentKeyError:
        return None


def digest(content: bytes) -> bytes:
    """Return 16 bytes that stand for any number of bytes."""
    return _hasher()(content)


@cache
def _hasher() -> type[bytes]:
    from xxhash import xxh3_128_digest

    return xxh3_128_digest  # type: ignore[return-value]  # a function of bytes, called as one


def content_bytes(content: object) -> bytes:
    """Return a byte string that is equal for equal contents only.

    Raises
    ------
    NoContentKeyError
        If some part of the content is of a kind that has none.
    """
    parts: list[bytes] = []
    _append(content, parts)
    return b"".join(parts)


def _append(content: object, parts: list[bytes]) -> None:
    match content:
        case None:
            parts.append(b"N")
        case bool():
            parts.append(b"T" if content else b"F")
        case Enum():
            _sized(b"e", f"{type(content).__qualname__}.{content.name}".encode(), parts)
        case int():
            _sized(b"i", str(content).encode(), parts)
        case float():
            parts.append(_float_key(content))
        case str():
            _sized(b"s", content.encode("utf-8", "surrogatepass"), parts)
        case bytes():
            _sized(b"b", content, parts)
        case tuple():
            parts.append(b"t%d:" % len(content))
            for item in content:
                _append(item, parts)
        case frozenset():
            parts.append(b"S%d:" % len(content))
            parts.extend(sorted(content_bytes(item) for item in content))
        case Mapping():
            parts.append(b"m%d:" % len(content))
            items = sorted((content_bytes(key), content_bytes(value)) for key, value in content.items())
            parts.extend(part for item in items for part in item)
        case np.ndarray():
            _append_array(content, parts)
        case np.generic():
            _append_array(np.asarray(content), parts)
        case type():
            _sized(b"c", f"{content.__module__}.{content.__qualname__}".encode(), parts)
        case _:
            _append_object(content, parts)


def _float_key(number: float) -> bytes:
    return b"f" + (_double(number) if number == number else _NAN)  # noqa: PLR0124  # only NaN differs from itself


def _sized(tag: bytes, content: bytes, parts: list[bytes]) -> None:
    parts.append(b"%b%d:" % (tag, len(content)))
    parts.append(content)


def _append_array(array: np.ndarray[tuple[int, ...], np.dtype[np.generic]], parts: list[bytes]) -> None:
    if array.dtype.hasobject:
        msg = f"an array of {array.dtype} has no content key"
        raise NoContentKeyError(msg)
    _sized(b"a", f"{array.dtype.newbyteorder('=').str}{array.shape}".encode(), parts)
    native = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    parts.append(digest(memoryview(native.reshape(-1).view(np.uint8)) if native.size else b""))  # type: ignore[arg-type]


def _append_object(content: object, parts: list[bytes]) -> None:
    cls = type(content)
    _sized(b"o", f"{cls.__module__}.{cls.__qualname__}".encode(), parts)
    if hasattr(content, "content_key"):
        key: Hashable = content.content_key
        _append(key, parts)
    elif is_dataclass(content) and _compares_by_value(cls):
        for field in fields(content):
            _append(getattr(content, field.name), parts)
    else:
        msg = f"{cls.__module__}.{cls.__qualname__} has no content key; give it a content_key"
        raise NoContentKeyError(msg)


def _compares_by_value(cls: type) -> bool:
    parameters = cls.__dataclass_params__  # type: ignore[attr-defined]  # every dataclass has it
    return bool(parameters.frozen and parameters.eq)
