"""Time the interpreter beside plain NumPy and NumPy in tiles with ``out=``; rounds are interleaved, medians reported.

Run with ``python packages/unshape-expr/benchmarks/bench_interpreter.py``.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from unshape_core.window import Window
from unshape_expr import build as b
from unshape_expr import math_functions as mf
from unshape_expr.interpret import Interpreter
from unshape_expr.interpret.scalar_kernel import compile_scalar_kernel
from unshape_expr.ir import Expr
from unshape_expr.lower import lower
from unshape_expr.picture_input import PictureInput
from unshape_expr.types import Type

Array: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]
Run: TypeAlias = Callable[[], object]
GAIN, OFFSET, GAMMA, K = 1.1, -0.02, 2.2, 0.7


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one table for each case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=2048, help="side of the pictures in pixels (default: 2048)")
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each case (default: 7)")
    options = parser.parse_args(arguments)
    size = options.size
    report(f"13 operations with pow, RGBA {size} x {size}", pointwise(size), rounds=options.rounds)
    report(f"8 operations without pow, RGBA {size} x {size}", plain_pointwise(size), rounds=options.rounds)
    report(f"separable waves, {size} x {size}", separable(size), rounds=options.rounds)
    report(f"bilinear remap, RGBA {size // 2} x {size // 2}", remap(size // 2), rounds=options.rounds)
    report("200 scalar operations", scalars(), rounds=50)
    return 0


def report(title: str, runs: Mapping[str, Run], *, rounds: int) -> None:
    """Print the median of each run, and how many times faster than the first it is."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for round_ in range(rounds + 1):
        for name, run in runs.items():
            start = time.perf_counter_ns()
            run()
            if round_:
                times[name].append(time.perf_counter_ns() - start)
    print(title)
    first = statistics.median(next(iter(times.values())))
    for name, samples in times.items():
        median = statistics.median(samples)
        print(f"  {name:32} {median / 1e6:10.3f} ms  {first / median:6.2f}x")


def interpreted(outputs: Sequence[Expr], pictures: Mapping[str, Array], size: int) -> Run:
    """Return a run of the interpreter into arrays that are there already."""
    lowering, interpreter = lower(list(outputs)), Interpreter()
    inputs = {name: PictureInput.whole(array) for name, array in pictures.items()}
    out = [np.empty((size, size, t.components), np.float32) for t in lowering.kernel.output_types]
    whole = Window.whole(width_px=size, height_px=size)
    return lambda: interpreter.run(
        lowering.kernel, lowering.slot_values, inputs, window=whole, width_px=size, height_px=size, out=out
    )


