"""The kinds of noise, and the function of each kind, mode and number of dimensions."""

from __future__ import annotations

from functools import cache

from unshape_expr.functions import Function
from unshape_noise.families import Kind
from unshape_noise.fast.perlin import perlin as compute_perlin
from unshape_noise.fractal import Fractal
from unshape_noise.perlin import perlin_expression

PERLIN = Kind(
    name="perlin",
    title="Perlin",
    prefix="",
    define=perlin_expression,
    compute=compute_perlin,
    doc="in [-1, 1], 0 at whole coordinates; NaN for a coordinate that is not finite.",
)

KINDS = (PERLIN,)


@cache
def functions_of(kind: Kind, dimensions: int) -> dict[tuple[Fractal | None, bool], Function]:
    """Return the functions of a kind by mode (None for the plain function) and whether they repeat."""
    plain, tiled = kind.plain(dimensions), kind.tiled(dimensions)
    found: dict[tuple[Fractal | None, bool], Function] = {(None, False): plain, (None, True): tiled}
    for mode in Fractal:
        found[mode, False] = kind.fractal(mode, plain)
        found[mode, True] = kind.fractal_tiled(mode, tiled)
    return found


def noise_functions() -> tuple[Function, ...]:
    """Return every function of this package: what the entry point ``unshape.functions`` names."""
    return tuple(f for kind in KINDS for dimensions in (2, 3) for f in functions_of(kind, dimensions).values())
