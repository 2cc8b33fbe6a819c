"""The example of a package with its own WGSL: it runs, gives its meaning bit for bit, and says so in an explanation."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unshape_core.context import EvalContext
from unshape_core.graph import Graph
from unshape_core.nodes import Constant
from unshape_core.value_type import TEXTURE
from unshape_gpu.backend import GpuComputeBackend
from unshape_testing.laws.numbers import check_equals_definition, check_windows
from unshape_testing.laws.running import evaluator_of, registry_of

SOURCE = Path(__file__).parents[3] / "examples" / "median-filter" / "src"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    if not SOURCE.is_dir():
        pytest.skip("the examples are not here")
    monkeypatch.syspath_prepend(SOURCE)
    yield importlib.import_module("median_filter")
    for name in [name for name in sys.modules if name.partition(".")[0] == "median_filter"]:
        del sys.modules[name]


@pytest.fixture
def kernel(example: Any) -> Any:
    (kernel,) = importlib.import_module("median_filter.gpu").KERNELS
    return kernel


def test_the_kernel_gives_what_the_node_means(gpu: GpuComputeBackend, kernel: Any) -> None:
    gpu.register_kernel(kernel)
    cases = list(importlib.import_module("median_filter.cases").cases())
    assert cases
    for case in cases:
        check_equals_definition(gpu, case)
        check_windows(gpu, case)


def test_the_node_runs_on_the_gpu_within_a_graph(gpu: GpuComputeBackend, kernel: Any, example: Any) -> None:
    registry = registry_of(gpu)
    registry.register_kernel(example.Median, backend="gpu", function=kernel.function)
    graph = Graph()
    picture = graph.add_node(Constant(np.random.default_rng(1).random((20, 30, 1), np.float32), TEXTURE))
    median = graph.add_node(example.Median())
    graph.connect(picture, 0, median, 0)
    evaluator = evaluator_of(registry, "named:gpu")
    result = evaluator.evaluate(graph, [median], EvalContext(resolution=(30, 20)), keeps_records=True)
    record = result.record_of(median)
    assert record is not None
    assert record.backend == "gpu"
