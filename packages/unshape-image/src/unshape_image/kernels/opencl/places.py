"""Tables of what stands where: for each float of a padded row, and for each padded row, the one at hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unshape_core.context import EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.window import Window
from unshape_expr.ir import Border
from unshape_image.borders import border_indices

Table = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """The picture that a kernel reads: what is at hand of it, and its whole size."""

    window: Window
    width_px: int
    height_px: int
    channels: int

    @property
    def row_floats(self) -> int:
        """Floats of a row at hand."""
        return self.window.width_px * self.channels


def held_input(ctx: EvalContext) -> Held:
    """Return the first input of a running kernel.

    Raises
    ------
    InvalidArgumentError
        If nothing says what is at hand.
    """
    region = ctx.region
    if region is None or region.inputs[0] is None or region.input_specs[0].shape is None:
        msg = "a kernel on a device: expected a context with a region, got none; run it through a backend"
        raise InvalidArgumentError(msg)
    height_px, width_px, channels = region.input_specs[0].shape
    return Held(window=region.inputs[0], width_px=width_px, height_px=height_px, channels=channels)


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """What stands at each place of a window and of the border around it.

    Parameters
    ----------
    columns : int32[(width_px + 2*reach)*channels]
        The float of a row at hand, -1 for 0.
    lines : int32[height_px + 2*reach]
        The row at hand, -1 for zeros.
    inner_low, inner_high : int
        Places of ``columns`` from which the floats lie side by side.
    shift : int
        How far they lie behind their place.
    """

    columns: Table
    lines: Table
    inner_low: int
    inner_high: int
    shift: int

    @classmethod
    def around(cls, held: Held, output: Window, *, reach_px: tuple[int, int], border: Border) -> Places:
        """Return the places of a window grown by a reach in x and y."""
        grown = output.expand(x_px=reach_px[0], y_px=reach_px[1])
        columns = _at_hand(grown.x_px, grown.right_px, held.width_px, border, held.window.x_px)
        lines = _at_hand(grown.y_px, grown.bottom_px, held.height_px, border, held.window.y_px)
        low = min(max(0, -grown.x_px), len(columns))
        high = max(low, min(grown.right_px, held.width_px) - grown.x_px)
        c = held.channels
        floats = np.where(columns[:, None] < 0, -1, columns[:, None] * c + np.arange(c))
        return cls(
            columns=floats.reshape(-1).astype(np.int32),
            lines=lines.astype(np.int32),
            inner_low=low * c,
            inner_high=high * c,
            shift=(grown.x_px - held.window.x_px) * c,
        )

    def pixels(self, channels: int) -> Table:
        """Return the column at hand that stands at each place, -1 for 0."""
        return np.ascontiguousarray(self.columns[::channels] // channels)

    def rows_read(self) -> tuple[int, int]:
        """Return the half-open range of rows at hand that stand somewhere; empty if there are none."""
        inside = self.lines[self.lines >= 0]
        return (int(inside.min()), int(inside.max()) + 1) if inside.size else (0, 0)


def _at_hand(start: int, stop: int, size: int, border: Border, first: int) -> npt.NDArray[np.intp]:
    indices = border_indices(start, stop, size, border)
    return np.where(indices < 0, -1, indices - first)
