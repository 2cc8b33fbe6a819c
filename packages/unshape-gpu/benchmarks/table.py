"""The table of the GPU: our figures beside those of the device's copy, PyTorch and CuPy, row by row, in one run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import peers
from clocks import device_ns, keep_busy, node_run, wall_us
from graphs import pointwise_chain

from unshape_core.context import EvalContext, Precision
from unshape_core.graph import Graph
from unshape_gpu import GpuComputeBackend, KernelCall
from unshape_image import Blend, BlendMode, GaussianBlur, MapPixels
from unshape_noise import Perlin
from unshape_testing.laws.running import evaluator_of, registry_of
from unshape_testing.tasks import make_job

OCTAVES = 8

RAW = """
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> c: array<vec4<f32>>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let item = k_item(group, groups, lane, 256u);
    if (item < params[0].y) {
        c[item] = FORMULA;
    }
}
"""
"""What the device does with memory, whatever the expression."""


def ratio(ours: float | str, peer: float | str) -> str:
    """Return how many times as fast as a peer."""
    is_known = isinstance(peer, float) and isinstance(ours, float) and ours > 0
    return f"{peer / ours:.2f}x" if is_known else "-"  # type: ignore[operator]  # both are numbers then


def measured_ms(backend: GpuComputeBackend, run: Callable[[], object]) -> float | str:
    """Return the time of a call by the device's clock, or why there is none."""
    return peers.guarded(lambda: device_ns(backend, run) / 1e6)


def cell(value: float | str, text: str = "{:.3f}") -> str:
    """Return a figure, or why there is none."""
    return text.format(value) if isinstance(value, float) else str(value)


