"""Colour conversions beside colour-science, and OkLab beside its author's formula in float64."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import unshape_image as im
from tools.accuracy.measurement import Array, Comparison, Pairs, one, random_picture, wide
from unshape_image.nodes.convert import ColorSpace


def _colour() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it tells which plotting libraries are not there
        import colour

        return colour


def _convert(source: ColorSpace, target: ColorSpace) -> Pairs:
    colour = _colour()
    space = colour.RGB_COLOURSPACES["sRGB"].copy()
    space.use_derived_transformation_matrices(usage=True)
    white = colour.CCS_ILLUMINANTS["CIE 1931 2 Degree Standard Observer"]["D65"]
    p = _numbers_of(source)
    (x,) = wide(p)
    expected = {
        ("srgb", "linear"): lambda: colour.models.eotf_sRGB(x),
        ("linear", "srgb"): lambda: colour.models.eotf_inverse_sRGB(x),
        ("srgb", "hsv"): lambda: colour.RGB_to_HSV(x),
        ("hsv", "srgb"): lambda: colour.HSV_to_RGB(x),
        ("srgb", "hsl"): lambda: colour.RGB_to_HSL(x),
        ("hsl", "srgb"): lambda: colour.HSL_to_RGB(x),
        ("linear", "lab"): lambda: colour.XYZ_to_Lab(x @ space.matrix_RGB_to_XYZ.T, white),
        ("linear", "oklab"): lambda: colour.XYZ_to_Oklab(x @ space.matrix_RGB_to_XYZ.T),
        ("lab", "linear"): lambda: colour.Lab_to_XYZ(x, white) @ space.matrix_XYZ_to_RGB.T,
    }[source.value, target.value]()
    yield one(im.Convert(source, target), p), np.asarray(expected)


_CONVERSIONS = "srgb-linear linear-srgb srgb-hsv hsv-srgb srgb-hsl hsl-srgb linear-lab linear-oklab lab-linear"


def _numbers_of(space: ColorSpace) -> Array:
    """Return numbers that a space has: up to its lightest, and a and b about 0."""
    p = random_picture(seed=17)
    scale = {ColorSpace.LAB: (100.0, 80.0, 80.0), ColorSpace.OKLAB: (1.0, 0.4, 0.4)}.get(space)
    if scale is None:
        return p
    moved: Array = (p - np.array((0.0, 0.5, 0.5), np.float32)) * np.array(scale, np.float32)
    return moved


def _oklab(*, is_forward: bool) -> Pairs:
    """Yield OkLab by the lines that its author published (https://bottosson.github.io/posts/oklab/), and undone."""
    to_lms = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    )
    to_lab = np.array(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )
    if is_forward:
        p = _numbers_of(ColorSpace.LINEAR)
        (x,) = wide(p)
        yield one(im.Convert(ColorSpace.LINEAR, ColorSpace.OKLAB), p), np.cbrt(x @ to_lms.T) @ to_lab.T
    else:
        p = _numbers_of(ColorSpace.OKLAB)
        (x,) = wide(p)
        light = (x @ np.linalg.inv(to_lab).T) ** 3 @ np.linalg.inv(to_lms).T
        yield one(im.Convert(ColorSpace.OKLAB, ColorSpace.LINEAR), p), light


def colour_comparisons() -> Iterator[Comparison]:
    """Yield what conversions are compared with."""

    def row(what: str, reference: str, pairs: Any) -> Comparison:
        return Comparison(type_name="image::Convert", what=what, reference=reference, pairs=pairs)

    for source, target in (pair.split("-") for pair in _CONVERSIONS.split()):
        pairs = partial(_convert, ColorSpace(source), ColorSpace(target))
        yield row(f"{source} to {target}", "colour-science", pairs)
    yield row("linear to oklab", "its author's formula in float64", partial(_oklab, is_forward=True))
    yield row("oklab to linear", "its author's formula in float64", partial(_oklab, is_forward=False))
