"""Whole evaluations: what they take and compile, first, warm, and with a slider changed."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from report import print_table, wall_us

from unshape_core.context import EvalContext
from unshape_core.graph import Graph
from unshape_core.nodes import GraphInput
from unshape_core.program import StepKind
from unshape_core.value_type import TEXTURE
from unshape_image import Blend, BlendMode, GaussianBlur, Invert, Levels, MapPixels, RemapUv
from unshape_noise import Perlin
from unshape_testing.laws.running import evaluator_of, registry_of

if TYPE_CHECKING:
    from unshape_core.evaluator import LazyEvaluator
    from unshape_core.protocols import Node
    from unshape_opencl import OpenClBackend

SMALL_PX = 256
CHAIN_ROUNDS = 15


def print_graphs(backend: OpenClBackend, *, side_px: int) -> None:
    """Print what whole evaluations take and compile: first, again, and with a slider moved."""
    rows: list[tuple[str, Callable[[], Sequence[str]]]] = []
    for name, build in (("8 pointwise", pointwise_chain), ("noise, blur, remap, blend", mixed_chain)):
        graph, first, last = build()
        evaluator = evaluator_of(registry_of(backend), f"named:{backend.id}")
        timed = partial(_evaluated, backend, evaluator, graph, last, side_px=side_px)
        rows.append((f"{name}: first", timed))
        rows.append((f"{name}: planned anew", partial(timed, before=evaluator.clear_cache)))
        rows.append((f"{name}: plan kept", partial(timed, before=evaluator.cache.clear)))
        rows.append((f"{name}: slider moved", partial(timed, before=partial(_move_slider, graph, first, 9.0))))
        rows.append((f"{name}: slider moved again", partial(timed, before=partial(_move_slider, graph, first, 10.0))))
    title = f"Graphs at {side_px}^2, named on the device, result left there"
    print_table(title, ("evaluation", "compilations", "wall ms"), rows)
    warm = [
        ("3 pointwise nodes, one kernel", partial(_warm, backend, (Levels(), Invert(), Levels(gamma=2.0)))),
        (
            "levels, blur, remap: 4 kernels",
            partial(_warm, backend, (Levels(), GaussianBlur(sigma_px=2.0), RemapUv("vec2(u + 0.05*sin(v*25.1), v)"))),
        ),
    ]
    columns = (
        f"3 nodes on a resident picture, {SMALL_PX}^2",
        "values dropped, us",
        "of which the host until all is handed over",
        "slider moved each time, us",
    )
    print_table("Warm evaluations, result left on the device", columns, warm)


def _move_slider(graph: Graph, node: int, scale: float) -> None:
    graph.replace_node(node, Perlin(scale=scale, octaves=6))


def _evaluated(
    backend: OpenClBackend,
    evaluator: LazyEvaluator,
    graph: Graph,
    last: int,
    *,
    side_px: int,
    before: Callable[[], object] = lambda: None,
) -> Sequence[str]:
    """Return how many programs an evaluation compiled, and what it took."""
    before()
    compilations = backend.compilations
    start = time.perf_counter_ns()
    evaluator.evaluate(graph, [last], EvalContext(resolution=(side_px, side_px)))
    backend.synchronize()
    took = time.perf_counter_ns() - start
    return (str(backend.compilations - compilations), f"{took / 1e6:.2f}")


def _warm(backend: OpenClBackend, nodes: Sequence[Node]) -> Sequence[str]:
    graph = Graph()
    last = graph.add_node(GraphInput(name="picture", value_type=TEXTURE))
    ids = []
    for each in nodes:
        node = graph.add_node(each)
        graph.connect(last, 0, node, 0)
        ids.append(node)
        last = node
    evaluator = evaluator_of(registry_of(backend), f"named:{backend.id}")
    noise = evaluator.evaluate(*_noise(), EvalContext(resolution=(SMALL_PX, SMALL_PX))).outputs[0][0]
    ctx = EvalContext(resolution=(SMALL_PX, SMALL_PX), inputs={"picture": noise})
    sliders = (Levels(gamma=1.0 + k / 4096) for k in count(1))  # no two alike, or values would be found again

    def evaluate() -> None:
        evaluator.cache.clear()
        evaluator.evaluate(graph, [last], ctx)

    def evaluate_and_wait() -> None:
        evaluate()
        backend.synchronize()

    def move_and_evaluate() -> None:
        graph.replace_node(ids[0], next(sliders))
        evaluator.evaluate(graph, [last], ctx)
        backend.synchronize()

    both = wall_us(evaluate_and_wait)
    host = wall_us(evaluate)
    backend.synchronize()
    return (f"{both:.1f}", f"{host:.1f}", f"{wall_us(move_and_evaluate):.1f}")


def _noise() -> tuple[Graph, list[int]]:
    graph = Graph()
    return graph, [graph.add_node(Perlin(scale=8.0))]


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


def pointwise_chain() -> tuple[Graph, int, int]:
    """Return noise and 8 pointwise nodes behind it; the first node and the last."""
    graph = Graph()
    first = last = graph.add_node(Perlin(scale=8.0, octaves=6))
    for k in range(8):
        node = graph.add_node(MapPixels(f"color * {1.1 + k / 16} + {k / 32}"))
        graph.connect(last, 0, node, 0)
        last = node
    return graph, first, last


def mixed_chain() -> tuple[Graph, int, int]:
    """Return noise, blur, remap and blend; the first node and the last."""
    graph = Graph()
    noise = graph.add_node(Perlin(scale=8.0, octaves=6))
    blur = graph.add_node(GaussianBlur(sigma_px=2.0))
    remap = graph.add_node(RemapUv("vec2(u + 0.05*sin(v*25.1), v)"))
    blend = graph.add_node(Blend(mode=BlendMode.MULTIPLY, opacity=0.5))
    graph.connect(noise, 0, blur, 0)
    graph.connect(blur, 0, remap, 0)
    graph.connect(remap, 0, blend, 0)
    graph.connect(noise, 0, blend, 1)
    return graph, noise, blend
