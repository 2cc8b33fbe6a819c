"""What exactness gives and costs: single operations on many numbers, every case, every example, exact against fast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from clocks import device_ns, node_run

from unshape_backend.case import Picture
from unshape_backend.difference import difference
from unshape_core.context import EvalContext, Precision
from unshape_core.graph_file import read_graph
from unshape_core.nodes import GraphInput, GraphOutput
from unshape_gpu import GpuComputeBackend
from unshape_image import MapPixels
from unshape_testing.kernel_suite import KernelSuite
from unshape_testing.laws.numbers import check_equals_definition, definition
from unshape_testing.laws.running import evaluator_of, registry_of
from unshape_testing.tasks import make_job, run_job

WIDTH_PX = 4096
EXAMPLES = Path(__file__).parents[3] / "examples"
SHOWN = 16


def print_operations(backend: GpuComputeBackend, *, elements: int) -> None:
    """Print how often single operations differ from the reference on random pairs of all magnitudes."""
    rng = np.random.default_rng(3)
    shape = (max(1, elements // WIDTH_PX), WIDTH_PX, 2)
    ordinary = rng.uniform(0.5, 2.0, shape).astype(np.float32)
    wide = rng.integers(0, 2**32, shape, np.uint32).view(np.float32)
    print(f"## Operations on {shape[0] * shape[1]} pairs: elements that differ from NumPy\n")
    print("| operation | exact, ordinary numbers | exact, all bit patterns | fast, ordinary numbers: differing, ulp |")
    print("|---|---|---|---|")
    for name, text in (
        ("x*y + x", "vec2(color.x*color.y + color.x, color.x*color.y - color.y)"),
        ("x / y", "vec2(color.x / color.y, color.y / color.x)"),
        ("sqrt(x)", "sqrt(abs(color))"),
        ("pow(x, y)", "vec2(pow(color.x, color.y), pow(color.y, color.x))"),
        ("sin(x)", "sin(color)"),
        ("exp(x)", "exp(color)"),
        ("log(x)", "log(color)"),
        ("x % y", "vec2(color.x % color.y, color.y % color.x)"),
    ):
        cells = []
        runs: tuple[tuple[Any, Precision], ...] = ((ordinary, "exact"), (wide, "exact"), (ordinary, "fast"))
        for picture, precision in runs:
            try:
                ctx = EvalContext(resolution=(shape[1], shape[0]), precision=precision)
                job = make_job(MapPixels(text), (picture,), ctx)
                found = difference(np.asarray(definition(job)[0]), np.asarray(run_job(backend, job)[0]))
                cells.append(f"{found.differing}" + (f", {found.max_ulp}" if precision == "fast" else ""))
            except Exception as error:
                cells.append(f"{type(error).__name__}: {str(error).splitlines()[0]}")
        print(f"| {name} | {' | '.join(cells)} |")
    print()


def print_cases(backend: GpuComputeBackend) -> None:
    """Print every case that breaks law 8 in exact mode, and the largest differences in fast mode."""
    supported, equal, wrong, fast = 0, 0, [], []
    for domain, case in KernelSuite.cases():
        loose = replace(case, ctx=replace(case.ctx, precision="fast"))
        job, loose_job = (make_job(each.node, each.values(), each.ctx) for each in (case, loose))
        if backend.supports(job.task) is not None:
            continue
        supported += 1
        name = f"{domain}/{case.name}"
        try:
            expected = definition(job)
            if all(_is_equal(a, b) for a, b in zip(expected, run_job(backend, job), strict=True)):
                equal += 1
            else:
                check_equals_definition(backend, case)  # subnormal numbers may be flushed
            for left, right in zip(expected, run_job(backend, loose_job), strict=True):
                seen = difference(np.asarray(left), np.asarray(right))
                if not seen.is_equal:
                    fast.append((seen.max_absolute, seen.max_ulp, seen.max_8bit, seen.differing_8bit, name))
        except Exception as error:
            wrong.append(f"{name}: {type(error).__name__}: {str(error).splitlines()[0]}")
    excused = supported - len(wrong) - equal
    print(f"## Cases: {supported} run; exact: {equal} equal in every bit, {excused} apart from subnormal numbers, ")
    print(f"{len(wrong)} wrong; fast: {len(fast)} differ\n")
    for line in wrong:
        print(f"- {line}")
    if fast:
        print("\n| fast mode, largest differences | max absolute | max ulp | 8-bit levels | differ in 8 bits |")
        print("|---|---|---|---|---|")
        for absolute, ulp, levels, count, name in sorted(fast, key=lambda row: (-row[2], -row[0]))[:SHOWN]:
            print(f"| {name} | {absolute:.3g} | {ulp} | {levels} | {count} |")
    print()


def _is_equal(left: Any, right: Any) -> bool:
    return difference(np.asarray(left), np.asarray(right)).is_equal


def print_cost(backend: GpuComputeBackend, *, side_px: int) -> None:
    """Print exact against fast for every case that is meant for timing, by the device's clock."""
    print(f"## What exactness costs, cases at {side_px}^2, by the device's clock\n")
    print("| case | exact ms | fast ms | exact / fast | Gpx/s exact |")
    print("|---|---|---|---|---|")
    size: dict[str, Any] = {"width_px": side_px, "height_px": side_px}
    for domain, case in KernelSuite.cases():
        if not case.bench or domain == "testing":
            continue
        try:
            inputs = [(replace(each, **size).make() if isinstance(each, Picture) else each) for each in case.inputs]
            times = []
            precisions: tuple[Precision, Precision] = ("exact", "fast")
            for precision in precisions:
                ctx = replace(case.ctx, resolution=(side_px, side_px), precision=precision)
                if backend.supports(make_job(case.node, inputs, ctx).task) is not None:
                    break
                times.append(device_ns(backend, node_run(backend, case.node, inputs, ctx), runs=8))
            if len(times) == 2:
                exact, fast = times
                speed = side_px * side_px / max(exact, 1)
                print(
                    f"| {domain}/{case.name} | {exact / 1e6:.3f} | {fast / 1e6:.3f} | "
                    f"{exact / max(fast, 1):.2f} | {speed:.2f} |"
                )
        except Exception as error:
            print(f"| {domain}/{case.name} | {type(error).__name__}: {str(error).splitlines()[0]} |")
    print()


