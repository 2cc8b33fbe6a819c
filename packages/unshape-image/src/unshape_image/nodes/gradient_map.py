"""Colouring by a ramp."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from unshape_core.context import ContextField, EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.parameter_checks import check_choice, check_number
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value_type import TEXTURE
from unshape_core.workload import OpClass
from unshape_expr import build as e
from unshape_expr.body import BodyInputs, infer_body
from unshape_expr.ir import Expr
from unshape_expr.literal import round_to_f32
from unshape_image.channels import color_of, map_color
from unshape_image.color_functions import linear_to_srgb, luminance, oklab_to_linear
from unshape_image.color_values import linear_from_srgb, oklab_from_srgb
from unshape_image.parameters import check_color, check_colors_alike, check_rows

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_expr.body import SupportsBody

MAX_STOPS = 64

Stop = tuple[float, tuple[float, ...]]
"""Position and colour."""


class RampInterpolation(StrEnum):
    """What lies between two stops."""

    LINEAR = "linear"  # a straight line
    SMOOTH = "smooth"  # 3*t*t - 2*t*t*t, level at the stops
    CONSTANT = "constant"  # the colour of the stop before


class RampSpace(StrEnum):
    """In which numbers colours are interpolated."""

    AS_GIVEN = "as_given"  # the numbers of the stops themselves
    LINEAR = "linear"  # light: stops are sRGB, decoded before and encoded after
    OKLAB = "oklab"  # perception: stops are sRGB


@dataclass(frozen=True, slots=True)
class GradientMap:
    """Replace every value by a colour from a ramp.

    The value is that of a gray picture, or the luminance of a coloured one's numbers as they are; its alpha is not
    used. Before the first stop and after the last one the ramp is constant; two stops at one position make an edge.
    Between stops the colour is ``c0 + t*(c1 - c0)`` with ``t = (x - p0)*(1/(p1 - p0))``.

    Parameters
    ----------
    stops : tuple of (position, colour)
        2 to 64 stops of rising position, which is any number; colours have 1 to 4 channels, all equally many.
    interpolation : {"linear", "smooth", "constant"}
        What lies between two stops.
    space : {"as_given", "linear", "oklab"}
        In which numbers colours are interpolated. For the last two the colours of stops are sRGB of 3 or 4 channels,
        and so is the result.

    Examples
    --------
    >>> dusk = GradientMap(stops=((0.0, (0.1, 0.2, 0.4)), (1.0, (1.0, 0.9, 0.6))), space="oklab")
    """

    type_name: ClassVar[str] = "image::GradientMap"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="The values; picture of 1 to 4 channels."),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="Picture of the channels of the stops."),)

    stops: tuple[Stop, ...] = ((0.0, (0.0, 0.0, 0.0)), (1.0, (1.0, 1.0, 1.0)))
    interpolation: RampInterpolation = RampInterpolation.LINEAR
    space: RampSpace = RampSpace.AS_GIVEN

    def __post_init__(self) -> None:
        check_choice(self, self.type_name, "interpolation", RampInterpolation)
        check_choice(self, self.type_name, "space", RampSpace)
        given = check_rows(self.type_name, "stops", self.stops, of="pairs of position and colour")
        if not 2 <= len(given) <= MAX_STOPS:
            msg = f"{self.type_name}: stops: expected 2 to {MAX_STOPS} stops, got {len(given)}"
            raise InvalidArgumentError(msg, type_name=self.type_name)
        stops = tuple(self._checked_stop(index, stop) for index, stop in enumerate(given))
        check_colors_alike(self.type_name, {f"stops[{k}]": color for k, (_, color) in enumerate(stops)})
        for index, (before, after) in enumerate(pairwise(stops)):
            if after[0] < before[0]:
                msg = (
                    f"{self.type_name}: stops[{index + 1}]: expected a position of at least {before[0]}, got {after[0]}"
                )
                raise InvalidArgumentError(msg, type_name=self.type_name)
        if self.space is not RampSpace.AS_GIVEN and len(stops[0][1]) not in {3, 4}:
            count = len(stops[0][1])
            msg = f"{self.type_name}: space {self.space.value!r}: expected colours of 3 or 4 channels, got {count}"
            raise InvalidArgumentError(msg, type_name=self.type_name)
        object.__setattr__(self, "stops", stops)

    def _checked_stop(self, index: int, stop: tuple[object, ...]) -> Stop:
        if len(stop) != 2:
            msg = f"{self.type_name}: stops[{index}]: expected a position and a colour, got {len(stop)} things"
            raise InvalidArgumentError(msg, type_name=self.type_name)
        position, color = stop
        at = check_number(self.type_name, f"stops[{index}] position", position)
        return float(at), check_color(self.type_name, f"stops[{index}] colour", color)

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of a picture of the same size."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the colour of the ramp."""
        colour = color_of(inputs["image"])
        value = luminance(colour) if colour.type.components == 3 else colour
        colours = [self._encoded(color) for _, color in self.stops]
        numbers = [round_to_f32(position) for position, _ in self.stops]
        positions = [e.literal(number) for number in numbers]
        value = e.clamp(value, positions[0], positions[-1])
        if self.interpolation is RampInterpolation.CONSTANT:
            return (self._decoded(_pick(value, positions[1:], [e.vector(*c) for c in colours])),)
        segments = list(pairwise(zip(numbers, colours, strict=True)))
        inner = positions[1:-1]
        start = _pick(value, inner, positions[:-1])
        rate = _pick(value, inner, [e.literal(_rate(before[0], after[0])) for before, after in segments])
        low = _pick(value, inner, [e.vector(*before[1]) for before, _ in segments])
        span = _pick(value, inner, [e.vector(*(b - a for a, b in zip(x[1], y[1], strict=True))) for x, y in segments])
        t = (value - start) * rate
        if self.interpolation is RampInterpolation.SMOOTH:
            t = (t * t) * (3.0 - 2.0 * t)
        return (self._decoded(low + t * span),)

    def _encoded(self, color: tuple[float, ...]) -> tuple[float, ...]:
        match self.space:
            case RampSpace.AS_GIVEN:
                return color
            case RampSpace.LINEAR:
                return (*linear_from_srgb(color[:3]), *color[3:])
            case RampSpace.OKLAB:
                return (*oklab_from_srgb(color[:3]), *color[3:])

    def _decoded(self, color: Expr) -> Expr:
        match self.space:
            case RampSpace.AS_GIVEN:
                return color
            case RampSpace.LINEAR:
                return map_color(linear_to_srgb, color)
            case RampSpace.OKLAB:
                return map_color(lambda lab: linear_to_srgb(oklab_to_linear(lab)), color)


def _pick(value: Expr, edges: Sequence[Expr], choices: Sequence[Expr]) -> Expr:
    """Return the choice whose number is how many edges the value has reached."""
    result = choices[0]
    for edge, choice in zip(edges, choices[1:], strict=True):
        result = e.select(e.le(edge, value), choice, result)
    return result


def _rate(start: float, stop: float) -> float:
    return 0.0 if start == stop else 1.0 / (stop - start)


if TYPE_CHECKING:
    _proof: tuple[type[Node], type[SupportsBody]] = (GradientMap, GradientMap)
