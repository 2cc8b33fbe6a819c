"""Say which way "simd" runs each noise and image node, how fast, and how much faster than the definition.

Prints a table in Markdown: the way (``grid`` and the function: a kernel for grids; a function: one instruction of the
engine; ``program``: the definition as so many instructions; ``kernel``: one that is registered for the node), millions
of pixels a second of "simd" and of "cpu", and their ratio. Medians of processor time, taken in turns, one thread. A
node that is less than twice as fast as its definition is marked.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Iterator, Sequence

from unshape.benchmark import prepared_case, scaled
from unshape_backend.case import Case
from unshape_backend.cpu.backend import CpuBackend
from unshape_backend.domain_cases import domain_cases
from unshape_backend.kernel import KernelSpec
from unshape_backend.kernel_library import KernelLibrary
from unshape_backend.measure import time_in_turns
from unshape_backend.single_task import Job, make_job
from unshape_noise.forms import forms
from unshape_simd_cffi import isa as instruction_sets
from unshape_simd_cffi.backend import SimdBackend
from unshape_simd_cffi.listing import FUNCTION, ON_GRID, listing
from unshape_simd_cffi.program import Program
from unshape_simd_cffi.run_expression import compile_expression

WANTED_RATIO = 2.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 0 on success."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=1024, metavar="PX", help="width and height of pictures (1024)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds that count (5)")
    parser.add_argument("--match", type=re.compile, default=re.compile(""), metavar="PATTERN", help="cases by name")
    parser.add_argument("--isa", choices=[isa.name for isa in instruction_sets.usable_isas()], help="instruction set")
    parser.add_argument("--ways", action="store_true", help="time nothing")
    options = parser.parse_args(arguments)
    sets = {isa.name: isa for isa in instruction_sets.usable_isas()}
    simd, cpu = (
        SimdBackend(sets[options.isa] if options.isa else instruction_sets.chosen_isa(), threads=1),
        CpuBackend(),
    )
    for backend in (simd, cpu):
        KernelLibrary().give(backend, str(backend.id))
    print(f"{options.side}x{options.side}, {simd.isa.name}, 1 thread, medians of {options.rounds} rounds\n")
    print("| node | way | simd Mpt/s | cpu Mpt/s | ratio | |\n|---|---|---|---|---|---|")
    for case in cases(options.match):
        sized = scaled(case, (options.side, options.side), "exact")
        inputs = sized.values()
        job = make_job(sized.node, inputs, sized.ctx)
        if simd.supports(job.task) is not None:
            print(f"| {case.name} | none | | | | |")
            continue
        cells = f"| {case.name} | {way(simd, job)} |"
        if not options.ways:
            runs = {str(b.id): prepared_case(sized, inputs, b, "exact") for b in (simd, cpu)}
            ns = time_in_turns(runs, samples=options.rounds + 1, clock=time.thread_time_ns)
            output = job.task.region.output
            points = output.width_px * output.height_px * 1e3
            ratio = ns["cpu"] / ns["simd"]
            mark = "slow" if ratio < WANTED_RATIO else ""
            cells += f" {points / ns['simd']:.0f} | {points / ns['cpu']:.1f} | {ratio:.1f} | {mark} |"
        print(cells, flush=True)
    return 0


def cases(pattern: re.Pattern[str]) -> Iterator[Case]:
    """Return every form of noise nodes, and of image nodes the first case of each node and expression."""
    yield from (case for case in forms() if pattern.search(case.name))
    seen: set[object] = set()
    for domain, case in domain_cases():
        job = make_job(case.node, case.values(), case.ctx)
        kernel = job.task.kernel
        key = (case.bench, case.node.type_name, None if kernel is None else kernel.key)
        if domain != "noise" and key not in seen and pattern.search(case.name):
            seen.add(key)
            yield case


def way(backend: SimdBackend, job: Job) -> str:
    """Return which way a task of one node runs."""
    task = job.task
    if isinstance(backend.kernels.find(task, backend.capabilities.limits), KernelSpec):
        return "kernel"
    assert task.kernel is not None
    program = Program(task.kernel)
    compile_expression(task, program, backend)(task.nodes, job.inputs, job.ctx)
    (made,) = program.executables
    names = listing(made.program)
    functions = sorted({name for name in names if name.startswith((ON_GRID, FUNCTION))})
    return ", ".join([*functions, f"program of {len(names)}"])


if __name__ == "__main__":
    raise SystemExit(main())
