"""Whole evaluations: what they take and compile, first, warm, and with a slider changed."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from report import print_table, wall_us

from unshape_core.context import EvalContext
from unshape_core.graph import Graph
from unshape_core.nodes import GraphInput
from unshape_core.program import StepKind
from unshape_core.value_type import TEXTURE
from unshape_image import Blend, BlendMode, GaussianBlur, MapPixels, RemapUv
from unshape_noise import Perlin
from unshape_testing.laws.running import evaluator_of, registry_of

if TYPE_CHECKING:
    from unshape_core.evaluator import LazyEvaluator
    from unshape_opencl import OpenClBackend

SMALL_PX = 256
CHAIN_ROUNDS = 15


def print_graphs(backend: OpenClBackend, *, side_px: int) -> None:
    """Print what whole evaluations take and compile: first, again, and with a slider changed."""
    registry = registry_of(backend)
    rows: list[tuple[str, Callable[[], Sequence[str]]]] = []
    for name, build in (("8 pointwise", pointwise_chain), ("noise, blur, remap, blend", mixed_chain)):
        evaluator = evaluator_of(registry, f"named:{backend.id}")

        timed = partial(_evaluated, backend, evaluator, build, side_px)
        rows.append((f"{name}: first", partial(timed, 1.1, clears=True)))
        rows.append((f"{name}: again, planned anew", partial(timed, 1.1, clears=True)))
        rows.append((f"{name}: slider changed", partial(timed, 1.2, clears=False)))
    title = f"Graphs at {side_px}^2, named on the device, result left there"
    print_table(title, ("evaluation", "compilations", "wall ms"), rows)
    warm = [
        ("3 nodes on a resident picture, one kernel", partial(_warm, backend, resident_pointwise)),
        ("3 nodes on a resident picture: levels, blur, remap", partial(_warm, backend, resident_mixed)),
    ]
    columns = (f"{SMALL_PX}^2, plan kept, values dropped", "us", "of which the host until all is handed over, us")
    print_table("Warm evaluations, result left on the device", columns, warm)


def _evaluated(
    backend: OpenClBackend,
    evaluator: LazyEvaluator,
    build: Callable[[float], tuple[Graph, int]],
    side_px: int,
    slider: float,
    *,
    clears: bool,
) -> Sequence[str]:
    """Return how many programs an evaluation compiled, and what it took."""
    graph, last = build(slider)
    if clears:
        evaluator.clear_cache()
    before = backend.compilations
    start = time.perf_counter_ns()
    evaluator.evaluate(graph, [last], EvalContext(resolution=(side_px, side_px)))
    backend.synchronize()
    took = time.perf_counter_ns() - start
    return (str(backend.compilations - before), f"{took / 1e6:.2f}")


def _warm(backend: OpenClBackend, build: Callable[[], tuple[Graph, int]]) -> Sequence[str]:
    graph, last = build()
    evaluator = evaluator_of(registry_of(backend), f"named:{backend.id}")
    noise = evaluator.evaluate(*_noise(), EvalContext(resolution=(SMALL_PX, SMALL_PX))).outputs[0][0]
    ctx = EvalContext(resolution=(SMALL_PX, SMALL_PX), inputs={"picture": noise})

    def evaluate() -> None:
        evaluator.cache.clear()
        evaluator.evaluate(graph, [last], ctx)

    def evaluate_and_wait() -> None:
        evaluate()
        backend.synchronize()

    both = wall_us(evaluate_and_wait)
    host = wall_us(evaluate)
    backend.synchronize()
    return (f"{both:.1f}", f"{host:.1f}")


def _noise() -> tuple[Graph, list[int]]:
    graph = Graph()
    return graph, [graph.add_node(Perlin(scale=8.0))]


def resident_pointwise() -> tuple[Graph, int]:
    """Return three pointwise nodes behind a picture that is given."""
    graph = Graph()
    last = graph.add_node(GraphInput(name="picture", value_type=TEXTURE))
    for k in range(3):
        node = graph.add_node(MapPixels(f"color * {1.1 + k / 16} + {k / 32}"))
        graph.connect(last, 0, node, 0)
        last = node
    return graph, last


def resident_mixed() -> tuple[Graph, int]:
    """Return three nodes that do not become one kernel behind a picture that is given."""
    graph = Graph()
    last = graph.add_node(GraphInput(name="picture", value_type=TEXTURE))
    for each in (MapPixels("color * 1.1"), GaussianBlur(sigma_px=2.0), RemapUv("vec2(u + 0.05*sin(v*25.1), v)")):
        node = graph.add_node(each)
        graph.connect(last, 0, node, 0)
        last = node
    return graph, last


def chain_rows(backend: OpenClBackend, *, side_px: int) -> list[tuple[str, Callable[[], Sequence[str]]]]:
    """Return the row of eight pointwise nodes on a resident picture, as PyTorch's compiler is given them."""

    def measured() -> Sequence[str]:
        graph, last = Graph(), 0
        last = graph.add_node(GraphInput(name="picture", value_type=TEXTURE))
        for k in range(8):
            node = graph.add_node(MapPixels(f"color * {1.1 + k / 16} + {k / 32}"))
            graph.connect(last, 0, node, 0)
            last = node
        evaluator = evaluator_of(registry_of(backend), f"named:{backend.id}")
        size = EvalContext(resolution=(side_px, side_px))
        picture = evaluator.evaluate(*_noise(), size).outputs[0][0]
        ctx = EvalContext(resolution=(side_px, side_px), inputs={"picture": picture})
        times = []
        for _ in range(CHAIN_ROUNDS):
            evaluator.cache.clear()
            records = evaluator.evaluate(graph, [last], ctx, keeps_records=True).records
            kernels = [each.device_ns for each in records if each.kind is StepKind.NODE and each.device_ns is not None]
            assert len(kernels) == 1, f"expected one kernel, got {len(kernels)}"
            times.append(kernels[0])
        took = statistics.median(times)
        return (f"{took / 1e6:.3f}", f"{8 * side_px * side_px / took:.0f}")

    return [(f"{side_px}^2", measured)]


def pointwise_chain(slider: float) -> tuple[Graph, int]:
    """Return noise and 8 pointwise nodes behind it."""
    graph = Graph()
    last = graph.add_node(Perlin(scale=8.0, octaves=2))
    for k in range(8):
        node = graph.add_node(MapPixels(f"color * {slider + k / 16} + {k / 32}"))
        graph.connect(last, 0, node, 0)
        last = node
    return graph, last


def mixed_chain(slider: float) -> tuple[Graph, int]:
    """Return noise, blur, remap and blend."""
    graph = Graph()
    noise = graph.add_node(Perlin(scale=8.0 * slider, octaves=6))
    blur = graph.add_node(GaussianBlur(sigma_px=2.0))
    remap = graph.add_node(RemapUv("vec2(u + 0.05*sin(v*25.1), v)"))
    blend = graph.add_node(Blend(mode=BlendMode.MULTIPLY, opacity=0.5))
    graph.connect(noise, 0, blur, 0)
    graph.connect(blur, 0, remap, 0)
    graph.connect(remap, 0, blend, 0)
    graph.connect(noise, 0, blend, 1)
    return graph, blend
