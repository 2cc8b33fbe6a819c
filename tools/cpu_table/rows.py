"""The rows of the table and the ratios that each must reach."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from tools.cpu_table import filter_peers, grade, noise_peers
from tools.cpu_table.row import Peer, Row
from unshape.benchmark import scaled
from unshape_backend.case import Case, Content, Picture
from unshape_backend.domain_cases import domain_cases
from unshape_core.protocols import Node
from unshape_image import Border, BoxBlur, Convolve, GaussianBlur, RemapUv, Resize, ResizeMethod
from unshape_image.gaussian_weights import gaussian_radius
from unshape_noise import PerlinAt

_CELLS = 8.0
"""Lattice cells across the picture, as in the cases of the noise domain."""


def rows(side_px: int) -> Iterator[Row]:
    """Return the rows for square pictures."""
    yield from _noise(side_px)
    yield from _pointwise(side_px)
    yield from _warps(side_px)
    yield from _filters(side_px)


def _must(avx512: float, avx2: float) -> dict[str, float]:
    return {"avx512": avx512, "avx2": avx2}


def _domain_case(name: str, side_px: int) -> Case:
    (found,) = (case for _, case in domain_cases() if case.name == name)
    return scaled(found, (side_px, side_px), "exact")


def _own_case(name: str, node: Node, *inputs: Picture | np.ndarray, side_px: int) -> Case:
    return scaled(Case(name=name, node=node, inputs=inputs), (side_px, side_px), "exact")


def _noise(side_px: int) -> Iterator[Row]:
    def lite(kind: str, must: dict[str, float], octaves: int = 1) -> tuple[Peer, ...]:
        make = noise_peers.lite_on_grid(kind, side_px=side_px, cells=_CELLS, octaves=octaves)
        return (Peer(name=_LITE, distribution=_LITE, make=make, must=must, has_threads=False),)

    on_grids = (
        ("Perlin on a grid", "Perlin/bench", lite("Perlin", _must(30, 20))),
        ("Value on a grid", "Value/bench", lite("Value", _must(30, 20))),
        ("Simplex on a grid", "Simplex/bench", lite("OpenSimplex2", _must(14, 8))),
        ("Cellular distance on a grid", "Worley/bench", lite("Cellular", _must(40, 20))),
        ("FBm Perlin, 6 octaves, grid", "Perlin-fbm-6/bench", lite("Perlin", _must(30, 25), octaves=6)),
    )
    for work, name, peers in on_grids:
        yield Row(work=work, case=_domain_case(name, side_px), peers=peers)
    positions = Picture(width_px=side_px, height_px=side_px, channels=2, content=Content.POSITION)
    at = noise_peers.lite_at_positions("Perlin", scale=_CELLS)
    yield Row(
        work="Perlin at positions",
        case=_own_case("PerlinAt", PerlinAt(scale=_CELLS), positions, side_px=side_px),
        peers=(Peer(name=_LITE, distribution=_LITE, make=at, must=_must(12, 7), has_threads=False),),
    )
    plain = noise_peers.plain_on_grid(side_px=side_px, cells=_CELLS)
    yield Row(
        work="NumPy definition of Perlin",
        case=_domain_case("Perlin/bench", side_px),
        peers=(Peer(name="plain NumPy", distribution="numpy", make=plain, must={"numpy": 5.0}, has_threads=False),),
        backend="cpu",
    )


_LITE = "pyfastnoiselite"


def _pointwise(side_px: int) -> Iterator[Row]:
    image = Picture(width_px=side_px, height_px=side_px)
    halide = Peer(
        name="Halide JIT",
        distribution="halide",
        make=grade.halide_jit,
        must=_must(1.25, 1.25),
        must_on={2: 1.5},
        precision="fast",
    )
    tiled = Peer(
        name="NumPy, tiled",
        distribution="numpy",
        make=grade.tiled_numpy,
        must=_must(3, 2),
        has_threads=False,
    )
    yield Row(
        work="13 operations with pow, RGBA",
        case=_own_case("Grade", grade.Grade(), image, side_px=side_px),
        peers=(halide, tiled),
    )
    copy = Peer(name="copy", distribution="numpy", make=grade.copy, must=_must(0.85, 0.85), has_threads=False)
    yield Row(
        work="the same without pow",
        case=_own_case("Grade-no-pow", grade.Grade(has_power=False), image, side_px=side_px),
        peers=(copy,),
        is_memory_bound=True,
    )


def _warps(side_px: int) -> Iterator[Row]:
    along = ((np.arange(side_px) + 0.5) / side_px).astype(np.float32)
    u, v = np.meshgrid(along, along)
    angle = np.float32(0.3)
    across, down = u - np.float32(0.5), v - np.float32(0.5)
    scattered = np.random.default_rng(1).random((2, side_px, side_px), np.float32)
    maps = {
        "smooth warp": (u + np.float32(0.05) * np.sin(v * np.float32(25.1)), v, 2.0),
        "rotation": (
            across * np.cos(angle) - down * np.sin(angle) + np.float32(0.5),
            across * np.sin(angle) + down * np.cos(angle) + np.float32(0.5),
            2.0,
        ),
        "identity": (u, v, 1.2),
        "random": (scattered[0], scattered[1], 1.1),
    }
    image = Picture(width_px=side_px, height_px=side_px)
    for name, (x, y, must) in maps.items():
        positions = np.ascontiguousarray(np.stack([x, y], axis=2), np.float32)
        node = RemapUv("warp.xy", pictures=("warp",))
        peer = Peer(name="cv2.remap", distribution=_OPENCV, make=filter_peers.remap(), must=_must(must, must))
        yield Row(
            work=f"bilinear remap, {name}",
            case=_own_case(f"RemapUv/{name}", node, image, positions, side_px=side_px),
            peers=(peer,),
            is_memory_bound=True,
        )


_OPENCV = "opencv-python-headless"


def _filters(side_px: int) -> Iterator[Row]:
    image = Picture(width_px=side_px, height_px=side_px)
    for sigma, must in ((2.0, _must(1.4, 1.15)), (8.0, _must(5, 3))):
        make = filter_peers.gaussian(sigma, gaussian_radius(sigma))
        yield Row(
            work=f"Gaussian, sigma {sigma:g}",
            case=_own_case(f"GaussianBlur/{sigma:g}", GaussianBlur(sigma, Border.CLAMP), image, side_px=side_px),
            peers=(Peer(name="cv2.GaussianBlur", distribution=_OPENCV, make=make, must=must),),
        )
    for size, must in ((3, _must(1.2, 1.0)), (5, _must(1.4, 1.0)), (7, _must(1.5, 1.0))):
        weights = np.random.default_rng(size).normal(0.0, 1.0 / size, (size, size)).astype(np.float32)
        kernel = tuple(tuple(float(w) for w in row) for row in weights)
        yield Row(
            work=f"convolution {size}x{size}",
            case=_own_case(f"Convolve/{size}", Convolve(kernel, Border.CLAMP), image, side_px=side_px),
            peers=(Peer(name="cv2.filter2D", distribution=_OPENCV, make=filter_peers.convolution(weights), must=must),),
        )
    yield Row(
        work="box blur, radius 8",
        case=_own_case("BoxBlur", BoxBlur(8, Border.CLAMP), image, side_px=side_px),
        peers=(Peer(name="cv2.blur", distribution=_OPENCV, make=filter_peers.box(8)),),
    )
    half = Resize(side_px // 2, side_px // 2, ResizeMethod.AREA)
    yield Row(
        work="resize to half, area",
        case=_own_case("Resize/half", half, image, side_px=side_px),
        peers=(Peer(name="cv2.resize", distribution=_OPENCV, make=filter_peers.halving()),),
    )


def matching(pattern: re.Pattern[str], side_px: int) -> list[Row]:
    """Return the rows whose work matches."""
    return [row for row in rows(side_px) if pattern.search(row.work)]
