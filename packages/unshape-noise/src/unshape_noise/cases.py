"""Cases of the noise nodes: every node at its edges, run by the conformance suite, timed by the benchmarks.

The entry point ``unshape.cases`` names :func:`cases`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from unshape_backend.case import Case, Content, Picture
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_core.window import Window
from unshape_noise.fractal import Fractal
from unshape_noise.nodes.domain_warp import DomainWarp, DomainWarpAt
from unshape_noise.nodes.perlin import Perlin, PerlinAt
from unshape_noise.nodes.simplex import Simplex, SimplexAt
from unshape_noise.nodes.value import Value, ValueAt
from unshape_noise.nodes.white import White, WhiteAt
from unshape_noise.nodes.worley import Worley, WorleyAt
from unshape_noise.worley import CellFeature, Metric

WIDTH_PX, HEIGHT_PX = 67, 41
_CTX = EvalContext(resolution=(WIDTH_PX, HEIGHT_PX), time_s=1.375, frame=12, seed=3)
_TINY = ((1, 1), (1, 67), (67, 1), (0, 5), (5, 0), (16, 16), (17, 15))

_Row: TypeAlias = "tuple[str, Node, float]"
"""Name, node, and its highest frequency in cells across the picture."""


def cases() -> Iterator[Case]:
    """Return the cases of all noise nodes."""
    for name, node, cells in _generators():
        yield Case(name=name, node=node, ctx=_CTX, windows=_windows(), fast_absolute=_fast_bound(cells))
    for width, height in _TINY:
        ctx = EvalContext(resolution=(width, height), seed=2**32 - 1)
        yield Case(name=f"Perlin/{width}x{height}", node=Perlin(octaves=2, seed=1), ctx=ctx)
    for mode in Fractal:  # wide enough for several tiles, with cells larger and smaller than pixels
        yield Case(
            name=f"Perlin/wide-{mode}",
            node=Perlin(scale=40.0, octaves=6, mode=mode, seed=9),
            ctx=EvalContext(resolution=(600, 9), seed=5),
            windows=(Window(250, 3, 300, 5),),
            fast_absolute=_fast_bound(40.0 * 2.0**5),
        )
    for name, node, cells in _driven():
        for content in (Content.POSITION, Content.SIGNED, Content.SPECIAL):
            for channels in (2, 3):
                picture = Picture(width_px=WIDTH_PX, height_px=HEIGHT_PX, channels=channels, content=content)
                # Special coordinates reach 2**32 and more: there a rounding of the position is many cells.
                bound = 2.0 if content is Content.SPECIAL else _fast_bound(cells * 16.0)
                yield Case(
                    name=f"{name}/{content}-{channels}",
                    node=node,
                    inputs=(picture,),
                    ctx=_CTX,
                    windows=_windows(),
                    fast_absolute=bound,
                )
    for name, node in _benchmarks():
        yield Case(name=f"{name}/bench", node=node, ctx=_CTX, bench=True, fast_absolute=_fast_bound(256.0))


def _fast_bound(cells: float) -> float:
    """Return what contraction may change: the rounding of a position times the steepest slope, about 8 a cell."""
    return float(min(2.0, max(cells, 1.0) * 8.0 * 2.0**-22))


def _windows() -> tuple[Window, ...]:
    """Return parts of the output: a corner, the inside, the last pixel, one row, one column, and nothing."""
    return (
        Window(0, 0, 16, 16),
        Window(WIDTH_PX // 3, HEIGHT_PX // 5, 19, 23),
        Window(WIDTH_PX - 1, HEIGHT_PX - 1, 1, 1),
        Window(0, HEIGHT_PX // 2, WIDTH_PX, 1),
        Window(WIDTH_PX // 2, 0, 1, HEIGHT_PX),
        Window(0, 0, 0, 0),
    )


def _generators() -> Iterator[_Row]:
    for kind in (Perlin, Value, Simplex, Worley):
        name = kind.__name__
        yield f"{name}/default", kind(), 4.0
        yield f"{name}/negative", kind(scale=7.3, offset_x=-40.25, offset_y=-3.0, seed=-1), 48.0
        yield f"{name}/fine", kind(scale=900.0, seed=500), 900.0
        yield f"{name}/far", kind(scale=16.0, offset_x=2.0**20, offset_y=-(2.0**20), seed=10000), 2.0**20
        yield f"{name}/slice", kind(scale=5.0, dimensions=3, z=-2.75, seed=2**31 - 1), 5.0
        yield f"{name}/moving", kind(scale=5.0, dimensions=3, z=0.5, speed=2.25, octaves=2), 10.0
        yield f"{name}/tileable", kind(scale=3.0, octaves=3, tileable=True), 12.0
        yield f"{name}/tileable-slice", kind(scale=2.0, octaves=2, tileable=True, dimensions=3, z=7.5), 4.0
        yield f"{name}/30-octaves", kind(octaves=30), 2.0**31
        yield f"{name}/30-octaves-steep", kind(octaves=30, lacunarity=8.0, persistence=1.0), 2.0**40
        for mode in Fractal:
            yield f"{name}/{mode}-5", kind(octaves=5, lacunarity=2.17, persistence=0.61, mode=mode, seed=9), 96.0
    for feature in CellFeature:
        for metric in Metric:
            for jitter in (0.0, 1.0):
                node = Worley(scale=6.0, feature=feature, metric=metric, jitter=jitter)
                yield f"Worley/{feature}-{metric}-{jitter:g}", node, 6.0
    yield "White/still", White(seed=7), 0.0
    yield "White/animated", White(seed=7, animated=True), 0.0
    yield "DomainWarp/default", DomainWarp(), 4.0
    yield "DomainWarp/octaves", DomainWarp(strength=-0.7, scale=9.0, octaves=4, seed=5), 72.0


def _driven() -> Iterator[_Row]:
    for kind in (PerlinAt, ValueAt, SimplexAt, WorleyAt):
        yield kind.__name__, kind(scale=6.0, octaves=3, seed=4), 24.0
    yield "WorleyAt-f2", WorleyAt(scale=6.0, feature=CellFeature.F2), 6.0
    yield "WhiteAt", WhiteAt(scale=6.0), 6.0
    yield "DomainWarpAt", DomainWarpAt(strength=0.3, octaves=2), 8.0


def _benchmarks() -> Iterator[tuple[str, Node]]:
    yield "Perlin", Perlin(scale=8.0)
    yield "Perlin-fbm-6", Perlin(scale=8.0, octaves=6)
    yield "Perlin-ridged-6", Perlin(scale=8.0, octaves=6, mode=Fractal.RIDGED)
    yield "Perlin-3d", Perlin(scale=8.0, dimensions=3, z=0.5)
    yield "Value", Value(scale=8.0)
    yield "Simplex", Simplex(scale=8.0)
    yield "Worley", Worley(scale=8.0)
    yield "White", White()
