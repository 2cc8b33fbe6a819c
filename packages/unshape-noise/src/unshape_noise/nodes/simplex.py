"""Simplex noise as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_core.context import ContextField, EvalContext
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.workload import OpClass
from unshape_expr.body import BodyInputs, SupportsBody, infer_body
from unshape_expr.ir import Expr
from unshape_noise.fractal import Fractal
from unshape_noise.kinds import SIMPLEX
from unshape_noise.nodes.octaves import (
    FIELDS_AT,
    NOISE_OUTPUT,
    POSITION_INPUT,
    body_at,
    check_generator,
    check_octaves,
    generator_body,
    generator_fields,
)

if TYPE_CHECKING:
    from unshape_core.protocols import Node


@dataclass(frozen=True, slots=True)
class Simplex:
    """Simplex noise: gradient noise on triangles (in 3-D tetrahedra), without the square lattice of Perlin noise.

    Parameters
    ----------
    scale : float, above 0, at most 1048576
        Units across the picture, along both axes; one is about as wide as a cell of Perlin noise.
    octaves : int, in [1, 30]
        How many noises of rising frequency are summed.
    persistence : float, in [0, 1]
        Amplitude of each octave relative to the one before.
    lacunarity : float, in [1, 8]
        Frequency of each octave relative to the one before.
    seed : int
        Which noise; taken modulo 2**32 after the evaluation's seed is added.
    mode : {"fbm", "ridged", "billow"}
        How octaves are summed: plain, with sharp crests, with round bumps.
    offset_x, offset_y : float, in [-1048576, 1048576]
        Moves the picture over the noise, in units.
    dimensions : {2, 3}
        Whether the noise has a third coordinate, of which the picture is a slice.
    z : float, in [-1048576, 1048576]
        The third coordinate, in units.
    speed : float, in [-1048576, 1048576]
        Units by which the third coordinate grows in a second.
    tileable : bool
        Whether the left edge continues the right one and the upper the lower one; scale and lacunarity must be whole
        numbers then.
    """

    type_name: ClassVar[str] = "noise::Simplex"
    op_class: ClassVar[OpClass] = OpClass.GENERATE
    inputs: ClassVar[tuple[Port, ...]] = ()
    outputs: ClassVar[tuple[Port, ...]] = NOISE_OUTPUT

    scale: float = 4.0
    octaves: int = 1
    persistence: float = 0.5
    lacunarity: float = 2.0
    seed: int = 0
    mode: Fractal = Fractal.FBM
    offset_x: float = 0.0
    offset_y: float = 0.0
    dimensions: int = 2
    z: float = 0.0
    speed: float = 0.0
    tileable: bool = False

    def __post_init__(self) -> None:
        check_generator(self)

    @property
    def context_fields(self) -> frozenset[ContextField]:
        """Resolution and seed, and the time if the noise moves."""
        return generator_fields(self)

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of a picture of one channel at the context's resolution."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the noise at ``uv*scale + offset``."""
        del inputs
        return generator_body(SIMPLEX, self)


@dataclass(frozen=True, slots=True)
class SimplexAt:
    """Simplex noise at the positions that a picture holds, for warped and projected coordinates.

    Parameters
    ----------
    scale : float, above 0, at most 1048576
        Units of noise in a unit of position.
    octaves : int, in [1, 30]
        How many noises of rising frequency are summed.
    persistence : float, in [0, 1]
        Amplitude of each octave relative to the one before.
    lacunarity : float, in [1, 8]
        Frequency of each octave relative to the one before.
    seed : int
        Which noise; taken modulo 2**32 after the evaluation's seed is added.
    mode : {"fbm", "ridged", "billow"}
        How octaves are summed: plain, with sharp crests, with round bumps.
    """

    type_name: ClassVar[str] = "noise::SimplexAt"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    inputs: ClassVar[tuple[Port, ...]] = POSITION_INPUT
    outputs: ClassVar[tuple[Port, ...]] = NOISE_OUTPUT
    context_fields: ClassVar[frozenset[ContextField]] = FIELDS_AT

    scale: float = 4.0
    octaves: int = 1
    persistence: float = 0.5
    lacunarity: float = 2.0
    seed: int = 0
    mode: Fractal = Fractal.FBM

    def __post_init__(self) -> None:
        check_octaves(self)

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of a picture of one channel and the size of the positions."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the noise at ``position*scale``."""
        return body_at(SIMPLEX, self, inputs)


if TYPE_CHECKING:
    _proof: tuple[type[Node], type[SupportsBody], type[Node], type[SupportsBody]] = (
        Simplex,
        Simplex,
        SimplexAt,
        SimplexAt,
    )
