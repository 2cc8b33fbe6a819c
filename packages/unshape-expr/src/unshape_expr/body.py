"""Nodes whose meaning is an expression.

Pointwise nodes (each output pixel from the same pixel of the inputs), generators (from the pixel's position) and nodes
that sample their inputs at computed positions are written once, as a body. Every backend runs them from that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from unshape_core.spec import ValueSpec
from unshape_expr.ir import Expr
from unshape_expr.types import Type


class BodyInputs(Protocol):
    """What a body is built from."""

    def __getitem__(self, port: str) -> Expr:
        """Return the input at this pixel; its type follows from the spec (a 3-channel picture is a vec3)."""

    def spec(self, port: str) -> ValueSpec:
        """Return the spec of the whole input."""

    def texture_type(self, port: str) -> Type:
        """Return the type of one texel of a picture input, for ``sample`` and ``fetch``."""


@runtime_checkable
class SupportsBody(Protocol):
    """A node whose meaning is an expression over its inputs."""

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return one expression for each output port.

        Parameters of the node enter as literals, which are slots: changing them compiles nothing, provided that the
        shape of the expression does not depend on their values. A picture output has as many channels as the
        expression has components. Must be a pure function of the node and the specs.
        """
