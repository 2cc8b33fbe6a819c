"""Noise as it is usually written with NumPy: a permutation table, whole arrays, one operation at a time.

Perlin noise after K. Perlin, "Improving Noise", SIGGRAPH 2002, with the 12 gradients of the reference code cut to the
plane; simplex noise after S. Gustavson, "Simplex noise demystified", 2005; Worley noise after S. Worley, "A cellular
texture basis function", SIGGRAPH 1996.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.float32]
Index = npt.NDArray[np.int32]


class PlainNoise:
    """Noise with a shuffled table of 256 entries."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        table = rng.permutation(256).astype(np.int32)
        self._table = np.concatenate([table, table])
        angles = 2.0 * np.pi * np.arange(8) / 8
        self._gradients = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
        self._values = rng.uniform(-1.0, 1.0, 256).astype(np.float32)
        self._points = rng.uniform(0.0, 1.0, (256, 2)).astype(np.float32)

    def perlin(self, x: Picture, y: Picture) -> Picture:
        """Return Perlin noise at positions."""
        x0, y0, fx, fy = _cell(x, y)
        u, v = _fade(fx), _fade(fy)
        n00 = self._slope(x0, y0, fx, fy)
        n10 = self._slope(x0 + 1, y0, fx - 1, fy)
        n01 = self._slope(x0, y0 + 1, fx, fy - 1)
        n11 = self._slope(x0 + 1, y0 + 1, fx - 1, fy - 1)
        return _lerp(v, _lerp(u, n00, n10), _lerp(u, n01, n11))

    def value(self, x: Picture, y: Picture) -> Picture:
        """Return value noise at positions."""
        x0, y0, fx, fy = _cell(x, y)
        u, v = _fade(fx), _fade(fy)
        n00, n10 = self._values[self._hash(x0, y0)], self._values[self._hash(x0 + 1, y0)]
        n01, n11 = self._values[self._hash(x0, y0 + 1)], self._values[self._hash(x0 + 1, y0 + 1)]
        return _lerp(v, _lerp(u, n00, n10), _lerp(u, n01, n11))

    def simplex(self, x: Picture, y: Picture) -> Picture:
        """Return simplex noise at positions."""
        skew, unskew = np.float32((np.sqrt(3.0) - 1.0) / 2.0), np.float32((3.0 - np.sqrt(3.0)) / 6.0)
        s = (x + y) * skew
        i, j = np.floor(x + s).astype(np.int32), np.floor(y + s).astype(np.int32)
        t = (i + j).astype(np.float32) * unskew
        dx, dy = x - (i.astype(np.float32) - t), y - (j.astype(np.float32) - t)
        i1 = np.where(dx > dy, 1, 0).astype(np.int32)
        j1 = 1 - i1
        total = np.zeros_like(dx)
        for step_i, step_j, moved in ((0, 0, 0.0), (i1, j1, 1.0), (1, 1, 2.0)):
            ex = dx - step_i + np.float32(moved) * unskew
            ey = dy - step_j + np.float32(moved) * unskew
            falloff = np.maximum(np.float32(0.5) - ex * ex - ey * ey, 0)
            total += falloff**4 * self._slope(i + step_i, j + step_j, ex, ey)
        result: Picture = total * np.float32(70.0)
        return result

    def worley(self, x: Picture, y: Picture) -> Picture:
        """Return the distance to the nearest feature point."""
        x0, y0, fx, fy = _cell(x, y)
        nearest = np.full_like(x, np.inf)
        for j in (-1, 0, 1):
            for i in (-1, 0, 1):
                point = self._points[self._hash(x0 + i, y0 + j)]
                dx, dy = point[..., 0] + np.float32(i) - fx, point[..., 1] + np.float32(j) - fy
                nearest = np.minimum(nearest, dx * dx + dy * dy)
        result: Picture = np.sqrt(nearest)
        return result

    def _hash(self, i: Index, j: Index) -> Index:
        result: Index = self._table[self._table[i & 255] + (j & 255)]
        return result

    def _slope(self, i: Index, j: Index, dx: Picture, dy: Picture) -> Picture:
        gradient = self._gradients[self._hash(i, j) & 7]
        result: Picture = gradient[..., 0] * dx + gradient[..., 1] * dy
        return result


def _cell(x: Picture, y: Picture) -> tuple[Any, Any, Picture, Picture]:
    x0, y0 = np.floor(x).astype(np.int32), np.floor(y).astype(np.int32)
    return x0, y0, x - x0.astype(np.float32), y - y0.astype(np.float32)


def _fade(t: Picture) -> Picture:
    result: Picture = t * t * t * (t * (t * 6 - 15) + 10)
    return result


def _lerp(t: Picture, a: Picture, b: Picture) -> Picture:
    return a + t * (b - a)
