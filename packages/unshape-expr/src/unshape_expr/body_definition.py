"""Nodes with a body, run by the NumPy interpreter: the definition that every kernel for them must agree with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unshape_core.context import EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.protocols import Node
from unshape_core.spec import Region, ValueSpec
from unshape_core.value import Value, Vec2, Vec3, Vec4
from unshape_core.value_type import TEXTURE
from unshape_core.window import Window
from unshape_expr.body import SupportsBody, body_size, build_body
from unshape_expr.body_windows import input_windows_of_body
from unshape_expr.context_uniforms import context_uniforms
from unshape_expr.interpret import Interpreter
from unshape_expr.interpret.scalar_kernel import ScalarKernel, compile_scalar_kernel
from unshape_expr.kernel import Lowering
from unshape_expr.lower import lower
from unshape_expr.picture_input import PictureInput
from unshape_expr.simplify import simplify

if TYPE_CHECKING:
    from unshape_core.executor import Definition
    from unshape_core.program import StepRunner


class BodyDefinition:
    """Runs bodies; hand it to ``DefinitionExecutor(definitions=[BodyDefinition()])``.

    Parameters
    ----------
    interpreter : Interpreter or None
        Keeps what it prepared by the structure of expressions; None makes one.
    """

    def __init__(self, interpreter: Interpreter | None = None) -> None:
        self._interpreter = interpreter or Interpreter()

    def supports(self, node: Node) -> bool:
        """Return whether the node has a body."""
        return isinstance(node, SupportsBody)

    def input_windows(
        self, node: Node, window: Window, input_specs: Sequence[ValueSpec], ctx: EvalContext, /
    ) -> tuple[Window | None, ...]:
        """Return what the body reads to compute a window."""
        assert isinstance(node, SupportsBody)
        return input_windows_of_body(node, window, input_specs, ctx)

    def runner(self, node: Node, region: Region | None, ctx: EvalContext, /) -> StepRunner:
        """Return what runs nodes of this type; ``region`` is None where no value is a picture."""
        del ctx
        if region is None:
            specs = tuple(ValueSpec(port.value_type) for port in node.inputs)
            region = Region(Window(0, 0, 0, 0), (None,) * len(specs), specs, ())
        return BodyRunner(self._interpreter, region)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A node's body, lowered: pictures and scalars apart, each with the output ports it fills."""

    node: SupportsBody
    picture_ports: tuple[int, ...]
    pictures: Lowering
    scalar_ports: tuple[int, ...]
    scalars: Lowering
    scalar_kernel: ScalarKernel


class BodyRunner:
    """Runs one node after another by its body; a node that was seen last is not lowered again.

    Parameters
    ----------
    interpreter : Interpreter
        Runs the pictures.
    region : Region
        What is computed, and what the inputs at hand cover.
    """

    def __init__(self, interpreter: Interpreter, region: Region) -> None:
        self._interpreter = interpreter
        self._region = region
        self._last: _Prepared | None = None

    def __call__(self, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext, /) -> tuple[Value, ...]:
        """Return the outputs of the node, in port order."""
        (node,) = nodes
        assert isinstance(node, SupportsBody)
        prepared = self._last
        if prepared is None or prepared.node is not node:
            prepared = self._last = _prepare(node, self._region.input_specs)
        given = {
            port.name: _given(value, window, spec, port.name, node.type_name)
            for port, value, window, spec in zip(
                node.inputs, inputs, self._region.inputs, self._region.input_specs, strict=True
            )
        }
        uniforms = context_uniforms(ctx)
        outputs: dict[int, Value] = {}
        if prepared.scalar_ports:
            numbers = prepared.scalar_kernel(prepared.scalars.slot_values, given, uniforms)
            outputs.update(zip(prepared.scalar_ports, numbers, strict=True))
        if prepared.picture_ports:
            width_px, height_px = self._size_px(prepared)
            arrays = self._interpreter.run(
                prepared.pictures.kernel,
                prepared.pictures.slot_values,
                given,
                window=self._region.output,
                width_px=width_px,
                height_px=height_px,
                uniforms=uniforms,
                cancellation=ctx.cancellation,
            )
            outputs.update(zip(prepared.picture_ports, arrays, strict=True))
        return tuple(outputs[index] for index in range(len(outputs)))

    def _size_px(self, prepared: _Prepared) -> tuple[int, int]:
        size = self._region.output_specs[prepared.picture_ports[0]].picture_px
        assert size is not None  # the port is a picture
        return size


def run_body(node: Node, inputs: Sequence[Value], ctx: EvalContext | None = None) -> tuple[Value, ...]:
    """Return the outputs of a node with a body for whole pictures and numbers, in port order.

    Parameters
    ----------
    node : Node
        The node; it has a body.
    inputs : sequence of Value
        One for each input port; pictures are float32[height, width, channel].
    ctx : EvalContext or None
        Time, seed and, for generators, the resolution and window; None takes the defaults.

    Raises
    ------
    InvalidArgumentError
        If the node has no body, or inputs do not fit it.
    """
    if not isinstance(node, SupportsBody):
        msg = f"{node.type_name}: expected a node with a body, got one that is defined otherwise; use its execute(...)"
        raise InvalidArgumentError(msg, type_name=node.type_name)
    ctx = ctx or EvalContext()
    specs = tuple(
        ValueSpec(port.value_type, value.shape if isinstance(value, np.ndarray) else None)
        for port, value in zip(node.inputs, inputs, strict=True)
    )
    body = build_body(node, specs)
    width_px, height_px = body_size(node, body, specs, ctx)
    whole = Window.whole(width_px=width_px, height_px=height_px)
    region = Region(
        output=whole if ctx.window is None else ctx.window.intersect(whole),
        inputs=tuple(
            None if spec.picture_px is None else Window(0, 0, spec.picture_px[0], spec.picture_px[1]) for spec in specs
        ),
        input_specs=specs,
        output_specs=tuple(
            ValueSpec(TEXTURE, (height_px, width_px, output.type.components))
            if port.value_type == TEXTURE
            else ValueSpec(port.value_type)
            for port, output in zip(node.outputs, body.outputs, strict=True)
        ),
    )
    return BodyRunner(Interpreter(), region)((node,), inputs, ctx)


def _prepare(node: SupportsBody, input_specs: Sequence[ValueSpec]) -> _Prepared:
    body = build_body(node, input_specs)
    pictures = tuple(index for index, port in enumerate(node.outputs) if port.value_type == TEXTURE)
    scalars = tuple(index for index in range(len(node.outputs)) if index not in pictures)
    lowered = lower(simplify([body.outputs[index] for index in scalars]))
    return _Prepared(
        node=node,
        picture_ports=pictures,
        pictures=lower(simplify([body.outputs[index] for index in pictures])),
        scalar_ports=scalars,
        scalars=lowered,
        scalar_kernel=compile_scalar_kernel(lowered.kernel),
    )


def _given(
    value: Value, window: Window | None, spec: ValueSpec, port: str, type_name: str
) -> PictureInput | bool | int | float | Vec2 | Vec3 | Vec4:
    if isinstance(value, np.ndarray) and window is not None and spec.picture_px is not None:
        return PictureInput(value, window, *spec.picture_px)
    if isinstance(value, bool | int | float | Vec2 | Vec3 | Vec4):
        return value
    msg = f"{type_name}: input {port!r}: expected {spec.value_type} in host memory, got {type(value).__name__}"
    raise InvalidArgumentError(msg, type_name=type_name)


if TYPE_CHECKING:
    _proof: type[Definition] = BodyDefinition
    _run: type[StepRunner] = BodyRunner
