"""Primitive operations on Python numbers with the results of 32-bit ones.

A float32 is held as a Python float of that value. The sum, product, quotient and square root of float32 numbers in
double precision, rounded to float32, are the correctly rounded ones, since 53 bits are more than twice 24 plus two.
"""

from __future__ import annotations

import math
import threading
from array import array

_LOW, _HIGH, _UNSIGNED_HIGH = -(2**31), 2**31 - 1, 2**32 - 1
_WHOLE = 2.0**52


class Scratch(threading.local):
    """Four bytes of each thread, seen as a float and as bits: storing a float in the first view rounds it."""

    def __init__(self) -> None:
        view = memoryview(array("f", (0.0,))).cast("B")
        self.views = (view.cast("f"), view.cast("I"))


def divide_by_zero(a: float, b: float) -> float:
    """Return ``a / b`` for a zero of either sign."""
    if a == 0.0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def sqrt_of_rest(a: float) -> float:
    """Return the square root of what is not above zero: zeros, negative numbers, NaN."""
    return a if a == 0.0 else math.nan


def floor(a: float) -> float:
    """Return the largest whole number not above ``a``, with the sign of a zero kept."""
    return math.copysign(float(math.floor(a)), a) if -_WHOLE < a < _WHOLE else a


def ceil(a: float) -> float:
    """Return the smallest whole number not below ``a``; minus zero from (-1, 0)."""
    return math.copysign(float(math.ceil(a)), a) if -_WHOLE < a < _WHOLE else a


def trunc(a: float) -> float:
    """Return ``a`` without its fraction."""
    return math.copysign(float(math.trunc(a)), a) if -_WHOLE < a < _WHOLE else a


def nearest(a: float) -> float:
    """Return the nearest whole number, the even one of two."""
    return math.copysign(float(round(a)), a) if -_WHOLE < a < _WHOLE else a


def to_i32(a: float) -> int:
    """Return ``a`` toward zero, at most the limits of i32; 0 of NaN."""
    if _LOW <= a <= _HIGH:
        return int(a)
    return _HIGH if a > 0 else _LOW if a < 0 else 0


def to_u32(a: float) -> int:
    """Return ``a`` toward zero, at most the limits of u32; 0 of NaN."""
    if 0 <= a <= _UNSIGNED_HIGH:
        return int(a)
    return _UNSIGNED_HIGH if a > 0 else 0
