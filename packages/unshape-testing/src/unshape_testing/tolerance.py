"""Assertions on results: equal in every bit, or within a stated bound.

Lengths are compared first, then types and shapes, then elements; NaN equals NaN and nothing else does. Nothing is
broadcast and nothing is converted, so that a result of the wrong shape never passes by accident.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unshape_backend.difference import Difference, difference
from unshape_core.value import Value, Vec2, Vec3, Vec4


def assert_same_bits(expected: Sequence[Value], actual: Sequence[Value], *, what: str = "result") -> None:
    """Assert that two rows of values are of one kind each and equal in every bit.

    Parameters
    ----------
    expected, actual : sequence of Value
        Outputs in port order. Values on a device are downloaded.
    what : str
        Begins the message.
    """
    for where, left, right in _pairs(expected, actual, what):
        found = difference(left, right)
        assert found.is_equal, f"{where}: expected the same bits, {describe(found, left, right)}"


def assert_within(
    expected: Sequence[Value], actual: Sequence[Value], *, ulp: int, absolute: float, what: str = "result"
) -> None:
    """Assert that no element is further off than a number of units in the last place, or than an absolute distance.

    In 8 bits no element may be off by more than one level either.

    Parameters
    ----------
    expected, actual : sequence of Value
        Outputs in port order. Integers and truth values must be equal.
    ulp : int
        Largest distance in representable numbers.
    absolute : float
        Distance that is always allowed: near zero many numbers are representable.
    what : str
        Begins the message.
    """
    for where, left, right in _pairs(expected, actual, what):
        if left.dtype.kind != "f":
            assert_same_bits([left], [right], what=where)
            continue
        with np.errstate(invalid="ignore", over="ignore"):
            is_near = np.abs(left.astype(np.float64) - right.astype(np.float64)) <= absolute
        found = difference(left, np.where(is_near, left, right))
        assert found.max_ulp <= ulp, f"{where}: expected at most {ulp} ulp, {describe(found, left, right)}"
        levels = difference(left, right).max_8bit
        assert levels <= 1, f"{where}: expected 8-bit levels at most 1 apart, got {levels}"


def is_same_bits(left: Value, right: Value) -> bool:
    """Return whether two values are of one kind and equal in every bit."""
    try:
        assert_same_bits([left], [right])
    except AssertionError:
        return False
    return True


def describe(found: Difference, expected: npt.NDArray[Any], actual: npt.NDArray[Any]) -> str:
    """Return a difference in one clause: how many, how far, and the first one."""
    text = f"{found.differing} of {found.elements} elements differ by up to {found.max_ulp} ulp"
    if found.first is None:
        return text
    index = ", ".join(map(str, found.first))
    return f"{text}; first at [{index}]: expected {expected[found.first]!r}, got {actual[found.first]!r}"


def _pairs(
    expected: Sequence[Value], actual: Sequence[Value], what: str
) -> list[tuple[str, npt.NDArray[Any], npt.NDArray[Any]]]:
    assert len(expected) == len(actual), f"{what}: expected {len(expected)} outputs, got {len(actual)}"
    pairs = []
    for index, (left, right) in enumerate(zip(expected, actual, strict=True)):
        where = what if len(expected) == 1 else f"{what}, output {index}"
        assert _kind(left) is _kind(right), f"{where}: expected {_kind(left).__name__}, got {_kind(right).__name__}"
        one, other = _as_array(left), _as_array(right)
        assert one.dtype == other.dtype, f"{where}: expected elements of {one.dtype}, got {other.dtype}"
        assert one.shape == other.shape, f"{where}: expected shape {one.shape}, got {other.shape}"
        pairs.append((where, np.atleast_1d(one), np.atleast_1d(other)))
    return pairs


def _kind(value: Value) -> type:
    """Return the class of a scalar or vector, and one class for all arrays wherever they are."""
    return type(value) if isinstance(value, bool | int | float | Vec2 | Vec3 | Vec4) else np.ndarray


def _as_array(value: Value) -> npt.NDArray[Any]:
    return np.asarray(value)
