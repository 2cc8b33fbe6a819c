"""Routes: which devices a class of operation prefers as long as nothing is measured.

A route only orders backends between which no figure decides; measured and estimated costs come before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import assert_never

from unshape_backend.capabilities import BackendCapabilities, Feature
from unshape_backend.errors import SelectionError
from unshape_backend.identity import GPU, BackendId
from unshape_backend.policy import AUTO, ExecutionPolicy, PreferKind
from unshape_backend.selection import SelectionRequest, consider_request, order_chain
from unshape_backend.topology import Topology
from unshape_core.workload import OpClass


@dataclass(frozen=True, slots=True, kw_only=True)
class OpRoute:
    """What a class of operation prefers.

    Parameters
    ----------
    features : frozenset of Feature
        A device that has one of them comes first.
    policy : ExecutionPolicy
        The policy that says the same for a whole graph of such work.
    reason : str
        Why.
    """

    features: frozenset[Feature] = frozenset()
    policy: ExecutionPolicy = AUTO
    reason: str


def op_route(op_class: OpClass) -> OpRoute:
    """Return what a class of operation prefers."""
    match op_class:
        case OpClass.MATMUL | OpClass.CONVOLUTION | OpClass.ATTENTION:
            return _MATRIX
        case OpClass.REDUCTION:
            return _REDUCTION
        case OpClass.ELEMENTWISE | OpClass.MEMORY | OpClass.GENERATE | OpClass.OTHER:
            return _ANYWHERE
        case _:
            assert_never(op_class)


_MATRIX = OpRoute(
    features=frozenset({Feature.MATRIX_UNITS}), policy=PreferKind(GPU), reason="matrix work goes to matrix units"
)
_REDUCTION = OpRoute(
    features=frozenset({Feature.SUBGROUPS}), policy=PreferKind(GPU), reason="reductions go where lanes exchange values"
)
_ANYWHERE = OpRoute(reason="no device is made for it")


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutedChain:
    """Who runs a class of operation while nothing is measured.

    Parameters
    ----------
    chain : tuple of BackendId
        Best first; the reference last unless it leads.
    reason : str
        Why the first one.
    preferred : mapping of BackendId to bool
        Whether each one is what the route prefers.
    """

    chain: tuple[BackendId, ...]
    reason: str
    preferred: Mapping[BackendId, bool]


def is_preferred(capabilities: BackendCapabilities, op_class: OpClass) -> bool:
    """Return whether a device is what a class of operation prefers; a software device never is."""
    return not capabilities.device.is_software and bool(op_route(op_class).features & capabilities.features)


def route(topology: Topology, op_class: OpClass) -> RoutedChain:
    """Return who runs a class of operation while nothing is measured.

    Raises
    ------
    SelectionError
        If no backend can be used; carries every rejection.
    """
    selection = consider_request(topology, SelectionRequest.any())
    if not selection.chain:
        raise SelectionError(f"route for {op_class}: no backend can be used", rejected=selection.rejected)
    preferred = {each: is_preferred(topology.capabilities(each), op_class) for each in selection.chain}
    chain = order_chain(sorted(selection.chain, key=lambda each: not preferred[each]), topology)
    reason = op_route(op_class).reason if preferred[chain[0]] else "highest priority"
    return RoutedChain(chain=chain, reason=reason, preferred=MappingProxyType(preferred))
