"""Measure a GPU: bits against NumPy, the table of the GPU beside PyTorch and CuPy, whole evaluations.

Prints tables in Markdown, each with the seconds it took; one that fails prints its error, and the rest goes on.
What is done for every conformance case takes longer than the rest: ``--only-cases`` and ``--skip-cases`` part the two.
``--quick`` makes pictures small enough for a software driver.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from exactness import print_cases, print_cost, print_examples, print_operations
from graphs import print_graphs
from table import print_chain, print_launches, print_memory, print_noise, print_transfers

from unshape_backend.kernel_library import KernelLibrary
from unshape_gpu import GpuComputeBackend, open_backend


def main() -> None:
    """Measure the first device."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small pictures, for software drivers")
    cases = parser.add_mutually_exclusive_group()
    cases.add_argument("--skip-cases", action="store_true", help="leave out what is done for every conformance case")
    cases.add_argument("--only-cases", action="store_true", help="every conformance case: bits, and cost of exactness")
    parser.add_argument("--only", default="", metavar="NAME", help="tables whose name holds this")
    options = parser.parse_args()
    scale = 16 if options.quick else 1
    start = time.perf_counter()
    backend, *others = open_backend()
    print_device(backend, len(others), time.perf_counter() - start)
    KernelLibrary().give(backend, "gpu")  # those of the installed domains
    tables: list[tuple[str, Callable[[], None]]] = [
        ("memory", lambda: print_memory(backend, side_px=8192 // scale)),
        ("noise", lambda: print_noise(backend, side_px=8192 // scale)),
        ("chain", lambda: print_chain(backend, side_px=4096 // scale)),
        ("launches", lambda: print_launches(backend)),
        ("transfers", lambda: print_transfers(backend, nbytes=(256 << 20) // scale)),
        ("graphs", lambda: print_graphs(backend, side_px=4096 // scale)),
        ("examples", lambda: print_examples(backend, side_px=512 // scale)),
        ("operations", lambda: print_operations(backend, elements=(1 << 21) // scale)),
    ]
    of_cases: list[tuple[str, Callable[[], None]]] = [
        ("cases", lambda: print_cases(backend)),
        ("cost", lambda: print_cost(backend, side_px=2048 // scale)),
    ]
    if options.only_cases:
        tables = of_cases
    elif not options.skip_cases:
        tables += of_cases
    for name, show in tables:
        if options.only in name:
            start = time.perf_counter()
            try:
                show()
            except Exception as error:
                print(f"\n{name}: {type(error).__name__}: {error}\n")
            print(f"<!-- {name}: {time.perf_counter() - start:.1f} s -->\n", flush=True)


def print_device(backend: GpuComputeBackend, others: int, seconds: float) -> None:
    """Print what the device is and how its shaders are written."""
    facts = backend.capabilities
    print(f"## {facts.device.name}, opened in {seconds:.2f} s\n")
    print(f"- {facts.device.api}, {facts.device.driver}; chosen because: {backend.context.reason}; {others} more")
    print(f"- features: {', '.join(sorted(facts.features))}; software: {facts.device.is_software}")
    print(f"- self-test: {backend.context.self_test.detail}; arithmetic: {backend.context.exact.key}")
    print(f"- limits: {facts.limits}\n")


if __name__ == "__main__":
    main()
