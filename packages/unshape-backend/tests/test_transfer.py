from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unshape_backend.capabilities import BackendCapabilities, DeviceInfo, FigureSource, Link, TransferPath
from unshape_backend.cost import CostBasis
from unshape_backend.identity import GPU, BackendId
from unshape_backend.transfer import LinkTable, shares_storage
from unshape_core.errors import InvalidArgumentError
from unshape_core.memory_space import HOST, MemorySpace

_SPACES = [HOST, MemorySpace("wgpu"), MemorySpace("wgpu", 1), MemorySpace("opencl")]
_space = st.sampled_from(_SPACES)
_size = st.integers(0, 2**40)
CostOf = Callable[[MemorySpace, MemorySpace, int], int]


def _facts(space: MemorySpace, *links: Link) -> BackendCapabilities:
    device = DeviceInfo(name="d", api="vulkan", vendor="v", driver="1", fingerprint="f")
    return BackendCapabilities(id=BackendId("gpu"), kind=GPU, space=space, device=device, links=links)


def _link(
    source: MemorySpace,
    target: MemorySpace,
    *,
    latency_ns: int,
    bytes_per_ns: float,
    path: TransferPath = TransferPath.DEVICE_COPY,
    figures: FigureSource = FigureSource.PRIOR,
) -> Link:
    return Link(
        source=source, target=target, path=path, latency_ns=latency_ns, bytes_per_ns=bytes_per_ns, figures=figures
    )


_links = st.lists(
    st.builds(
        Link,
        source=_space,
        target=_space,
        path=st.sampled_from(list(TransferPath)),
        latency_ns=st.integers(0, 10**6),
        bytes_per_ns=st.floats(0.01, 1000),
        figures=st.sampled_from(list(FigureSource)),
    ).filter(lambda link: link.source != link.target),
    max_size=8,
)


@given(_space, _space, _space)
def test_sharing_is_an_equivalence(first: MemorySpace, second: MemorySpace, third: MemorySpace) -> None:
    check_equivalence(shares_storage, first, second, third)


def test_sabotage_sharing_by_substrate_and_neighbour_is_no_equivalence() -> None:
    def near(first: MemorySpace, second: MemorySpace) -> bool:
        return abs(first.ordinal - second.ordinal) <= 1

    with pytest.raises(AssertionError):
        check_equivalence(near, MemorySpace("x", 0), MemorySpace("x", 1), MemorySpace("x", 2))


def check_equivalence(
    shares: Callable[[MemorySpace, MemorySpace], bool], first: MemorySpace, second: MemorySpace, third: MemorySpace
) -> None:
    assert shares(first, first)
    assert shares(first, second) == shares(second, first)
    if shares(first, second) and shares(second, third):
        assert shares(first, third)


@given(_links, _space, _space, _size, _size)
def test_transfers_keep_the_laws(
    links: list[Link], source: MemorySpace, target: MemorySpace, size: int, more: int
) -> None:
    table = LinkTable([_facts(source, *links)])

    def cost(start: MemorySpace, end: MemorySpace, nbytes: int) -> int:
        known = table.cost(start, end, nbytes)
        assert known is not None
        return known.total_ns

    check_transfer_laws(cost, source, target, size, more)


def check_transfer_laws(cost: CostOf, source: MemorySpace, target: MemorySpace, size: int, more: int) -> None:
    """Zero exactly within a space, never decreasing with size, never zero elsewhere."""
    assert (cost(source, target, size) == 0) == (source == target)
    assert cost(source, target, size + more) >= cost(source, target, size)


def check_all_transfer_laws(cost: CostOf) -> None:
    for source in _SPACES:
        for target in _SPACES:
            check_transfer_laws(cost, source, target, 10, 1000)


@pytest.mark.parametrize(
    "cost",
    [
        lambda source, target, size: 0,  # a link that nobody stated, priced at zero
        lambda source, target, size: 1,  # a price within a space
        lambda source, target, size: 0 if source == target else 1 + 10**9 // (size + 1),  # decreasing
    ],
)
def test_sabotage_a_table_that_breaks_a_transfer_law_is_found(cost: CostOf) -> None:
    with pytest.raises(AssertionError):
        check_all_transfer_laws(cost)


