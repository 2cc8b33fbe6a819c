"""How a kind of noise becomes functions of the expression language: plain, fractal, and repeating.

A :class:`Kind` gives four sorts of functions for positions of two and of three components: ``perlin(p, seed)``;
``perlin_tiled(p, period_x, period_y, seed)``, which repeats after so many cells; the fractal sums ``fbm(p, octaves,
lacunarity, persistence, seed)``, ``ridged`` and ``billow``; and those repeating, ``fbm_tiled`` and so on. Fractal sums
of other kinds than Perlin's have the kind in their name: ``value_fbm``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from unshape_expr import build as e
from unshape_expr.functions import Function, Parameter
from unshape_expr.ir import Expr
from unshape_expr.types import Type
from unshape_noise.fast.arrays import F32Array
from unshape_noise.fast.fractal import fractal
from unshape_noise.fractal import Fractal, fractal_expression
from unshape_noise.signatures import LACUNARITY, OCTAVES, PERSISTENCE, POSITIONS, SEED, periods

Definition: TypeAlias = Callable[..., Expr]
"""``definition(position, seed, periods, *extras)``: the noise at a position; ``periods`` may be None."""

ArrayNoise: TypeAlias = Callable[..., F32Array]
"""``array_noise(position, seed, periods, *extras)``: the same bits in NumPy."""

_RANGE = (-1.0, 1.0)
_FRACTAL_PARAMETERS = (OCTAVES, LACUNARITY, PERSISTENCE, SEED)
_FRACTAL_DOC = {
    Fractal.FBM: "Fractal sum (FBm)",
    Fractal.RIDGED: "Ridged multifractal",
    Fractal.BILLOW: "Billow, the fractal sum of ``2*|n| - 1``,",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of noise.

    Parameters
    ----------
    name : str
        Name of the plain function.
    title : str
        What documentation calls it.
    prefix : str
        What the names of its fractal sums begin with.
    define : Definition
        The definition.
    compute : ArrayNoise
        The same bits in NumPy.
    doc : str
        What is said of the plain function: range, zeros.
    extras : tuple of Parameter
        Further parameters, which come last.
    is_bounded : bool
        Whether the plain function is in [-1, 1] for every finite position.
    """

    name: str
    title: str
    prefix: str
    define: Definition
    compute: ArrayNoise
    doc: str
    extras: tuple[Parameter, ...] = ()
    is_bounded: bool = True

    def plain(self, dimensions: int) -> Function:
        """Return ``name(p, seed, *extras)``."""

        def define(p: Expr, seed: Expr, *extras: Expr) -> Expr:
            return self.define(p, seed, None, *extras)

        def compute(position: Sequence[npt.ArrayLike], seed: int, *extras: float) -> F32Array:
            return self.compute(position, seed, None, *extras)

        return Function(
            self.name,
            (POSITIONS[dimensions], SEED, *self.extras),
            Type.F32,
            define,
            numpy=compute,
            doc=f"{self.title} noise at ``p``, in cells: {self.doc}",
            result_range=_RANGE if self.is_bounded else None,
        )

    def tiled(self, dimensions: int) -> Function:
        """Return ``name_tiled(p, period_x, period_y, ..., seed, *extras)``."""

        def define(p: Expr, *rest: Expr) -> Expr:
            sizes, (seed, *extras) = rest[:dimensions], rest[dimensions:]
            return self.define(p, seed, [e.max(n, 1) for n in sizes], *extras)

        def compute(position: Sequence[npt.ArrayLike], *rest: float) -> F32Array:
            sizes, (seed, *extras) = rest[:dimensions], rest[dimensions:]
            return self.compute(position, int(seed), [max(int(n), 1) for n in sizes], *extras)

        return Function(
            f"{self.name}_tiled",
            (POSITIONS[dimensions], *periods(dimensions), SEED, *self.extras),
            Type.F32,
            define,
            numpy=compute,
            doc=f"{self.title} noise that repeats after whole numbers of cells along each axis: {self.doc}",
            result_range=_RANGE if self.is_bounded else None,
        )

    def fractal(self, mode: Fractal, plain: Function) -> Function:
        """Return ``prefix + mode`` over a plain function of this kind."""

        def define(p: Expr, *rest: Expr) -> Expr:
            octaves, lacunarity, persistence, seed, *extras = rest
            return fractal_expression(
                mode,
                lambda at, octave_seed, _: plain(at, octave_seed, *extras),
                p,
                octaves=octaves,
                lacunarity=lacunarity,
                persistence=persistence,
                seed=seed,
            )

        def compute(position: Sequence[npt.ArrayLike], *rest: float) -> F32Array:
            octaves, lacunarity, persistence, seed, *extras = rest
            return fractal(
                mode,
                lambda at, octave_seed, _: self.compute(at, octave_seed, None, *extras),
                position,
                octaves=int(octaves),
                lacunarity=lacunarity,
                persistence=persistence,
                seed=int(seed),
            )

        return Function(
            f"{self.prefix}{mode}",
            (plain.parameters[0], *_FRACTAL_PARAMETERS, *self.extras),
            Type.F32,
            define,
            numpy=compute,
            doc=f"{_FRACTAL_DOC[mode]} of 1 to 30 octaves of {self.title} noise, in [-1, 1].",
            result_range=_RANGE,
        )

    def fractal_tiled(self, mode: Fractal, tiled: Function) -> Function:
        """Return ``prefix + mode + _tiled`` over a repeating function of this kind; the lacunarity is rounded."""
        dimensions = tiled.parameters[0].type.components

        def define(p: Expr, *rest: Expr) -> Expr:
            octaves, lacunarity, persistence, seed, *extras = rest[dimensions:]

            def base(at: Expr, octave_seed: Expr, frequency: Expr) -> Expr:
                sizes = [e.to_i32(e.to_f32(period) * frequency) for period in rest[:dimensions]]
                return tiled(at, *sizes, octave_seed, *extras)

            return fractal_expression(
                mode, base, p, octaves=octaves, lacunarity=e.round(lacunarity), persistence=persistence, seed=seed
            )

        def compute(position: Sequence[npt.ArrayLike], *rest: float) -> F32Array:
            octaves, lacunarity, persistence, seed, *extras = rest[dimensions:]
            sizes = [np.float32(int(period)) for period in rest[:dimensions]]

            def base(at: Sequence[F32Array], octave_seed: int, frequency: np.float32) -> F32Array:
                return self.compute(at, octave_seed, [max(_to_i32(size * frequency), 1) for size in sizes], *extras)

            return fractal(
                mode,
                base,
                position,
                octaves=int(octaves),
                lacunarity=float(np.rint(np.float32(lacunarity))),
                persistence=persistence,
                seed=int(seed),
            )

        return Function(
            f"{self.prefix}{mode}_tiled",
            (*tiled.parameters[: dimensions + 1], *_FRACTAL_PARAMETERS, *self.extras),
            Type.F32,
            define,
            numpy=compute,
            doc=f"{_FRACTAL_DOC[mode]} of repeating {self.title} noise; the lacunarity is rounded to a whole number.",
            result_range=_RANGE,
        )


def _to_i32(value: np.float32) -> int:
    """Return a float toward zero, saturating, NaN as 0: the expression language's conversion."""
    if np.isnan(value):
        return 0
    return int(min(max(float(value), -2147483648.0), 2147483647.0))
