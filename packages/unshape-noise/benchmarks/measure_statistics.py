"""Measure statistics of every kind of noise, beside FastNoise Lite's where it has the kind; prints a Markdown table.

Each row is taken from pictures of several seeds: mean, standard deviation, range; the frequency in cycles a cell below
which half of the power lies; the slope of the power above it, as a power of the frequency; the unevenness of
directions, the largest deviation of power between 12 sectors; and the largest correlation of a picture with itself when
shifted by three cells or more, which a period would bring near 1.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from pyfastnoiselite.pyfastnoiselite import (
    CellularDistanceFunction,
    CellularReturnType,
    FastNoiseLite,
    FractalType,
    NoiseType,
)

from unshape_noise.fractal import Fractal
from unshape_noise.kinds import PERLIN, SIMPLEX, VALUE, WHITE, WORLEY, functions_of
from unshape_noise.worley import CellFeature, Metric

SIDE = 1024
CELLS = 64
Picture = npt.NDArray[np.float64]
Make = Callable[[int], Picture]


def positions() -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Return the columns' x and the rows' y, in cells."""
    along = ((np.arange(SIDE) + 0.5) * (CELLS / SIDE)).astype(np.float32)
    return along[None, :], along[:, None]


def ours(kind: str, seed: int, *, mode: Fractal | None = None, z: float | None = None) -> Picture:
    """Return a picture of our noise."""
    kinds = {"perlin": PERLIN, "value": VALUE, "simplex": SIMPLEX, "white": WHITE}
    kinds |= {f"worley {feature} {metric}": noise for (feature, metric), noise in WORLEY.items()}
    x, y = positions()
    at = (x, y) if z is None else (x, y, np.float32(z + seed * 0.37))
    function = functions_of(kinds[kind], len(at))[mode, False]
    assert function.numpy is not None
    extras = (1.0,) if kind.startswith("worley") else ()
    shape = () if mode is None else (6, 2.0, 0.5)
    result: Picture = function.numpy(at, *shape, seed, *extras).astype(np.float64)
    return result


def lite(
    kind: NoiseType, seed: int, *, fractal: FractalType = FractalType.FractalType_None, z: float | None = None
) -> Picture:
    """Return a picture of FastNoise Lite's noise."""
    noise = FastNoiseLite(seed)
    noise.noise_type, noise.frequency = kind, 1.0
    noise.fractal_type, noise.fractal_octaves = fractal, 6
    noise.cellular_distance_function = CellularDistanceFunction.CellularDistanceFunction_Euclidean
    noise.cellular_return_type = CellularReturnType.CellularReturnType_Distance
    x, y = np.broadcast_arrays(*positions())
    coordinates = np.stack(
        [x.ravel(), y.ravel()] + ([] if z is None else [np.full(x.size, z + seed * 0.37, np.float32)])
    )
    result: Picture = noise.gen_from_coords(coordinates).reshape(SIDE, SIDE).astype(np.float64)
    return result


def rows() -> Iterator[tuple[str, Make]]:
    """Yield name and maker of every row."""
    perlin, fbm = NoiseType.NoiseType_Perlin, FractalType.FractalType_FBm
    yield "Perlin", partial(ours, "perlin")
    yield "· FastNoise Lite Perlin", partial(lite, perlin)
    yield "Perlin 3-D", partial(ours, "perlin", z=0.2)
    yield "· FastNoise Lite Perlin 3-D", partial(lite, perlin, z=0.2)
    yield "Perlin fbm 6", partial(ours, "perlin", mode=Fractal.FBM)
    yield "· FastNoise Lite Perlin FBm 6", partial(lite, perlin, fractal=fbm)
    yield "Perlin billow 6", partial(ours, "perlin", mode=Fractal.BILLOW)
    yield (
        "· minus FastNoise Lite Perlin Ridged 6",
        lambda seed: -lite(perlin, seed, fractal=FractalType.FractalType_Ridged),
    )
    yield "Perlin ridged 6", partial(ours, "perlin", mode=Fractal.RIDGED)
    yield "Value", partial(ours, "value")
    yield "· FastNoise Lite Value", partial(lite, NoiseType.NoiseType_Value)
    yield "Simplex", partial(ours, "simplex")
    yield "· FastNoise Lite OpenSimplex2", partial(lite, NoiseType.NoiseType_OpenSimplex2)
    yield "Simplex 3-D", partial(ours, "simplex", z=0.2)
    yield "· FastNoise Lite OpenSimplex2 3-D", partial(lite, NoiseType.NoiseType_OpenSimplex2, z=0.2)
    for feature in CellFeature:
        for metric in Metric:
            yield f"Worley {feature.replace('_', ' - ').upper()} {metric}", partial(ours, f"worley {feature} {metric}")
            if feature is CellFeature.F1 and metric is Metric.EUCLIDEAN:
                yield "· FastNoise Lite Cellular Distance", partial(lite, NoiseType.NoiseType_Cellular)
    yield "White", partial(ours, "white")


