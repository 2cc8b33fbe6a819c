"""Positions displaced by noise, for the nodes that take positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_core.context import ContextField, EvalContext
from unshape_core.parameter_checks import check_number
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value_type import TEXTURE
from unshape_core.workload import OpClass
from unshape_expr import build as e
from unshape_expr.body import BodyInputs, SupportsBody, infer_body
from unshape_expr.ir import Expr
from unshape_expr.types import Type
from unshape_noise.checks import MAX_COORDINATE, check_octave_sum
from unshape_noise.kinds import domain_warp
from unshape_noise.nodes.octaves import FIELDS_AT, GENERATOR_FIELDS, POSITION_INPUT, node_seed, position_of

if TYPE_CHECKING:
    from unshape_core.protocols import Node


@dataclass(frozen=True, slots=True)
class _Warp:
    """What both nodes have in common; the parameters are documented where they are met."""

    type_name: ClassVar[str]

    strength: float = 0.1
    scale: float = 4.0
    octaves: int = 1
    persistence: float = 0.5
    lacunarity: float = 2.0
    seed: int = 0

    def __post_init__(self) -> None:
        check_number(self.type_name, "strength", self.strength, low=-MAX_COORDINATE, high=MAX_COORDINATE)
        check_octave_sum(
            self.type_name,
            scale=self.scale,
            octaves=self.octaves,
            persistence=self.persistence,
            lacunarity=self.lacunarity,
            seed=self.seed,
        )


@dataclass(frozen=True, slots=True)
class DomainWarp(_Warp):
    """The picture's own coordinates displaced by noise: a picture of positions for nodes such as ``noise::PerlinAt``.

    Parameters
    ----------
    strength : float, in [-1048576, 1048576]
        Largest displacement, in widths of the picture.
    scale : float, above 0, at most 1048576
        Cells of the displacing noise across the picture, along both axes.
    octaves : int, in [1, 30]
        How many noises of rising frequency are summed.
    persistence : float, in [0, 1]
        Amplitude of each octave relative to the one before.
    lacunarity : float, in [1, 8]
        Frequency of each octave relative to the one before.
    seed : int
        Which noise; taken modulo 2**32 after the evaluation's seed is added.

    Examples
    --------
    >>> swirl = DomainWarp(strength=0.2, scale=3.0, octaves=3)
    """

    type_name: ClassVar[str] = "noise::DomainWarp"
    op_class: ClassVar[OpClass] = OpClass.GENERATE
    inputs: ClassVar[tuple[Port, ...]] = ()
    outputs: ClassVar[tuple[Port, ...]] = (Port("position", TEXTURE, doc="Two channels: the displaced uv."),)
    context_fields: ClassVar[frozenset[ContextField]] = GENERATOR_FIELDS

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of a picture of two channels at the context's resolution."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return ``uv`` displaced."""
        del inputs
        return (_warped(self, e.uv()),)


@dataclass(frozen=True, slots=True)
class DomainWarpAt(_Warp):
    """Positions that a picture holds, displaced by noise; several in a row give the swirls of marble.

    Parameters
    ----------
    strength : float, in [-1048576, 1048576]
        Largest displacement, in units of position.
    scale : float, above 0, at most 1048576
        Cells of the displacing noise in a unit of position.
    octaves : int, in [1, 30]
        How many noises of rising frequency are summed.
    persistence : float, in [0, 1]
        Amplitude of each octave relative to the one before.
    lacunarity : float, in [1, 8]
        Frequency of each octave relative to the one before.
    seed : int
        Which noise; taken modulo 2**32 after the evaluation's seed is added.

    Examples
    --------
    >>> swirl = DomainWarpAt(strength=0.1, scale=6.0)
    """

    type_name: ClassVar[str] = "noise::DomainWarpAt"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    inputs: ClassVar[tuple[Port, ...]] = POSITION_INPUT
    outputs: ClassVar[tuple[Port, ...]] = (Port("position", TEXTURE, doc="As many channels: the displaced position."),)
    context_fields: ClassVar[frozenset[ContextField]] = FIELDS_AT

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of a picture like the positions."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the position displaced."""
        return (_warped(self, position_of(self.type_name, inputs)),)


def _warped(node: _Warp, position: Expr) -> Expr:
    """Return ``position + strength*noise(position*scale)``: the warp in cells, less the position in cells."""
    scale = e.literal(node.scale)
    in_cells = position * scale
    warped = domain_warp(position.type.components)(
        in_cells,
        e.literal(node.strength) * scale,
        e.literal(node.octaves, Type.I32),
        e.literal(node.lacunarity),
        e.literal(node.persistence),
        node_seed(node.seed),
    )
    return warped / scale


if TYPE_CHECKING:
    _proof: tuple[type[Node], type[SupportsBody], type[Node], type[SupportsBody]] = (
        DomainWarp,
        DomainWarp,
        DomainWarpAt,
        DomainWarpAt,
    )
