"""colour-science without its warnings about plotting libraries that are not installed."""

from __future__ import annotations

import warnings

import numpy as np
from references import Array

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import colour

WHITE = colour.CCS_ILLUMINANTS["CIE 1931 2 Degree Standard Observer"]["D65"]
_SRGB = colour.RGB_COLOURSPACES["sRGB"].copy()
_SRGB.use_derived_transformation_matrices(True)


def decoded(srgb: Array) -> Array:
    """Return linear light of sRGB."""
    return np.asarray(colour.models.eotf_sRGB(srgb.astype(np.float64)))


def encoded(linear: Array) -> Array:
    """Return sRGB of linear light."""
    return np.asarray(colour.models.eotf_inverse_sRGB(linear.astype(np.float64)))


def xyz(linear: Array) -> Array:
    """Return CIE XYZ of linear sRGB, by the matrix of the exact chromaticities."""
    return np.asarray(linear.astype(np.float64) @ _SRGB.matrix_RGB_to_XYZ.T)


def light(tristimulus: Array) -> Array:
    """Return linear sRGB of CIE XYZ."""
    return np.asarray(tristimulus @ np.linalg.inv(_SRGB.matrix_RGB_to_XYZ).T)


__all__ = ["WHITE", "colour", "decoded", "encoded", "light", "xyz"]