def print_examples(backend: GpuComputeBackend, *, side_px: int) -> None:
    """Print how the example graphs differ from the reference, exact and fast."""
    print(f"## Examples at {side_px}^2: gpu beside the reference\n")
    print("| example | precision | values | differ | max ulp | max absolute | differ in 8 bits | max level |")
    print("|---|---|---|---|---|---|---|---|")
    registry = registry_of(backend)
    for path in sorted(EXAMPLES.glob("*.json")):
        precisions: tuple[Precision, Precision] = ("exact", "fast")
        for precision in precisions:
            try:
                for line in _example_rows(path, registry, backend.id, side_px, precision):
                    print(f"| {path.stem} | {precision} | {line} |")
            except Exception as error:
                print(f"| {path.stem} | {precision} | {type(error).__name__}: {str(error).splitlines()[0]} |")
    print()


def _example_rows(path: Path, registry: Any, backend: str, side_px: int, precision: Precision) -> Sequence[str]:
    graph = read_graph(path)
    names = [node.name for node in map(graph.node, graph) if isinstance(node, GraphOutput)]
    picture = np.random.default_rng(4).random((side_px, side_px, 3), np.float32)
    given: dict[str, Any] = {
        node.name: picture
        for node in map(graph.node, graph)
        if isinstance(node, GraphInput) and not isinstance(node.default, float | int)
    }
    ctx = EvalContext(resolution=(side_px, side_px), inputs=given)
    expected = evaluator_of(registry, "named:cpu").evaluate(graph, names, ctx)
    fast = replace(ctx, precision=precision)
    actual = evaluator_of(registry, f"named:{backend}").evaluate(graph, names, fast)
    rows = []
    for left, right in zip(expected.outputs, actual.outputs, strict=True):
        seen = difference(np.asarray(left[0]), np.asarray(right[0]))
        rows.append(
            f"{seen.elements} | {seen.differing} | {seen.max_ulp} | {seen.max_absolute:.3g} | "
            f"{seen.differing_8bit} | {seen.max_8bit}"
        )
    return rows
