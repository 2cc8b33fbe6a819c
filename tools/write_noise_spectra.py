"""Draw the power spectra of every kind of noise, beside FastNoise Lite's, for the page of noise.

The middle of a tile is frequency 0, its edge 4 cycles a cell; white is the largest power, black a millionth of it. A
round spectrum has no direction.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from runpy import run_path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from tools.members import ROOT

PICTURE = ROOT / "docs" / "images" / "noise-spectra.png"
_STATISTICS = ROOT / "packages" / "unshape-noise" / "benchmarks" / "measure_statistics.py"
_COLUMNS, _TILE_PX, _GAP_PX, _LABEL_PX = 4, 128, 8, 18
_HIGHEST = 4.0
_RANGE_DB = 60.0

Array = npt.NDArray[Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and draw."""
    parser = argparse.ArgumentParser(prog="python -m tools.write_noise_spectra", description=__doc__)
    parser.add_argument("--seeds", type=int, default=4, help="pictures a spectrum (4)")
    options = parser.parse_args(arguments)
    statistics = run_path(str(_STATISTICS))
    tiles = []
    for name, make in statistics["rows"]():
        power = power_of([make(seed) for seed in range(options.seeds)])
        label = name.replace("· ", "").replace("FastNoise Lite", "FNL").removeprefix("minus ")
        tiles.append((label, spectrum_tile(power, cells=statistics["CELLS"])))
    draw(tiles, PICTURE)
    return 0


def power_of(pictures: Sequence[Array]) -> Array:
    """Return the mean power at each frequency, without what the edges of pictures would add (a Hann window)."""
    side = pictures[0].shape[0]
    along = 0.5 - 0.5 * np.cos(2.0 * np.pi * (np.arange(side) + 0.5) / side)
    fading = along[:, None] * along[None, :]
    return np.asarray(np.mean([np.abs(np.fft.fft2((p - p.mean()) * fading)) ** 2 for p in pictures], axis=0))


def spectrum_tile(power: Array, *, cells: int) -> Array:
    """Return a square picture of powers in [0, 1], frequency 0 in the middle.

    Parameters
    ----------
    power : float64[side, side]
        As ``numpy.fft.fft2`` orders frequencies.
    cells : int
        Lattice cells that the picture had along each axis.
    """
    middle, reach = power.shape[0] // 2, int(_HIGHEST * cells)
    shifted = np.fft.fftshift(power)[middle - reach : middle + reach, middle - reach : middle + reach]
    step = 2 * reach // _TILE_PX
    means = shifted.reshape(_TILE_PX, step, _TILE_PX, step).mean(axis=(1, 3))
    decibels = 10.0 * np.log10(np.maximum(means / means.max(), 1e-12))
    return np.asarray(np.clip(1.0 + decibels / _RANGE_DB, 0.0, 1.0))


def draw(tiles: Iterable[tuple[str, Array]], path: Path) -> None:
    """Write tiles with their labels as one picture."""
    listed = list(tiles)
    step_x, step_y = _TILE_PX + 5 * _GAP_PX, _TILE_PX + _LABEL_PX + _GAP_PX
    rows = -(-len(listed) // _COLUMNS)
    canvas = Image.new("L", (_COLUMNS * step_x + _GAP_PX, rows * step_y + _GAP_PX), 255)
    pen, font = ImageDraw.Draw(canvas), ImageFont.load_default(11)
    for index, (label, tile) in enumerate(listed):
        row, column = divmod(index, _COLUMNS)
        x, y = _GAP_PX + column * step_x, _GAP_PX + row * step_y
        image = Image.fromarray(np.round(tile * 255).astype(np.uint8))
        canvas.paste(image, (x + (step_x - _GAP_PX - _TILE_PX) // 2, y))
        place = (x + (step_x - _GAP_PX) // 2, y + _TILE_PX + 2)
        pen.text(place, label.replace(" ", "  "), fill=60, font=font, anchor="ma")
    canvas.save(path, optimize=True)


if __name__ == "__main__":
    raise SystemExit(main())
