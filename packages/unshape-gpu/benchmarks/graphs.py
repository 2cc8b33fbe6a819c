"""What whole evaluations do: submissions, kernels, transfers, compilations; first, again, and with a slider moved."""

from __future__ import annotations

import time
from typing import Any

from unshape_backend.plan.plan import Plan
from unshape_core.context import EvalContext
from unshape_core.graph import Graph
from unshape_core.nodes import Constant
from unshape_core.value_type import TEXTURE
from unshape_gpu import GpuComputeBackend, warm_up
from unshape_image import Blend, BlendMode, GaussianBlur, MapPixels, RemapUv
from unshape_noise import Perlin
from unshape_testing.laws.running import evaluator_of, registry_of


def pointwise_chain(slider: float, source: Any = None) -> tuple[Graph, int]:
    """Return 8 pointwise nodes behind a picture, or behind noise."""
    graph = Graph()
    last = graph.add_node(Perlin(scale=8.0, octaves=2) if source is None else Constant(source, TEXTURE))
    for k in range(8):
        node = graph.add_node(MapPixels(f"color * {slider + k / 16} + {k / 32}"))
        graph.connect(last, 0, node, 0)
        last = node
    return graph, last


def mixed_chain(slider: float, warp: str = "vec2(u + 0.05*sin(v*25.1), v)") -> tuple[Graph, int]:
    """Return noise, blur, remap and blend."""
    graph = Graph()
    noise = graph.add_node(Perlin(scale=8.0 * slider, octaves=6))
    blur = graph.add_node(GaussianBlur(sigma_px=2.0))
    remap = graph.add_node(RemapUv(warp))
    blend = graph.add_node(Blend(mode=BlendMode.MULTIPLY, opacity=0.5))
    graph.connect(noise, 0, blur, 0)
    graph.connect(blur, 0, remap, 0)
    graph.connect(remap, 0, blend, 0)
    graph.connect(noise, 0, blend, 1)
    return graph, blend


def print_graphs(backend: GpuComputeBackend, *, side_px: int) -> None:
    """Print what evaluations of two graphs do, and what their nodes cost the device by the records."""
    registry = registry_of(backend)
    ctx = EvalContext(resolution=(side_px, side_px))
    print(f"## Graphs at {side_px}^2, named on the GPU, result left there\n")
    print("| graph | evaluation | submissions | kernels | uploads | downloads | compilations | wall ms |")
    print("|---|---|---|---|---|---|---|---|")
    for name, build in (("8 pointwise", pointwise_chain), ("noise, blur, remap, blend", mixed_chain)):
        evaluator = evaluator_of(registry, f"named:{backend.id}")
        for which, slider in (("first", 1.1), ("second, values dropped", 1.1), ("slider moved", 1.2)):
            graph, last = build(slider)
            if which.startswith("second"):
                evaluator.cache.clear()
            before = counts(backend)
            start = time.perf_counter_ns()
            evaluator.evaluate(graph, [last], ctx)
            backend.synchronize()
            took = time.perf_counter_ns() - start
            done = [str(after - earlier) for earlier, after in zip(before, counts(backend), strict=True)]
            print(f"| {name} | {which} | {' | '.join(done)} | {took / 1e6:.2f} |")
    print()
    print_records(backend, ctx)
    graph, last = mixed_chain(1.3, warp="vec2(u, v + 0.03*cos(u*17.0))")
    evaluator = evaluator_of(registry, f"named:{backend.id}")
    plan = evaluator.prepare(graph, [last], ctx).explanation
    assert isinstance(plan, Plan)
    compiled = warm_up(backend, [step.wired.task for step in plan.tasks])
    known = backend.context.compilations
    evaluator.evaluate(graph, [last], ctx)
    later = backend.context.compilations - known
    print(f"another warp: warm_up() compiled {compiled} shaders of the plan, its first evaluation {later}\n")


def print_records(backend: GpuComputeBackend, ctx: EvalContext) -> None:
    """Print what the records of an evaluation say of its steps."""
    graph, last = mixed_chain(1.1)
    evaluator = evaluator_of(registry_of(backend), f"named:{backend.id}")
    evaluator.evaluate(graph, [last], ctx)
    evaluator.cache.clear()
    result = evaluator.evaluate(graph, [last], ctx, keeps_records=True)
    print("| step | backend | host us | device us |")
    print("|---|---|---|---|")
    for record in result.records:
        device = "-" if record.device_ns is None else f"{record.device_ns / 1e3:.1f}"
        print(f"| {record.type_name} | {record.backend} | {record.duration_ns / 1e3:.1f} | {device} |")
    print()


def counts(backend: GpuComputeBackend) -> tuple[int, ...]:
    """Return what a backend has done so far."""
    queue, transfers = backend.queue.statistics, backend.transfers
    return (
        queue.submissions,
        queue.dispatches,
        transfers.uploads,
        transfers.downloads,
        backend.context.compilations,
    )
