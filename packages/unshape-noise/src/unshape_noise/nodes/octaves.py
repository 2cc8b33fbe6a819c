"""What nodes of fractal noise share: checks, positions and bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from unshape_core.context import ContextField
from unshape_core.errors import InvalidArgumentError
from unshape_core.port import Port
from unshape_core.value_type import TEXTURE
from unshape_expr import build as e
from unshape_expr.body import BodyInputs
from unshape_expr.ir import Expr
from unshape_expr.types import Type
from unshape_noise.checks import (
    MAX_COORDINATE,
    MAX_LACUNARITY,
    check_choice,
    check_flag,
    check_integer,
    check_number,
    check_scale,
    check_seed,
    refuse,
)
from unshape_noise.families import Kind
from unshape_noise.fractal import MAX_OCTAVES, Fractal
from unshape_noise.kinds import functions_of

NOISE_OUTPUT = (Port("noise", TEXTURE, doc="One channel, values in [-1, 1]."),)
POSITION_INPUT = (Port("position", TEXTURE, doc="Two or three channels: where the noise is taken, before scaling."),)

GENERATOR_FIELDS = frozenset({ContextField.RESOLUTION, ContextField.SEED})
FIELDS_AT = frozenset({ContextField.SEED})

_NO_PERIOD = 2**31 - 1
_MAX_PERIOD = 2**23


class OctaveParameters(Protocol):
    """The parameters of every node of fractal noise."""

    @property
    def type_name(self) -> str:
        """The node's type."""

    @property
    def scale(self) -> float:
        """Cells across the picture, or a unit of position."""

    @property
    def octaves(self) -> int:
        """How many octaves."""

    @property
    def persistence(self) -> float:
        """Factor of amplitude."""

    @property
    def lacunarity(self) -> float:
        """Factor of frequency."""

    @property
    def seed(self) -> int:
        """Which noise."""

    @property
    def mode(self) -> Fractal:
        """How octaves are summed."""


class GeneratorParameters(OctaveParameters, Protocol):
    """The parameters of a node that makes a picture of fractal noise."""

    @property
    def offset_x(self) -> float:
        """Added to x, in cells."""

    @property
    def offset_y(self) -> float:
        """Added to y, in cells."""

    @property
    def dimensions(self) -> int:
        """2 or 3."""

    @property
    def z(self) -> float:
        """Third coordinate, in cells."""

    @property
    def speed(self) -> float:
        """Cells of the third coordinate in a second."""

    @property
    def tileable(self) -> bool:
        """Whether the picture repeats without a seam."""


def check_octaves(node: OctaveParameters) -> None:
    """Check the parameters of a node of fractal noise.

    Raises
    ------
    InvalidArgumentError
        If one is outside its range.
    """
    name = node.type_name
    check_scale(name, node.scale)
    check_integer(name, "octaves", node.octaves, low=1, high=MAX_OCTAVES)
    check_number(name, "persistence", node.persistence, low=0.0, high=1.0)
    check_number(name, "lacunarity", node.lacunarity, low=1.0, high=MAX_LACUNARITY)
    check_seed(name, node.seed)
    check_choice(node, name, "mode", Fractal)


def check_generator(node: GeneratorParameters) -> None:
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


def _check_tileable(node: GeneratorParameters) -> None:
    for field in ("scale", "lacunarity"):
        value = float(getattr(node, field))
        if not value.is_integer():
            refuse(node.type_name, field, "a whole number with tileable=True", value)
    if node.scale * node.lacunarity ** (node.octaves - 1) > _MAX_PERIOD:
        expected = (
            f"at most {_MAX_PERIOD} cells in the last octave (scale*lacunarity**(octaves - 1)) with tileable=True"
        )
        refuse(node.type_name, "octaves", expected, node.octaves)


def generator_fields(node: GeneratorParameters) -> frozenset[ContextField]:
    """Return the context fields that a generator depends on: the time only if it moves."""
    return GENERATOR_FIELDS | {ContextField.TIME} if node.speed else GENERATOR_FIELDS


def generator_body(kind: Kind, node: GeneratorParameters, *extras: Expr) -> tuple[Expr, ...]:
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


def body_at(kind: Kind, node: OctaveParameters, inputs: BodyInputs, *extras: Expr) -> tuple[Expr, ...]:
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
    kind: Kind, node: OctaveParameters, position: Expr, periods: Sequence[Expr] = (), extras: Sequence[Expr] = ()
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
