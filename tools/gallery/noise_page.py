"""The gallery's page of noise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from tools.gallery.tiles import Page, Picture, Sheet, Show, Source, Tile, run
from unshape_noise import (
    CellFeature,
    DomainWarp,
    DomainWarpAt,
    Fractal,
    Metric,
    Perlin,
    PerlinAt,
    Simplex,
    SimplexAt,
    Value,
    ValueAt,
    White,
    WhiteAt,
    Worley,
    WorleyAt,
)

_SIZE = (128, 128)
_KINDS = (Perlin, Value, Simplex, Worley)


@cache
def _warped() -> Picture:
    return run(DomainWarp(strength=0.18, scale=2.5, octaves=3, seed=4), resolution=_SIZE)


WARPED = Source("DomainWarp(strength=0.18, scale=2.5, octaves=3, seed=4)", _warped)


def _kinds() -> Iterator[Tile]:
    for kind in _KINDS:
        yield Tile(label=kind.__name__, node=kind(scale=6.0, seed=1), show=Show.SIGNED)
    yield Tile(label="White", node=White(seed=1), show=Show.SIGNED)
    for kind in _KINDS:
        node = kind(scale=6.0, seed=1, dimensions=3, z=0.4)
        yield Tile(label=f"{kind.__name__}, 3-D slice", node=node, show=Show.SIGNED)
    yield Tile(label="White, animated", node=White(seed=1, animated=True), show=Show.SIGNED)


def _fractals() -> Iterator[Tile]:
    for mode in Fractal:
        for kind in _KINDS:
            node = kind(scale=4.0, octaves=6, seed=2, mode=mode)
            yield Tile(label=f"{kind.__name__}, {mode.value}", node=node, show=Show.SIGNED)


def _octaves() -> Iterator[Tile]:
    for octaves in (1, 2, 3, 5, 8):
        yield Tile(label=f"octaves={octaves}", node=Perlin(scale=3.0, octaves=octaves, seed=5), show=Show.SIGNED)
    for persistence in (0.2, 0.35, 0.5, 0.65, 0.8):
        node = Perlin(scale=3.0, octaves=7, persistence=persistence, seed=5)
        yield Tile(label=f"persistence={persistence}", node=node, show=Show.SIGNED)
    for lacunarity in (1.3, 1.7, 2.0, 2.7, 4.0):
        node = Perlin(scale=3.0, octaves=5, lacunarity=lacunarity, seed=5)
        yield Tile(label=f"lacunarity={lacunarity}", node=node, show=Show.SIGNED)


def _cells() -> Iterator[Tile]:
    for metric in Metric:
        for feature in CellFeature:
            node = Worley(scale=6.0, seed=3, feature=feature, metric=metric)
            yield Tile(label=f"{feature.value}, {metric.value}", node=node, show=Show.SIGNED)
        jitter = {Metric.EUCLIDEAN: 0.0, Metric.MANHATTAN: 0.5, Metric.CHEBYSHEV: 0.8}[metric]
        node = Worley(scale=6.0, seed=3, metric=metric, jitter=jitter)
        yield Tile(label=f"{metric.value}, jitter={jitter:g}", node=node, show=Show.SIGNED)


def _tileable() -> Iterator[Tile]:
    for kind in _KINDS:
        node = kind(scale=3.0, octaves=4, seed=8, tileable=True)
        yield Tile(label=f"{kind.__name__}, 2 x 2", node=node, show=Show.SIGNED, repeats=2)
    for kind in _KINDS:
        node = kind(scale=3.0, octaves=4, seed=8, tileable=True, dimensions=3, z=0.7)
        yield Tile(label=f"{kind.__name__} 3-D, 2 x 2", node=node, show=Show.SIGNED, repeats=2)


def _warps() -> Iterator[Tile]:
    for strength in (0.05, 0.15, 0.3):
        node = DomainWarp(strength=strength, scale=3.0, octaves=3, seed=4)
        yield Tile(label=f"DomainWarp, {strength}", node=node, show=Show.POSITION)
    again = DomainWarpAt(strength=0.18, scale=4.0, octaves=3, seed=8)
    yield Tile(label="DomainWarpAt", node=again, inputs=(WARPED,), show=Show.POSITION)
    yield Tile(label="WhiteAt", node=WhiteAt(scale=14.0, seed=1), inputs=(WARPED,), show=Show.SIGNED)
    for driven in (PerlinAt, ValueAt, SimplexAt, WorleyAt):
        node_of_kind = driven(scale=5.0, octaves=4, seed=1)
        yield Tile(label=driven.__name__, node=node_of_kind, inputs=(WARPED,), show=Show.SIGNED)
    node_of_cells = WorleyAt(scale=6.0, seed=1, feature=CellFeature.F2_F1)
    yield Tile(label="WorleyAt, f2_f1", node=node_of_cells, inputs=(WARPED,), show=Show.SIGNED)


def _moving() -> Iterator[Tile]:
    for kind in (Simplex, Worley):
        tile = Tile(label="", node=kind(scale=4.0, dimensions=3, speed=0.5, seed=9), show=Show.SIGNED)
        for time_s in (0.0, 0.25, 0.5, 0.75, 1.0):
            yield replace(tile, label=f"{kind.__name__}, {time_s} s", time_s=time_s)


NOISE_PAGE = Page(
    name="noise",
    title="Noise",
    text="Values from -1 to 1 are shown from black to white. `docs/explanation/noise.md` has the definitions.",
    sheets=(
        Sheet(
            name="noise-kinds",
            title="Kinds",
            text="In two dimensions, and slices of three.",
            columns=5,
            size_px=_SIZE,
            tiles=tuple(_kinds()),
        ),
        Sheet(
            name="noise-fractals",
            title="Fractal sums",
            text="Six octaves of each kind, in each mode.",
            columns=4,
            size_px=_SIZE,
            tiles=tuple(_fractals()),
        ),
        Sheet(
            name="noise-octaves",
            title="Octaves, persistence, lacunarity",
            text="The parameters of a fractal sum, one at a time.",
            columns=5,
            size_px=_SIZE,
            tiles=tuple(_octaves()),
        ),
        Sheet(
            name="noise-cells",
            title="Cells",
            text="Features, metrics and jitter of Worley noise.",
            columns=4,
            size_px=_SIZE,
            tiles=tuple(_cells()),
        ),
        Sheet(
            name="noise-tileable",
            title="Noise that repeats",
            text="Each picture is laid 2 x 2: no seam may show.",
            columns=4,
            size_px=(192, 192),
            tiles=tuple(_tileable()),
        ),
        Sheet(
            name="noise-warp",
            title="Domain warp",
            text="Displaced positions, and noise at them.",
            columns=5,
            size_px=_SIZE,
            tiles=tuple(_warps()),
        ),
        Sheet(
            name="noise-time",
            title="Noise that moves",
            text="The third coordinate is the time.",
            columns=5,
            size_px=_SIZE,
            tiles=tuple(_moving()),
        ),
    ),
)
