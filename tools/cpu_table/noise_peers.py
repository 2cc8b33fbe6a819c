"""Peers that compute noise."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from runpy import run_path
from typing import Any

import numpy as np
import numpy.typing as npt

from tools.cpu_table.row import MakeRun, Run
from unshape_core.value import Value

F32Array = npt.NDArray[np.float32]

_PLAIN = Path(__file__).resolve().parents[2] / "packages" / "unshape-noise" / "benchmarks" / "plain_noise.py"


def grid(side_px: int, cells: float) -> F32Array:
    """Return the positions of a picture's pixels, float32[2, pixels]."""
    along = ((np.arange(side_px) + 0.5) * (cells / side_px)).astype(np.float32)
    x, y = np.meshgrid(along, along)
    return np.stack([x.ravel(), y.ravel()])


def lite_on_grid(kind: str, *, side_px: int, cells: float, octaves: int = 1) -> MakeRun:
    """Return FastNoiseLite's noise of a kind on a grid."""

    def make(_inputs: Sequence[Value], _threads: int) -> Run:
        return _lite(kind, octaves, grid(side_px, cells))

    return make


def lite_at_positions(kind: str, *, scale: float) -> MakeRun:
    """Return FastNoiseLite's noise of a kind at the positions of a picture."""

    def make(inputs: Sequence[Value], _threads: int) -> Run:
        positions = np.asarray(inputs[0])
        coordinates = np.ascontiguousarray(positions.reshape(-1, positions.shape[2])[:, :2].T) * np.float32(scale)
        return _lite(kind, 1, coordinates)

    return make


def plain_on_grid(*, side_px: int, cells: float) -> MakeRun:
    """Return Perlin noise as it is usually written with NumPy, on whole arrays."""

    def make(_inputs: Sequence[Value], _threads: int) -> Run:
        x, y = grid(side_px, cells).reshape(2, side_px, side_px)
        plain: Any = run_path(str(_PLAIN))["PlainNoise"](1).perlin
        return lambda: plain(x, y)

    return make


def _lite(kind: str, octaves: int, coordinates: F32Array) -> Run:
    lite: Any = import_module("pyfastnoiselite.pyfastnoiselite")
    noise = lite.FastNoiseLite(1)
    noise.noise_type = getattr(lite.NoiseType, f"NoiseType_{kind}")
    noise.frequency = 1.0
    noise.cellular_return_type = lite.CellularReturnType.CellularReturnType_Distance
    if octaves > 1:
        noise.fractal_type, noise.fractal_octaves = lite.FractalType.FractalType_FBm, octaves
    return lambda: noise.gen_from_coords(coordinates)
