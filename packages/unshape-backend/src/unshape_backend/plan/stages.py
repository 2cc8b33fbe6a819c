"""Stages: numbers that rise along every wire that cannot be fused.

Nodes that are connected by fused wires within one stage can be computed together without a cycle: a path that leaves
them and comes back would pass a wire that is not fused, and so end in a later stage.
"""

from __future__ import annotations

from collections.abc import Mapping

from unshape_backend.plan.fusible import Work


def latest_stages(works: Mapping[int, Work]) -> dict[int, int]:
    """Return for each node the latest stage it can be in, so that a producer is in the stage of its consumers.

    Nodes without a consumer are in the earliest one.

    Parameters
    ----------
    works : mapping of int to Work
        In dependency order.
    """
    earliest: dict[int, int] = {}
    consumers: dict[int, list[tuple[int, int]]] = {node_id: [] for node_id in works}
    for node_id, work in works.items():
        stage = 0
        for producer in {value.node_id for value in work.reads if not value.is_default and value.node_id in works}:
            rise = 0 if producer in work.fused else 1
            consumers[producer].append((node_id, rise))
            stage = max(stage, earliest[producer] + rise)
        earliest[node_id] = stage
    latest: dict[int, int] = {}
    for node_id in reversed(list(works)):
        latest[node_id] = min(
            (latest[consumer] - rise for consumer, rise in consumers[node_id]), default=earliest[node_id]
        )
    return latest


def connected(works: Mapping[int, Work], stages: Mapping[int, int]) -> list[list[int]]:
    """Return the nodes that are connected by fused wires within a stage, each list in dependency order."""
    parent = {node_id: node_id for node_id in works}

    def root(node_id: int) -> int:
        while parent[node_id] != node_id:
            parent[node_id] = parent[parent[node_id]]
            node_id = parent[node_id]
        return node_id

    for node_id, work in works.items():
        for producer in work.fused:
            if producer in works and stages[producer] == stages[node_id]:
                parent[root(producer)] = root(node_id)
    components: dict[int, list[int]] = {}
    for node_id in works:
        components.setdefault(root(node_id), []).append(node_id)
    return list(components.values())
