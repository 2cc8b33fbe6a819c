"""White noise as a picture."""

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
from unshape_noise.checks import check_flag, check_scale, check_seed
from unshape_noise.kinds import WHITE, functions_of
from unshape_noise.nodes.octaves import (
    FIELDS_AT,
    GENERATOR_FIELDS,
    NOISE_OUTPUT,
    POSITION_INPUT,
    node_seed,
    position_of,
)

if TYPE_CHECKING:
    from unshape_core.protocols import Node


@dataclass(frozen=True, slots=True)
class White:
    """White noise: an independent value for every pixel, evenly distributed in (-1, 1).

    Parameters
    ----------
    seed : int
        Which noise; taken modulo 2**32 after the evaluation's seed is added.
    animated : bool
        Whether every frame has other values.

    Examples
    --------
    >>> grain = White(animated=True)
    """

    type_name: ClassVar[str] = "noise::White"
    op_class: ClassVar[OpClass] = OpClass.GENERATE
    inputs: ClassVar[tuple[Port, ...]] = ()
    outputs: ClassVar[tuple[Port, ...]] = NOISE_OUTPUT

    seed: int = 0
    animated: bool = False

    def __post_init__(self) -> None:
        check_seed(self.type_name, self.seed)
        check_flag(self.type_name, "animated", self.animated)

    @property
    def context_fields(self) -> frozenset[ContextField]:
        """Resolution and seed, and the frame if the noise is animated."""
        return GENERATOR_FIELDS | {ContextField.FRAME} if self.animated else GENERATOR_FIELDS

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of a picture of one channel at the context's resolution."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the value of the cell that is the pixel, in the layer that is the frame."""
        del inputs
        position = e.vec3(e.pixel(), e.to_f32(e.frame())) if self.animated else e.pixel()
        return (functions_of(WHITE, position.type.components)[None, False](position, node_seed(self.seed)),)


@dataclass(frozen=True, slots=True)
class WhiteAt:
    """White noise at the positions that a picture holds: one value for each cell.

    Parameters
    ----------
    scale : float, above 0, at most 1048576
        Cells in a unit of position.
    seed : int
        Which noise; taken modulo 2**32 after the evaluation's seed is added.

    Examples
    --------
    >>> patches = WhiteAt(scale=16.0)
    """

    type_name: ClassVar[str] = "noise::WhiteAt"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    inputs: ClassVar[tuple[Port, ...]] = POSITION_INPUT
    outputs: ClassVar[tuple[Port, ...]] = NOISE_OUTPUT
    context_fields: ClassVar[frozenset[ContextField]] = FIELDS_AT

    scale: float = 4.0
    seed: int = 0

    def __post_init__(self) -> None:
        check_scale(self.type_name, self.scale)
        check_seed(self.type_name, self.seed)

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of a picture of one channel and the size of the positions."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the value of the cell that holds ``position*scale``."""
        position = position_of(self.type_name, inputs) * e.literal(self.scale)
        return (functions_of(WHITE, position.type.components)[None, False](position, node_seed(self.seed)),)


if TYPE_CHECKING:
    _proof: tuple[type[Node], type[SupportsBody], type[Node], type[SupportsBody]] = (White, White, WhiteAt, WhiteAt)
