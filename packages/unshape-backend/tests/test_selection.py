from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unshape_backend.capabilities import DeviceLimits, Feature
from unshape_backend.config import Settings
from unshape_backend.cpu import CpuBackend
from unshape_backend.errors import SelectionError
from unshape_backend.identity import CPU, CPU_SIMD, GPU, REFERENCE, BackendId, BackendKind
from unshape_backend.registry import BackendRegistry
from unshape_backend.selection import SelectionRequest, consider_request, fallback_chain, select, select_best
from unshape_backend.task import RejectionCode
from unshape_backend.topology import Topology
from unshape_testing.fake import FakeBackend

_EXACT = frozenset({Feature.EXACT_F32})


def _topology(*backends: FakeBackend, unusable: str | None = None) -> Topology:
    registry = BackendRegistry.with_cpu(settings=Settings())
    for backend in backends:
        registry.register(backend)
    if unusable is not None:
        registry.set_available(BackendId(unusable), False, "unplugged")
    return registry.snapshot()


def test_a_gpu_comes_before_simd_and_the_reference_last() -> None:
    topology = _topology(FakeBackend("simd", kind=CPU_SIMD), FakeBackend("gpu"))
    assert fallback_chain(topology, SelectionRequest.any()) == ("gpu", "simd", "cpu")


def test_software_vulkan_is_ranked_below_simd_and_cpu() -> None:
    topology = _topology(FakeBackend("gpu", is_software=True), FakeBackend("simd", kind=CPU_SIMD))
    assert select(topology, SelectionRequest.any()) == "simd"
    assert select(_topology(FakeBackend("gpu", is_software=True)), SelectionRequest.any()) == "cpu"


def test_software_vulkan_is_no_gpu() -> None:
    topology = _topology(FakeBackend("gpu", is_software=True))
    assert GPU not in topology.available_kinds
    with pytest.raises(SelectionError) as caught:
        select(topology, SelectionRequest.require_gpu())
    assert caught.value.rejected["gpu"].code is RejectionCode.SOFTWARE
    assert caught.value.rejected["cpu"].code is RejectionCode.KIND


def test_a_required_gpu_is_never_substituted_by_the_reference() -> None:
    with pytest.raises(SelectionError, match="'cpu': kind"):
        select(_topology(), SelectionRequest.require_gpu())
    topology = _topology(FakeBackend("gpu"), FakeBackend("simd", kind=CPU_SIMD))
    assert fallback_chain(topology, SelectionRequest.require_gpu()) == ("gpu",)


def test_a_pin_is_the_whole_chain_also_for_a_software_device() -> None:
    topology = _topology(FakeBackend("gpu", is_software=True))
    assert fallback_chain(topology, SelectionRequest.pinned(BackendId("gpu"))) == ("gpu",)


def test_an_unavailable_pin_is_an_error_with_the_reason_and_the_remedy() -> None:
    topology = _topology(FakeBackend("gpu"), unusable="gpu")
    with pytest.raises(SelectionError, match=r"unplugged.*set_available"):
        select(topology, SelectionRequest.pinned(BackendId("gpu")))


def test_features_and_memory_are_hard_constraints() -> None:
    topology = _topology(
        FakeBackend("gpu", features=_EXACT | {Feature.F16}, total_memory_bytes=1000),
        FakeBackend("opencl", features=_EXACT, limits=DeviceLimits(memory_budget_bytes=500), total_memory_bytes=2000),
    )
    assert select(topology, SelectionRequest(features=frozenset({Feature.F16}))) == "gpu"
    rejected = consider_request(topology, SelectionRequest(kind=GPU, min_memory_bytes=501)).rejected
    assert rejected["opencl"].code is RejectionCode.MEMORY
    assert consider_request(topology, SelectionRequest(features=frozenset({Feature.BF16}))).pick is None


def test_an_exact_request_refuses_a_device_that_is_not() -> None:
    topology = _topology(FakeBackend("gpu", features=frozenset()))
    assert consider_request(topology, SelectionRequest.any()).rejected["gpu"].code is RejectionCode.PRECISION
    assert select(topology, SelectionRequest(precision="fast")) == "gpu"


def test_without_fallback_the_chain_ends_with_the_pick() -> None:
    topology = _topology(FakeBackend("gpu"))
    assert fallback_chain(topology, SelectionRequest(allow_fallback=False)) == ("gpu",)


