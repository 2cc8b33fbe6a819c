"""Making a computed array safe to keep and to hand out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unshape_core.value import Value


def settle(value: Value, foreign: Sequence[npt.NDArray[Any]]) -> Value:
    """Return an array as it may be kept: read-only, and of memory that no caller can change.

    It is copied if it shares memory with one of the caller's arrays (``foreign``), or if it is a part of a larger
    array, which it would keep alive. Other values are returned as they are.
    """
    if not isinstance(value, np.ndarray):
        return value
    base: object = value.base
    if base is not None and (
        (isinstance(base, np.ndarray) and base.nbytes > value.nbytes)
        or any(np.may_share_memory(value, array) for array in foreign)
    ):
        value = np.array(value, order="C")
    value.flags.writeable = False
    return value
