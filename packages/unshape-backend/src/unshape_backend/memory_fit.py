"""Whether something fits into a memory, in four answers: yes, barely, no, unknown."""

from __future__ import annotations

from enum import StrEnum

TIGHT_FRACTION = 0.85
"""Share of the memory above which a fit is called tight."""


class FitStatus(StrEnum):
    """How well something fits."""

    COMFORTABLE = "comfortable"
    TIGHT = "tight"
    WONT_FIT = "won't fit"
    UNKNOWN = "unknown"


def would_fit(needed_bytes: int | None, *, total_bytes: int | None, used_bytes: int = 0) -> FitStatus:
    """Return how well that many further bytes fit.

    Parameters
    ----------
    needed_bytes : int or None
        What is to be allocated; None if unknown.
    total_bytes : int or None
        Size of the memory or of the budget for it; None if unknown, which is never read as zero.
    used_bytes : int
        What is taken already.
    """
    if needed_bytes is None or total_bytes is None:
        return FitStatus.UNKNOWN
    after = used_bytes + needed_bytes
    if needed_bytes > 0 and after > total_bytes:
        return FitStatus.WONT_FIT
    return FitStatus.TIGHT if after > TIGHT_FRACTION * total_bytes else FitStatus.COMFORTABLE