def test_the_first_request_that_can_be_met_is() -> None:
    requests = [SelectionRequest.require_gpu(), SelectionRequest(kind=CPU_SIMD), SelectionRequest.any()]
    assert select_best(_topology(), requests) == "cpu"
    assert select_best(_topology(FakeBackend("simd", kind=CPU_SIMD)), requests) == "simd"
    assert select_best(_topology(FakeBackend("gpu"))) == "gpu"


def test_an_empty_registry_has_nobody_to_offer() -> None:
    with pytest.raises(SelectionError, match="no backend"):
        BackendRegistry(settings=Settings()).select(SelectionRequest.any())


_features = st.frozensets(st.sampled_from(list(Feature)), max_size=3)
_kinds = st.sampled_from([CPU_SIMD, GPU, BackendKind.custom("npu")])


@st.composite
def _worlds(draw: st.DrawFn) -> tuple[Topology, SelectionRequest]:
    registry = BackendRegistry(settings=Settings())
    ids = draw(st.lists(st.sampled_from(["simd", "gpu", "gpu:1", "opencl"]), unique=True, max_size=4))
    for name in ids:
        backend = FakeBackend(
            name,
            kind=draw(_kinds),
            features=draw(_features),
            is_software=draw(st.booleans()),
            total_memory_bytes=draw(st.none() | st.integers(1, 1000)),
        )
        registry.register(backend, priority=draw(st.none() | st.integers(-200, 300)))
        if draw(st.integers(0, 3)) == 0:
            registry.set_available(backend.id, False)
    registry.register(CpuBackend())
    request = SelectionRequest(
        kind=draw(st.none() | _kinds | st.just(CPU)),
        features=draw(st.just(frozenset()) | _features),
        pin=draw(st.none() | st.sampled_from([BackendId(name) for name in ("cpu", "gpu", "absent")])),
        precision=draw(st.sampled_from(["exact", "fast"])),
        min_memory_bytes=draw(st.none() | st.integers(0, 1000)),
        allow_fallback=draw(st.booleans()),
    )
    return registry.snapshot(), request


@given(_worlds())
def test_selection_keeps_its_laws(world: tuple[Topology, SelectionRequest]) -> None:
    topology, request = world
    selection = consider_request(topology, request)
    check_selection_laws(topology, request, selection.chain, set(selection.rejected))
    if selection.chain:
        assert select(topology, request) == fallback_chain(topology, request)[0] == selection.pick
    else:
        with pytest.raises(SelectionError):
            select(topology, request)


def check_selection_laws(
    topology: Topology, request: SelectionRequest, chain: tuple[BackendId, ...], rejected: set[str]
) -> None:
    """Everyone is in the chain or rejected; the chain satisfies the request; the reference goes last."""
    assert len(set(chain)) == len(chain)
    assert set(chain) | rejected >= set(topology.ids)
    assert not set(chain) & rejected
    assert REFERENCE not in chain[1:-1]
    for backend_id in chain:
        entry = topology.entry(backend_id)
        facts = entry.capabilities
        assert entry.why_unusable() is None
        assert request.pin in {None, backend_id}
        assert request.kind in {None, facts.kind}
        assert request.features <= facts.features
        if request.precision == "exact":
            assert Feature.EXACT_F32 in facts.features
        if request.kind == GPU and request.pin is None:
            assert not facts.device.is_software
    assert request.allow_fallback or len(chain) <= 1


def test_sabotage_a_chain_that_substitutes_or_forgets_is_found() -> None:
    topology = _topology(FakeBackend("gpu"), FakeBackend("simd", kind=CPU_SIMD))
    gpu, simd = BackendId("gpu"), BackendId("simd")
    wrong = [
        (SelectionRequest.require_gpu(), (REFERENCE,), {"gpu", "simd"}),  # silent substitution
        (SelectionRequest.pinned(gpu), (gpu, REFERENCE), {"simd"}),  # a fallback behind a pin
        (SelectionRequest.any(), (gpu, simd), set()),  # the reference is forgotten
        (SelectionRequest.any(), (gpu, REFERENCE, simd), set()),  # it is not last
        (SelectionRequest.any(), (gpu, gpu, REFERENCE), {"simd"}),  # the fallback equals what failed
    ]
    for request, chain, rejected in wrong:
        with pytest.raises(AssertionError):
            check_selection_laws(topology, request, chain, rejected)
