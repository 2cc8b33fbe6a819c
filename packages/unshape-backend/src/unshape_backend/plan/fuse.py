"""Fusion: which nodes are computed together, as one expression.

A consumer takes the expression of a producer in place of its input if both are pointwise on pictures of one size and
the same window, or both compute scalars from scalars. The rules, in this order:

* A constant that scalars are computed from, and a few simple operations on no picture (a gradient), are computed again
  in every consumer; reading them back would cost as much.
* Otherwise a value is computed once. If all its consumers are fused with it, it is never stored; if some are not, or
  the caller asks for it, it is stored as one more output of the same kernel.
* A cluster has no more operations, and no more arrays in and out, than the devices allow that may run it; where it
  would have, the next one begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass

from unshape_backend.plan.chunk import Chunk
from unshape_backend.plan.fusible import FusionRules, Work
from unshape_backend.plan.stages import connected, latest_stages
from unshape_backend.plan.wiring import ValueId
from unshape_core.topology import dependency_order


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Nodes that are computed together.

    Parameters
    ----------
    node_ids : tuple of int
        In dependency order; cheap nodes may be members of several clusters. The last one gives the cluster its name.
    outputs : tuple of ValueId
        The values that somebody else needs.
    own_ids : tuple of int
        Those of the nodes that are no copies.
    """

    node_ids: tuple[int, ...]
    outputs: tuple[ValueId, ...]
    own_ids: tuple[int, ...] = ()


def fuse(works: Mapping[int, Work], requested: Iterable[ValueId], rules: FusionRules) -> list[Cluster]:
    """Return the clusters of all nodes that compute something that is needed, each after what it needs.

    Parameters
    ----------
    works : mapping of int to Work
        What there is to compute, in dependency order; see :func:`~unshape_backend.plan.fusible.describe_work`.
    requested : iterable of ValueId
        Values that somebody wants besides these nodes; they are always stored.
    rules : FusionRules
        What the devices allow.
    """
    wanted = frozenset(requested)
    needed = _needed(works, wanted)
    readers: dict[ValueId, set[int]] = {}
    for work in needed.values():
        for value in work.reads:
            readers.setdefault(value, set()).add(work.node_id)
    chunks: list[Chunk] = []
    for component in connected(needed, latest_stages(needed)):
        chunk = Chunk(needed, readers, wanted, rules)
        for node_id in component:
            if not chunk.can_take(node_id):
                chunks.append(chunk)
                chunk = Chunk(needed, readers, wanted, rules)
            chunk.take(node_id)
        chunks.append(chunk)
    return [_cluster(chunk, needed) for chunk in _in_dependency_order(chunks, needed)]


def _needed(works: Mapping[int, Work], requested: Set[ValueId]) -> dict[int, Work]:
    """Return what is left once cheap nodes that all consumers compute themselves are gone."""
    wanted = {value.node_id for value in requested}
    kept: list[Work] = []
    for work in reversed(list(works.values())):
        if work.node_id in wanted:
            kept.append(work)
            wanted.update(value.node_id for value in work.reads if not value.is_default)
    return {work.node_id: work for work in reversed(kept)}


def _in_dependency_order(chunks: list[Chunk], works: Mapping[int, Work]) -> list[Chunk]:
    home = {node_id: index for index, chunk in enumerate(chunks) for node_id in chunk.node_ids}

    def predecessors(index: int) -> list[int]:
        found = {
            home[value.node_id]: None
            for node_id in chunks[index].node_ids
            for value in works[node_id].reads
            if not value.is_default and value.node_id in home
        }
        found.pop(index, None)
        return list(found)

    return [chunks[index] for index in dependency_order(range(len(chunks)), predecessors)]


def _cluster(chunk: Chunk, works: Mapping[int, Work]) -> Cluster:
    members: dict[int, None] = {}
    for node_id in chunk.node_ids:
        members.update(dict.fromkeys(works[node_id].copies))
        members[node_id] = None
    return Cluster(node_ids=tuple(members), outputs=chunk.outputs(), own_ids=tuple(chunk.node_ids))