def mean_power(pictures: list[Picture]) -> Picture:
    """Return the power of pictures at each frequency."""
    result: Picture = np.mean([np.abs(np.fft.fft2(p - p.mean())) ** 2 for p in pictures], axis=0)
    return result


def polar() -> tuple[Picture, Picture]:
    """Return the frequency in cycles a cell, and its direction."""
    along = np.fft.fftfreq(SIDE) * SIDE / CELLS
    fx, fy = np.meshgrid(along, along)
    return np.hypot(fx, fy), np.arctan2(fy, fx) % np.pi


def half_of(power: Picture) -> float:
    """Return the frequency below which half of the power lies."""
    radius = polar()[0].ravel()
    order = np.argsort(radius)
    total = np.cumsum(power.ravel()[order])
    return float(radius[order][np.searchsorted(total, total[-1] / 2)])


def slope_of(power: Picture, half: float) -> float:
    """Return the exponent of the power spectrum from that frequency to four times it, and no further than 7 a cell."""
    radius = polar()[0]
    edges = np.geomspace(half, min(4.0 * half, 7.0), 9)
    rings = [power[(radius >= low) & (radius < high)].mean() for low, high in pairwise(edges)]
    return float(np.polyfit(np.log(np.sqrt(edges[1:] * edges[:-1])), np.log(rings), 1)[0])


def unevenness_of(power: Picture, half: float) -> float:
    """Return the largest deviation of power between 12 sectors of direction."""
    radius, angle = polar()
    band = (radius > half / 2) & (radius < half * 2)
    sectors = (angle[band] / (np.pi / 12)).astype(int) % 12
    share = np.bincount(sectors, power[band], minlength=12) / np.bincount(sectors, minlength=12)
    return float(np.abs(share / share.mean() - 1.0).max())


def largest_correlation(pictures: list[Picture]) -> float:
    """Return the largest autocorrelation of a picture at a shift of three cells or more."""
    middle, reach = SIDE // 2, 3 * SIDE // CELLS
    largest = 0.0
    for picture in pictures:
        correlation = np.fft.fftshift(np.fft.ifft2(mean_power([picture])).real)
        correlation /= correlation[middle, middle]
        correlation[middle - reach : middle + reach + 1, middle - reach : middle + reach + 1] = 0.0
        largest = max(largest, float(np.abs(correlation).max()))
    return largest


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=8, help="pictures a row (8)")
    options = parser.parse_args()
    print("| noise | mean | standard deviation | range | half the power below | slope | directions | self-similarity |")
    print("|---|---|---|---|---|---|---|---|")
    for name, make in rows():
        pictures = [make(seed) for seed in range(options.seeds)]
        power = mean_power(pictures)
        half = half_of(power)
        low, high = min(p.min() for p in pictures), max(p.max() for p in pictures)
        print(
            f"| {name} | {np.mean(pictures):+.3f} | {np.std(pictures):.3f} | {low:+.3f} to {high:+.3f} "
            f"| {half:.2f} | {slope_of(power, half):+.1f} | {100 * unevenness_of(power, half):.0f} % "
            f"| {largest_correlation(pictures):.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
