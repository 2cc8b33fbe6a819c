"""Links between memory spaces: which way a value takes and what that costs.

Two values can be used together exactly when their spaces are equal. Within a space a transfer costs nothing; between
two it always costs something, also where nothing was measured: a link that no backend states is priced by a prior.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil

from unshape_backend.capabilities import BackendCapabilities, FigureSource, Link, TransferPath
from unshape_backend.cost import Cost, CostBasis
from unshape_core.memory_space import HOST, MemorySpace

PRIOR_LATENCY_NS = 100_000
PRIOR_BYTES_PER_NS = 4.0
_ORDER = {path: position for position, path in enumerate(TransferPath)}


def shares_storage(first: MemorySpace, second: MemorySpace) -> bool:
    """Return whether whoever computes in one space uses values of the other without a copy."""
    return first == second


def link_cost(link: Link, nbytes: int) -> Cost:
    """Return the time of moving that many bytes over one link; at least 1 ns."""
    return Cost(
        transfer_ns=max(1, link.latency_ns + ceil(nbytes / link.bytes_per_ns)),
        basis=CostBasis.MEASURED if link.figures is FigureSource.MEASURED else CostBasis.PRIOR,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """The way of a value from one space to another.

    Parameters
    ----------
    source, target : MemorySpace
        From where to where.
    links : tuple of Link
        What it passes, in order; empty within a space.
    cost : Cost
        Sum over the links for the bytes that were asked for.
    """

    source: MemorySpace
    target: MemorySpace
    links: tuple[Link, ...]
    cost: Cost

    @property
    def path(self) -> TransferPath:
        """How the value travels; over several links it is staged in host memory."""
        match self.links:
            case ():
                return TransferPath.SAME_DEVICE
            case (link,):
                return link.path
            case _:
                return TransferPath.HOST_STAGING


class LinkTable:
    """Every link that is known, one direction each. Immutable.

    Parameters
    ----------
    capabilities : iterable of BackendCapabilities
        Backends, whose links and spaces are taken.
    measured : iterable of Link
        Links with measured figures, which replace stated ones of the same ends and path.
    """

    __slots__ = ("_links",)

    def __init__(self, capabilities: Iterable[BackendCapabilities] = (), *, measured: Iterable[Link] = ()) -> None:
        known: dict[tuple[MemorySpace, MemorySpace, TransferPath], Link] = {}
        for backend in capabilities:
            for link in backend.links:
                key = link.source, link.target, link.path
                before = known.get(key)
                if before is None or before.figures is FigureSource.PRIOR:
                    known[key] = link
        for link in measured:
            known[link.source, link.target, link.path] = link
        table: dict[tuple[MemorySpace, MemorySpace], list[Link]] = {}
        for link in known.values():
            table.setdefault((link.source, link.target), []).append(link)
        self._links = {ends: tuple(links) for ends, links in table.items()}

    def __iter__(self) -> Iterator[Link]:
        return (link for links in self._links.values() for link in links)

    def route(self, source: MemorySpace, target: MemorySpace, nbytes: int) -> Route:
        """Return the cheapest way for that many bytes: a direct link, or staging in host memory.

        Parameters
        ----------
        source, target : MemorySpace
            From where to where.
        nbytes : int
            Size of the value.
        """
        if source == target:
            return Route(source=source, target=target, links=(), cost=Cost(basis=CostBasis.MEASURED))
        routes: list[tuple[Link, ...]] = [(link,) for link in self._links.get((source, target), ())]
        if HOST not in {source, target}:
            routes.append((self._best(source, HOST, nbytes), self._best(HOST, target, nbytes)))
        elif not routes:
            routes.append((_prior(source, target),))
        priced = [(_total(links, nbytes), links) for links in routes]
        cost, links = min(priced, key=lambda entry: (entry[0].total_ns, len(entry[1]), _ORDER[entry[1][0].path]))
        return Route(source=source, target=target, links=links, cost=cost)

    def cost(self, source: MemorySpace, target: MemorySpace, nbytes: int | None) -> Cost | None:
        """Return what moving a value costs: zero within a space, None for a value of unknown size elsewhere."""
        if source == target:
            return _FREE
        return None if nbytes is None else self.route(source, target, nbytes).cost

    def _best(self, source: MemorySpace, target: MemorySpace, nbytes: int) -> Link:
        links = self._links.get((source, target)) or (_prior(source, target),)
        return min(links, key=lambda link: link_cost(link, nbytes).total_ns)


_FREE = Cost(basis=CostBasis.MEASURED)


def _prior(source: MemorySpace, target: MemorySpace) -> Link:
    return Link(
        source=source,
        target=target,
        path=TransferPath.HOST_STAGING,
        latency_ns=PRIOR_LATENCY_NS,
        bytes_per_ns=PRIOR_BYTES_PER_NS,
    )


def _total(links: tuple[Link, ...], nbytes: int) -> Cost:
    first, *rest = (link_cost(link, nbytes) for link in links)
    return sum(rest, start=first)
