"""The executor that runs every node by its definition.

It is what all others must agree with: one step for each node, in dependency order, on the host. unshape-core knows
nodes that have ``execute``; packages that bring other kinds of meaning (``unshape_expr`` brings bodies) hand in a
:class:`Definition` for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from unshape_core.coercion import as_host_array
from unshape_core.errors import InvalidArgumentError
from unshape_core.memory_space import HOST
from unshape_core.program import BoundStep, Program, Step, StepKind, StepRunner
from unshape_core.protocols import supports_execute, supports_input_windows, supports_scalar_function
from unshape_core.region_plan import NodeSpecs, infer_specs, plan_regions
from unshape_core.slot_table import SlotTable, check_inputs
from unshape_core.window import Window

if TYPE_CHECKING:
    from unshape_core.context import EvalContext
    from unshape_core.protocols import Node, NodeExecutor
    from unshape_core.snapshot import GraphSnapshot
    from unshape_core.spec import Region, ValueSpec
    from unshape_core.value import Value


class Definition(Protocol):
    """A kind of meaning that nodes may have, other than ``execute``."""

    def supports(self, node: Node) -> bool:
        """Return whether the node has this kind of meaning."""

    def input_windows(
        self, node: Node, window: Window, input_specs: Sequence[ValueSpec], ctx: EvalContext, /
    ) -> tuple[Window | None, ...] | None:
        """Return what the node reads to compute a window, as ``SupportsInputWindows`` does; None for everything."""

    def runner(self, node: Node, region: Region | None, ctx: EvalContext, /) -> StepRunner:
        """Return the work of the node; it computes ``region.output``, or the only value if there is no region."""


class DefinitionExecutor:
    """Run every node by its definition, on the host.

    Parameters
    ----------
    definitions : sequence of Definition
        Further kinds of meaning; the first one that supports a node is used, ``execute`` last.

    Examples
    --------
    >>> from unshape_core import Constant, EvalContext, Graph
    >>> graph = Graph()
    >>> one = graph.add_node(Constant(1.0))
    >>> program = DefinitionExecutor().prepare(graph.snapshot(), [one], EvalContext())
    >>> [step.node_ids for step in program.steps]
    [(0,)]
    """

    def __init__(self, *, definitions: Sequence[Definition] = ()) -> None:
        self._definitions = tuple(definitions)

    def prepare(self, snapshot: GraphSnapshot, outputs: Sequence[int], ctx: EvalContext) -> Program:
        """Return one step for each node that the outputs need.

        Raises
        ------
        MissingInputError
            If an input has neither a wire nor a default.
        InvalidArgumentError
            If inputs do not fit together, or a node has no meaning known here.
        """
        order = snapshot.order_for(outputs)
        check_inputs(snapshot, order)
        specs: dict[int, NodeSpecs] = {}
        regions: dict[int, Region] = {}
        if ctx.window is not None or any(self._knows_windows(snapshot.nodes[node_id]) for node_id in order):
            specs = infer_specs(snapshot, order, ctx)
            regions = plan_regions(snapshot, order, outputs, ctx, input_windows=self.input_windows, specs=specs)
        slots = SlotTable(snapshot, order)
        steps = [
            Step(
                node_ids=(node_id,),
                run=self._runner(snapshot.nodes[node_id], node_id, regions.get(node_id), ctx),
                input_slots=slots.inputs[node_id],
                output_slots=slots.outputs[node_id],
                context_fields=snapshot.nodes[node_id].context_fields,
                key=regions[node_id].output if node_id in regions else None,
                backend="cpu",
                space=HOST,
            )
            for node_id in order
        ]
        results = {node_id: slots.outputs[node_id] for node_id in outputs}
        if ctx.window is not None:
            steps += _cuts(results, slots, specs, regions, ctx.window)
        return Program(
            steps=tuple(steps),
            slot_count=slots.count,
            constants=slots.constants,
            outputs=results,
            explanation=_Explanation(snapshot, order),
            accepts=_Acceptance(self, specs, regions),
        )

    def input_windows(
        self, node: Node, window: Window, input_specs: Sequence[ValueSpec], ctx: EvalContext
    ) -> tuple[Window | None, ...] | None:
        """Return what a node reads to compute a window, None if it knows nothing of windows."""
        definition = self._definition_of(node)
        if definition is not None:
            return definition.input_windows(node, window, input_specs, ctx)
        return node.input_windows(window, input_specs, ctx) if supports_input_windows(node) else None

    def _knows_windows(self, node: Node) -> bool:
        return self._definition_of(node) is not None or supports_input_windows(node)

    def _definition_of(self, node: Node) -> Definition | None:
        for definition in self._definitions:
            if definition.supports(node):
                return definition
        return None

    def _runner(self, node: Node, node_id: int, region: Region | None, ctx: EvalContext) -> StepRunner:
        definition = self._definition_of(node)
        if definition is not None:
            return definition.runner(node, region, ctx)
        if not supports_execute(node):
            msg = f"node {node_id} ({node.type_name}): expected execute(inputs, ctx), or a definition for this executor"
            raise InvalidArgumentError(msg, node_id=node_id, type_name=node.type_name)
        return execute_whole if region is None else _ExecuteRegion(region)


class _ExecuteWhole:
    """Run ``execute`` without a region."""

    def __call__(self, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext, /) -> tuple[Value, ...]:
        return self.bind(nodes)(inputs, ctx)

    def bind(self, nodes: tuple[Node, ...], /) -> BoundStep:
        node = nodes[0]
        assert supports_execute(node)  # checked when the program was prepared
        return node.execute

    def bind_function(self, nodes: tuple[Node, ...], /) -> Callable[..., Value] | None:
        node = nodes[0]
        return node.scalar_function if supports_scalar_function(node) else None


execute_whole = _ExecuteWhole()
"""Runs a node's ``execute`` as it is."""


