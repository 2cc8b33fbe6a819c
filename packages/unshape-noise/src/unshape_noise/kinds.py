"""The kinds of noise, and the function of each kind, mode and number of dimensions."""

from __future__ import annotations

from functools import cache, partial

from unshape_expr.functions import Function, Parameter
from unshape_expr.types import Type
from unshape_noise.families import Kind
from unshape_noise.fast.perlin import perlin as compute_perlin
from unshape_noise.fast.simplex import simplex as compute_simplex
from unshape_noise.fast.value import value as compute_value
from unshape_noise.fast.white import white as compute_white
from unshape_noise.fast.worley import worley as compute_worley
from unshape_noise.fractal import Fractal
from unshape_noise.perlin import perlin_expression
from unshape_noise.simplex import simplex_expression
from unshape_noise.value import value_expression
from unshape_noise.warp import warp_function
from unshape_noise.white import white_expression
from unshape_noise.worley import CellFeature, Metric, worley_expression

JITTER = Parameter("jitter", Type.F32, 1.0, is_uniform=True)
"""How far feature points of Worley noise leave the middle of their cells."""

_NOT_FINITE = "NaN for a coordinate that is not finite."


def _worley(feature: CellFeature, metric: Metric) -> Kind:
    name = f"worley_{feature}" + ("" if metric is Metric.EUCLIDEAN else f"_{metric}")
    return Kind(
        name=name,
        title=f"Worley {feature.replace('_', ' - ').upper()} ({metric})",
        prefix=f"{name}_",
        define=partial(worley_expression, feature=feature, metric=metric),
        compute=partial(compute_worley, feature=feature, metric=metric),
        doc=f"distance to feature points, scaled from [0, largest] to [-1, 1]; {_NOT_FINITE}",
        extras=(JITTER,),
    )


PERLIN = Kind(
    name="perlin",
    title="Perlin",
    prefix="",
    define=perlin_expression,
    compute=compute_perlin,
    doc=f"in [-1, 1], 0 at whole coordinates; {_NOT_FINITE}",
)
VALUE = Kind(
    name="value",
    title="value",
    prefix="value_",
    define=value_expression,
    compute=compute_value,
    doc=f"in (-1, 1), interpolated between random values at whole coordinates; {_NOT_FINITE}",
)
SIMPLEX = Kind(
    name="simplex",
    title="simplex",
    prefix="simplex_",
    define=simplex_expression,
    compute=compute_simplex,
    doc=f"in [-1, 1], 0 at lattice points; {_NOT_FINITE}",
    is_bounded=False,
)
WHITE = Kind(
    name="white",
    title="white",
    prefix="white_",
    define=white_expression,
    compute=compute_white,
    doc=f"one value in (-1, 1) for each unit cell, all independent; {_NOT_FINITE}",
)
WORLEY = {(feature, metric): _worley(feature, metric) for metric in Metric for feature in CellFeature}
"""Worley noise by feature and metric."""

FRACTAL_KINDS = (PERLIN, VALUE, SIMPLEX, *WORLEY.values())
"""Kinds that have fractal sums."""

KINDS = (*FRACTAL_KINDS, WHITE)


@cache
def functions_of(kind: Kind, dimensions: int) -> dict[tuple[Fractal | None, bool], Function]:
    """Return the functions of a kind by mode (None for the plain function) and whether they repeat."""
    plain, tiled = kind.plain(dimensions), kind.tiled(dimensions)
    found: dict[tuple[Fractal | None, bool], Function] = {(None, False): plain, (None, True): tiled}
    for mode in Fractal if kind in FRACTAL_KINDS else ():
        found[mode, False] = kind.fractal(mode, plain)
        found[mode, True] = kind.fractal_tiled(mode, tiled)
    return found


@cache
def domain_warp(dimensions: int) -> Function:
    """Return the domain warp by fractal Perlin noise of positions of two or three components."""
    return warp_function(functions_of(PERLIN, dimensions)[Fractal.FBM, False])


def noise_functions() -> tuple[Function, ...]:
    """Return every function of this package: what the entry point ``unshape.functions`` names."""
    kinds = (f for kind in KINDS for dimensions in (2, 3) for f in functions_of(kind, dimensions).values())
    return (*kinds, domain_warp(2), domain_warp(3))
