"""Matrices between colour spaces, to ten decimals."""

from __future__ import annotations

from typing import TypeAlias

Matrix: TypeAlias = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]

# Computed from the chromaticities of sRGB (red 0.64, 0.33; green 0.30, 0.60; blue 0.15, 0.06; white 0.3127, 0.3290).
# XYZ is relative to the white, so that every row sums to 1.
RELATIVE_XYZ_FROM_RGB: Matrix = (
    (0.4338873456, 0.3762240091, 0.1898886453),
    (0.2126390059, 0.7151686788, 0.0721923154),
    (0.0177500401, 0.1094476209, 0.8728023391),
)
RGB_FROM_RELATIVE_XYZ: Matrix = (
    (3.0803990907, -1.5373831776, -0.5430159131),
    (-0.9212233589, 1.8759675015, 0.0452558574),
    (0.052873939, -0.2039769589, 1.1511030199),
)

# B. Ottosson, "A perceptual color space for image processing", 2020, in its revision of 2021.
LMS_FROM_RGB: Matrix = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
OKLAB_FROM_ROOTS: Matrix = (
    (0.2104542553, 0.793617785, -0.0040720468),
    (1.9779984951, -2.428592205, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.808675766),
)
ROOTS_FROM_OKLAB: Matrix = (
    (1.0, 0.3963377774, 0.2158037573),
    (1.0, -0.1055613458, -0.0638541728),
    (1.0, -0.0894841775, -1.291485548),
)
RGB_FROM_LMS: Matrix = (
    (4.0767416621, -3.3077115913, 0.2309699292),
    (-1.2684380046, 2.6097574011, -0.3413193965),
    (-0.0041960863, -0.7034186147, 1.707614701),
)
