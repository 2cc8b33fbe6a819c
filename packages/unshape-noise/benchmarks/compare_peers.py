"""Time the NumPy definitions of noise nodes beside plain NumPy and pyfastnoiselite, interleaved, one thread each.

Prints for each case the medians of processor time in nanoseconds a pixel, our points a second, and the ratio of the
peer's to ours: above 1 ours is faster.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path

import numpy as np
from pyfastnoiselite.pyfastnoiselite import CellularReturnType, FastNoiseLite, FractalType, NoiseType

from unshape_backend.cpu.backend import CpuBackend
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_noise import CellFeature, Fractal, Perlin, Simplex, Value, White, Worley
from unshape_testing.tasks import make_job

sys.path.insert(0, str(Path(__file__).parent))
from plain_noise import PlainNoise

Run = Callable[[], object]
Peers = dict[str, Run]


def comparisons(side: int, cells: float) -> list[tuple[str, Node, Peers]]:
    """Return the cases for a square picture of so many cells across."""
    along = ((np.arange(side) + 0.5) * (cells / side)).astype(np.float32)
    x, y = (np.ascontiguousarray(a) for a in np.meshgrid(along, along))
    coordinates = np.stack([x.ravel(), y.ravel()])
    plain = [PlainNoise(seed) for seed in range(6)]

    def octaves() -> object:
        total = np.zeros_like(x)
        for k, noise in enumerate(plain):
            total += noise.perlin(x * 2**k, y * 2**k) * 0.5**k
        return total

    def lite(kind: NoiseType, *, fractal: FractalType = FractalType.FractalType_None, octaves: int = 1) -> Run:
        noise = FastNoiseLite(1)
        noise.noise_type, noise.frequency = kind, 1.0
        noise.fractal_type, noise.fractal_octaves = fractal, octaves
        noise.cellular_return_type = CellularReturnType.CellularReturnType_Distance
        return partial(noise.gen_from_coords, coordinates)

    perlin = NoiseType.NoiseType_Perlin
    fbm = partial(lite, fractal=FractalType.FractalType_FBm, octaves=6)
    ridged = partial(lite, fractal=FractalType.FractalType_Ridged, octaves=6)
    return [
        ("Perlin", Perlin(scale=cells), {"plain": partial(plain[0].perlin, x, y), "lite": lite(perlin)}),
        ("Perlin fbm 6", Perlin(scale=cells, octaves=6), {"plain": octaves, "lite": fbm(perlin)}),
        ("Perlin ridged 6", Perlin(scale=cells, octaves=6, mode=Fractal.RIDGED), {"lite": ridged(perlin)}),
        (
            "Value",
            Value(scale=cells),
            {"plain": partial(plain[0].value, x, y), "lite": lite(NoiseType.NoiseType_Value)},
        ),
        (
            "Simplex",
            Simplex(scale=cells),
            {"plain": partial(plain[0].simplex, x, y), "lite": lite(NoiseType.NoiseType_OpenSimplex2)},
        ),
        (
            "Worley F1",
            Worley(scale=cells),
            {"plain": partial(plain[0].worley, x, y), "lite": lite(NoiseType.NoiseType_Cellular)},
        ),
        ("Worley F2", Worley(scale=cells, feature=CellFeature.F2), {}),
        ("Perlin 3-D", Perlin(scale=cells, dimensions=3, z=0.5), {}),
        ("White", White(), {}),
    ]


def medians_ns(runs: Sequence[Run], rounds: int) -> list[float]:
    """Return the median of each function's time on the processor, all taken in turn, the first round dropped."""
    times: list[list[int]] = [[] for _ in runs]
    for _ in range(rounds + 1):
        for taken, run in zip(times, runs, strict=True):
            start = time.thread_time_ns()
            run()
            taken.append(time.thread_time_ns() - start)
    return [statistics.median(taken[1:]) for taken in times]


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--side", type=int, default=2048, metavar="PX", help="width and height of the picture (2048)")
    parser.add_argument("--cells", type=float, default=8.0, help="lattice cells across the picture (8)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds that count (5)")
    options = parser.parse_args()
    backend = CpuBackend()
    pixels = options.side * options.side
    print(f"numpy {np.__version__}, pyfastnoiselite {version('pyfastnoiselite')}; 1 thread; {options.side} px square")
    print(f"{'case':18} {'ours ns':>8} {'Mpt/s':>7}  peers: ns (ratio)")
    for name, node, peers in comparisons(options.side, options.cells):
        job = make_job(node, (), EvalContext(resolution=(options.side, options.side)))
        compiled = backend.compile(job.task)
        runs: list[Run] = [partial(compiled, job.task.nodes, job.inputs, job.ctx), *peers.values()]
        ours, *theirs = (ns / pixels for ns in medians_ns(runs, options.rounds))
        columns = "  ".join(f"{peer} {ns:.1f} ({ns / ours:.1f})" for peer, ns in zip(peers, theirs, strict=True))
        print(f"{name:18} {ours:8.2f} {1e3 / ours:7.0f}  {columns}")


if __name__ == "__main__":
    main()
