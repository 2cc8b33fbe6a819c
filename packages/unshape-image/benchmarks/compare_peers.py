"""Time the NumPy definitions of image nodes beside scipy and OpenCV, interleaved in one run, one thread each.

Prints for each case the medians in milliseconds and the ratio of the peer's to ours: above 1 ours is faster.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import scipy
import scipy.ndimage

from unshape_backend.cpu.backend import CpuBackend
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_image import Border, BoxBlur, Convolve, GaussianBlur, KernelPreset, Pad, RemapUv, Resize, ResizeMethod
from unshape_image.gaussian_weights import gaussian_radius
from unshape_testing.tasks import make_job

Array = npt.NDArray[Any]
Run = Callable[[], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One node and what does the same elsewhere."""

    name: str
    node: Node
    peers: dict[str, Callable[[Array], object]] = field(default_factory=dict)


def comparisons(side_px: int) -> list[Comparison]:
    """Return the cases for a square picture."""
    half, larger = side_px // 2, side_px * 3 // 2
    return [
        *(gaussian(sigma) for sigma in (2.0, 8.0)),
        *(box(radius) for radius in (2, 20)),
        *(convolution(preset) for preset in (KernelPreset.SHARPEN, KernelPreset.GAUSSIAN_5X5)),
        resizing(ResizeMethod.NEAREST, cv2.INTER_NEAREST_EXACT, larger),
        resizing(ResizeMethod.BILINEAR, cv2.INTER_LINEAR, larger),
        resizing(ResizeMethod.BICUBIC, cv2.INTER_CUBIC, larger),
        resizing(ResizeMethod.AREA, cv2.INTER_AREA, half),
        padding(64),
        remapping(side_px),
    ]


def gaussian(sigma: float) -> Comparison:
    """Return the comparison of a Gaussian blur."""
    k = 2 * gaussian_radius(sigma) + 1
    return Comparison(
        name=f"gaussian blur, sigma {sigma:g}",
        node=GaussianBlur(sigma, Border.CLAMP),
        peers={
            "scipy": lambda a: scipy.ndimage.gaussian_filter(a, (sigma, sigma, 0), mode="nearest"),
            "cv2": lambda a: cv2.GaussianBlur(a, (k, k), sigma, borderType=cv2.BORDER_REPLICATE),
        },
    )


def box(radius: int) -> Comparison:
    """Return the comparison of a box blur."""
    k = 2 * radius + 1
    return Comparison(
        name=f"box blur, radius {radius}",
        node=BoxBlur(radius, Border.MIRROR),
        peers={
            "scipy": lambda a: scipy.ndimage.uniform_filter(a, (k, k, 1), mode="reflect"),
            "cv2": lambda a: cv2.blur(a, (k, k), borderType=cv2.BORDER_REFLECT),
        },
    )


def convolution(preset: KernelPreset) -> Comparison:
    """Return the comparison of a convolution."""
    kernel = np.array(preset.weights, np.float32)
    return Comparison(
        name=f"convolution {kernel.shape[0]}x{kernel.shape[1]}",
        node=Convolve(preset, Border.CLAMP),
        peers={
            "scipy": lambda a: scipy.ndimage.correlate(a, kernel[:, :, None], mode="nearest"),
            "cv2": lambda a: cv2.filter2D(a, -1, kernel, borderType=cv2.BORDER_REPLICATE),
        },
    )


def resizing(method: ResizeMethod, flag: int, target: int) -> Comparison:
    """Return the comparison of a resize."""
    return Comparison(
        name=f"resize {method} to {target}",
        node=Resize(target, target, method),
        peers={"cv2": lambda a: cv2.resize(a, (target, target), interpolation=flag)},
    )


def padding(width: int) -> Comparison:
    """Return the comparison of padding."""
    amounts = ((width, width), (width, width), (0, 0))
    return Comparison(
        name=f"pad {width}, mirror",
        node=Pad(width, width, width, width, Border.MIRROR),
        peers={
            "cv2": lambda a: cv2.copyMakeBorder(a, width, width, width, width, cv2.BORDER_REFLECT),
            "numpy": lambda a: np.pad(a, amounts, mode="symmetric"),
        },
    )


def remapping(side_px: int) -> Comparison:
    """Return the comparison of a warp; the peer is given the positions, we compute them."""
    u, v = np.meshgrid((np.arange(side_px) + 0.5) / side_px, (np.arange(side_px) + 0.5) / side_px)
    x = ((u + 0.05 * np.sin(v * 25.1)) * side_px - 0.5).astype(np.float32)
    y = (v * side_px - 0.5).astype(np.float32)
    return Comparison(
        name="bilinear remap, smooth warp",
        node=RemapUv("vec2(u + 0.05*sin(v*25.1), v)"),
        peers={"cv2": lambda a: cv2.remap(a, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)},
    )


def medians_ms(runs: Sequence[Run], rounds: int) -> list[float]:
    """Return the median of each function's time, all taken in turn, the first round dropped."""
    times: list[list[float]] = [[] for _ in runs]
    for _ in range(rounds + 1):
        for taken, run in zip(times, runs, strict=True):
            start = time.perf_counter_ns()
            run()
            taken.append((time.perf_counter_ns() - start) / 1e6)
    return [statistics.median(taken[1:]) for taken in times]


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--side", type=int, default=1024, metavar="PX", help="width and height of the picture (1024)")
    parser.add_argument("--channels", type=int, default=4, choices=(1, 2, 3, 4), help="channels of the picture (4)")
    parser.add_argument("--rounds", type=int, default=7, help="rounds that count (7)")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    backend = CpuBackend()
    picture = np.random.default_rng(1).random((options.side, options.side, options.channels), np.float32)
    print(f"numpy {np.__version__}, scipy {scipy.__version__}, OpenCV {cv2.__version__}; 1 thread; {picture.shape}")
    print(f"{'case':32} {'ours ms':>9}  peers: ms (ratio)")
    for case in comparisons(options.side):
        job = make_job(case.node, (picture,), EvalContext(resolution=(options.side, options.side)))
        compiled = backend.compile(job.task)
        runs: list[Run] = [partial(compiled, job.task.nodes, job.inputs, job.ctx)]
        runs += [partial(peer, picture) for peer in case.peers.values()]
        ours, *theirs = medians_ms(runs, options.rounds)
        columns = "  ".join(f"{name} {ms:.2f} ({ms / ours:.2f})" for name, ms in zip(case.peers, theirs, strict=True))
        print(f"{case.name:32} {ours:9.2f}  {columns}")


if __name__ == "__main__":
    main()
