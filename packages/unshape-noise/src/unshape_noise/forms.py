"""Every noise node in each form that has a function of its own: kind, metric, dimensions, repeating, at positions.

They are cases like those of :mod:`unshape_noise.cases`, for whoever asks how a backend runs each of them, and how fast.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from unshape_backend.case import Case, CaseInput, Content, Picture
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_noise.fractal import Fractal
from unshape_noise.nodes.domain_warp import DomainWarp, DomainWarpAt
from unshape_noise.nodes.perlin import Perlin, PerlinAt
from unshape_noise.nodes.simplex import Simplex, SimplexAt
from unshape_noise.nodes.value import Value, ValueAt
from unshape_noise.nodes.white import White, WhiteAt
from unshape_noise.nodes.worley import Worley, WorleyAt
from unshape_noise.worley import CellFeature, Metric

_SCALE = 8.0
_OCTAVES = 6
_CTX = EvalContext(resolution=(67, 41), time_s=1.375, frame=12, seed=3)


def forms() -> Iterator[Case]:
    """Return a case for each form."""
    for name, node, channels in _forms():
        inputs: tuple[CaseInput, ...] = ()
        if channels:
            width_px, height_px = _CTX.resolution
            inputs = (Picture(width_px=width_px, height_px=height_px, channels=channels, content=Content.POSITION),)
        yield Case(name=name, node=node, inputs=inputs, ctx=_CTX)


def _forms() -> Iterator[tuple[str, Node, int]]:
    for kind, kind_at in ((Perlin, PerlinAt), (Value, ValueAt), (Simplex, SimplexAt)):
        yield from _of_kind(kind(scale=_SCALE), kind_at(scale=_SCALE), kind.__name__)
        for mode in Fractal:
            yield f"{kind.__name__}/{mode}-{_OCTAVES}", kind(scale=_SCALE, octaves=_OCTAVES, mode=mode), 0
    for metric in Metric:
        for feature in CellFeature:
            worley = Worley(scale=_SCALE, feature=feature, metric=metric)
            at = WorleyAt(scale=_SCALE, feature=feature, metric=metric)
            yield from _of_kind(worley, at, f"Worley-{feature}-{metric}")
    yield f"Worley/fbm-{_OCTAVES}", Worley(scale=_SCALE, octaves=_OCTAVES), 0
    yield "White/still", White(), 0
    yield "White/animated", White(animated=True), 0
    for channels in (2, 3):
        yield f"White/at-{channels}d", WhiteAt(scale=_SCALE), channels
        yield f"DomainWarp/at-{channels}d", DomainWarpAt(scale=_SCALE), channels
    yield "DomainWarp/2d", DomainWarp(scale=_SCALE), 0
    yield f"DomainWarp/octaves-{_OCTAVES}", DomainWarp(scale=_SCALE, octaves=_OCTAVES), 0


def _of_kind(
    node: Perlin | Value | Simplex | Worley, at: PerlinAt | ValueAt | SimplexAt | WorleyAt, name: str
) -> Iterator[tuple[str, Node, int]]:
    for dimensions in (2, 3):
        shaped = replace(node, dimensions=dimensions, z=0.5 if dimensions == 3 else 0.0)
        yield f"{name}/{dimensions}d", shaped, 0
        yield f"{name}/{dimensions}d-tileable", replace(shaped, tileable=True), 0
        yield f"{name}/at-{dimensions}d", at, dimensions
