"""How many bits differ: single operations on many random numbers, and every case of every installed domain."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from unshape_backend.difference import difference
from unshape_backend.discovery import find_kernels
from unshape_core.context import EvalContext, Precision
from unshape_gpu.backend import GpuComputeBackend
from unshape_image import MapPixels
from unshape_testing.kernel_suite import KernelSuite
from unshape_testing.laws.numbers import case_job, definition
from unshape_testing.tasks import make_job, run_job

WIDTH_PX = 4096


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
    """Print every case that differs in exact mode, and the largest differences in fast mode."""
    for found in find_kernels("gpu"):
        for kernel in found.load():
            backend.register_kernel(kernel)
    supported, wrong, fast = 0, [], []
    for domain, case in KernelSuite.cases():
        job = case_job(case)
        if backend.supports(job.task) is not None:
            continue
        supported += 1
        try:
            expected = definition(job)
        except Exception as error:
            wrong.append(f"{domain}/{case.name}: the reference fails, {type(error).__name__}: {error}")
            continue
        loose = case_job(replace(case, ctx=replace(case.ctx, precision="fast")))
        for what, each in (("exact", job), ("fast", loose)):
            try:
                actual = run_job(backend, each)
            except Exception as error:
                wrong.append(f"{domain}/{case.name}, {what}: {type(error).__name__}: {error}")
                continue
            for left, right in zip(expected, actual, strict=True):
                seen = difference(np.asarray(left), np.asarray(right))
                if what == "exact" and not seen.is_equal:
                    wrong.append(
                        f"{domain}/{case.name}: {seen.differing} of {seen.elements} differ, up to {seen.max_ulp} ulp, "
                        f"first at {seen.first}"
                    )
                if what == "fast" and not seen.is_equal:
                    fast.append((seen.max_absolute, seen.max_ulp, seen.max_8bit, f"{domain}/{case.name}"))
    print(f"## Cases: {supported} run, {len(wrong)} wrong in exact mode, {len(fast)} differ in fast mode\n")
    for line in wrong:
        print(f"- {line}")
    if fast:
        print("\n| fast mode, largest differences | max absolute | max ulp | 8-bit levels |")
        print("|---|---|---|---|")
        for absolute, ulp, levels, name in sorted(fast, key=lambda row: (-row[2], -row[0]))[:12]:
            print(f"| {name} | {absolute:.3g} | {ulp} | {levels} |")
    print()
