from __future__ import annotations

import pytest

from unshape_backend.capabilities import Feature
from unshape_backend.errors import SelectionError
from unshape_backend.identity import CPU_SIMD, GPU, BackendId
from unshape_backend.policy import Auto, PreferKind
from unshape_backend.registry import BackendRegistry
from unshape_backend.routing import op_route
from unshape_core.workload import OpClass
from unshape_testing.fake import FakeBackend

_EXACT = frozenset({Feature.EXACT_F32})


@pytest.mark.parametrize("op_class", list(OpClass))
def test_every_class_of_operation_has_a_route_with_a_reason(op_class: OpClass) -> None:
    assert op_route(op_class).reason


def test_matrix_work_goes_to_matrix_units(registry: BackendRegistry) -> None:
    registry.register(FakeBackend("gpu", features=_EXACT))
    registry.register(FakeBackend("gpu:1", features=_EXACT | {Feature.MATRIX_UNITS}))
    routed = registry.route(OpClass.MATMUL)
    assert routed.chain == ("gpu:1", "gpu", "cpu")
    assert routed.reason == "matrix work goes to matrix units"
    assert op_route(OpClass.MATMUL).policy == PreferKind(GPU)


def test_other_work_goes_by_priority(registry: BackendRegistry) -> None:
    registry.register(FakeBackend("gpu", features=_EXACT))
    registry.register(FakeBackend("gpu:1", features=_EXACT | {Feature.MATRIX_UNITS}))
    assert registry.route(OpClass.ELEMENTWISE).chain == ("gpu", "gpu:1", "cpu")
    assert op_route(OpClass.ELEMENTWISE).policy == Auto()


def test_a_software_device_is_never_what_a_route_prefers(registry: BackendRegistry) -> None:
    registry.register(FakeBackend("gpu", features=_EXACT | {Feature.MATRIX_UNITS}, is_software=True))
    registry.register(FakeBackend("simd", kind=CPU_SIMD))
    assert registry.route(OpClass.MATMUL).chain[0] == "simd"


def test_a_route_through_nobody_is_an_error(registry: BackendRegistry) -> None:
    registry.set_available(BackendId("cpu"), False)
    with pytest.raises(SelectionError, match=r"matmul.*'cpu': unavailable"):
        registry.route(OpClass.MATMUL)
