"""Noise nodes beside the derivation in float64 that the tests of unshape-noise hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from runpy import run_path
from typing import Any, TypeAlias

import numpy as np

import unshape_noise as n
from tools.accuracy.measurement import Array, Comparison, Pairs, one
from tools.members import ROOT

_PATH = "packages/unshape-noise/tests/noise_reference.py"
_SIZE = (18, 14)
_NAMES = {"Perlin": n.Perlin, "Value": n.Value, "Simplex": n.Simplex, "Worley": n.Worley}
_DRIVEN = {"PerlinAt": n.PerlinAt, "ValueAt": n.ValueAt, "SimplexAt": n.SimplexAt, "WorleyAt": n.WorleyAt}
Base: TypeAlias = Callable[[list[float], int], float]
_SECOND = 0x85EBCA6B


def _reference() -> dict[str, Any]:
    return run_path(str(ROOT / _PATH))


def _positions(scale: float, *, z: float | None = None) -> Array:
    width, height = _SIZE
    u, v = np.meshgrid((np.arange(width) + 0.5) / width, (np.arange(height) + 0.5) / height)
    parts = [u * scale, v * scale] + ([] if z is None else [np.full_like(u, z)])
    return np.stack(parts, axis=-1)


def _filled(at: Array, noise: Base, seed: int) -> Array:
    values = [noise(p, seed & 0xFFFFFFFF) for p in at.reshape(-1, at.shape[-1]).tolist()]
    return np.array(values).reshape(*at.shape[:2], 1)


def _base(name: str, **modes: str) -> Base:
    reference = _reference()
    if name != "Worley":
        found: Base = reference[name.lower()]
        return found
    worley = reference["worley"]
    return partial(worley, **{"feature": "f1", "metric": "euclidean", "jitter": 1.0, **modes})


def _plain(name: str) -> Pairs:
    base = _base(name)
    for seed in (0, 7, -1):
        kind = _NAMES[name]
        at = _positions(6.0)
        yield one(kind(scale=6.0, seed=seed), resolution=_SIZE), _filled(at, base, seed)
        at = _positions(6.0, z=0.4)
        node = kind(scale=6.0, seed=seed, dimensions=3, z=0.4)
        yield one(node, resolution=_SIZE), _filled(at, base, seed)


def _sum(reference: dict[str, Any], base: Base, fractal: Any, position: list[float], seed: int) -> float:
    def term(p: list[float], octave_seed: int, _frequency: float) -> float:
        return base(p, octave_seed)

    return float(
        fractal(reference["octave_terms"](term, position, octaves=4, lacunarity=2.0, persistence=0.5, seed=seed))
    )


def _fractal(name: str) -> Pairs:
    reference, base = _reference(), _base(name)
    for mode in n.Fractal:
        summed = partial(_sum, reference, base, reference["FRACTALS"][mode.value])
        node = _NAMES[name](scale=3.0, octaves=4, seed=3, mode=mode)
        yield one(node, resolution=_SIZE), _filled(_positions(3.0), summed, 3)


def _cells() -> Pairs:
    for feature in n.CellFeature:
        for metric in n.Metric:
            base = _base("Worley", feature=feature.value, metric=metric.value)
            node = n.Worley(scale=5.0, seed=2, feature=feature, metric=metric)
            yield one(node, resolution=_SIZE), _filled(_positions(5.0), base, 2)


def _driven(name: str) -> Pairs:
    base = _base(name.removesuffix("At"))
    at = np.random.default_rng(4).normal(0.0, 2.0, (14, 18, 2)).astype(np.float32)
    for seed in (0, 9):
        expected = _filled(at.astype(np.float64) * 3.0, base, seed)
        yield one(_DRIVEN[name](scale=3.0, seed=seed), at), expected


def _white() -> Pairs:
    base = _base("White")
    grid = np.stack(np.meshgrid(np.arange(18), np.arange(14)), axis=-1).astype(np.float64)
    yield one(n.White(seed=5), resolution=_SIZE), _filled(grid, base, 5)


def _white_at() -> Pairs:
    base = _base("White")
    at = np.random.default_rng(5).normal(0.0, 9.0, (14, 18, 2)).astype(np.float32)
    yield one(n.WhiteAt(scale=1.0, seed=5), at), _filled(np.floor(at).astype(np.float64), base, 5)


def _displaced(at: Array, strength: float, scale: float, seed: int) -> Array:
    base = _base("Perlin")
    parts = [at[..., k : k + 1] + strength * _filled(at * scale, base, seed + (k + 1) * _SECOND) for k in range(2)]
    return np.concatenate(parts, axis=-1)


def _warp() -> Pairs:
    yield one(n.DomainWarp(0.25, 3.0, seed=8), resolution=_SIZE), _displaced(_positions(1.0), 0.25, 3.0, 8)


def _warp_at() -> Pairs:
    at = np.random.default_rng(6).random((14, 18, 2), np.float32)
    yield one(n.DomainWarpAt(0.25, 3.0, seed=8), at), _displaced(at.astype(np.float64), 0.25, 3.0, 8)


def noise_comparisons() -> Iterator[Comparison]:
    """Yield what noise nodes are compared with."""

    def row(name: str, what: str, pairs: Callable[[], Pairs]) -> Comparison:
        return Comparison(type_name=f"noise::{name}", what=what, reference="derivation in float64", pairs=pairs)

    for name in _NAMES:
        yield row(name, "2-D and 3-D, three seeds", partial(_plain, name))
        yield row(name, "fbm, ridged, billow of 4 octaves", partial(_fractal, name))
    yield row("Worley", "every feature and metric", _cells)
    for name in _DRIVEN:
        yield row(name, "scattered positions", partial(_driven, name))
    yield row("White", "pixels", _white)
    yield row("WhiteAt", "scattered positions", _white_at)
    yield row("DomainWarp", "one octave", _warp)
    yield row("DomainWarpAt", "one octave", _warp_at)
