"""Weights of a Gaussian filter, computed on the host for every backend.

A tap weighs what the Gaussian has at its distance, and all taps together weigh 1:
``w[d] = exp(-d*d / (2*sigma*sigma)) / sum``. Computed in float64, rounded to float32 once. This is the sampled Gaussian
of scipy.ndimage and OpenCV.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

TRUNCATE = 4.0
"""The filter reaches this many standard deviations, as in scipy.ndimage; the weight cut off is below 1e-4."""


def gaussian_radius(sigma_px: float) -> int:
    """Return how many pixels the filter reaches to each side: ``floor(4*sigma_px + 0.5)``."""
    return math.floor(TRUNCATE * sigma_px + 0.5)


def gaussian_weights(sigma_px: float) -> npt.NDArray[np.float32]:
    """Return the weights of the taps at distance 0, 1, ... ``gaussian_radius(sigma_px)``.

    Parameters
    ----------
    sigma_px : float, at least 0
        Standard deviation in pixels; 0 gives the single weight 1.

    Returns
    -------
    float32[radius + 1], read-only
        ``w[0] + 2*(w[1] + w[2] + ...)`` is 1 up to rounding.

    Examples
    --------
    >>> [round(float(weight), 4) for weight in gaussian_weights(0.5)]
    [0.7866, 0.1065, 0.0003]
    """
    radius = gaussian_radius(sigma_px)
    if radius == 0:
        weights = np.ones(1)
    else:
        distance = np.arange(radius + 1, dtype=np.float64)
        weights = np.exp(-0.5 * (distance / sigma_px) ** 2)
        weights /= weights[0] + 2.0 * math.fsum(weights[1:])
    rounded = weights.astype(np.float32)
    rounded.flags.writeable = False
    return rounded
