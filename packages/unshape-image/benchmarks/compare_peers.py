"""Time the NumPy definitions of image nodes beside scipy and OpenCV, interleaved in one run, one thread each.

Prints for each case the medians of processor time in milliseconds, our points a second, and the ratio of the
peer's to ours: above 1 ours is faster. Pointwise nodes are compared with plain NumPy.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import scipy
import scipy.ndimage

from unshape_backend.cpu.backend import CpuBackend
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_image import (
    Blend,
    BlendMode,
    Border,
    BoxBlur,
    ColorSpace,
    Convert,
    Convolve,
    GaussianBlur,
    GradientMap,
    HeightToNormal,
    KernelPreset,
    Levels,
    MapPixels,
    Pad,
    RecursiveGaussianBlur,
    RemapUv,
    Resize,
    ResizeMethod,
)
from unshape_image.gaussian_weights import gaussian_radius
from unshape_testing.tasks import make_job

sys.path.insert(0, str(Path(__file__).parent))
import plain_pictures

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
        *(gaussian(sigma) for sigma in (2.0, 8.0, 50.0)),
        replace(gaussian(50.0), name="recursive, sigma 50", node=RecursiveGaussianBlur(50.0, Border.CLAMP)),
        *(box(radius) for radius in (2, 20)),
        *(convolution(preset) for preset in (KernelPreset.SHARPEN, KernelPreset.GAUSSIAN_5X5)),
        resizing(ResizeMethod.NEAREST, cv2.INTER_NEAREST_EXACT, larger),
        resizing(ResizeMethod.BILINEAR, cv2.INTER_LINEAR, larger),
        resizing(ResizeMethod.BICUBIC, cv2.INTER_CUBIC, larger),
        resizing(ResizeMethod.AREA, cv2.INTER_AREA, half),
        padding(64),
        remapping(side_px),
        *pointwise(),
    ]


def pointwise() -> list[Comparison]:
    """Return the comparisons of nodes that compute pixel by pixel, and of normals, with plain NumPy."""
    plain = plain_pictures
    oklab = Convert(ColorSpace.SRGB, ColorSpace.OKLAB)
    formula = MapPixels("color*color*1.5 + 0.25*sin(color*6.0)")
    return [
        Comparison(name="levels", node=Levels(in_low=0.1, in_high=0.9, gamma=1.2), peers={"numpy": plain.levels}),
        Comparison(name="overlay", node=Blend(BlendMode.OVERLAY, opacity=0.5), peers={"numpy": plain.overlay}),
        Comparison(name="sRGB to OkLab", node=oklab, peers={"numpy": plain.srgb_to_oklab}),
        Comparison(name="gradient map", node=GradientMap(), peers={"numpy": plain.ramp}),
        Comparison(name="height to normal", node=HeightToNormal(), peers={"numpy": plain.normals}),
        Comparison(name="formula with a sine", node=formula, peers={"numpy": plain.formula}),
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
        peers={
            "cv2": lambda a: cv2.resize(a, (target, target), interpolation=flag),
            **({"scipy": partial(_zoomed, target)} if method is ResizeMethod.BILINEAR else {}),
        },
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
        peers={
            "cv2": lambda a: cv2.remap(a, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE),
            "scipy": lambda a: [
                scipy.ndimage.map_coordinates(a[..., k], (y, x), order=1, mode="nearest") for k in range(a.shape[2])
            ],
        },
    )


def _zoomed(target: int, picture: Array) -> object:
    factor = target / picture.shape[0]
    return scipy.ndimage.zoom(picture, (factor, factor, 1), order=1, mode="nearest", grid_mode=True)


def medians_ms(runs: Sequence[Run], rounds: int) -> list[float]:
    """Return the median of each function's time on the processor, all taken in turn, the first round dropped."""
    times: list[list[float]] = [[] for _ in runs]
    for _ in range(rounds + 1):
        for taken, run in zip(times, runs, strict=True):
            start = time.thread_time_ns()
            run()
            taken.append((time.thread_time_ns() - start) / 1e6)
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
    print(f"{'case':28} {'ours ms':>9} {'Mpt/s':>7}  peers: ms (ratio)")
    for case in comparisons(options.side):
        job = make_job(
            case.node, (picture,) * len(case.node.inputs), EvalContext(resolution=(options.side, options.side))
        )
        compiled = backend.compile(job.task)
        runs: list[Run] = [partial(compiled, job.task.nodes, job.inputs, job.ctx)]
        runs += [partial(peer, picture) for peer in case.peers.values()]
        ours, *theirs = medians_ms(runs, options.rounds)
        columns = "  ".join(f"{name} {ms:.2f} ({ms / ours:.2f})" for name, ms in zip(case.peers, theirs, strict=True))
        width, height = job.task.output_specs[0].picture_px or (0, 0)
        print(f"{case.name:28} {ours:9.2f} {height * width / ours / 1e3:7.1f}  {columns}")


if __name__ == "__main__":
    main()
