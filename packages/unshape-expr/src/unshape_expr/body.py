"""Nodes whose meaning is an expression.

Pointwise nodes (each output pixel from the same pixel of the inputs), generators (from the pixel's position) and nodes
that sample their inputs at computed positions are written once, as a body. Every backend runs them from that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from unshape_core.context import ContextField, EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value_type import TEXTURE, ScalarType
from unshape_expr.body_inputs import SpecInputs
from unshape_expr.ir import Expr
from unshape_expr.kernel import InputUse, Lowering
from unshape_expr.kernel_inputs import input_uses, uniforms_of
from unshape_expr.lower import lower
from unshape_expr.shared_bodies import keep_body, kept_body
from unshape_expr.simplify import simplify
from unshape_expr.traverse import postorder
from unshape_expr.types import Type
from unshape_expr.uniformity import require_uniform


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

    @property
    def type_name(self) -> str:
        """Name in graph files, ``"package::Type"``."""

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Input ports in order."""

    @property
    def outputs(self) -> tuple[Port, ...]:
        """Output ports in order."""


@dataclass(frozen=True, slots=True)
class Body:
    """The body of one node for inputs of given specs.

    Parameters
    ----------
    outputs : tuple of Expr
        One for each output port.
    uses : tuple of InputUse
        How each input that is read is read: at the pixel, at computed positions, or as a number.
    order : tuple of Expr
        Every operation once, each after all that it needs.
    """

    outputs: tuple[Expr, ...]
    uses: tuple[InputUse, ...]
    order: tuple[Expr, ...]

    @property
    def pixel_ports(self) -> frozenset[str]:
        """Picture inputs that are read at the very pixel."""
        return frozenset(use.port for use in self.uses if use.is_pixel)

    @property
    def sampled_ports(self) -> frozenset[str]:
        """Picture inputs that are read at computed positions."""
        return frozenset(use.port for use in self.uses if use.is_sampled)

    @property
    def is_pointwise(self) -> bool:
        """Whether every picture is read at the very pixel only."""
        return not self.sampled_ports

    @property
    def context_fields(self) -> frozenset[ContextField]:
        """The context fields that the expressions read, apart from the resolution."""
        names = {field.value for field in ContextField}
        found = (name for name, _ in uniforms_of(self.order))
        return frozenset(ContextField(name) for name in found if name in names)

    def lower(self) -> Lowering:
        """Return the simplified kernel of all outputs, and the values of its slots."""
        return lower(simplify(self.outputs))


def build_body(node: SupportsBody, input_specs: Sequence[ValueSpec]) -> Body:
    """Return the body of a node for inputs of those specs.

    Parameters
    ----------
    node : SupportsBody
        The node.
    input_specs : sequence of ValueSpec
        Specs of the whole inputs, in port order.

    Raises
    ------
    InvalidArgumentError
        If an input cannot be read by expressions, or the body does not fit the output ports.
    """
    return kept_body(node, input_specs, takes=True) or _built(node, input_specs)


def _built(node: SupportsBody, input_specs: Sequence[ValueSpec]) -> Body:
    outputs = tuple(node.body(SpecInputs(node.type_name, node.inputs, input_specs)))
    if len(outputs) != len(node.outputs):
        msg = f"{node.type_name}: expected a body of {len(node.outputs)} expressions, got {len(outputs)}"
        raise InvalidArgumentError(msg, type_name=node.type_name)
    for port, output in zip(node.outputs, outputs, strict=True):
        _check_output(node.type_name, port, output)
    order = tuple(postorder(outputs))
    return Body(outputs, input_uses(order), order)


def _check_output(type_name: str, port: Port, output: Expr) -> None:
    where = f"{type_name}: output {port.name!r}"
    if port.value_type == TEXTURE:
        if not output.type.is_float:
            msg = f"{where}: expected f32 or a vector for a picture, got {output.type.value}; use to_f32(...)"
            raise InvalidArgumentError(msg, type_name=type_name)
    elif not isinstance(port.value_type, ScalarType) or port.value_type.value != output.type.value:
        msg = f"{where}: expected an expression for {port.value_type}, got {output.type.value}"
        raise InvalidArgumentError(msg, type_name=type_name)
    else:
        require_uniform(output, where=where)


def infer_body(node: SupportsBody, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
    """Return the specs of a body node's outputs.

    A picture is as large as the pictures that are read at the very pixel; without any, as large as the first picture
    that is read at computed positions; without any, as large as the context's resolution. It has as many channels as
    the expression has components.

    Raises
    ------
    InvalidArgumentError
        If pictures that are read at the very pixel differ in size, or as :func:`build_body` does. Of numbers and
        vectors the ports tell all, so that the body of a node that yields nothing else is not looked at.
    """
    if all(port.value_type != TEXTURE for port in node.outputs):
        return tuple(ValueSpec(port.value_type) for port in node.outputs)
    body = kept_body(node, input_specs, takes=False)
    if body is None:
        body = _built(node, input_specs)
        keep_body(node, input_specs, body)
    width_px, height_px = body_size(node, body, input_specs, ctx)
    return tuple(
        ValueSpec(TEXTURE, (height_px, width_px, output.type.components))
        if port.value_type == TEXTURE
        else ValueSpec(port.value_type)
        for port, output in zip(node.outputs, body.outputs, strict=True)
    )


def body_size(node: SupportsBody, body: Body, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[int, int]:
    """Return ``(width_px, height_px)`` of what a body computes; see :func:`infer_body`."""
    sizes = {port.name: spec.picture_px for port, spec in zip(node.inputs, input_specs, strict=True) if spec.picture_px}
    pixel = {name: size for name, size in sizes.items() if name in body.pixel_ports}
    if len(set(pixel.values())) > 1:
        listed = ", ".join(f"{name!r} {size[0]} x {size[1]}" for name, size in pixel.items())
        msg = f"{node.type_name}: expected pictures of one size, got {listed}; put a Resize node before one of them"
        raise InvalidArgumentError(msg, type_name=node.type_name)
    if pixel:
        return next(iter(pixel.values()))
    sampled = [size for name, size in sizes.items() if name in body.sampled_ports]
    return sampled[0] if sampled else ctx.resolution
