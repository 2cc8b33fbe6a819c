"""What the tests of reported faults share: the backends of this run that promise bits, each with evaluators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pytest

from unshape_backend.capabilities import Feature
from unshape_core import EvalContext, Graph, GraphInput, Node
from unshape_core.value_type import F32, TEXTURE
from unshape_image import MapPixels
from unshape_testing.laws.running import evaluator_of, registry_of
from unshape_testing.plugin import backends_of

Picture: TypeAlias = npt.NDArray[np.float32]
Formula: TypeAlias = Callable[..., dict[str, Picture]]


@pytest.fixture(scope="session")
def exact_backends(pytestconfig: pytest.Config) -> tuple[Any, ...]:
    """Return every backend that opens here and promises the definition's bits, the reference first."""
    entries = backends_of(pytestconfig).registry.snapshot().entries
    usable = [entry for entry in entries if entry.why_unusable() is None]
    return tuple(entry.backend for entry in usable if Feature.EXACT_F32 in entry.capabilities.features)


@pytest.fixture
def on_each(exact_backends: tuple[Any, ...]) -> Callable[..., dict[str, Picture]]:
    """Return what runs a node on every exact backend by name, and gives the pictures by backend."""

    def run(node: Node, given: Sequence[Any] = (), **context: Any) -> dict[str, Picture]:
        graph = Graph()
        end = graph.add_node(node)
        inputs = {}
        for port, value in zip(node.inputs, given, strict=True):
            source = graph.add_node(GraphInput(port.name, port.value_type))
            graph.connect(source, 0, end, port.name)
            inputs[port.name] = value
        ctx = EvalContext(**{"inputs": inputs, **context})
        found = {}
        for backend in exact_backends:
            registry = registry_of(*(() if backend.id == "cpu" else (backend,)))
            result = evaluator_of(registry, f"named:{backend.id}").evaluate(graph, [end], ctx)
            found[backend.id] = np.asarray(result.outputs[0][0])
        assert "cpu" in found
        return found

    return run


@pytest.fixture
def formula(on_each: Callable[..., dict[str, Picture]]) -> Formula:
    """Return what computes a formula for a row of numbers ``x``, and further numbers, on every exact backend."""

    def run(text: str, x: npt.ArrayLike, **numbers: float) -> dict[str, Picture]:
        row = np.asarray(x, np.float32).reshape(1, -1, 1)
        node = MapPixels(text, pictures=("x",), numbers=tuple(numbers))
        assert [TEXTURE, *(F32 for _ in numbers)] == [port.value_type for port in node.inputs]
        return {name: found[0, :, 0] for name, found in on_each(node, [row, *numbers.values()]).items()}

    return run
