"""Conversions of colours hold over the whole range that their documentation states, against colour-science."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest
from color_science import WHITE, colour, decoded, encoded, light, xyz
from references import Array
from running import run_one

from unshape_image import MapPixels

Box: TypeAlias = tuple[tuple[float, float, float], tuple[float, float, float]]
_BT601 = colour.WEIGHTS_YCBCR["ITU-R BT.601"]
_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_OKLAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
"""Of B. Ottosson's article; colour-science has other ones, by way of XYZ."""


def to_ycbcr(rgb: Array) -> Array:
    codes = colour.RGB_to_YCbCr(rgb, K=_BT601, in_legal=False, out_legal=False)
    return np.asarray(codes + np.array([0.0, 0.5, 0.5]))


def to_oklab(rgb: Array) -> Array:
    return np.asarray(np.cbrt(rgb @ _TO_LMS.T) @ _TO_OKLAB.T)


def from_oklab(lab: Array) -> Array:
    return np.asarray((lab @ np.linalg.inv(_TO_OKLAB).T) ** 3 @ np.linalg.inv(_TO_LMS).T)


def box(low: float, high: float) -> Box:
    return (low,) * 3, (high,) * 3


RANGES: list[tuple[str, Callable[[Array], Array], Box]] = [
    ("srgb_to_linear", decoded, box(-1.0, 0.0)),
    ("srgb_to_linear", decoded, box(0.0, 16.0)),
    ("linear_to_srgb", encoded, box(-1.0, 0.0)),
    ("linear_to_srgb", encoded, box(0.0, 1000.0)),
    ("linear_to_lab", lambda rgb: colour.XYZ_to_Lab(xyz(rgb), WHITE), box(-1.0, 1.0)),
    ("linear_to_lab", lambda rgb: colour.XYZ_to_Lab(xyz(rgb), WHITE), box(0.0, 1000.0)),
    ("lab_to_linear", lambda lab: light(colour.Lab_to_XYZ(lab, WHITE)), ((0.0, -128.0, -128.0), (100.0, 128.0, 128.0))),
    ("lab_to_linear", lambda lab: light(colour.Lab_to_XYZ(lab, WHITE)), ((-20.0, -50.0, -50.0), (0.0, 50.0, 50.0))),
    ("linear_to_oklab", to_oklab, box(-1.0, 0.0)),
    ("linear_to_oklab", to_oklab, box(0.0, 1000.0)),
    ("oklab_to_linear", from_oklab, ((-1.0, -1.0, -1.0), (2.0, 1.0, 1.0))),
    ("rgb_to_hsv", colour.RGB_to_HSV, box(0.0, 1000.0)),
    ("hsv_to_rgb", colour.HSV_to_RGB, ((0.0, 0.0, -1.0), (1.0, 3.0, 1000.0))),
    ("rgb_to_hsl", colour.RGB_to_HSL, box(0.0, 1.0)),
    ("hsl_to_rgb", colour.HSL_to_RGB, box(0.0, 1.0)),
    ("rgb_to_ycbcr", to_ycbcr, box(-5.0, 5.0)),
]


def difference(function: str, reference: Callable[[Array], Array], within: Box) -> float:
    """The largest difference in a box of colours, relative to the largest result."""
    low, high = (np.array(corner) for corner in within)
    colours = (np.random.default_rng(4).random((60, 60, 3)) * (high - low) + low).astype(np.float32)
    expected = reference(colours.astype(np.float64))
    found = run_one(MapPixels(f"{function}(color)"), colours)
    return float(np.abs(found - expected).max() / np.abs(expected).max())


@pytest.mark.parametrize(("function", "reference", "within"), RANGES)
def test_a_conversion_holds_over_its_range(function: str, reference: Callable[[Array], Array], within: Box) -> None:
    assert difference(function, reference, within) < 1e-6


def test_models_are_told_apart() -> None:
    assert difference("rgb_to_hsl", colour.RGB_to_HSV, box(0.0, 1.0)) > 0.1
