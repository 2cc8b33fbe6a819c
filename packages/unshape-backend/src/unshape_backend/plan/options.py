"""What a caller may want of a plan besides the policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from unshape_backend.identity import BackendId
from unshape_core.memory_space import MemorySpace
from unshape_core.workload import WorkloadHint


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """Wishes for a plan.

    Parameters
    ----------
    pins : mapping of int to BackendId
        Nodes that run on a certain backend and nowhere else; never overridden, and an error where it cannot.
    hints : mapping of int to WorkloadHint
        What the caller knows better of the work of some nodes.
    result_space : MemorySpace or None
        Where results have to be. None leaves them where they were computed, and prices them as if they were wanted on
        the host, where most are looked at in the end.
    is_fusion_enabled : bool
        False computes every node by itself; the bits are the same.
    """

    pins: Mapping[int, BackendId] = field(default_factory=lambda: MappingProxyType({}))
    hints: Mapping[int, WorkloadHint] = field(default_factory=lambda: MappingProxyType({}))
    result_space: MemorySpace | None = None
    is_fusion_enabled: bool = True
