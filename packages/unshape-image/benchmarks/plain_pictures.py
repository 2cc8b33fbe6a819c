"""Image operations as they are usually written with NumPy: whole arrays, one operation at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    np.float32,
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ],
    np.float32,
)


def levels(a: Array) -> Array:
    """Stretch [0.1, 0.9] with a gamma of 1.2."""
    t = np.clip((a[..., :3] - np.float32(0.1)) / np.float32(0.8), 0, 1) ** np.float32(1 / 1.2)
    return np.concatenate([t, a[..., 3:]], axis=-1)


def overlay(a: Array) -> Array:
    """Blend a picture with itself, half opaque, straight alpha."""
    b, t, alpha = a[..., :3], a[..., :3], a[..., 3:]
    f = np.where(b <= 0.5, 2 * b * t, 1 - 2 * (1 - b) * (1 - t))
    s = np.float32(0.5) * alpha
    result_alpha = s + alpha * (1 - s)
    colour = (s * (t + alpha * (f - t)) + alpha * (1 - s) * b) / np.maximum(result_alpha, np.float32(1e-30))
    return np.concatenate([colour, result_alpha], axis=-1)


def srgb_to_oklab(a: Array) -> Array:
    """Decode sRGB and express it in OkLab (B. Ottosson, 2020)."""
    c = a[..., :3]
    light = np.where(
        c <= 0.04045, c / np.float32(12.92), ((c + np.float32(0.055)) / np.float32(1.055)) ** np.float32(2.4)
    )
    return np.concatenate([np.cbrt(light @ _TO_LMS.T) @ _TO_LAB.T, a[..., 3:]], axis=-1)


def ramp(a: Array) -> Array:
    """Map luminance from black to white."""
    value = a[..., :3] @ np.array([0.2126, 0.7152, 0.0722], np.float32)
    return np.stack([np.interp(value, (0.0, 1.0), (0.0, 1.0))] * 3, axis=-1).astype(np.float32)


def normals(a: Array) -> Array:
    """Take the normals of a height map by central differences."""
    h = np.pad(a[..., 0], 1, mode="edge")
    k = np.float32(0.005 * a.shape[1])
    n = np.stack([(h[1:-1, :-2] - h[1:-1, 2:]) * k, (h[2:, 1:-1] - h[:-2, 1:-1]) * k, np.ones_like(a[..., 0])], axis=-1)
    encoded: Array = n / np.sqrt((n * n).sum(axis=-1, keepdims=True)) * np.float32(0.5) + np.float32(0.5)
    return encoded


def formula(a: Array) -> Array:
    """``color*color*1.5 + 0.25*sin(color*6.0)``."""
    return a * a * np.float32(1.5) + np.float32(0.25) * np.sin(a * np.float32(6.0))
