"""A picture from pictures of its channels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_core.context import ContextField, EvalContext
from unshape_core.parameter_checks import check_integer
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value_type import TEXTURE
from unshape_core.workload import OpClass
from unshape_expr import build as e
from unshape_expr.body import BodyInputs, infer_body
from unshape_expr.ir import Expr

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_expr.body import SupportsBody

_NAMES = {1: ("gray",), 2: ("gray", "alpha"), 3: ("red", "green", "blue"), 4: ("red", "green", "blue", "alpha")}


@dataclass(frozen=True, slots=True)
class MergeChannels:
    """Make one picture of the first channels of several.

    Parameters
    ----------
    channels : int, in [1, 4]
        1 takes gray; 2 gray and alpha; 3 red, green and blue; 4 these and alpha.

    Examples
    --------
    >>> coloured = MergeChannels(channels=3)
    """

    type_name: ClassVar[str] = "image::MergeChannels"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    outputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="Picture of that many channels."),)

    channels: int = 3

    def __post_init__(self) -> None:
        check_integer(self.type_name, "channels", self.channels, low=1, high=4)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """One picture for each channel, all of one size."""
        return tuple(Port(name, TEXTURE, doc=f"Its first channel becomes {name}.") for name in _NAMES[self.channels])

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of a picture of the same size."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the merged pixel."""
        return (e.vector(*(e.component(inputs[name], 0) for name in _NAMES[self.channels])),)


if TYPE_CHECKING:
    _proof: tuple[type[Node], type[SupportsBody]] = (MergeChannels, MergeChannels)
