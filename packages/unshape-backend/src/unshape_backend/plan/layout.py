"""Layout: the units of a plan, with everything that placement and emission want to know of their values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from unshape_backend.identity import GPU
from unshape_backend.nodes.transfer import Transfer, TransferToCpu, TransferToGpu
from unshape_backend.plan.analysis import Analysis
from unshape_backend.plan.fuse import Cluster
from unshape_backend.plan.fusible import is_array
from unshape_backend.plan.infer import LiveNode
from unshape_backend.plan.tasks import TaskBuilder, WiredTask
from unshape_backend.plan.wiring import ValueId
from unshape_backend.task import bytes_at_hand
from unshape_backend.topology import Topology
from unshape_core.memory_space import HOST, MemorySpace
from unshape_core.window import Window


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferOrder:
    """A node that says where its value has to be.

    Parameters
    ----------
    node_id : int
        The node.
    type_name : str
        Its type.
    value : ValueId
        What is moved.
    result : ValueId
        The same value, there.
    space : MemorySpace or None
        Where to; None if what the node names is not there, so that the value stays where it is.
    target : str
        What the node names.
    """

    node_id: int
    type_name: str
    value: ValueId
    result: ValueId
    space: MemorySpace | None
    target: str


Unit: TypeAlias = WiredTask | TransferOrder
"""What is placed: a task goes wherever it is best, an order of the graph's author where it says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The units of a plan in dependency order, and how they hang together.

    Parameters
    ----------
    units : sequence of Unit
        Each after what it needs.
    producers : mapping of ValueId to int
        For each value the unit that makes it.
    given : mapping of ValueId to MemorySpace
        Where the values are that are there before anything runs.
    sizes : mapping of ValueId to (int or None)
        Bytes of each array as far as it is computed, None if unknown. Values that are no arrays are left out.
    results : mapping of ValueId to ValueId
        For each value that the caller wants the value that is given out: itself, or what it is cut to.
    """

    units: Sequence[Unit]
    producers: Mapping[ValueId, int]
    given: Mapping[ValueId, MemorySpace]
    sizes: Mapping[ValueId, int | None]
    results: Mapping[ValueId, ValueId]

    def reads(self, index: int) -> tuple[ValueId, ...]:
        """Return the arrays that a unit reads, each once."""
        return tuple(dict.fromkeys(value for value in inputs_of(self.units[index]) if value in self.sizes))


def inputs_of(unit: Unit) -> tuple[ValueId, ...]:
    """Return what a unit reads."""
    return (unit.value,) if isinstance(unit, TransferOrder) else unit.inputs


def lay_out(
    facts: Analysis, clusters: Iterable[Cluster], requested: Sequence[ValueId], builder: TaskBuilder, topology: Topology
) -> Layout:
    """Return the units of clustered nodes.

    Parameters
    ----------
    facts : Analysis
        What is known of the graph.
    clusters : iterable of Cluster
        All nodes that compute something.
    requested : sequence of ValueId
        The values that the caller wants.
    builder : TaskBuilder
        Makes their tasks.
    topology : Topology
        Who there is.
    """
    units: list[Unit] = []
    for cluster in clusters:
        order = _order(facts.live[cluster.node_ids[-1]], facts, topology)
        units.append(builder.build(cluster) if order is None else order)
    sizes: dict[ValueId, int | None] = {}
    for each in facts.live.values():
        for port, spec in enumerate(each.output_specs):
            if is_array(spec):
                sizes[ValueId(each.id, port)] = bytes_at_hand(spec, facts.regions[each.id].region.output)
    results: dict[ValueId, ValueId] = {}
    for value in requested:
        results[value] = value
        window = _excerpt_window(value, facts)
        if window is not None:
            spec = facts.live[value.node_id].output_specs[value.port]
            excerpt = builder.excerpt(value, spec, window)
            units.append(excerpt)
            results[value] = excerpt.outputs[0]
            sizes[excerpt.outputs[0]] = bytes_at_hand(spec, window)
    producers: dict[ValueId, int] = {}
    for index, unit in enumerate(units):
        producers.update(dict.fromkeys((unit.result,) if isinstance(unit, TransferOrder) else unit.outputs, index))
    return Layout(
        units=units,
        producers=producers,
        given={ValueId(node_id, 0): space for node_id, space in facts.given.items()},
        sizes=sizes,
        results=results,
    )


def _order(each: LiveNode, facts: Analysis, topology: Topology) -> TransferOrder | None:
    node = each.node
    usable = [entry for entry in topology.entries if entry.why_unusable() is None]
    match node:
        case TransferToCpu():
            target, spaces = str(HOST), [HOST]
        case TransferToGpu():
            of_kind = [entry for entry in usable if entry.capabilities.kind == GPU]
            target = "a GPU"
            spaces = [entry.capabilities.space for entry in sorted(of_kind, key=lambda entry: entry.is_software)]
        case Transfer(backend=backend):
            target, spaces = f"'{backend}'", [entry.capabilities.space for entry in usable if entry.id == backend]
        case _:
            return None
    return TransferOrder(
        node_id=each.id,
        type_name=node.type_name,
        value=facts.wiring.inputs[each.id][0],
        result=ValueId(each.id, 0),
        space=spaces[0] if spaces else None,
        target=target,
    )


def _excerpt_window(value: ValueId, facts: Analysis) -> Window | None:
    """Return the window that a result has to be cut to, None if it is that already."""
    window = facts.ctx.window
    if window is None or facts.live[value.node_id].output_specs[value.port].picture_px is None:
        return None
    return None if facts.regions[value.node_id].region.output == window else window
