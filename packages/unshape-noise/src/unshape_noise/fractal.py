"""Fractal sums of noise: octaves of rising frequency and falling amplitude.

Octave ``k`` (from 0) is the base noise at ``p*frequency_k + shift_k`` with the seed ``seed + k*0x9E3779B9`` (modulo
2**32). ``frequency_0 = 1``, ``frequency_{k+1} = frequency_k*lacunarity``; ``amplitude_0 = 1``, ``amplitude_{k+1} =
amplitude_k*persistence``; ``shift_k`` is ``fract(k*0.7548777)``, ``fract(k*0.5698403)`` (and ``fract(k*0.4301597)``),
so that lattice points of different octaves do not coincide. Octaves are summed in order, starting from 0, and the sum
is multiplied by the reciprocal of the sum of the amplitudes. Since every step is rounded monotonically, the result of
terms in [-1, 1] is in [-1, 1].

- fbm: the sum of ``n``. (B. Mandelbrot's fractional Brownian motion, as in F. K. Musgrave's "fBm".)
- billow: the sum of ``2*|n| - 1``.
- ridged: F. K. Musgrave's ridged multifractal ("Texturing and Modeling", 1994) with offset 1 and gain 2: ``s_k =
  ((1 - |n|)*(1 - |n|))*w_k``, ``w_0 = 1``, ``w_{k+1} = min(2*s_k, 1)``; twice the normalised sum of ``s_k``, less 1.

The number of octaves is cut to [1, 30], lacunarity and persistence to [0, 8], coordinates to [-2**31, 2**31], so that
nothing overflows.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias

from unshape_expr import build as e
from unshape_expr.ir import Expr
from unshape_expr.types import Type
from unshape_noise.lattice import u32

MAX_OCTAVES = 30
MAX_FACTOR = 8.0
MAX_DISTANCE = 2.0**31
SEED_STEP = 0x9E3779B9
SHIFTS = (0.7548777, 0.5698403, 0.4301597)

Base: TypeAlias = Callable[[Expr, Expr, Expr], Expr]
"""``base(position, seed, frequency)``: the noise that is summed."""


class Fractal(StrEnum):
    """How octaves are summed."""

    FBM = "fbm"
    RIDGED = "ridged"
    BILLOW = "billow"


def fractal_expression(
    kind: Fractal, base: Base, position: Expr, *, octaves: Expr, lacunarity: Expr, persistence: Expr, seed: Expr
) -> Expr:
    """Return a fractal sum, in [-1, 1].

    Parameters
    ----------
    kind : Fractal
        How.
    base : callable
        Of what; values in [-1, 1].
    position : vec2 or vec3
        In lattice cells of the first octave.
    octaves : i32
        How many, equal for all pixels.
    lacunarity, persistence : f32
        Factors of frequency and amplitude from one octave to the next.
    seed : u32
        Of the first octave.
    """
    lacunarity, persistence = (e.clamp(factor, 0.0, MAX_FACTOR) for factor in (lacunarity, persistence))
    position = e.clamp(position, -MAX_DISTANCE, MAX_DISTANCE)

    def octave(index: Expr, total: Expr, amplitude: Expr, frequency: Expr, *state: Expr) -> tuple[Expr, ...]:
        at = position * frequency + _shift(index, position.type)
        noise = base(at, seed + e.to_u32(index) * u32(SEED_STEP), frequency)
        term, rest = _term(kind, noise, state[1:])
        return (total + amplitude, amplitude * persistence, frequency * lacunarity, state[0] + amplitude * term, *rest)

    init = [0.0, 1.0, 1.0, 0.0] + ([1.0] if kind is Fractal.RIDGED else [])
    total, _, _, sum_, *_ = e.loop(e.max(octaves, 1), init, octave, max_count=MAX_OCTAVES)
    normalised = sum_ * (1.0 / total)
    return normalised * 2.0 - 1.0 if kind is Fractal.RIDGED else normalised


def _term(kind: Fractal, noise: Expr, state: tuple[Expr, ...]) -> tuple[Expr, tuple[Expr, ...]]:
    match kind:
        case Fractal.FBM:
            return noise, ()
        case Fractal.BILLOW:
            return e.abs(noise) * 2.0 - 1.0, ()
        case Fractal.RIDGED:
            ridge = 1.0 - e.abs(noise)
            signal = (ridge * ridge) * state[0]
            return signal, (e.min(signal * 2.0, 1.0),)


def _shift(index: Expr, type_: Type) -> Expr:
    octave = e.to_f32(index)
    return e.vector(*(e.fract(octave * SHIFTS[axis]) for axis in range(type_.components)))
