"""The wires of a graph under construction, kept from both ends."""

from __future__ import annotations

from collections.abc import Iterator

from unshape_core.cycle_guard import CycleGuard
from unshape_core.nodes.latch import Latch
from unshape_core.snapshot import Source, Wire
from unshape_core.topology import find_cycle, find_path, reachable


class Wiring:
    """Which output feeds each input, who consumes each output, and which wires would close a cycle.

    Attributes
    ----------
    sources : dict of int to list of (Source or None)
        What is wired to each input port of a node.
    consumers : dict of int to dict of Wire to None
        The wires from a node, in the order they came.
    latches : set of int
        The nodes through whose ``signal`` input a cycle may pass.
    """

    __slots__ = ("_guard", "_wire_count", "consumers", "latches", "sources")

    def __init__(self) -> None:
        self.sources: dict[int, list[Source | None]] = {}
        self.consumers: dict[int, dict[Wire, None]] = {}
        self.latches: set[int] = set()
        self._guard = CycleGuard(successors=self._successors, predecessors=self._predecessors)
        self._wire_count = 0

    def __len__(self) -> int:
        return self._wire_count

    def __iter__(self) -> Iterator[Wire]:
        return (wire for wires in self.consumers.values() for wire in wires)

    def add_node(self, node_id: int, *, input_count: int) -> None:
        """Take in a node without wires."""
        self.sources[node_id] = [None] * input_count
        self.consumers[node_id] = {}
        self._guard.add(node_id)

    def remove_node(self, node_id: int) -> None:
        """Forget a node and the wires at it."""
        for port, source in enumerate(self.sources[node_id]):
            if source is not None:
                self.cut(Wire(*source, node_id, port))
        for wire in list(self.consumers[node_id]):
            self.cut(wire)
        del self.sources[node_id], self.consumers[node_id]
        self.latches.discard(node_id)
        self._guard.remove(node_id)

    def resize_inputs(self, node_id: int, *, input_count: int) -> None:
        """Give a node another number of input ports; those that go have no wires."""
        kept = self.sources[node_id][:input_count]
        self.sources[node_id] = kept + [None] * (input_count - len(kept))

    def connect(self, wire: Wire) -> None:
        """Add a wire that was checked: its input is free, and it closes no cycle."""
        self.sources[wire.to_node][wire.to_port] = Source(wire.from_node, wire.from_port)
        self.consumers[wire.from_node][wire] = None
        self._wire_count += 1
        self._guard.refresh(self.sources, wire_count=self._wire_count)

    def cut(self, wire: Wire) -> None:
        """Remove a wire."""
        self.sources[wire.to_node][wire.to_port] = None
        del self.consumers[wire.from_node][wire]
        self._wire_count -= 1

    def wired_ports(self, node_id: int) -> list[tuple[str, int]]:
        """Return the ports of a node that have wires, each as ``("inputs" or "outputs", index)``."""
        inputs = [("inputs", port) for port, source in enumerate(self.sources[node_id]) if source is not None]
        return inputs + [("outputs", port) for port in sorted({wire.from_port for wire in self.consumers[node_id]})]

    def upstream(self, node_id: int) -> frozenset[int]:
        """Return all nodes that a node depends on, also through latches."""
        return frozenset(reachable(self._wired_from(node_id), self._wired_from))

    def downstream(self, node_id: int) -> frozenset[int]:
        """Return all nodes that depend on a node, also through latches."""
        return frozenset(reachable(self._wired_to(node_id), self._wired_to))

    def closed_cycle(self, wire: Wire) -> list[int] | None:
        """Return the cycle without a latch that a wire would close, None if there is none."""
        if self._is_delayed(wire) or not self._guard.closes_cycle(wire.from_node, wire.to_node):
            return None
        path = find_path(wire.to_node, wire.from_node, self._successors) or []
        return [wire.from_node, *path]

    def cycle_without_latch(self, node_id: int) -> list[int] | None:
        """Return the cycle that there would be if a latch were any other node, None if there is none."""
        self.latches.discard(node_id)
        cycle = find_cycle([node_id], self._successors)
        self.latches.add(node_id)
        return cycle

    def _is_delayed(self, wire: Wire) -> bool:
        return wire.to_port == Latch.SIGNAL and wire.to_node in self.latches

    def _successors(self, node_id: int) -> Iterator[int]:
        return (wire.to_node for wire in self.consumers[node_id] if not self._is_delayed(wire))

    def _predecessors(self, node_id: int) -> Iterator[int]:
        sources = self.sources[node_id]
        if node_id in self.latches:
            sources = sources[: Latch.SIGNAL]
        return (source.node_id for source in sources if source is not None)

    def _wired_from(self, node_id: int) -> Iterator[int]:
        return (source.node_id for source in self.sources[node_id] if source is not None)

    def _wired_to(self, node_id: int) -> Iterator[int]:
        return (wire.to_node for wire in self.consumers[node_id])
