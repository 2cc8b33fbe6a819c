"""Arrays whose owner says when they change.

An array from outside is known by its content, which is read once per evaluation. For an array too large for that, its
owner may vouch with a version instead.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt


@dataclass(frozen=True, slots=True, eq=False)
class Versioned:
    """An array and a version that its owner changes whenever the array does.

    Parameters
    ----------
    array : numpy.ndarray
        The data, not copied. It must not change while an evaluation that was given it runs.
    version : hashable
        Stands for the content: two equal versions promise equal arrays, in the whole evaluator. A tuple of a name and
        a counter is a good one.
    """

    array: npt.NDArray[Any]
    version: Hashable


def unwrap(value: object) -> object:
    """Return the array of a :class:`Versioned`, any other value as it is."""
    return value.array if isinstance(value, Versioned) else value
