"""The backend keeps the laws: opened by its entry point, by itself, and on whole graphs."""

from __future__ import annotations

from importlib.metadata import entry_points

from unshape_testing.backend_suite import BackendSuite
from unshape_testing.graph_suite import GraphSuite
from unshape_testing.kernel_suite import KernelSuite


def test_the_entry_point_names_the_function_that_opens_the_backend() -> None:
    (point,) = entry_points(group="unshape.backends", name="simd")
    assert callable(point.load())


class TestBackend(BackendSuite):
    backend_id = "simd"


class TestKernels(KernelSuite):
    backend_id = "simd"

    least_supported = 0.9


class TestGraphs(GraphSuite):
    backend_id = "simd"
