"""The node, and what it means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

import numpy as np

from unshape_core import TEXTURE, ContextField, EvalContext, OpClass, Port, Value, ValueSpec, Window


@dataclass(frozen=True, slots=True)
class Maximum:
    """Replace each pixel by the largest of the 3 x 3 pixels around it; the edge pixel stands beyond the edge."""

    type_name: ClassVar[str] = "example::Maximum"
    op_class: ClassVar[OpClass] = OpClass.OTHER
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE),)

    def infer(self, input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        return (input_specs[0],)

    def input_windows(
        self, window: Window, _input_specs: Sequence[ValueSpec], _ctx: EvalContext
    ) -> tuple[Window | None, ...]:
        return (window.expand(x_px=1, y_px=1),)

    def execute(self, inputs: Sequence[Value], ctx: EvalContext) -> tuple[Value, ...]:
        padded = pad(np.asarray(inputs[0]), ctx)
        height, width = padded.shape[0] - 2, padded.shape[1] - 2
        shifted = [padded[y : y + height, x : x + width] for y in range(3) for x in range(3)]
        return (reduce(larger, shifted),)


def larger(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the larger, as ``vmax`` of ``vec.h``: NaN if either is, the second if they are equal.

    np.maximum leaves open which of 0 and -0 it returns; a meaning leaves nothing open, since its bits are promised.
    """
    return np.where((a > b) | np.isnan(a), a, b)


def pad(picture: np.ndarray, ctx: EvalContext) -> np.ndarray:
    """Return the pixels to compute with one more on each side."""
    height, width = picture.shape[:2]
    whole = Window.whole(width_px=width, height_px=height)
    output, held = (whole, whole) if ctx.region is None else (ctx.region.output, ctx.region.inputs[0] or whole)
    columns = np.arange(output.x_px - 1, output.right_px + 1) - held.x_px
    rows = np.arange(output.y_px - 1, output.bottom_px + 1) - held.y_px
    return picture[np.clip(rows, 0, height - 1)][:, np.clip(columns, 0, width - 1)]


NODES = (Maximum,)
