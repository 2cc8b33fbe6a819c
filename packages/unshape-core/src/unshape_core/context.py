"""The circumstances of an evaluation.

A node declares in ``context_fields`` which of these its result depends on, and only those enter its cache key. The
others (cancellation, progress) never change a result.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, Literal, NoReturn, TypeAlias, get_args

from unshape_core.argument_checks import shown, whole_number
from unshape_core.cancellation import CancellationToken
from unshape_core.errors import InvalidArgumentError
from unshape_core.protocols import ProgressSink
from unshape_core.spec import Region
from unshape_core.window import LARGEST_SIDE_PX, Window

Precision: TypeAlias = Literal["exact", "fast"]
_PRECISIONS = get_args(Precision)


class ContextField(StrEnum):
    """The fields of :class:`EvalContext` that a result may depend on."""

    TIME = "time_s"
    FRAME = "frame"
    DT = "dt_s"
    PREVIEW = "preview"
    RESOLUTION = "resolution"
    SEED = "seed"
    INPUTS = "inputs"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalContext:
    """What one evaluation is asked for.

    Parameters
    ----------
    time_s : float
        Time of the picture in seconds, a finite number.
    frame : int
        Number of the picture in a sequence; the tick of a recurrence.
    dt_s : float
        Seconds from the picture before.
    preview : bool
        Whether nodes may trade quality for speed.
    resolution : (int, int)
        ``(width_px, height_px)`` of generated pictures, each from 0 to 2**24.
    window : Window or None
        The rectangle of that resolution to compute; None means all of it.
    seed : int
        Added to the seeds of all noise, modulo 2**32.
    inputs : mapping of str to value
        Values of the ``GraphInput`` nodes by name: whatever :func:`~unshape_core.coercion.coerce_value` takes, or a
        :class:`~unshape_core.versioned.Versioned` array. While steps run they are checked and of their port's type.
    precision : {"exact", "fast"}
        "exact" gives the same bits on every backend; "fast" lets a backend contract, within each node's stated bound.
    cancellation : CancellationToken or None
        Asked between steps and inside long ones.
    progress : ProgressSink or None
        Told of every step.
    region : Region or None
        What the running node computes; set by executors for nodes that are told their window, None otherwise.
    """

    time_s: float = 0.0
    frame: int = 0
    dt_s: float = 1.0 / 60.0
    preview: bool = False
    resolution: tuple[int, int] = (512, 512)
    window: Window | None = None
    seed: int = 0
    inputs: Mapping[str, Any] = field(default_factory=dict)
    precision: Precision = "exact"
    cancellation: CancellationToken | None = None
    progress: ProgressSink | None = None
    region: Region | None = None

    def __post_init__(self) -> None:
        if not _are_plain(self.time_s, self.dt_s, self.frame, self.seed):
            for name in ("time_s", "dt_s"):
                object.__setattr__(self, name, _finite(name, getattr(self, name)))
            for name in ("frame", "seed"):
                object.__setattr__(self, name, whole_number(f"context: {name}", getattr(self, name)))
        object.__setattr__(self, "resolution", check_resolution(self.resolution))
        if self.precision not in _PRECISIONS:
            _refuse("precision", " or ".join(map(repr, _PRECISIONS)), self.precision)
        if self.window is not None and not isinstance(self.window, Window):
            _refuse("window", "a Window, or None for all of the picture", self.window)
        if not isinstance(self.inputs, Mapping):
            _refuse("inputs", "a mapping from names to values", self.inputs)
        if self.cancellation is not None and not hasattr(self.cancellation, "raise_if_cancelled"):
            _refuse("cancellation", "a CancellationToken or None", self.cancellation)
        if self.progress is not None and not callable(self.progress):
            _refuse("progress", "something to call with each event, or None", self.progress)

    def with_region(self, region: Region) -> EvalContext:
        """Return the same for a node that computes a region. It is asked for before steps: nothing is checked again."""
        told = object.__new__(EvalContext)
        for name in _FIELDS:
            object.__setattr__(told, name, getattr(self, name))
        object.__setattr__(told, "region", region)
        return told

    def raise_if_cancelled(self) -> None:
        """Raise :class:`~unshape_core.errors.Cancelled` if the caller asked to stop."""
        if self.cancellation is not None:
            self.cancellation.raise_if_cancelled()


_FIELDS = tuple(each.name for each in fields(EvalContext))


def check_resolution(resolution: object) -> tuple[int, int]:
    """Return a resolution as a pair of Python's ints.

    Raises
    ------
    InvalidArgumentError
        If it is not two whole numbers from 0 to 2**24, up to where pixel coordinates are exact in float32.
    """
    sides = resolution if isinstance(resolution, tuple | list) and len(resolution) == 2 else (None, None)
    width_px, height_px = map(_whole_or_none, sides)
    if width_px is None or height_px is None or not 0 <= width_px <= LARGEST_SIDE_PX >= height_px >= 0:
        _refuse("resolution", f"(width_px, height_px), whole numbers from 0 to {LARGEST_SIDE_PX}", resolution)
    return width_px, height_px


def _whole_or_none(side: object) -> int | None:
    try:
        return whole_number("side", side)
    except InvalidArgumentError:
        return None


def _are_plain(time_s: object, dt_s: object, frame: object, seed: object) -> bool:
    """Return whether the numbers of a context are as their types say; the answer is nearly always yes."""
    return (
        type(time_s) is float
        and type(dt_s) is float
        and type(frame) is int
        and type(seed) is int
        and math.isfinite(time_s)
        and math.isfinite(dt_s)
    )


def _finite(name: str, value: object) -> float:
    try:
        number = math.nan if isinstance(value, bool | str | bytes) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        _refuse(name, "a finite number", value)
    return number


def _refuse(name: str, expected: str, got: object) -> NoReturn:
    msg = f"context: {name}: expected {expected}, got {shown(got)}"
    raise InvalidArgumentError(msg)
