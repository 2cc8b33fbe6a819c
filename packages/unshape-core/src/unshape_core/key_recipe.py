"""What the content key of a step's outputs is made of.

The key of a node's output is made of the node's type and parameters, the context fields it declares, the region, and
the keys of its inputs. It follows the graph and not the program: whether a node ran alone or fused into another,
whether its inputs were transferred, its outputs have the same keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from unshape_core.content_key import content_bytes, value_key
from unshape_core.nodes.graph_input import GraphInput
from unshape_core.nodes.graph_output import GraphOutput

if TYPE_CHECKING:
    from unshape_core.context import ContextField
    from unshape_core.program import Step
    from unshape_core.snapshot import GraphSnapshot, Source


class KeyRef(NamedTuple):
    """Where the key of one input comes from: a slot, an output of a node in the same step, or what it is already."""

    slot: int | None = None
    local: tuple[int, int] | None = None
    key: bytes = b""


@dataclass(frozen=True, slots=True)
class NodeKeyRecipe:
    """What the key of one node is made of.

    Parameters
    ----------
    node_id : int
        The node.
    input_name : str or None
        The graph input whose value is the node's, if it is a ``GraphInput``.
    fields : tuple of ContextField
        The context fields that enter.
    refs : tuple of KeyRef
        The keys of its inputs.
    """

    node_id: int
    input_name: str | None
    fields: tuple[ContextField, ...]
    refs: tuple[KeyRef, ...]


def recipes_of(
    step: Step, snapshot: GraphSnapshot, slot_ports: Mapping[int, tuple[int, int]]
) -> tuple[NodeKeyRecipe, ...]:
    """Return the recipes for the nodes of a step, in order.

    ``slot_ports`` says whose value each slot holds.
    """
    held = {slot_ports[slot]: slot for slot in step.input_slots if slot in slot_ports}
    return tuple(_recipe(node_id, step, snapshot, held) for node_id in step.node_ids)


def _recipe(node_id: int, step: Step, snapshot: GraphSnapshot, held: Mapping[tuple[int, int], int]) -> NodeKeyRecipe:
    node = snapshot.nodes[node_id]
    refs: list[KeyRef] = []
    for wired, port in zip(snapshot.sources(node_id), snapshot.inputs(node_id), strict=True):
        if wired is None:
            refs.append(KeyRef(key=b"" if port.default is None else value_key(port.default)))
            continue
        source = _seen_through_outputs(wired, step, snapshot, held)
        if source in held:
            refs.append(KeyRef(slot=held[source]))
        elif source.node_id in step.node_ids:
            refs.append(KeyRef(local=(source.node_id, source.port)))
        else:
            refs = _all_that_goes_in(node_id, step, snapshot)
            break
    name = node.name if isinstance(node, GraphInput) else None
    return NodeKeyRecipe(node_id, name, tuple(sorted(node.context_fields)), tuple(refs))


def _seen_through_outputs(
    source: Source, step: Step, snapshot: GraphSnapshot, held: Mapping[tuple[int, int], int]
) -> Source:
    """Return where a value really comes from, if the program has no step for a ``GraphOutput`` on the way."""
    while source not in held and source.node_id not in step.node_ids:
        before = snapshot.sources(source.node_id)
        if not isinstance(snapshot.nodes[source.node_id], GraphOutput) or before[0] is None:
            break
        source = before[0]
    return source


def _all_that_goes_in(node_id: int, step: Step, snapshot: GraphSnapshot) -> list[KeyRef]:
    """Return the keys of all inputs of the step, for a node of which it is not known which ones it reads.

    The key then holds the graph and its wires too, so that it is right, but is found in this graph only.
    """
    wiring = tuple((i, tuple(s and tuple(s) for s in snapshot.sources(i))) for i in step.node_ids)
    here = content_bytes((snapshot.structure.token, node_id, wiring))
    return [KeyRef(key=here), *(KeyRef(slot=slot) for slot in step.input_slots)]
