"""Worley (cellular) noise: definitions.

Every lattice cell holds one feature point, at ``1/2 + jitter*(r - 1/2)`` along each axis, with ``r`` in [0, 1) in
steps of ``2**-16`` from the scrambled hash of the cell (upper half: x; lower half: y; a further product: z). F1 and F2
are the distances to the nearest and the second nearest feature point of the 3x3 (3x3x3) cells around the position, in
one of three metrics. From S. Worley, "A cellular texture basis function", SIGGRAPH 1996.

With ``q = jitter*r + (1/2 - jitter/2)`` of a neighbour cell and ``o`` in {-1, 0, 1} its place, a component of the
distance is ``d = q - (offset - o)``: q belongs to the lattice, ``offset - o`` to the pixel. Euclidean: ``sqrt((dx*dx +
dy*dy) + dz*dz)``; Manhattan: ``(|dx| + |dy|) + |dz|``; Chebyshev: the largest of them.

The results are ``F*(2/M) - 1``, with ``M`` the largest value that the metric allows: F1 is at most the distance to the
far corner of the own cell, F2 and F2 - F1 that from the cell's centre to the far corner of a neighbour. So they are in
[-1, 1], mostly below 0, since the largest distances are rare.

Feature points two cells away are not looked at. None is ever missed with the Chebyshev metric, nor by F1 with the
Euclidean one and a jitter up to 0.65. With a jitter of 1 a nearer one is missed at so many positions of a million: F1 2
(Euclidean) and 210 (Manhattan), F2 100 and 3500; with 0.8 F2 0 (Euclidean) and 580 (Manhattan).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from enum import StrEnum

from unshape_expr import build as e
from unshape_expr.build import ExprLike
from unshape_expr.ir import Expr
from unshape_expr.vectors import components
from unshape_noise.lattice import axis_hash, mix32, point_hash, scramble, u32, wrap


class Metric(StrEnum):
    """How distance is measured."""

    EUCLIDEAN = "euclidean"
    MANHATTAN = "manhattan"
    CHEBYSHEV = "chebyshev"


class CellFeature(StrEnum):
    """Which distances are used."""

    F1 = "f1"
    F2 = "f2"
    F2_F1 = "f2_f1"


Z_MULTIPLIER = 0x27D4EB2F

LARGEST = {
    2: {
        CellFeature.F1: {Metric.EUCLIDEAN: math.sqrt(2.0), Metric.MANHATTAN: 2.0, Metric.CHEBYSHEV: 1.0},
        CellFeature.F2: {Metric.EUCLIDEAN: math.sqrt(2.5), Metric.MANHATTAN: 2.0, Metric.CHEBYSHEV: 1.5},
    },
    3: {
        CellFeature.F1: {Metric.EUCLIDEAN: math.sqrt(3.0), Metric.MANHATTAN: 3.0, Metric.CHEBYSHEV: 1.0},
        CellFeature.F2: {Metric.EUCLIDEAN: math.sqrt(3.0), Metric.MANHATTAN: 3.0, Metric.CHEBYSHEV: 1.5},
    },
}
"""By dimensions, feature and metric the largest distance; F2 - F1 is below that of F2."""


def distance_factor(dimensions: int, feature: CellFeature, metric: Metric) -> float:
    """Return what distances are multiplied by to span [0, 2], a little less so that rounding cannot pass it."""
    bound = CellFeature.F1 if feature is CellFeature.F1 else CellFeature.F2
    return 2.0 / LARGEST[dimensions][bound][metric] * (1.0 - 2.0**-22)


def worley_expression(
    position: Expr,
    seed: Expr,
    periods: Sequence[ExprLike] | None,
    jitter: Expr,
    *,
    feature: CellFeature,
    metric: Metric,
) -> Expr:
    """Return Worley noise at a vec2 or vec3 position, in [-1, 1].

    Parameters
    ----------
    position : vec2 or vec3
        In lattice cells.
    seed : u32
        Which noise.
    periods : sequence of i32 or None
        For each axis the number of cells after which the lattice repeats, at least 1.
    jitter : f32
        How far feature points leave the middle of their cells; cut to [0, 1].
    feature, metric
        Which distance.
    """
    parts = components(position)
    jitter = e.clamp(jitter, 0.0, 1.0)
    nearest: Expr | None = None
    second: Expr | None = None
    for offsets, axis_hashes in _neighbours(parts, mix32(seed), periods):
        distance = _distance(_feature_point(axis_hashes, jitter), offsets, metric)
        if nearest is None:
            nearest = distance
            continue
        if feature is not CellFeature.F1:
            farther = e.max(nearest, distance)
            second = farther if second is None else e.min(second, farther)
        nearest = e.min(nearest, distance)
    assert nearest is not None
    return _feature(nearest, second, feature, metric) * distance_factor(len(parts), feature, metric) - 1.0


def _neighbours(
    parts: Sequence[Expr], hashed_seed: Expr, periods: Sequence[ExprLike] | None
) -> list[tuple[list[Expr], list[Expr]]]:
    """Return for each neighbour cell the position relative to its corner, and the hashes of its axes."""
    axes = []
    for number, coordinate in enumerate(parts):
        low = e.floor(coordinate)
        offset, index = coordinate - low, e.to_i32(low)
        period = None if periods is None else periods[number]
        axes.append([(offset - float(o), axis_hash(number, wrap(index + o, period), hashed_seed)) for o in (-1, 0, 1)])
    return [([o for o, _ in cell], [h for _, h in cell]) for cell in itertools.product(*axes)]


def _feature_point(axis_hashes: Sequence[Expr], jitter: Expr) -> list[Expr]:
    """Return where the feature point lies in its cell."""
    hashed = scramble(point_hash(axis_hashes))
    bits = [hashed >> 16, hashed & u32(0xFFFF), (hashed * u32(Z_MULTIPLIER)) >> 16][: len(axis_hashes)]
    margin = 0.5 - jitter * 0.5
    return [jitter * (e.to_f32(b) * 2.0**-16) + margin for b in bits]


def _distance(point: Sequence[Expr], offsets: Sequence[Expr], metric: Metric) -> Expr:
    parts = [q - o for q, o in zip(point, offsets, strict=True)]
    if metric is Metric.EUCLIDEAN:
        parts = [d * d for d in parts]
    else:
        parts = [e.abs(d) for d in parts]
    result = parts[0]
    for part in parts[1:]:
        result = e.max(result, part) if metric is Metric.CHEBYSHEV else result + part
    return result


def _feature(nearest: Expr, second: Expr | None, feature: CellFeature, metric: Metric) -> Expr:
    if metric is Metric.EUCLIDEAN:
        nearest, second = e.sqrt(nearest), None if second is None else e.sqrt(second)
    if feature is CellFeature.F1 or second is None:
        return nearest
    return second if feature is CellFeature.F2 else second - nearest
