"""The circumstances of an evaluation.

A node declares in ``context_fields`` which of these its result depends on, and only those enter its cache key. The
others (cancellation, progress) never change a result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, TypeAlias, get_args

from unshape_core.cancellation import CancellationToken
from unshape_core.errors import InvalidArgumentError
from unshape_core.protocols import ProgressSink
from unshape_core.spec import Region
from unshape_core.window import Window

Precision: TypeAlias = Literal["exact", "fast"]


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
        Time of the picture in seconds.
    frame : int
        Number of the picture in a sequence; the tick of a recurrence.
    dt_s : float
        Seconds from the picture before.
    preview : bool
        Whether nodes may trade quality for speed.
    resolution : (int, int)
        ``(width_px, height_px)`` of generated pictures.
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
        check_resolution(self.resolution)
        if self.precision not in get_args(Precision):
            known = " or ".join(map(repr, get_args(Precision)))
            msg = f"context: precision: expected {known}, got {self.precision!r}"
            raise InvalidArgumentError(msg)

    def raise_if_cancelled(self) -> None:
        """Raise :class:`~unshape_core.errors.Cancelled` if the caller asked to stop."""
        if self.cancellation is not None:
            self.cancellation.raise_if_cancelled()


def check_resolution(resolution: Sequence[object]) -> None:
    """Check that a resolution is two whole numbers from 0.

    Raises
    ------
    InvalidArgumentError
        If it is not.
    """
    if len(resolution) != 2 or not all(isinstance(s, int) and not isinstance(s, bool) and s >= 0 for s in resolution):
        msg = f"context: resolution: expected (width_px, height_px), whole numbers from 0, got {resolution!r}"
        raise InvalidArgumentError(msg)
