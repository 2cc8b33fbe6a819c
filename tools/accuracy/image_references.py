"""Image nodes beside NumPy in float64, scipy, OpenCV and Pillow."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import cv2
import numpy as np
import scipy.ndimage
from PIL import Image

import unshape_image as im
from tools.accuracy.colour_references import colour_comparisons
from tools.accuracy.measurement import Comparison, Pairs, one, random_picture, run, wide

_SCIPY = {im.Border.CLAMP: "nearest", im.Border.REPEAT: "wrap", im.Border.MIRROR: "reflect", im.Border.ZERO: "constant"}
_SAMPLED = {**_SCIPY, im.Border.REPEAT: "grid-wrap", im.Border.ZERO: "grid-constant"}
_NUMPY = {im.Border.CLAMP: "edge", im.Border.REPEAT: "wrap", im.Border.MIRROR: "symmetric", im.Border.ZERO: "constant"}
_U = (np.arange(37) + 0.5) / 37 * np.ones((29, 1))
_V = (np.arange(29) + 0.5)[:, None] / 29 * np.ones((1, 37))
_STOPS = ((0.0, (0.1, 0.9, 0.3)), (0.3, (0.8, 0.1, 0.2)), (1.0, (0.0, 0.5, 1.0)))


def _map_pixels() -> Pairs:
    for seed in range(3):
        p = random_picture(seed=seed)
        (x,) = wide(p)
        yield one(im.MapPixels("color*1.5 - 0.25"), p), x * 1.5 - 0.25
        yield one(im.MapPixels("pow(color, vec3(2.2))"), p), x ** float(np.float32(2.2))
        yield one(im.MapPixels("sin(color*6.0) + exp(-color)"), p), np.sin(x * 6.0) + np.exp(-x)
        yield one(im.MapPixels("sqrt(color)/(1.0 + color)"), p), np.sqrt(x) / (1.0 + x)


def _remap(chosen: im.Filter) -> Pairs:
    for border in im.Border:
        for scale, shift in ((1.4, -0.2), (0.37, 0.31)):
            p = random_picture(2, seed=3)
            node = im.RemapUv(f"vec2(u*{scale} + {shift}, v*{scale} + {shift})", filter=chosen, border=border)
            at = [(_V * scale + shift) * 29 - 0.5, (_U * scale + shift) * 37 - 0.5]
            if chosen is im.Filter.NEAREST:  # decided: texels are chosen by their centre, halves upward
                at = [np.floor(a + 0.5) for a in at]
            order = 1 if chosen is im.Filter.BILINEAR else 0
            planes = [
                scipy.ndimage.map_coordinates(plane, at, order=order, mode=_SAMPLED[border])
                for plane in np.moveaxis(p.astype(np.float64), -1, 0)
            ]
            yield one(node, p), np.stack(planes, axis=-1)


def _levels() -> Pairs:
    for gamma in (0.5, 1.0, 1.7, 2.2):
        p = random_picture(seed=int(gamma * 10))
        (x,) = wide(p)
        t = np.clip((x - 0.1) / 0.7, 0.0, 1.0) ** (1.0 / gamma)
        yield one(im.Levels(in_low=0.1, in_high=0.8, gamma=gamma, out_low=-0.5, out_high=2.0), p), -0.5 + t * 2.5


def _blend() -> Pairs:
    base, top = random_picture(seed=1), random_picture(seed=2)
    b, t = wide(base, top)
    formulas = {
        im.BlendMode.NORMAL: t,
        im.BlendMode.MULTIPLY: b * t,
        im.BlendMode.SCREEN: 1 - (1 - b) * (1 - t),
        im.BlendMode.OVERLAY: np.where(b <= 0.5, 2 * b * t, 1 - 2 * (1 - b) * (1 - t)),
        im.BlendMode.ADD: b + t,
        im.BlendMode.SUBTRACT: b - t,
        im.BlendMode.DIFFERENCE: np.abs(b - t),
        im.BlendMode.DARKEN: np.minimum(b, t),
        im.BlendMode.LIGHTEN: np.maximum(b, t),
    }
    for mode, blended in formulas.items():
        for opacity in (0.25, 1.0):
            yield one(im.Blend(mode, opacity=opacity), base, top), b + opacity * (blended - b)


def _ramp() -> Pairs:
    p = random_picture(1, seed=4)
    positions = [float(np.float32(position)) for position, _ in _STOPS]
    channels = np.array([color for _, color in _STOPS]).T
    yield one(im.GradientMap(_STOPS), p), np.stack([np.interp(p[..., 0], positions, c) for c in channels], axis=-1)


def _gaussian() -> Pairs:
    for border in im.Border:
        for sigma in (0.7, 2.0, 5.0):
            p = random_picture(seed=5)
            expected = scipy.ndimage.gaussian_filter(p.astype(np.float64), (sigma, sigma, 0), mode=_SCIPY[border])
            yield one(im.GaussianBlur(sigma, border), p), expected


def _recursive() -> Pairs:
    for border in im.Border:
        for sigma in (0.5, 2.0, 5.0):
            p = random_picture(seed=5)
            sigmas = (sigma, sigma, 0)
            expected = scipy.ndimage.gaussian_filter(p.astype(np.float64), sigmas, mode=_SCIPY[border], truncate=8.0)
            yield one(im.RecursiveGaussianBlur(sigma, border), p), expected


def _box() -> Pairs:
    for border in im.Border:
        for radius in (1, 4):
            p = random_picture(seed=6)
            size = (2 * radius + 1, 2 * radius + 1, 1)
            expected = scipy.ndimage.uniform_filter(p.astype(np.float64), size, mode=_SCIPY[border])
            yield one(im.BoxBlur(radius, border), p), expected


def _convolve() -> Pairs:
    for border in im.Border:
        for preset in im.KernelPreset:
            p = random_picture(seed=7)
            kernel = np.array(preset.weights, np.float32).astype(np.float64)[..., None]
            expected = scipy.ndimage.correlate(p.astype(np.float64), kernel, mode=_SCIPY[border])
            yield one(im.Convolve(preset, border), p), expected


def _resize(method: im.ResizeMethod) -> Pairs:
    p = random_picture(1, seed=8)
    flag = {im.ResizeMethod.BILINEAR: cv2.INTER_LINEAR, im.ResizeMethod.AREA: cv2.INTER_AREA}[method]
    for size in ((37, 29), (18, 14), (12, 7), (5, 29)) + (((74, 58), (50, 61)) if flag == cv2.INTER_LINEAR else ()):
        yield one(im.Resize(*size, method), p), cv2.resize(p, size, interpolation=flag)[..., None]


def _nearest() -> Pairs:
    p = random_picture(2, seed=8)
    for width, height in ((74, 58), (11, 5), (50, 61)):
        rows, columns = ((np.arange(n) * 2 + 1) * s // (2 * n) for n, s in ((height, 29), (width, 37)))
        yield one(im.Resize(width, height, im.ResizeMethod.NEAREST), p), p[np.ix_(rows, columns)]


def _bicubic() -> Pairs:
    p = random_picture(1, seed=9)
    for size in ((74, 58), (100, 61)):
        expected = np.asarray(Image.fromarray(p[..., 0]).resize(size, Image.Resampling.BICUBIC))
        inside = (slice(9, -9), slice(9, -9))  # Pillow leaves out taps beyond the edge
        yield one(im.Resize(*size, im.ResizeMethod.BICUBIC), p)[inside], expected[inside][..., None]


def _pad() -> Pairs:
    p = random_picture(seed=10)
    for border in im.Border:
        widths = ((2, 5), (3, 9), (0, 0))
        expected = np.pad(p, widths, mode=_NUMPY[border])  # type: ignore[call-overload]
        yield one(im.Pad(3, 9, 2, 5, border), p), expected


def _normals() -> Pairs:
    for border in im.Border:
        p = random_picture(1, seed=11)
        h = np.pad(p[..., 0].astype(np.float64), 1, mode=_NUMPY[border])  # type: ignore[call-overload]
        k = 3.0 * 0.005 * 37
        n = np.stack([-(h[1:-1, 2:] - h[1:-1, :-2]) * k, (h[2:, 1:-1] - h[:-2, 1:-1]) * k, np.ones((29, 37))], axis=-1)
        yield one(im.HeightToNormal(3.0, border), p), n / np.linalg.norm(n, axis=-1, keepdims=True) * 0.5 + 0.5


def _shade() -> Pairs:
    for azimuth, elevation in ((315.0, 45.0), (120.0, 20.0)):
        p, stored = random_picture(seed=12), random_picture(seed=13)
        c, n = wide(p, stored)
        a, h = np.radians(azimuth), np.radians(elevation)
        towards = np.array([np.cos(h) * np.sin(a), np.cos(h) * np.cos(a), np.sin(h)])
        light = np.maximum((n * 2 - 1) @ towards, 0.0)[..., None]
        yield one(im.Shade(azimuth, elevation, 0.2), p, stored), c * (0.2 + 0.8 * light)


def _alpha(*, divides: bool) -> Pairs:
    p = random_picture(4, seed=14)
    (x,) = wide(p)
    colour = x[..., :3] / x[..., 3:] if divides else x[..., :3] * x[..., 3:]
    node = im.Unpremultiply() if divides else im.Premultiply()
    yield one(node, p), np.concatenate([colour, x[..., 3:]], axis=-1)


def _exact() -> dict[str, tuple[str, Pairs]]:
    """Return the nodes whose results are exact, or rounded once."""
    p, q = random_picture(4, seed=15), random_picture(1, seed=16)
    parts = run(im.SplitChannels(), p)
    grid = np.indices((29, 37))
    squares = (grid[0] * 3 * 2 + 3) // (29 * 2) + (grid[1] * 5 * 2 + 5) // (37 * 2)
    checker = np.where(squares % 2, 0.25, 1.0)[..., None]
    inverted = np.concatenate([1 - p[..., :3].astype(np.float64), p[..., 3:]], axis=-1)
    limited = np.concatenate([p[..., :3] >= 0.5, p[..., 3:]], axis=-1)
    gradient = np.stack([_U, _V, np.zeros_like(_U)], axis=-1)
    return {
        "Invert": ("1 - x in float64", [(one(im.Invert(), p), inverted)]),
        "Threshold": ("NumPy", [(one(im.Threshold(0.5), p), limited)]),
        "SplitChannels": ("NumPy", [(parts[k], p[..., k : k + 1]) for k in range(4)]),
        "MergeChannels": ("NumPy", [(one(im.MergeChannels(2), q, p), np.concatenate([q, p[..., :1]], axis=-1))]),
        "Crop": ("NumPy", [(one(im.Crop(x_px=3, y_px=5, width_px=20, height_px=11), p), p[5:16, 3:23])]),
        "Checker": ("whole numbers", [(one(im.Checker(5, 3, (1.0,), (0.25,))), checker)]),
        "UvGradient": ("float64", [(one(im.UvGradient()), gradient)]),
        "ColorConstant": ("NumPy", [(one(im.ColorConstant((0.25, 3.0))), np.tile([0.25, 3.0], (29, 37, 1)))]),
    }


def image_comparisons() -> Iterator[Comparison]:
    """Yield what image nodes are compared with."""

    def row(name: str, what: str, reference: str, pairs: Any) -> Comparison:
        return Comparison(type_name=f"image::{name}", what=what, reference=reference, pairs=pairs)

    yield row("MapPixels", "four formulas", "NumPy in float64", _map_pixels)
    for chosen in im.Filter:
        yield row("RemapUv", f"{chosen.value}, every border", "scipy map_coordinates", partial(_remap, chosen))
    yield row("Levels", "four gammas", "NumPy in float64", _levels)
    yield row("Blend", "every mode, two opacities", "the W3C's formulas in float64", _blend)
    yield row("GradientMap", "linear", "numpy.interp", _ramp)
    yield row("GaussianBlur", "every border, sigma 0.7 to 5", "scipy gaussian_filter in float64", _gaussian)
    yield row("RecursiveGaussianBlur", "every border, sigma 0.5 to 5", "scipy gaussian_filter in float64", _recursive)
    yield row("BoxBlur", "every border", "scipy uniform_filter in float64", _box)
    yield row("Convolve", "every border and preset", "scipy correlate in float64", _convolve)
    for method, name in ((im.ResizeMethod.BILINEAR, "INTER_LINEAR"), (im.ResizeMethod.AREA, "INTER_AREA")):
        yield row("Resize", method.value, f"OpenCV {name}", partial(_resize, method))
    yield row("Resize", "nearest", "whole numbers", _nearest)
    yield row("Resize", "bicubic, enlarging", "Pillow BICUBIC", _bicubic)
    yield row("Pad", "every border", "numpy.pad", _pad)
    yield row("HeightToNormal", "every border", "NumPy in float64", _normals)
    yield row("Shade", "two lights", "NumPy in float64", _shade)
    yield row("Premultiply", "alpha", "NumPy in float64", partial(_alpha, divides=False))
    yield row("Unpremultiply", "alpha", "NumPy in float64", partial(_alpha, divides=True))
    for name, (reference, exact) in _exact().items():
        yield row(name, "one case", reference, partial(iter, exact))
    yield from colour_comparisons()
