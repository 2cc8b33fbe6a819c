"""The bits of a device against the definition: single operations, and every case of every installed domain."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from report import print_table

from unshape_backend.difference import difference
from unshape_core.context import EvalContext
from unshape_image import MapPixels
from unshape_testing.kernel_suite import KernelSuite
from unshape_testing.laws.numbers import case_job, definition
from unshape_testing.tasks import make_job, run_job

if TYPE_CHECKING:
    from unshape_opencl import OpenClBackend

WIDTH_PX = 4096
OPERATIONS = (
    ("x*y + x", "vec2(color.x*color.y + color.x, color.x*color.y - color.y)"),
    ("x / y", "vec2(color.x / color.y, color.y / color.x)"),
    ("sqrt(x)", "sqrt(abs(color))"),
    ("pow(x, y)", "vec2(pow(color.x, color.y), pow(color.y, color.x))"),
    ("sin(x)", "sin(color)"),
    ("exp(x)", "exp(color)"),
    ("log(x)", "log(color)"),
    ("x % y", "vec2(color.x % color.y, color.y % color.x)"),
)


def print_operations(backend: OpenClBackend, *, elements: int) -> None:
    """Print how often single operations differ from the reference on random pairs."""
    rng = np.random.default_rng(3)
    shape = (max(1, elements // WIDTH_PX), WIDTH_PX, 2)
    ordinary = rng.uniform(0.5, 2.0, shape).astype(np.float32)
    wide = rng.integers(0, 2**32, shape, np.uint32).view(np.float32)

    def differing(text: str) -> Sequence[str]:
        cells = []
        for picture in (ordinary, wide):
            job = make_job(MapPixels(text), (picture,), EvalContext(resolution=(shape[1], shape[0])))
            found = difference(np.asarray(definition(job)[0]), np.asarray(run_job(backend, job)[0]))
            cells.append(str(found.differing))
        return cells

    print_table(
        f"Operations on {shape[0] * shape[1]} pairs: elements that differ from NumPy",
        ("operation", "ordinary numbers", "all bit patterns"),
        [(name, partial(differing, text)) for name, text in OPERATIONS],
    )


def print_cases(backend: OpenClBackend) -> None:
    """Print every case of every installed domain that differs."""
    supported, wrong = 0, []
    for domain, case in KernelSuite.cases():
        job = case_job(case)
        if backend.supports(job.task) is not None:
            continue
        supported += 1
        try:
            actual = run_job(backend, job)
        except Exception as error:  # the rest is worth knowing as well
            wrong.append(f"{domain}/{case.name}: {type(error).__name__}: {error}")
            continue
        for left, right in zip(definition(job), actual, strict=True):
            seen = difference(np.asarray(left), np.asarray(right))
            if not seen.is_equal:
                wrong.append(f"{domain}/{case.name}: {seen.differing} of {seen.elements}, up to {seen.max_ulp} ulp")
    print(f"## Cases: {supported} run, {len(wrong)} differ; {backend.compilations} programs compiled\n")
    for line in wrong:
        print(f"- {line}")
    print()
