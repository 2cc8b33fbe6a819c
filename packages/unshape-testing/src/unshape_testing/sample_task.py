"""A node and tasks of it, for tests of what chooses backends and runs tasks on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from unshape_backend.task import Task
from unshape_core.context import ContextField, EvalContext, Precision
from unshape_core.port import Port
from unshape_core.protocols import Node
from unshape_core.spec import Region, ValueSpec
from unshape_core.value import Value
from unshape_core.value_type import TEXTURE, ArrayType
from unshape_core.window import Window
from unshape_core.workload import OpClass, WorkloadHint


@dataclass(frozen=True, slots=True)
class AddOne:
    """Adds an amount to a picture; its meaning is NumPy code.

    Parameters
    ----------
    amount : float
        What is added.
    op_class : OpClass
        What kind of work it says it is.
    """

    amount: float = 1.0
    op_class: OpClass = OpClass.ELEMENTWISE

    type_name: ClassVar[str] = "test::AddOne"
    inputs: ClassVar[tuple[Port, ...]] = (Port("picture", TEXTURE),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("picture", TEXTURE),)
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:  # noqa: ARG002
        """Return the spec of the input."""
        return (input_specs[0],)

    def execute(self, inputs: Sequence[Value], ctx: EvalContext) -> tuple[Value, ...]:  # noqa: ARG002
        """Return the sum."""
        return (np.asarray(inputs[0]) + np.float32(self.amount),)


@dataclass(frozen=True, slots=True)
class Undefined:
    """A node without a meaning: neither a body nor ``execute``."""

    type_name: ClassVar[str] = "test::Undefined"
    inputs: ClassVar[tuple[Port, ...]] = AddOne.inputs
    outputs: ClassVar[tuple[Port, ...]] = AddOne.outputs
    op_class: ClassVar[OpClass] = OpClass.OTHER
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:  # noqa: ARG002
        """Return the spec of the input."""
        return (input_specs[0],)


def picture_task(
    node: Node | None = None,
    *,
    shape: tuple[int, int, int] | None = (4, 5, 1),
    input_count: int = 1,
    dtype: str = "float32",
    precision: Precision = "exact",
    workload: WorkloadHint | None = None,
) -> Task:
    """Return the task of one node that makes a picture of pictures of the same shape.

    Parameters
    ----------
    node : Node, optional
        The node; :class:`AddOne` if not given.
    shape : (int, int, int) or None
        ``(height_px, width_px, channels)``; None for a shape that depends on data.
    input_count : int
        How many pictures go in.
    dtype : str
        Their element type.
    precision : {"exact", "fast"}
        What is asked for.
    workload : WorkloadHint, optional
        How much work it is; follows from the shape if not given.
    """
    spec = ValueSpec(ArrayType(dtype, ("height", "width", "channel")), shape)
    height_px, width_px, channels = shape or (1, 1, 1)
    window = Window.whole(width_px=width_px, height_px=height_px)
    return Task(
        nodes=(AddOne() if node is None else node,),
        node_ids=(7,),
        input_specs=(spec,) * input_count,
        output_specs=(spec,),
        region=Region(window, (window,) * input_count, (spec,) * input_count, (spec,)),
        kernel=None,
        input_names=tuple(f"input{index}" for index in range(input_count)),
        precision=precision,
        workload=workload or WorkloadHint.texture(width_px=width_px, height_px=height_px, channels=channels),
        slot_values=lambda nodes: (),  # noqa: ARG005
    )


if TYPE_CHECKING:
    _proof: type[Node] = AddOne
