"""What nodes of fractal noise share: parameters, checks, positions and bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from unshape_core.context import ContextField, EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.parameter_checks import check_choice, check_integer, check_number, refuse
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value_type import TEXTURE
from unshape_core.workload import OpClass
from unshape_expr import build as e
from unshape_expr.body import BodyInputs, infer_body
from unshape_expr.ir import Expr
from unshape_expr.types import Type
from unshape_noise.checks import MAX_COORDINATE, check_flag, check_octave_sum
from unshape_noise.families import Kind
from unshape_noise.fractal import Fractal
from unshape_noise.kinds import functions_of

NOISE_OUTPUT = (Port("noise", TEXTURE, doc="One channel, values in [-1, 1]."),)
POSITION_INPUT = (Port("position", TEXTURE, doc="Two or three channels: where the noise is taken, before scaling."),)

GENERATOR_FIELDS = frozenset({ContextField.RESOLUTION, ContextField.SEED})
FIELDS_AT = frozenset({ContextField.SEED})

_NO_PERIOD = 2**31 - 1
_MAX_PERIOD = 2**23


@dataclass(frozen=True, slots=True)
class NoisePicture:
    """What the nodes that make a picture of fractal noise have in common: everything but type name and body.

    The parameters are documented where they are met, at each node.
    """

    type_name: ClassVar[str]
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
        check_picture(self)

    @property
    def context_fields(self) -> frozenset[ContextField]:
        """Resolution and seed, and the time if the noise moves."""
        return GENERATOR_FIELDS | {ContextField.TIME} if self.speed else GENERATOR_FIELDS

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of a picture of one channel at the context's resolution."""
        return infer_body(self, input_specs, ctx)  # type: ignore[arg-type]  # each node has a body


@dataclass(frozen=True, slots=True)
class NoiseAt:
    """What the nodes of fractal noise at given positions have in common: everything but type name and body.

    The parameters are documented where they are met, at each node.
    """

    type_name: ClassVar[str]
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
        return infer_body(self, input_specs, ctx)  # type: ignore[arg-type]  # each node has a body


def check_octaves(node: NoisePicture | NoiseAt) -> None:
    """Check the parameters of a node of fractal noise.

    Raises
    ------
    InvalidArgumentError
        If one is outside its range.
    """
    check_octave_sum(
        node.type_name,
        scale=node.scale,
        octaves=node.octaves,
        persistence=node.persistence,
        lacunarity=node.lacunarity,
        seed=node.seed,
    )
    check_choice(node, node.type_name, "mode", Fractal)


def check_picture(node: NoisePicture) -> None:
    """Check the parameters of a node that makes a picture of fractal noise.

    Raises
    ------
    InvalidArgumentError
        If one is outside its range, or they do not go together.
    """
    name = node.type_name
    check_octaves(node)
    for field in ("offset_x", "offset_y", "z", "speed"):
        check_number(name, field, getattr(node, field), low=-MAX_COORDINATE, high=MAX_COORDINATE)
    check_integer(name, "dimensions", node.dimensions, low=2, high=3)
    check_flag(name, "tileable", node.tileable)
    if node.dimensions == 2 and (node.z != 0.0 or node.speed != 0.0):
        msg = f"{name}: z and speed: expected 0 with dimensions=2, got {node.z!r} and {node.speed!r}; set dimensions=3"
        raise InvalidArgumentError(msg, type_name=name)
    if node.tileable:
        _check_tileable(node)


def _check_tileable(node: NoisePicture) -> None:
    for field in ("scale", "lacunarity"):
        value = float(getattr(node, field))
        if not value.is_integer():
            refuse(node.type_name, field, "a whole number with tileable=True", value)
    if node.scale * node.lacunarity ** (node.octaves - 1) > _MAX_PERIOD:
        expected = (
            f"at most {_MAX_PERIOD} cells in the last octave (scale*lacunarity**(octaves - 1)) with tileable=True"
        )
        refuse(node.type_name, "octaves", expected, node.octaves)


def picture_body(kind: Kind, node: NoisePicture, *extras: Expr) -> tuple[Expr, ...]:
    """Return the body of a node that makes a picture of fractal noise."""
    scale = e.literal(node.scale)
    parts = [e.u() * scale + e.literal(node.offset_x), e.v() * scale + e.literal(node.offset_y)]
    if node.dimensions == 3:
        z = e.literal(node.z)
        parts.append(z + e.time() * e.literal(node.speed) if node.speed else z)
    periods: tuple[Expr, ...] = ()
    if node.tileable:
        period = e.literal(int(node.scale), Type.I32)
        periods = (period, period, e.literal(_NO_PERIOD, Type.I32))[: node.dimensions]
    return (octave_noise(kind, node, e.vector(*parts), periods, extras),)


def body_at(kind: Kind, node: NoisePicture | NoiseAt, inputs: BodyInputs, *extras: Expr) -> tuple[Expr, ...]:
    """Return the body of a node of fractal noise that is driven by a picture of positions."""
    position = position_of(node.type_name, inputs)
    return (octave_noise(kind, node, position * e.literal(node.scale), (), extras),)


def position_of(type_name: str, inputs: BodyInputs) -> Expr:
    """Return the position that a picture of two or three channels holds.

    Raises
    ------
    InvalidArgumentError
        If it has another number of channels.
    """
    position = inputs["position"]
    if position.type not in {Type.VEC2, Type.VEC3}:
        msg = (
            f"{type_name}: input 'position': expected a picture of 2 or 3 channels, "
            f"got {position.type.components}; choose channels with image::SplitChannels and image::MergeChannels"
        )
        raise InvalidArgumentError(msg, type_name=type_name)
    return position


def octave_noise(
    kind: Kind, node: NoisePicture | NoiseAt, position: Expr, periods: Sequence[Expr] = (), extras: Sequence[Expr] = ()
) -> Expr:
    """Return the fractal sum of a kind that a node's parameters describe."""
    function = functions_of(kind, position.type.components)[node.mode, bool(periods)]
    return function(
        position,
        *periods,
        e.literal(node.octaves, Type.I32),
        e.literal(node.lacunarity),
        e.literal(node.persistence),
        node_seed(node.seed),
        *extras,
    )


def node_seed(seed: int) -> Expr:
    """Return a node's seed plus that of the evaluation, modulo 2**32."""
    return e.literal(seed & 0xFFFFFFFF, Type.U32) + e.seed()
