"""Colours of parameters, converted on the host in float64."""

from __future__ import annotations

import math
from collections.abc import Sequence

from unshape_image.color_matrices import LMS_FROM_RGB, OKLAB_FROM_ROOTS, Matrix


def linear_from_srgb(color: Sequence[float]) -> tuple[float, ...]:
    """Return sRGB decoded to linear light; the line at the lower end goes on below 0."""
    return tuple(x / 12.92 if x <= 0.04045 else math.pow((x + 0.055) / 1.055, 2.4) for x in color)


def oklab_from_srgb(color: Sequence[float]) -> tuple[float, ...]:
    """Return sRGB as OkLab."""
    roots = [_cube_root(x) for x in _transform(LMS_FROM_RGB, linear_from_srgb(color))]
    return _transform(OKLAB_FROM_ROOTS, roots)


def _transform(matrix: Matrix, vector: Sequence[float]) -> tuple[float, ...]:
    return tuple(sum(m * x for m, x in zip(row, vector, strict=True)) for row in matrix)


def _cube_root(x: float) -> float:
    return math.copysign(math.pow(abs(x), 1.0 / 3.0), x)