def print_memory(backend: GpuComputeBackend, *, side_px: int) -> None:
    """Print pointwise work that memory bounds, beside copies."""
    mib = side_px * side_px * 4 >> 20
    rng = np.random.default_rng(1)
    a, b = rng.random((2, side_px, side_px, 1), np.float32)
    there = [backend.upload(a), backend.upload(b)]
    ctx = EvalContext(resolution=(side_px, side_px))

    def raw(formula: str) -> Callable[[], object]:
        call = KernelCall(backend, label="raw", precision="fast")
        text = RAW.replace("FORMULA", formula)

        def run() -> object:
            result = backend.empty(a.shape)
            call.run(text, reads=there, writes=[result], items=a.size // 4)
            return result

        return run

    multiply = Blend(mode=BlendMode.MULTIPLY, opacity=1.0)
    rows: list[tuple[str, Callable[[], object], int]] = [
        ("copy, WGSL by hand", raw("a[item]"), 2),
        ("a*b + c, WGSL by hand", raw("a[item] * b[item] + 0.25f"), 3),
        ("a*c + d, MapPixels, exact", node_run(backend, MapPixels("color * 1.5 + 0.25"), (a,), ctx), 2),
        ("a*c + d, MapPixels, fast", node_run(backend, MapPixels("color * 1.5 + 0.25"), (a,), fast(ctx)), 2),
        ("Blend multiply, exact", node_run(backend, multiply, (a, b), ctx), 3),
        ("Blend multiply, fast", node_run(backend, multiply, (a, b), fast(ctx)), 3),
    ]
    keep_busy(backend, rows[0][1])
    copy = peers.guarded(lambda: peers.torch_ms(peers.copy_in_torch(side_px)))
    print(f"## Memory-bound, arrays of {mib} MiB: must 0.9 of the device's copy\n")
    print("| what | arrays | ms | GB/s | of PyTorch's copy |")
    print("|---|---|---|---|---|")
    reached = 2 * a.nbytes / copy / 1e6 if isinstance(copy, float) else 0.0
    print(f"| PyTorch copy_ | 2 | {cell(copy)} | {reached:.0f} | 1 |")
    for name, make in (
        ("PyTorch a*b + c, torch.compile", lambda: peers.torch_ms(peers.product_and_sum_in_torch(side_px))),
        ("CuPy a*b + c", lambda: peers.cupy_ms(peers.product_and_sum_in_cupy(side_px))),
    ):
        peer = peers.guarded(make)
        speed = 3 * a.nbytes / peer / 1e6 if isinstance(peer, float) else 0.0
        print(f"| {name} | 3 | {cell(peer)} | {speed:.0f} | {speed / reached if reached else 0:.2f} |")
    for name, run, arrays in rows:
        ms = measured_ms(backend, run)
        speed = arrays * a.nbytes / ms / 1e6 if isinstance(ms, float) else 0.0
        print(f"| {name} | {arrays} | {cell(ms)} | {speed:.0f} | {speed / reached if reached else 0:.2f} |")
    print()


def fast(ctx: EvalContext) -> EvalContext:
    """Return a context with fast precision."""
    precision: Precision = "fast"
    return EvalContext(resolution=ctx.resolution, precision=precision)


def print_noise(backend: GpuComputeBackend, *, side_px: int) -> None:
    """Print fractal noise beside a raw kernel of the same function."""
    ctx = EvalContext(resolution=(side_px, side_px))
    node = Perlin(scale=16.0, octaves=OCTAVES)
    graph = Graph()
    last = graph.add_node(node)
    doubled = graph.add_node(MapPixels("color * 0.5 + 0.5"))
    graph.connect(last, 0, doubled, 0)
    peer = peers.guarded(lambda: peers.cupy_ms(peers.noise_in_cupy(side_px, OCTAVES)))
    points = float(side_px * side_px)
    print(f"## Perlin noise, {OCTAVES} octaves, {side_px}^2: must 0.95 of CuPy\n")
    print("| what | ms | Gpt/s | of CuPy |")
    print("|---|---|---|---|")
    print(f"| CuPy, raw kernel | {cell(peer)} | {points / peer / 1e6 if isinstance(peer, float) else 0:.1f} | 1 |")
    for name, run in (
        ("node, exact", node_run(backend, node, (), ctx)),
        ("node, fast", node_run(backend, node, (), fast(ctx))),
        ("expression fused with its consumer, exact", graph_run(backend, graph, doubled, ctx)),
        ("expression fused with its consumer, fast", graph_run(backend, graph, doubled, fast(ctx))),
    ):
        ms = measured_ms(backend, run)
        speed = points / ms / 1e6 if isinstance(ms, float) else 0.0
        print(f"| {name} | {cell(ms)} | {speed:.1f} | {ratio(ms, peer)} |")
    print()


def graph_run(backend: GpuComputeBackend, graph: Graph, last: int, ctx: EvalContext) -> Callable[[], object]:
    """Return a call that evaluates a graph anew, result left on the device."""
    evaluator = evaluator_of(registry_of(backend), f"named:{backend.id}")

    def run() -> object:
        evaluator.cache.clear()
        return evaluator.evaluate(graph, [last], ctx)

    return run


def print_chain(backend: GpuComputeBackend, *, side_px: int) -> None:
    """Print a fused chain of 8 pointwise nodes beside the same in PyTorch."""
    ctx = EvalContext(resolution=(side_px, side_px))
    picture = np.random.default_rng(3).random((side_px, side_px, 1), np.float32)
    graph, last = pointwise_chain(1.1, backend.upload(picture))
    peer = peers.guarded(lambda: peers.torch_ms(peers.chain_in_torch(side_px)))
    print(f"## Chain of 8 pointwise nodes, fused, {side_px}^2: must 1.0x of torch.compile\n")
    print("| what | kernels | ms | of torch.compile |")
    print("|---|---|---|---|")
    print(f"| torch.compile | | {cell(peer)} | 1 |")
    for name, each in (("exact", ctx), ("fast", fast(ctx))):
        run = graph_run(backend, graph, last, each)
        run()
        before = backend.queue.statistics.dispatches
        run()
        backend.flush()
        kernels = backend.queue.statistics.dispatches - before
        ms = measured_ms(backend, run)
        print(f"| {name} | {kernels} | {cell(ms)} | {ratio(ms, peer)} |")
    print()


EMPTY = "@compute @workgroup_size(1)\nfn main() { }\n"


def print_launches(backend: GpuComputeBackend) -> None:
    """Print what launches and warm evaluations cost."""
    job = make_job(MapPixels("color + 1.0"), (np.zeros((256, 256, 1), np.float32),), EvalContext(resolution=(256, 256)))
    run = backend.compile(job.task)
    value = backend.upload(job.inputs[0])
    nothing = KernelCall(backend, label="nothing", precision="exact")

    def empty() -> None:
        nothing.run(EMPTY, reads=[], writes=[], items=1, group_size=1)
        backend.synchronize()

    def chain(length: int) -> None:
        here: Any = value
        for _ in range(length):
            (here,) = run(job.task.nodes, [here], job.ctx)
        backend.synchronize()

    launch, one = wall_us(empty), wall_us(lambda: chain(1))
    hundred = wall_us(lambda: chain(100), rounds=50)
    tiny = np.zeros((4, 4, 1), np.float32)
    there = backend.upload(tiny)

    def record() -> None:
        run(job.task.nodes, [value], job.ctx)

    print("## Launches, wall time\n")
    print("| what | us | must |")
    print("|---|---|---|")
    print(f"| launch and wait of one empty dispatch | {launch:.1f} | |")
    print(f"| one kernel and wait | {one:.1f} | |")
    print(f"| each further kernel of a chain of 100 | {(hundred - one) / 99:.2f} | 10 |")
    print(f"| record one kernel, no submission | {wall_us(record):.1f} | |")
    backend.synchronize()
    print(f"| upload 64 bytes | {wall_us(lambda: backend.upload(tiny)):.1f} | |")
    print(f"| download 64 bytes | {wall_us(lambda: backend.download(there)):.1f} | |")
    for name, us in warm_us(backend):
        print(f"| {name} | {us:.1f} | {1.5 * launch:.1f} |")
    print()


def warm_us(backend: GpuComputeBackend) -> list[tuple[str, float]]:
    """Return the wall times of warm evaluations of three nodes at 256^2, results left on the device."""
    picture = backend.upload(np.random.default_rng(5).random((256, 256, 1), np.float32))
    found = []
    ctx = EvalContext(resolution=(256, 256))
    for name, middle in (("pointwise", MapPixels("sqrt(abs(color))")), ("with a blur", GaussianBlur(sigma_px=2.0))):
        graph, first, last = three_nodes(picture, middle)
        evaluator = evaluator_of(registry_of(backend), f"named:{backend.id}")
        step = 0

        def again() -> None:
            evaluator.cache.clear()  # noqa: B023 - called before the next round
            evaluator.evaluate(graph, [last], ctx)  # noqa: B023
            backend.synchronize()

        def slide() -> None:
            nonlocal step
            step += 1
            graph.replace_node(first, MapPixels(f"color * 1.5 + {step / 4096}"))  # noqa: B023
            evaluator.evaluate(graph, [last], ctx)  # noqa: B023
            backend.synchronize()

        found += [(f"three nodes, {name}, 256^2, warm", wall_us(again)), ("the same, slider moved", wall_us(slide))]
    return found


def three_nodes(picture: Any, middle: Any) -> tuple[Graph, int, int]:
    """Return a graph of three nodes on a picture that is there, its first and its last node."""
    from unshape_core.nodes import Constant
    from unshape_core.value_type import TEXTURE

    graph = Graph()
    source = graph.add_node(Constant(picture, TEXTURE))
    first = graph.add_node(MapPixels("color * 1.5 + 0.25"))
    between = graph.add_node(middle)
    last = graph.add_node(Blend(mode=BlendMode.MULTIPLY, opacity=0.5))
    graph.connect(source, 0, first, 0)
    graph.connect(first, 0, between, 0)
    graph.connect(between, 0, last, 0)
    graph.connect(source, 0, last, 1)
    return graph, first, last


def print_transfers(backend: GpuComputeBackend, *, nbytes: int) -> None:
    """Print how fast large arrays travel."""
    array = np.random.default_rng(2).random(nbytes // 4, np.float32)
    value = backend.upload(array)

    def up() -> None:
        backend.upload(array)
        backend.synchronize()

    copy = wall_us(array.copy, rounds=7)
    up_us, down_us = wall_us(up, rounds=9), wall_us(lambda: backend.download(value), rounds=9)
    is_same = backend.download(value).tobytes() == array.tobytes()
    print(f"## Transfers of {nbytes >> 20} MiB, wall time; the bytes that came back are the same: {is_same}\n")
    print("| way | GB/s | must |")
    print("|---|---|---|")
    print(f"| numpy copy | {nbytes / copy / 1e3:.1f} | |")
    print(f"| up | {nbytes / up_us / 1e3:.1f} | 15 |")
    print(f"| down | {nbytes / down_us / 1e3:.1f} | 12 |\n")
