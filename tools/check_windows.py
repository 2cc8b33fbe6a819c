"""Compute every case of the installed domains whole and in windows, and count the windows with other bits.

Windows are those that a case lists and all parts of four ways to cut the picture up: ragged tiles, rows, columns, and
single pixels along the diagonal. Each is computed from no more of the inputs than it reads, and once more with the
whole inputs at hand. Prints a Markdown table for each backend.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from unshape_backend.case import Case
from unshape_backend.domain_cases import domain_cases
from unshape_backend.protocols import ComputeBackend
from unshape_backend.registry import default_registry
from unshape_backend.single_task import crop
from unshape_core.window import Window
from unshape_testing.laws.numbers import job_for, with_whole_inputs
from unshape_testing.tasks import run_job
from unshape_testing.tolerance import is_same_bits

_CUTS = (0, 1, 6, 19, 36, 52)
"""Where ragged tiles begin along an axis: parts of odd and of even sides."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Check and print; 1 if a window has other bits."""
    parser = argparse.ArgumentParser(prog="python -m tools.check_windows", description=__doc__)
    parser.add_argument("--backend", action="append", metavar="ID", help="on this backend, for example simd (cpu)")
    parser.add_argument("--node", metavar="TEXT", default="", help="of nodes whose type contains this (all)")
    options = parser.parse_args(arguments)
    entries = {str(entry.id): entry.backend for entry in default_registry().snapshot().entries}
    asked = options.backend or ["cpu"]
    missing = [name for name in asked if name not in entries]
    if missing:
        parser.error(f"backend {missing[0]!r}: not there; there are {', '.join(entries)}; see `unshape doctor`")
    cases = [case for _, case in domain_cases() if options.node in case.node.type_name]
    return max(_report(entries[name], cases) for name in asked)


def _report(backend: ComputeBackend, cases: Sequence[Case]) -> int:
    print(f"\n{backend.id}: {backend.capabilities.device.name}\n")
    print("| node | cases | combinations of case and window | with other bits |\n|---|---|---|---|")
    total = Counter[str]()
    for type_name in sorted({case.node.type_name for case in cases}):
        counts = Counter[str]()
        for case in cases:
            if case.node.type_name == type_name:
                counts.update(check_case(backend, case))
        print(f"| `{type_name}` | {counts['cases']} | {counts['checked']} | {counts['differing']} |", flush=True)
        total.update(counts)
    print(
        f"\n{backend.id}: {total['cases']} cases, {total['checked']} combinations, {total['differing']} with other "
        f"bits; {total['refused']} cases that the backend leaves to others"
    )
    return 1 if total["differing"] or not total["checked"] else 0


def check_case(backend: ComputeBackend, case: Case) -> Counter[str]:
    """Return how many windows of a case were checked, and how many had other bits than the same part of the whole."""
    job = job_for(backend, case)
    if backend.supports(job.task) is not None:
        return Counter(refused=1)
    wholes = run_job(backend, job)
    counts = Counter(cases=1)
    for window in {*case.windows, *_parts(job.task.region.output)}:
        part = job_for(backend, case, window=window)
        covered = part.task.region.output  # everything, of a node that knows nothing of windows
        for each in (part, with_whole_inputs(case, part)):
            counts["checked"] += 1
            found = run_job(backend, each)
            equal = (is_same_bits(crop(a, covered), b) for a, b in zip(wholes, found, strict=True))
            counts["differing"] += not all(equal)
    return counts


def _parts(whole: Window) -> Iterator[Window]:
    """Yield ragged tiles, rows, columns, and pixels along the diagonal."""
    width, height = whole.width_px, whole.height_px
    for top, below in _spans(_CUTS, height):
        yield from (Window(left, top, right - left, below - top) for left, right in _spans(_CUTS, width))
    yield from (Window(0, y, width, 1) for y in range(height))
    yield from (Window(x, 0, 1, height) for x in range(width))
    if height:
        yield from (Window(x, x * height // width, 1, 1) for x in range(width))


def _spans(cuts: Iterable[int], size: int) -> Iterator[tuple[int, int]]:
    return pairwise([*(cut for cut in cuts if cut < size), size])


if __name__ == "__main__":
    raise SystemExit(main())