def test_a_link_that_nobody_stated_is_priced_by_a_prior() -> None:
    cost = LinkTable().cost(HOST, MemorySpace("wgpu"), 4_000_000)
    assert cost is not None
    assert cost.basis is CostBasis.PRIOR
    assert cost.transfer_ns == 100_000 + 1_000_000


def test_a_value_of_unknown_size_has_an_unknown_price_elsewhere_and_none_at_home() -> None:
    table = LinkTable()
    assert table.cost(HOST, MemorySpace("wgpu"), None) is None
    at_home = table.cost(HOST, HOST, None)
    assert at_home is not None
    assert at_home.total_ns == 0


def test_staging_is_priced_from_both_hops() -> None:
    first, second = MemorySpace("opencl"), MemorySpace("wgpu")
    table = LinkTable(
        [
            _facts(first, _link(first, HOST, latency_ns=10, bytes_per_ns=2)),
            _facts(second, _link(HOST, second, latency_ns=100, bytes_per_ns=4)),
        ]
    )
    route = table.route(first, second, 400)
    assert route.cost.total_ns == (10 + 200) + (100 + 100)
    assert route.path is TransferPath.HOST_STAGING
    assert [(link.source, link.target) for link in route.links] == [(first, HOST), (HOST, second)]


def test_the_best_path_depends_on_the_size() -> None:
    device = MemorySpace("wgpu")
    quick = _link(HOST, device, latency_ns=10, bytes_per_ns=1, path=TransferPath.SHARED_MEMORY)
    broad = _link(HOST, device, latency_ns=1000, bytes_per_ns=100, path=TransferPath.DEVICE_COPY)
    table = LinkTable([_facts(device, quick, broad)])
    assert table.route(HOST, device, 10).path is TransferPath.SHARED_MEMORY
    assert table.route(HOST, device, 10**6).path is TransferPath.DEVICE_COPY


def test_a_peer_link_is_taken_only_where_it_is_cheaper_than_staging() -> None:
    one, two = MemorySpace("wgpu"), MemorySpace("wgpu", 1)
    host_links = [
        _link(one, HOST, latency_ns=10, bytes_per_ns=10),
        _link(HOST, two, latency_ns=10, bytes_per_ns=10),
    ]
    fast = _link(one, two, latency_ns=5, bytes_per_ns=10, path=TransferPath.PEER)
    slow = _link(one, two, latency_ns=10**6, bytes_per_ns=1, path=TransferPath.PEER)
    assert LinkTable([_facts(one, *host_links, fast)]).route(one, two, 100).path is TransferPath.PEER
    assert LinkTable([_facts(one, *host_links, slow)]).route(one, two, 100).path is TransferPath.HOST_STAGING


def test_within_a_space_there_is_no_way_to_go() -> None:
    route = LinkTable().route(HOST, HOST, 10)
    assert (route.links, route.path, route.cost.total_ns) == ((), TransferPath.SAME_DEVICE, 0)


def test_measured_figures_replace_stated_ones_of_the_same_way() -> None:
    device = MemorySpace("wgpu")
    stated = _link(HOST, device, latency_ns=1, bytes_per_ns=1000)
    measured = _link(HOST, device, latency_ns=500, bytes_per_ns=1, figures=FigureSource.MEASURED)
    cost = LinkTable([_facts(device, stated)], measured=[measured]).cost(HOST, device, 100)
    assert cost is not None
    assert (cost.total_ns, cost.basis) == (600, CostBasis.MEASURED)


def test_links_of_a_second_device_are_not_dropped() -> None:
    one, two = MemorySpace("wgpu"), MemorySpace("wgpu", 1)
    table = LinkTable(
        [
            _facts(one, _link(HOST, one, latency_ns=1, bytes_per_ns=1)),
            _facts(two, _link(HOST, two, latency_ns=2, bytes_per_ns=1)),
        ]
    )
    costs = [table.cost(HOST, space, 0) for space in (one, two)]
    assert [cost.total_ns for cost in costs if cost is not None] == [1, 2]


@pytest.mark.parametrize(("latency", "rate"), [(-1, 1.0), (0, 0.0), (0, -1.0)])
def test_a_link_without_a_bandwidth_is_refused(latency: int, rate: float) -> None:
    with pytest.raises(InvalidArgumentError, match="leave out a link that is unknown"):
        _link(HOST, MemorySpace("wgpu"), latency_ns=latency, bytes_per_ns=rate)
