"""Peers that filter and warp pictures: OpenCV."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from tools.cpu_table.row import MakeRun, Run
from unshape_core.value import Value

F32Array = npt.NDArray[np.float32]


def gaussian(sigma: float, radius: int) -> MakeRun:
    """Return a Gaussian blur of the same reach as ours."""
    size = (2 * radius + 1, 2 * radius + 1)
    return _peer(lambda cv2, a, out: cv2.GaussianBlur(a, size, sigma, dst=out, borderType=cv2.BORDER_REPLICATE))


def box(radius: int) -> MakeRun:
    """Return a mean of squares."""
    size = (2 * radius + 1, 2 * radius + 1)
    return _peer(lambda cv2, a, out: cv2.blur(a, size, dst=out, borderType=cv2.BORDER_REPLICATE))


def convolution(weights: F32Array) -> MakeRun:
    """Return a convolution with given weights."""
    return _peer(lambda cv2, a, out: cv2.filter2D(a, -1, weights, dst=out, borderType=cv2.BORDER_REPLICATE))


def halving() -> MakeRun:
    """Return the mean of four pixels."""

    def resize(cv2: Any, a: F32Array, out: F32Array) -> object:
        half = (a.shape[1] // 2, a.shape[0] // 2)
        return cv2.resize(a, half, dst=out[: half[1], : half[0]], interpolation=cv2.INTER_AREA)

    return _peer(resize)


def remap() -> MakeRun:
    """Return a bilinear warp by the positions of the second picture."""

    def make(inputs: Sequence[Value], threads: int) -> Run:
        cv2 = _opencv()
        picture, positions = np.asarray(inputs[0]), np.asarray(inputs[1])
        height, width = picture.shape[:2]
        x, y = (np.ascontiguousarray(positions[..., k]) * side - 0.5 for k, side in ((0, width), (1, height)))
        out = np.empty_like(picture)

        def run() -> object:
            cv2.setNumThreads(threads)
            return cv2.remap(picture, x, y, cv2.INTER_LINEAR, dst=out, borderMode=cv2.BORDER_REPLICATE)

        return run

    return make


def _peer(function: Callable[[Any, F32Array, F32Array], object]) -> MakeRun:
    def make(inputs: Sequence[Value], threads: int) -> Run:
        cv2 = _opencv()
        picture = np.asarray(inputs[0])
        out = np.empty_like(picture)

        def run() -> object:
            cv2.setNumThreads(threads)
            return function(cv2, picture, out)

        return run

    return make


def _opencv() -> Any:
    return import_module("cv2")
