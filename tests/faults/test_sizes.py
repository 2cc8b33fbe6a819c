"""Faults of sizes: long, huge, empty, and larger than a device is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from unshape_backend.capabilities import DeviceLimits
from unshape_core import EvalContext, Graph, GraphInput, Node
from unshape_core.errors import InvalidArgumentError, UnshapeError
from unshape_core.value_type import TEXTURE
from unshape_core.window import Window
from unshape_image import BoxBlur, GaussianBlur, Pad, Resize, UvGradient
from unshape_noise import Perlin
from unshape_testing.fake import FakeBackend
from unshape_testing.graphs import chain
from unshape_testing.laws.running import definition_of, evaluator_of, plan_of, registry_of, run_case, values_of
from unshape_testing.loopback import LoopbackBackend
from unshape_testing.nodes import BoxMean, Gain, Ramp
from unshape_testing.tolerance import assert_same_bits

OnEach = Callable[..., dict[str, npt.NDArray[np.float32]]]


def one(node: Node, photo: object = None) -> tuple[Graph, int, dict[str, Any]]:
    graph = Graph()
    end = graph.add_node(node)
    if not node.inputs:
        return graph, end, {}
    source = graph.add_node(GraphInput("photo", TEXTURE))
    graph.connect(source, 0, end, 0)
    return graph, end, {"photo": photo}


@pytest.mark.parametrize("size", [(1, 8193), (16385, 1), (1, 4_194_241)], ids=str)
def test_a_side_of_any_length_is_computed(on_each: OnEach, size: tuple[int, int]) -> None:
    width, height = size
    for name, found in on_each(UvGradient(), resolution=size).items():
        assert (height, width) == found.shape[:2], name
        # pixel centres: u = (x + 1/2)/width, v = (y + 1/2)/height
        assert np.allclose(found[-1, -1, :2], [(width - 0.5) / width, (height - 0.5) / height], rtol=1e-6), name
        assert np.allclose(found[0, 0, :2], [0.5 / width, 0.5 / height], rtol=1e-6), name


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0)])
def test_nothing_gives_nothing_and_launches_nothing(shape: tuple[int, int]) -> None:
    loopback = LoopbackBackend()
    graph, end, inputs = one(BoxBlur(2), np.zeros((*shape, 3), np.float32))
    ctx = EvalContext(resolution=(shape[1], shape[0]), inputs=inputs)
    result = evaluator_of(registry_of(loopback), "named:loopback").evaluate(graph, [end], ctx)
    assert (*shape, 3) == np.asarray(result.outputs[0][0]).shape
    assert loopback.launches == 0


def test_a_filter_that_a_small_device_cannot_hold_runs_elsewhere_or_is_refused() -> None:
    budget = DeviceLimits(memory_budget_bytes=64 * 1024)
    photo = np.random.default_rng(0).random((128, 128, 1), np.float32)
    graph, end, inputs = one(GaussianBlur(25.0), photo)  # reaches 100 pixels to each side
    ctx = EvalContext(resolution=(128, 128), inputs=inputs)
    expected = np.asarray(evaluator_of(registry_of()).evaluate(graph, [end], ctx).outputs[0][0])
    for policy in ("prefer:gpu", "auto"):
        small = FakeBackend("gpu", cost=1, limits=budget)
        found = evaluator_of(registry_of(small), policy).evaluate(graph, [end], ctx)
        assert_same_bits([expected], values_of(found))
        assert small.count("run") == 0
    with pytest.raises(UnshapeError, match="65536") as caught:
        evaluator_of(registry_of(FakeBackend("gpu", cost=1, limits=budget)), "named:gpu").evaluate(graph, [end], ctx)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("limit", "runs_there"), [(1024, False), (40 * 40 * 3 * 4 - 1, False), (40 * 40 * 3 * 4, True)]
)
def test_limits_of_a_device_are_respected_at_the_limit_and_one_below(limit: int, runs_there: bool) -> None:
    case = chain([Ramp(1.0), BoxMean(1), Gain(2.0)], ctx=EvalContext(resolution=(40, 40)))
    device = FakeBackend("gpu", cost=1, limits=DeviceLimits(max_buffer_bytes=limit))
    registry = registry_of(device)
    assert_same_bits(definition_of(case), values_of(run_case(evaluator_of(registry, "prefer:gpu"), case)))
    assert runs_there == ("gpu" in {step.backend for step in plan_of(registry, case, "prefer:gpu").tasks})


@pytest.mark.parametrize(
    "node",
    [Resize(2**24, 2**24), Pad(2**24, 2**24, 2**24, 2**24), Pad(left_px=2**24, top_px=2**23)],
    ids=["resize", "pad", "pad-corner"],
)
def test_a_picture_larger_than_all_memory_is_refused_before_memory_is_taken(node: Node) -> None:
    graph, end, inputs = one(node, np.ones((4, 4, 4), np.float32))
    with pytest.raises(UnshapeError, match="does not fit") as caught:
        evaluator_of(registry_of()).evaluate(graph, [end], EvalContext(inputs=inputs))
    assert "\n" not in str(caught.value)


def test_a_part_of_a_picture_larger_than_all_memory_is_computed(on_each: OnEach) -> None:
    # 2**24 pixels a side are 1 PiB; the noise of a window is that of the lattice, whatever surrounds it
    far = 2**24 - 4
    window = Window(far, far, 4, 4)
    for name, found in on_each(Perlin(scale=1024.0), resolution=(2**24, 2**24), window=window).items():
        assert (4, 4, 1) == found.shape, name
        assert np.isfinite(found).all(), name


def test_a_broadcast_array_larger_than_all_memory_is_refused() -> None:
    graph, end, inputs = one(BoxBlur(1), np.broadcast_to(np.float32(1.0), (2**22, 2**22, 1)))
    with pytest.raises(InvalidArgumentError, match=r"input 'photo': .* does not fit into memory"):
        evaluator_of(registry_of()).evaluate(graph, [end], EvalContext(inputs=inputs))


@pytest.mark.parametrize("resolution", [(2**24 + 1, 1), (1, 2**63), (-1, 1), (1.5, 1), "ab", 5, None, (1, 2, 3)])
def test_a_resolution_that_is_none_is_refused_in_one_sentence(resolution: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"resolution: expected .*16777216, got"):
        EvalContext(resolution=resolution)
