"""Convolution kernels that are known by name."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

Weights: TypeAlias = tuple[tuple[float, ...], ...]


class KernelPreset(StrEnum):
    """A kernel by name. Smoothing kernels sum to 1, kernels that find edges to 0."""

    IDENTITY = "identity"
    BOX = "box"
    GAUSSIAN_3X3 = "gaussian_3x3"
    GAUSSIAN_5X5 = "gaussian_5x5"
    SHARPEN = "sharpen"
    LAPLACIAN = "laplacian"
    EMBOSS = "emboss"
    SOBEL_X = "sobel_x"
    SOBEL_Y = "sobel_y"

    @property
    def weights(self) -> Weights:
        """Rows of weights, the upper left one first."""
        return _WEIGHTS[self]


ConvolveKernel: TypeAlias = KernelPreset | Weights
"""What :class:`~unshape_image.convolve.Convolve` takes."""


def _binomial(side: int) -> Weights:
    """Return the outer product of a row of Pascal's triangle with itself, normalised."""
    row = [1]
    while len(row) < side:
        row = [a + b for a, b in zip([0, *row], [*row, 0], strict=True)]
    total = float(sum(row) ** 2)
    return tuple(tuple(a * b / total for b in row) for a in row)


_WEIGHTS: dict[KernelPreset, Weights] = {
    KernelPreset.IDENTITY: ((1.0,),),
    KernelPreset.BOX: ((1.0 / 9.0,) * 3,) * 3,
    KernelPreset.GAUSSIAN_3X3: _binomial(3),
    KernelPreset.GAUSSIAN_5X5: _binomial(5),
    KernelPreset.SHARPEN: ((0.0, -1.0, 0.0), (-1.0, 5.0, -1.0), (0.0, -1.0, 0.0)),
    KernelPreset.LAPLACIAN: ((0.0, 1.0, 0.0), (1.0, -4.0, 1.0), (0.0, 1.0, 0.0)),
    KernelPreset.EMBOSS: ((-2.0, -1.0, 0.0), (-1.0, 1.0, 1.0), (0.0, 1.0, 2.0)),
    KernelPreset.SOBEL_X: ((-1.0, 0.0, 1.0), (-2.0, 0.0, 2.0), (-1.0, 0.0, 1.0)),
    KernelPreset.SOBEL_Y: ((-1.0, -2.0, -1.0), (0.0, 0.0, 0.0), (1.0, 2.0, 1.0)),
}
