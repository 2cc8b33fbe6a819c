"""Loops for Numba, as one would write them."""

from __future__ import annotations

from typing import Any

import numpy as np


def make_kernels(numba: Any) -> dict[str, Any]:
    """Return compiled loops by the name of the work; each is called with a picture and with where the result goes."""
    f = np.float32
    u = np.uint32

    def multiply_add(a: Any, out: Any) -> None:
        for y in numba.prange(a.shape[0]):
            for x in range(a.shape[1]):
                out[y, x] = a[y, x] * f(1.5) + f(0.25)

    def power(a: Any, out: Any) -> None:
        for y in numba.prange(a.shape[0]):
            for x in range(a.shape[1]):
                out[y, x] = a[y, x] ** f(2.2)

    def convolve(a: Any, out: Any) -> None:
        height, width = a.shape
        for y in numba.prange(height):
            for x in range(width):
                total = f(0)
                for i in range(-1, 2):
                    for j in range(-1, 2):
                        total += a[min(max(y + i, 0), height - 1), min(max(x + j, 0), width - 1)] * f(1 / 9)
                out[y, x] = total

    def corner_of(x: Any, y: Any, dx: Any, dy: Any, seed: Any) -> Any:
        h = (seed + u(x) * u(2654435761)) ^ (u(y) * u(2246822519))
        h = (h ^ (h >> u(16))) * u(2146121005)
        h = (h ^ (h >> u(15))) * u(2221713035)
        h ^= h >> u(16)
        a = dx if h & u(1) else -dx
        b = dy if h & u(2) else -dy
        return f(1.12) * a + f(0.28) * b if h & u(4) else f(0.28) * a + f(1.12) * b

    corner = numba.njit(corner_of)

    def noise(a: Any, out: Any) -> None:
        height, width = a.shape
        for y in numba.prange(height):
            for x in range(width):
                px, py = (f(x) + f(0.5)) / f(width) * f(16), (f(y) + f(0.5)) / f(height) * f(16)
                total, amplitude = f(0), f(1)
                for k in range(8):
                    fx, fy = np.floor(px), np.floor(py)
                    dx, dy = px - fx, py - fy
                    ix, iy, seed = np.int32(fx), np.int32(fy), u(k)
                    tx = dx * dx * dx * (dx * (dx * f(6) - f(15)) + f(10))
                    ty = dy * dy * dy * (dy * (dy * f(6) - f(15)) + f(10))
                    low_left, low_right = corner(ix, iy, dx, dy, seed), corner(ix + 1, iy, dx - f(1), dy, seed)
                    up_left = corner(ix, iy + 1, dx, dy - f(1), seed)
                    up_right = corner(ix + 1, iy + 1, dx - f(1), dy - f(1), seed)
                    low = low_left + tx * (low_right - low_left)
                    up = up_left + tx * (up_right - up_left)
                    total += amplitude * (low + ty * (up - low))
                    amplitude *= f(0.5)
                    px *= f(2)
                    py *= f(2)
                out[y, x] = total

    loops = {"a*b + c": multiply_add, "pow(a, 2.2)": power, "convolve 3x3": convolve, "Perlin, 8 octaves": noise}
    return {name: numba.njit(loop, parallel=True) for name, loop in loops.items()}
