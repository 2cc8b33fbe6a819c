"""Random edits of a graph against a naive model of one."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from core_nodes import Add
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from unshape_core import F32, CycleError, Graph, Latch, LazyEvaluator, PortOccupiedError, Wire

NODES = st.one_of(st.builds(Add, st.sampled_from([0.0, 1.0, 2.0])), st.just(Latch(F32)))
PICK = st.integers(0, 5)


class GraphEdits(RuleBasedStateMachine):
    """A dict of nodes and a set of wires, checked the slow way."""

    def __init__(self) -> None:
        super().__init__()
        self.graph = Graph()
        self.nodes: dict[int, Any] = {}
        self.wires: set[Wire] = set()
        self.next_id = 0
        self.revision = 0
        self.evaluator = LazyEvaluator()

    def _pick(self, index: int) -> int | None:
        ids = sorted(self.nodes)
        return ids[index % len(ids)] if ids else None

    def _closes_cycle(self, wires: set[Wire]) -> bool:
        """Whether some node reaches itself within a tick: by removing nodes without predecessors until none is left."""
        edges = {
            (wire.from_node, wire.to_node)
            for wire in wires
            if not (isinstance(self.nodes[wire.to_node], Latch) and wire.to_port == 1)
        }
        left = set(self.nodes)
        while True:
            free = {n for n in left if not any(b == n and a in left for a, b in edges)}
            if not free:
                return bool(left)
            left -= free

    @rule(node=NODES)
    def add(self, node: Any) -> None:
        assert self.next_id == self.graph.add_node(node)
        self.nodes[self.next_id] = node
        self.next_id += 1

    @rule(index=PICK)
    def remove(self, index: int) -> None:
        node_id = self._pick(index)
        if node_id is not None:
            assert self.nodes.pop(node_id) == self.graph.remove_node(node_id)
            self.wires = {wire for wire in self.wires if node_id not in {wire.from_node, wire.to_node}}

    @rule(first=PICK, second=PICK, port=st.integers(0, 1))
    def connect(self, first: int, second: int, port: int) -> None:
        a, b = self._pick(first), self._pick(second)
        if a is None or b is None:
            return
        wire = Wire(a, 0, b, port)
        if any((other.to_node, other.to_port) == (b, port) for other in self.wires):
            with pytest.raises(PortOccupiedError):
                self.graph.connect(*wire)
        elif self._closes_cycle(self.wires | {wire}):
            with pytest.raises(CycleError):
                self.graph.connect(*wire)
        else:
            assert wire == self.graph.connect(*wire)
            self.wires.add(wire)

    @rule(index=PICK)
    def disconnect(self, index: int) -> None:
        wires = sorted(self.wires)
        if wires:
            wire = wires[index % len(wires)]
            assert wire == self.graph.disconnect(wire.to_node, wire.to_port)
            self.wires.remove(wire)

    @rule(index=PICK, node=NODES)
    def replace(self, index: int, node: Any) -> None:
        node_id = self._pick(index)
        if node_id is None:
            return
        old = self.nodes[node_id]
        self.nodes[node_id] = node
        if self._closes_cycle(self.wires):
            self.nodes[node_id] = old
            with pytest.raises(CycleError):
                self.graph.replace_node(node_id, node)
        else:
            assert old == self.graph.replace_node(node_id, node)

    @rule()
    def pickle(self) -> None:
        self.graph = pickle.loads(pickle.dumps(self.graph))
        self.revision = 0

    @rule(index=PICK)
    def evaluate(self, index: int) -> None:
        node_id = self._pick(index)
        if node_id is None or not self._is_complete(node_id):
            return
        assert self._value(node_id) == self.evaluator.evaluate(self.graph, [node_id]).outputs[0][0]

    def _sources(self, node_id: int) -> dict[int, int]:
        return {wire.to_port: wire.from_node for wire in self.wires if wire.to_node == node_id}

    def _is_complete(self, node_id: int) -> bool:
        sources = self._sources(node_id)
        if isinstance(self.nodes[node_id], Latch):
            return 0 in sources and self._is_complete(sources[0])
        return all(self._is_complete(source) for source in sources.values())

    def _value(self, node_id: int) -> float:
        sources, node = self._sources(node_id), self.nodes[node_id]
        if isinstance(node, Latch):
            return self._value(sources[0])
        return float(sum((self._value(source) for source in sources.values()), node.k))

    @invariant()
    def graph_is_as_the_model(self) -> None:
        assert self.nodes == dict(self.graph.nodes)
        assert tuple(sorted(self.wires)) == self.graph.wires
        assert self.next_id == self.graph.next_id
        snapshot = self.graph.snapshot()
        assert sorted(self.nodes) == sorted(snapshot.order)
        place = {node_id: index for index, node_id in enumerate(snapshot.order)}
        for wire in self.wires:
            if not (isinstance(self.nodes[wire.to_node], Latch) and wire.to_port == 1):
                assert place[wire.from_node] < place[wire.to_node]

    @invariant()
    def revision_never_goes_back(self) -> None:
        assert self.revision <= self.graph.revision
        self.revision = self.graph.revision


TestGraphEdits = GraphEdits.TestCase
TestGraphEdits.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
