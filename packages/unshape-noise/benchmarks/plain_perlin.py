"""Perlin noise as it is usually written with NumPy: a permutation table, whole arrays, one operation at a time.

After K. Perlin, "Improving Noise", SIGGRAPH 2002, with the 12 gradients of the reference code cut to the plane.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.float32]


class PlainPerlin:
    """Perlin noise with a shuffled table of 256 entries."""

    def __init__(self, seed: int) -> None:
        table = np.random.default_rng(seed).permutation(256).astype(np.int32)
        self._table = np.concatenate([table, table])
        angles = 2.0 * np.pi * np.arange(8) / 8
        self._gradients = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)

    def __call__(self, x: Picture, y: Picture) -> Picture:
        """Return the noise at positions."""
        x0, y0 = np.floor(x).astype(np.int32), np.floor(y).astype(np.int32)
        fx, fy = x - x0.astype(np.float32), y - y0.astype(np.float32)
        u, v = self._fade(fx), self._fade(fy)
        n00 = self._corner(x0, y0, fx, fy)
        n10 = self._corner(x0 + 1, y0, fx - 1, fy)
        n01 = self._corner(x0, y0 + 1, fx, fy - 1)
        n11 = self._corner(x0 + 1, y0 + 1, fx - 1, fy - 1)
        low, high = n00 + u * (n10 - n00), n01 + u * (n11 - n01)
        result: Picture = low + v * (high - low)
        return result

    def _corner(self, i: npt.NDArray[np.int32], j: npt.NDArray[np.int32], dx: Picture, dy: Picture) -> Picture:
        gradient = self._gradients[self._table[self._table[i & 255] + (j & 255)] & 7]
        result: Picture = gradient[..., 0] * dx + gradient[..., 1] * dy
        return result

    @staticmethod
    def _fade(t: Picture) -> Picture:
        result: Picture = t * t * t * (t * (t * 6 - 15) + 10)
        return result
