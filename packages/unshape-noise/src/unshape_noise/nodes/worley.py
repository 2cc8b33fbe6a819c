"""Worley (cellular) noise as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_core.context import ContextField, EvalContext
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.workload import OpClass
from unshape_expr import build as e
from unshape_expr.body import BodyInputs, SupportsBody, infer_body
from unshape_expr.ir import Expr
from unshape_noise.fractal import Fractal
from unshape_noise.kinds import WORLEY
from unshape_noise.nodes.cells import check_cells
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
from unshape_noise.worley import CellFeature, Metric

if TYPE_CHECKING:
    from unshape_core.protocols import Node


@dataclass(frozen=True, slots=True)
class Worley:
    """Worley (cellular) noise: the distance to feature points, one in each cell; stones, scales, cracks.

    Parameters
    ----------
    scale : float, above 0, at most 1048576
        Lattice cells across the picture, along both axes.
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
    feature : {"f1", "f2", "f2_f1"}
        The distance to the nearest feature point, to the second nearest, or their difference.
    metric : {"euclidean", "manhattan", "chebyshev"}
        How distance is measured.
    jitter : float, in [0, 1]
        How far feature points leave the middle of their cells; 0 gives a square grid.
    offset_x, offset_y : float, in [-1048576, 1048576]
        Moves the picture over the noise, in cells.
    dimensions : {2, 3}
        Whether the noise has a third coordinate, of which the picture is a slice.
    z : float, in [-1048576, 1048576]
        The third coordinate, in cells.
    speed : float, in [-1048576, 1048576]
        Cells by which the third coordinate grows in a second.
    tileable : bool
        Whether the left edge continues the right one and the upper the lower one; scale and lacunarity must be whole
        numbers then.
    """

    type_name: ClassVar[str] = "noise::Worley"
    op_class: ClassVar[OpClass] = OpClass.GENERATE
    inputs: ClassVar[tuple[Port, ...]] = ()
    outputs: ClassVar[tuple[Port, ...]] = NOISE_OUTPUT

    scale: float = 4.0
    octaves: int = 1
    persistence: float = 0.5
    lacunarity: float = 2.0
    seed: int = 0
    mode: Fractal = Fractal.FBM
    feature: CellFeature = CellFeature.F1
    metric: Metric = Metric.EUCLIDEAN
    jitter: float = 1.0
    offset_x: float = 0.0
    offset_y: float = 0.0
    dimensions: int = 2
    z: float = 0.0
    speed: float = 0.0
    tileable: bool = False

    def __post_init__(self) -> None:
        check_generator(self)
        check_cells(self)

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
        return generator_body(WORLEY[self.feature, self.metric], self, e.literal(self.jitter))


@dataclass(frozen=True, slots=True)
class WorleyAt:
    """Worley noise at the positions that a picture holds, for warped and projected coordinates.

    Parameters
    ----------
    scale : float, above 0, at most 1048576
        Lattice cells in a unit of position.
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
    feature : {"f1", "f2", "f2_f1"}
        The distance to the nearest feature point, to the second nearest, or their difference.
    metric : {"euclidean", "manhattan", "chebyshev"}
        How distance is measured.
    jitter : float, in [0, 1]
        How far feature points leave the middle of their cells; 0 gives a square grid.
    """

    type_name: ClassVar[str] = "noise::WorleyAt"
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
    feature: CellFeature = CellFeature.F1
    metric: Metric = Metric.EUCLIDEAN
    jitter: float = 1.0

    def __post_init__(self) -> None:
        check_octaves(self)
        check_cells(self)

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of a picture of one channel and the size of the positions."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the noise at ``position*scale``."""
        return body_at(WORLEY[self.feature, self.metric], self, inputs, e.literal(self.jitter))


if TYPE_CHECKING:
    _proof: tuple[type[Node], type[SupportsBody], type[Node], type[SupportsBody]] = (
        Worley,
        Worley,
        WorleyAt,
        WorleyAt,
    )
