"""The values that a caller gives a graph, checked and keyed once per evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unshape_core.argument_checks import shown
from unshape_core.coercion import coerce_value, is_graph_value
from unshape_core.content_key import NoContentKeyError, content_bytes, digest, value_key
from unshape_core.errors import InvalidArgumentError
from unshape_core.versioned import Versioned, unwrap

if TYPE_CHECKING:
    from unshape_core.value import Value
    from unshape_core.value_type import ValueType


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenInputs:
    """What a caller gave.

    Parameters
    ----------
    values : mapping of str to Value
        By the input's name, of the input's type; arrays as read-only views of the caller's memory.
    keys : mapping of str to (bytes or None)
        What each stands for; None where nothing is known of the content.
    shapes : tuple
        What a program may depend on: name, shape and place of every array.
    arrays : tuple of numpy.ndarray
        The caller's arrays, which nothing that is kept may share memory with.
    copied_bytes : int
        Bytes of them that are copies, since the caller's were not in C order and native byte order.
    """

    values: Mapping[str, Value]
    keys: Mapping[str, bytes | None]
    shapes: tuple[object, ...]
    arrays: tuple[npt.NDArray[Any], ...]
    copied_bytes: int = 0


NOTHING_GIVEN = GivenInputs(values=MappingProxyType({}), keys=MappingProxyType({}), shapes=(), arrays=())


def take_inputs(given: Mapping[str, object], types: Mapping[str, ValueType]) -> GivenInputs:
    """Return the caller's values as the graph's inputs take them.

    Raises
    ------
    InvalidArgumentError
        If the graph has no input of that name, or a value is out of range.
    PortTypeError
        If a value is of another type than the input.
    """
    if not given:
        return NOTHING_GIVEN
    values: dict[str, Value] = {}
    keys: dict[str, bytes | None] = {}
    shapes: list[object] = []
    arrays: list[npt.NDArray[Any]] = []
    copied_bytes = 0
    for name, item in given.items():
        if name not in types:
            known = ", ".join(map(repr, sorted(types))) or "none; add a GraphInput"
            msg = f"inputs: the graph has no input named {shown(name)}; its inputs: {known}"
            raise InvalidArgumentError(msg)
        unwrapped = unwrap(item)
        value = coerce_value(unwrapped, types[name], where=f"input '{name}'")
        if isinstance(value, np.ndarray):
            if isinstance(unwrapped, np.ndarray) and not np.may_share_memory(value, unwrapped):
                copied_bytes += value.nbytes
            arrays.append(value)
            value = value.view()
            value.flags.writeable = False
            shapes.append((name, value.shape))
        elif is_graph_value(value):
            shapes.append((name, getattr(value, "shape", None), value.space))
        values[name] = value
        keys[name] = _key_of(item, value)
    return GivenInputs(
        values=MappingProxyType(values),
        keys=MappingProxyType(keys),
        shapes=tuple(sorted(shapes, key=repr)),
        arrays=tuple(arrays),
        copied_bytes=copied_bytes,
    )


def _key_of(item: object, value: Value) -> bytes | None:
    try:
        if isinstance(item, Versioned):
            return b"v" + digest(content_bytes((item.version, item.array.shape, item.array.dtype.str)))
        return value_key(value)
    except NoContentKeyError:
        return None
