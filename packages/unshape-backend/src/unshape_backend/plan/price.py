"""The price of a placement: one integer that compares lexicographically.

A placement is better if it has fewer unknown costs, then if it takes less time, then if it moves fewer values, then if
it uses backends of higher priority. The four counts are packed into one integer, so that prices add, subtract and
compare as fast as numbers do, and an unknown cost is never taken for zero.
"""

from __future__ import annotations

from unshape_backend.cost import Cost

_RANK_BITS = 32
_MOVE_BITS = 32
_TIME_BITS = 64

_MOVE = 1 << _RANK_BITS
_TIME = _MOVE << _MOVE_BITS
_UNKNOWN = _TIME << _TIME_BITS


def run_price(cost: Cost | None, rank: int) -> int:
    """Return the price of running a task on the backend of that rank (0 is the highest priority)."""
    return rank + (_UNKNOWN if cost is None else cost.total_ns * _TIME)


def move_price(cost: Cost | None) -> int:
    """Return the price of moving a value between two spaces."""
    return _MOVE + (_UNKNOWN if cost is None else cost.total_ns * _TIME)


def price_ns(price: int) -> int:
    """Return the nanoseconds in a price."""
    return (price // _TIME) % (1 << _TIME_BITS)


def unknown_count(price: int) -> int:
    """Return how many costs in a price are unknown."""
    return price // _UNKNOWN
