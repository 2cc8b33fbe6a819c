"""The bits of a device against the definition: single operations, example graphs, every case of every domain."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from report import print_table

from unshape_backend.cpu.backend import CpuBackend
from unshape_backend.difference import difference
from unshape_core.context import EvalContext
from unshape_core.graph_file import read_graph
from unshape_image import MapPixels, read_image
from unshape_testing.kernel_suite import KernelSuite
from unshape_testing.laws.numbers import case_job, definition
from unshape_testing.laws.running import evaluator_of, registry_of
from unshape_testing.tasks import make_job, run_job

if TYPE_CHECKING:
    from unshape_opencl import OpenClBackend

EXAMPLES = Path(__file__).parents[3] / "examples"
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


def print_examples(backend: OpenClBackend, *, side_px: int) -> None:
    """Print how many values of each example graph differ from the reference."""

    def compared(path: Path) -> Sequence[str]:
        graph = read_graph(path)
        inputs = {"photo": read_image(EXAMPLES / "photo.png")} if path.stem == "photo" else {}
        ctx = EvalContext(resolution=(side_px, side_px), inputs=inputs)
        pictures = []
        for each in (CpuBackend(), backend):
            evaluator = evaluator_of(registry_of(each), f"named:{each.id}")
            pictures.append(np.asarray(evaluator.evaluate(graph, [graph.output_nodes()["picture"]], ctx).outputs[0][0]))
        found = difference(pictures[0], pictures[1])
        return (str(found.elements), str(found.differing))

    rows = [(path.stem, partial(compared, path)) for path in sorted(EXAMPLES.glob("*.json"))]
    print_table(f"Example graphs at {side_px}^2 against cpu", ("graph", "values", "differ"), rows)


def print_cases(backend: OpenClBackend, *, part: tuple[int, int], stop: float) -> None:
    """Print every case of every installed domain that differs: the ``part[0]``-th of ``part[1]`` parts.

    None is begun after ``stop`` on the clock of ``perf_counter``.
    """
    supported, elements, wrong = 0, 0, []
    number, count = part
    chosen = list(KernelSuite.cases())[number - 1 :: count]
    seen = 0
    for domain, case in chosen:
        if time.perf_counter() > stop:
            break
        seen += 1
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
            found = difference(np.asarray(left), np.asarray(right))
            elements += found.elements
            if not found.is_equal:
                wrong.append(f"{domain}/{case.name}: {found.differing} of {found.elements}, up to {found.max_ulp} ulp")
    print("## Cases of all domains against cpu\n")
    for line in wrong:
        print(f"- {line}")
    print(
        f"{supported} cases run of {seen} looked at ({len(chosen)} in part {number} of {count}): {len(wrong)} differ, "
        f"{elements} values; {backend.compilations} programs compiled\n",
        flush=True,
    )
