"""What these kernels need of the backend that runs them, and how they tell it what stands beyond edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from unshape_core.context import EvalContext
from unshape_core.value import Value
from unshape_expr.ir import Border
from unshape_image.borders import border_indices
from unshape_image.held_picture import F32Array, HeldPicture, Indices
from unshape_image.pictures import held_picture, output_window


class Filters(Protocol):
    """Filters in C; rows and columns of a padded picture are given as indices into pixels, -1 for zeros."""

    def dense(
        self, pixels: F32Array, weights: F32Array, *, columns: Indices, rows: Indices, ctx: EvalContext
    ) -> F32Array:
        """Return sums of products, row by row."""

    def symmetric(
        self, pixels: F32Array, weights: F32Array, *, columns: Indices, rows: Indices, ctx: EvalContext
    ) -> F32Array:
        """Return sums by distance, along x, then along y."""

    def box(self, pixels: F32Array, radius_px: int, *, columns: Indices, rows: Indices, ctx: EvalContext) -> F32Array:
        """Return means, along x, then along y."""

    def taps(
        self,
        pixels: F32Array,
        *,
        columns: Indices,
        column_weights: F32Array,
        rows: Indices,
        row_weights: F32Array,
        ctx: EvalContext,
    ) -> F32Array:
        """Return sums of listed texels, along x, then along y."""


class Backend(Protocol):
    """The backend "simd", as it hands itself to a kernel."""

    @property
    def filters(self) -> Filters:
        """Its filters."""


def held(inputs: Sequence[Value], ctx: EvalContext, *, type_name: str) -> HeldPicture:
    """Return the input as the part of a picture that is at hand."""
    return held_picture(inputs, ctx, type_name=type_name)


def padded(
    source: HeldPicture, ctx: EvalContext, *, reach_px: tuple[int, int], border: Border
) -> tuple[Indices, Indices]:
    """Return for each place of the padded output window the column and the row of the pixels at hand."""
    grown = output_window(source.shape, ctx).expand(x_px=reach_px[0], y_px=reach_px[1])
    columns = border_indices(grown.x_px, grown.right_px, source.shape.width_px, border)
    rows = border_indices(grown.y_px, grown.bottom_px, source.shape.height_px, border)
    for indices, origin in ((columns, source.window.x_px), (rows, source.window.y_px)):
        indices[indices >= 0] -= origin
    return columns, rows


def is_empty(source: HeldPicture, ctx: EvalContext) -> bool:
    """Return whether there is nothing to compute."""
    return source.shape.is_empty or output_window(source.shape, ctx).is_empty
