"""The difference of two results: in bits, in units in the last place, and in what a viewer of 8-bit pictures sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """How far two arrays are apart. NaN equals NaN; nothing else equals NaN.

    Parameters
    ----------
    elements : int
        Number of elements compared.
    differing : int
        Elements whose bits differ.
    max_absolute : float
        Largest absolute difference; infinite if one side is not finite where the other is.
    max_ulp : int
        Largest distance in representable float32 numbers.
    differing_8bit : int
        Elements whose 8-bit levels ``round(255 * clip(x, 0, 1))`` differ.
    max_8bit : int
        Largest difference of 8-bit levels.
    first : tuple of int or None
        Index of the first element that differs.
    """

    elements: int
    differing: int
    max_absolute: float
    max_ulp: int
    differing_8bit: int
    max_8bit: int
    first: tuple[int, ...] | None

    @property
    def is_equal(self) -> bool:
        """Whether all bits agree."""
        return self.differing == 0


def difference(left: npt.NDArray[Any], right: npt.NDArray[Any]) -> Difference:
    """Return how far two arrays of one shape and dtype are apart.

    Parameters
    ----------
    left, right : float32, float64, integer or bool arrays of any shape
        What is compared.

    Raises
    ------
    ValueError
        If shapes or dtypes differ; nothing is broadcast and nothing is converted.
    """
    if left.shape != right.shape or left.dtype != right.dtype:
        msg = f"difference: expected equal shape and dtype, got {left.dtype}{left.shape} and {right.dtype}{right.shape}"
        raise ValueError(msg)
    if left.dtype.kind != "f":
        unequal = left != right
        gap = np.abs(left.astype(np.int64) - right.astype(np.int64))
        largest = int(gap.max(initial=0))
        return Difference(
            elements=left.size,
            differing=int(unequal.sum()),
            max_absolute=float(largest),
            max_ulp=largest,
            differing_8bit=int(unequal.sum()),
            max_8bit=min(largest, 255),
            first=_first(unequal),
        )
    ordinals_left, ordinals_right = _ordinals(left), _ordinals(right)
    nan_left, nan_right = np.isnan(left), np.isnan(right)
    unequal = (_bits(left) != _bits(right)) & ~(nan_left & nan_right)
    lonely_nan = nan_left != nan_right
    # Python-sized distances: float64 ordinals span more than int64 holds, float32 ordinals do not.
    ulp = np.where(unequal, np.abs(ordinals_left.astype(np.float64) - ordinals_right.astype(np.float64)), 0.0)
    ulp[lonely_nan] = 2.0**32
    with np.errstate(invalid="ignore", over="ignore"):
        absolute = np.abs(left.astype(np.float64) - right.astype(np.float64))
    absolute[~unequal] = 0.0
    absolute[np.isnan(absolute)] = np.inf
    levels = np.abs(_levels(left) - _levels(right))
    return Difference(
        elements=left.size,
        differing=int(unequal.sum()),
        max_absolute=float(absolute.max(initial=0.0)),
        max_ulp=int(ulp.max(initial=0.0)),
        differing_8bit=int((levels != 0).sum()),
        max_8bit=int(levels.max(initial=0)),
        first=_first(unequal),
    )


def _bits(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").reshape(array.shape)


def _ordinals(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Map floats to integers of the same order, neighbours to neighbours, both zeros to neighbours."""
    signed = np.ascontiguousarray(array).view(f"i{array.dtype.itemsize}").reshape(array.shape)
    lowest = np.iinfo(signed.dtype).min
    return np.where(signed < 0, lowest - signed - 1, signed)


def _levels(array: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    levels: npt.NDArray[np.int64] = np.rint(np.clip(np.nan_to_num(array, nan=0.0), 0.0, 1.0) * 255.0).astype(np.int64)
    return levels


def _first(unequal: npt.NDArray[np.bool_]) -> tuple[int, ...] | None:
    if not unequal.any():
        return None
    return tuple(int(i) for i in np.unravel_index(int(unequal.argmax()), unequal.shape))
