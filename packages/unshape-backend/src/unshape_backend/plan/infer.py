"""Pruning and inference: the nodes that the outputs need, and the spec of every value between them.

Specs describe whole pictures and are known before anything runs, except where a node says that a shape depends on data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unshape_core.context import EvalContext
from unshape_core.errors import Cancelled, MissingInputError, NodeError, UnshapeError
from unshape_core.port import Port
from unshape_core.protocols import Node
from unshape_core.snapshot import GraphSnapshot, Source
from unshape_core.spec import ValueSpec, spec_of
from unshape_core.value_type import ArrayType


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveNode:
    """A node that is needed, and the specs of what goes in and out.

    Parameters
    ----------
    id : int
        Its number in the graph.
    node : Node
        Itself.
    inputs : tuple of Port
        Its input ports.
    sources : tuple of (Source or None)
        For each input port the output port that is wired to it; None where the port's default is used.
    input_specs, output_specs : tuple of ValueSpec
        Specs of whole values, in port order.
    """

    id: int
    node: Node
    inputs: tuple[Port, ...]
    sources: tuple[Source | None, ...]
    input_specs: tuple[ValueSpec, ...]
    output_specs: tuple[ValueSpec, ...]

    @property
    def label(self) -> str:
        """How messages name the node."""
        return f"node {self.id} ({self.node.type_name})"


LiveGraph = dict[int, LiveNode]
"""The needed nodes by number, each after what it needs."""


def infer(snapshot: GraphSnapshot, outputs: Sequence[int], ctx: EvalContext) -> LiveGraph:
    """Return the nodes that the outputs need, with their specs.

    Parameters
    ----------
    snapshot : GraphSnapshot
        The graph.
    outputs : sequence of int
        The nodes asked for.
    ctx : EvalContext
        The circumstances: resolution, and the specs of the inputs given.

    Raises
    ------
    MissingInputError
        If a port has neither a wire nor a default.
    UnshapeError
        Whatever a node has to say against its inputs, with the node's number and type.
    """
    live: LiveGraph = {}
    for node_id in snapshot.order_for(outputs):
        live[node_id] = infer_node(node_id, snapshot.node(node_id), snapshot, live, ctx)
    return live


def infer_node(node_id: int, node: Node, snapshot: GraphSnapshot, live: LiveGraph, ctx: EvalContext) -> LiveNode:
    """Return one node with its specs, given those of the nodes before it.

    A node with an input of unknown shape is not asked: what it yields is known by type only, until it runs.
    """
    sources = snapshot.sources(node_id)
    ports = snapshot.inputs(node_id)
    input_specs = tuple(
        [
            _default_spec(port, node_id=node_id, node=node)
            if source is None
            else live[source.node_id].output_specs[source.port]
            for source, port in zip(sources, ports, strict=True)
        ]
    )
    if any(map(is_unknown, input_specs)):
        output_specs = tuple([ValueSpec(port.value_type) for port in snapshot.outputs(node_id)])
        return _live(node_id, node, snapshot, input_specs, output_specs)
    try:
        output_specs = tuple(node.infer(input_specs, ctx))
    except Cancelled:
        raise
    except UnshapeError as error:
        locate(error, node_id=node_id, type_name=node.type_name)
        raise
    except Exception as error:
        msg = f"node {node_id} ({node.type_name}): infer raised {type(error).__name__}: {error}"
        raise NodeError(msg, node_id=node_id, type_name=node.type_name) from error
    return _live(node_id, node, snapshot, input_specs, output_specs)


def _live(
    node_id: int,
    node: Node,
    snapshot: GraphSnapshot,
    input_specs: tuple[ValueSpec, ...],
    output_specs: tuple[ValueSpec, ...],
) -> LiveNode:
    return LiveNode(
        id=node_id,
        node=node,
        inputs=snapshot.inputs(node_id),
        sources=snapshot.sources(node_id),
        input_specs=input_specs,
        output_specs=output_specs,
    )


def is_unknown(spec: ValueSpec) -> bool:
    """Return whether a shape depends on data."""
    return isinstance(spec.value_type, ArrayType) and spec.shape is None


def locate(error: UnshapeError, *, node_id: int, type_name: str) -> None:
    """Write into an error which node it is about, if it does not say so yet."""
    if error.node_id is None:
        error.node_id = node_id
        error.type_name = type_name
        error.message = f"node {node_id} ({type_name}): {error.message.removeprefix(f'{type_name}: ')}"


def _default_spec(port: Port, *, node_id: int, node: Node) -> ValueSpec:
    if port.default is None:
        msg = (
            f"node {node_id} ({node.type_name}): input '{port.name}' has neither a wire nor a default; "
            f"connect one of {port.value_type}"
        )
        raise MissingInputError(msg, node_id=node_id, type_name=node.type_name)
    return spec_of(port.default, port.value_type)