@dataclass(frozen=True, slots=True)
class _ExecuteRegion:
    """Run ``execute`` for a region."""

    region: Region

    def __call__(self, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext, /) -> tuple[Value, ...]:
        return execute_whole(nodes, inputs, ctx.with_region(self.region))


@dataclass(frozen=True, slots=True)
class _Cut:
    """Copy a part of a picture."""

    window: Window
    held: Window

    def __call__(self, _nodes: tuple[Node, ...], inputs: Sequence[Value], _ctx: EvalContext, /) -> tuple[Value, ...]:
        rows, columns = self.window.slices_in(self.held)
        return tuple(as_host_array(value)[rows, columns].copy() for value in inputs)


def _cuts(
    results: dict[int, tuple[int, ...]],
    slots: SlotTable,
    specs: Mapping[int, NodeSpecs],
    regions: Mapping[int, Region],
    window: Window,
) -> list[Step]:
    """Cut the pictures of nodes that know nothing of windows to what was asked for."""
    steps: list[Step] = []
    for node_id, outputs in results.items():
        cut = list(outputs)
        for port, spec in enumerate(specs[node_id][1]):
            if spec.picture_px is None or node_id in regions:
                continue
            whole = Window.whole(width_px=spec.picture_px[0], height_px=spec.picture_px[1])
            part = window.intersect(whole)
            if part == whole:
                continue
            cut[port] = slots.add()
            steps.append(
                Step(
                    node_ids=(node_id,),
                    run=_Cut(part, whole),
                    input_slots=(outputs[port],),
                    output_slots=(cut[port],),
                    context_fields=frozenset(),
                    key=part,
                    backend="cpu",
                    space=HOST,
                    kind=StepKind.CUT,
                    output_ports=((node_id, port),),
                )
            )
        results[node_id] = tuple(cut)
    return steps


@dataclass(frozen=True, slots=True)
class _Acceptance:
    """Whether a node of other parameters leaves sizes and windows as they are."""

    executor: DefinitionExecutor
    specs: Mapping[int, NodeSpecs]
    regions: Mapping[int, Region]

    def __call__(self, node_id: int, node: Node, ctx: EvalContext) -> bool:
        if node_id not in self.specs:
            return True
        input_specs, output_specs = self.specs[node_id]
        if tuple(node.infer(input_specs, ctx)) != output_specs:
            return False
        region = self.regions.get(node_id)
        if region is None:
            return True
        windows = self.executor.input_windows(node, region.output, input_specs, ctx)
        return windows is not None and all(
            held is None or read is None or held.contains(read.intersect(_whole_of(spec)))
            for read, held, spec in zip(windows, region.inputs, input_specs, strict=True)
        )


def _whole_of(spec: ValueSpec) -> Window:
    width_px, height_px = spec.picture_px or (0, 0)
    return Window.whole(width_px=width_px, height_px=height_px)


@dataclass(frozen=True, slots=True)
class _Explanation:
    """Why the steps are what they are: there is nothing to choose."""

    snapshot: GraphSnapshot
    order: tuple[int, ...]

    def explain(self) -> str:
        """Return one line for each node."""
        lines = (
            f"{node_id} {self.snapshot.nodes[node_id].type_name}: cpu, by its definition" for node_id in self.order
        )
        return "\n".join(lines)


if TYPE_CHECKING:
    _proof: type[NodeExecutor] = DefinitionExecutor
