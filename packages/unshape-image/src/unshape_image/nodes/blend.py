"""Blending."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_core.context import ContextField, EvalContext
from unshape_core.parameter_checks import check_choice, check_number
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value_type import TEXTURE
from unshape_core.workload import OpClass
from unshape_expr import build as e
from unshape_expr.body import BodyInputs, infer_body
from unshape_expr.ir import Expr
from unshape_image.blend_modes import BlendMode
from unshape_image.channels import alpha_of, color_of, join

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_expr.body import SupportsBody


@dataclass(frozen=True, slots=True)
class Blend:
    """Lay one picture over another.

    Let ``f`` be the mode's colour, ``s`` the opacity times the alpha of the top (1 if it has none), and ``a`` the alpha
    of the base. Without alpha in the base the result is ``b + s*(f - b)``. With it, the alpha of the result is
    ``s + a*(1 - s)``, and its colour ``(s*(t + a*(f - t)) + (a*(1 - s))*b)/alpha``, 0 where alpha is 0: this is the
    W3C's compositing with straight alpha. A gray picture (1 or 2 channels) over or under a coloured one counts as equal
    red, green and blue.

    Parameters
    ----------
    mode : {"normal", "multiply", "screen", "overlay", "add", "subtract", "difference", "darken", "lighten"}
        How colours are blended; no mode cuts off at 0 or 1.
    opacity : float, in [0, 1]
        Of the top.

    Examples
    --------
    >>> shadow = Blend(mode="multiply", opacity=0.8)
    """

    type_name: ClassVar[str] = "image::Blend"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (
        Port("base", TEXTURE, doc="The lower picture."),
        Port("top", TEXTURE, doc="The upper picture, of the same size."),
    )
    outputs: ClassVar[tuple[Port, ...]] = (
        Port("image", TEXTURE, doc="The blended picture; it has alpha if the base has."),
    )

    mode: BlendMode = BlendMode.NORMAL
    opacity: float = 1.0

    def __post_init__(self) -> None:
        check_choice(self, self.type_name, "mode", BlendMode)
        check_number(self.type_name, "opacity", self.opacity, low=0.0, high=1.0)

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of a picture of the same size."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the blended pixel."""
        base, top = _alike(color_of(inputs["base"]), color_of(inputs["top"]))
        base_alpha, top_alpha = alpha_of(inputs["base"]), alpha_of(inputs["top"])
        blended = self.mode.apply(base, top)
        strength = e.literal(self.opacity) if top_alpha is None else top_alpha * self.opacity
        if base_alpha is None:
            return (e.mix(base, blended, strength),)
        rest = base_alpha * (1.0 - strength)
        alpha = strength + rest
        colour = (strength * e.mix(top, blended, base_alpha) + rest * base) / alpha
        return (join(e.select(e.eq(alpha, 0.0), 0.0, colour), alpha),)


def _alike(base: Expr, top: Expr) -> tuple[Expr, Expr]:
    """Return two colours, the gray one spread over the channels of the other."""
    type_ = max(base.type, top.type, key=lambda t: t.components)
    return e.lift(base, type_, where="base"), e.lift(top, type_, where="top")


if TYPE_CHECKING:
    _proof: tuple[type[Node], type[SupportsBody]] = (Blend, Blend)