def pointwise(size: int) -> dict[str, Run]:
    """Return levels with a curve, mixed with the picture."""
    image = np.random.default_rng(0).random((size, size, 4), dtype=np.float32)
    gain, offset, gamma, k = (np.float32(v) for v in (GAIN, OFFSET, GAMMA, K))
    out = np.empty_like(image)

    def plain() -> object:
        p = np.power(np.maximum(image * gain + offset, np.float32(0)), gamma)
        c = np.clip(p, np.float32(0), np.float32(1))
        s = c * c * (np.float32(3) - np.float32(2) * c)
        return image + k * (s - image)

    rows = max(1, 65536 // (4 * size))
    t, u = (np.empty((rows, size, 4), np.float32) for _ in range(2))

    def tiled() -> object:
        for top in range(0, size, rows):
            x, o = image[top : top + rows], out[top : top + rows]
            a, c = t[: len(x)], u[: len(x)]
            np.add(np.multiply(x, gain, out=a), offset, out=a)
            np.power(np.maximum(a, np.float32(0), out=a), gamma, out=a)
            np.clip(a, np.float32(0), np.float32(1), out=a)
            np.subtract(np.float32(3), np.multiply(a, np.float32(2), out=c), out=c)
            np.multiply(np.multiply(a, a, out=a), c, out=a)
            np.add(x, np.multiply(np.subtract(a, x, out=a), k, out=a), out=o)
        return out

    x = b.input_pixel("x", Type.VEC4)
    curve = b.clamp(mf.pow(b.max(x * GAIN + OFFSET, 0.0), GAMMA), 0.0, 1.0)
    smooth = (curve * curve) * (3.0 - 2.0 * curve)
    run = interpreted([x + K * (smooth - x)], {"x": image}, size)
    return {"plain NumPy": plain, "NumPy in tiles with out=": tiled, "interpreter": run}


def plain_pointwise(size: int) -> dict[str, Run]:
    """Return the same without the power."""
    image = np.random.default_rng(0).random((size, size, 4), dtype=np.float32)
    gain, offset, k = (np.float32(v) for v in (GAIN, OFFSET, K))

    def plain() -> object:
        c = image * gain + offset
        s = c * c * (np.float32(3) - np.float32(2) * c)
        return image + k * (s - image)

    x = b.input_pixel("x", Type.VEC4)
    c = x * GAIN + OFFSET
    run = interpreted([x + K * ((c * c) * (3.0 - 2.0 * c) - x)], {"x": image}, size)
    return {"plain NumPy": plain, "interpreter": run}


def separable(size: int) -> dict[str, Run]:
    """Return what depends on one axis in most of its operations."""

    def plain() -> object:
        centres = (np.arange(size, dtype=np.float32) + np.float32(0.5)) / np.float32(size)
        u, v = np.meshgrid(centres, centres)
        wave = np.sin(u * np.float32(25.1)) * np.cos(v * np.float32(17.3))
        return wave * np.exp(-u) + np.sqrt(v)

    u, v = b.u(), b.v()
    wave = mf.sin(u * 25.1) * mf.cos(v * 17.3)
    return {
        "plain NumPy on full grids": plain,
        "interpreter": interpreted([wave * mf.exp(-u) + b.sqrt(v)], {}, size),
    }


def remap(size: int) -> dict[str, Run]:
    """Return a swirl read bilinearly."""
    image = np.random.default_rng(0).random((size, size, 4), dtype=np.float32)

    def plain() -> object:
        centres = (np.arange(size, dtype=np.float32) + np.float32(0.5)) / np.float32(size)
        u, v = np.meshgrid(centres, centres)
        x = np.clip((u + np.float32(0.05) * np.sin(v * np.float32(9))) * size - np.float32(0.5), 0, size - 1)
        y = np.clip((v + np.float32(0.05) * np.sin(u * np.float32(9))) * size - np.float32(0.5), 0, size - 1)
        i, j = np.floor(x).astype(np.intp), np.floor(y).astype(np.intp)
        tx, ty = (x - i).astype(np.float32)[..., None], (y - j).astype(np.float32)[..., None]
        right, below = np.minimum(i + 1, size - 1), np.minimum(j + 1, size - 1)
        left = image[j, i] + ty * (image[below, i] - image[j, i])
        other = image[j, right] + ty * (image[below, right] - image[j, right])
        return left + tx * (other - left)

    u, v = b.u(), b.v()
    position = b.vec2(u + 0.05 * mf.sin(v * 9.0), v + 0.05 * mf.sin(u * 9.0))
    run = interpreted([b.sample("x", position, type=Type.VEC4)], {"x": image}, size)
    return {"plain NumPy": plain, "interpreter": run}


def scalars() -> dict[str, Run]:
    """Return a chain of scalar operations."""
    x = b.input_scalar("x", Type.F32)
    value = x
    for index in range(100):
        value = value * 0.5 + x if index % 2 else value - x * 0.25
    lowering = lower([value])
    compiled = compile_scalar_kernel(lowering.kernel)
    half, quarter, given = np.float32(0.5), np.float32(0.25), np.float32(0.7)

    def numpy_scalars() -> object:
        result = given
        for index in range(100):
            result = result * half + given if index % 2 else result - given * quarter
        return result

    return {
        "NumPy float32 scalars": numpy_scalars,
        "interpreter": lambda: compiled(lowering.slot_values, {"x": 0.7}, {}),
    }


if __name__ == "__main__":
    raise SystemExit(main())
