"""Evaluations of changing sizes: what the pool holds, and what the process keeps of memory.

Prints a table in Markdown, before and after so many evaluations of random sizes, every one downloaded.
"""

from __future__ import annotations

import argparse
import gc
import os
from pathlib import Path

import numpy as np

from unshape_core.context import EvalContext
from unshape_core.graph import Graph
from unshape_gpu import GpuComputeBackend, open_backend
from unshape_image import Blend, GaussianBlur, Levels
from unshape_noise import Perlin
from unshape_testing.laws.running import evaluator_of, registry_of

WARM = 100
COLUMNS = ("evaluations", "resident MiB", "live bytes", "reserved MiB", "allocations", "reuses", "releases", "trims")


def main() -> None:
    """Evaluate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--evaluations", type=int, default=1000)
    parser.add_argument("--largest-px", type=int, default=512, help="largest side")
    options = parser.parse_args()
    backend, *_ = open_backend()
    evaluator = evaluator_of(registry_of(backend), f"named:{backend.id}")
    graph, last = sample()
    rng = np.random.default_rng(7)
    print(f"## {options.evaluations} evaluations of changing sizes on {backend.capabilities.device.name}\n")
    print(f"| {' | '.join(COLUMNS)} |")
    print("|" + "---|" * len(COLUMNS))
    for done in range(options.evaluations + 1):
        if done in {0, WARM, options.evaluations // 2, options.evaluations}:
            print_row(backend, str(done))
        size = tuple(int(each) for each in rng.integers(1, options.largest_px + 1, 2))
        result = evaluator.evaluate(graph, [last], EvalContext(resolution=(size[0], size[1])))
        picture = np.asarray(result.outputs[0][0])
        assert picture.shape == (size[1], size[0], 1), "a picture of another size"
        assert np.isfinite(picture).all(), "a picture that is not finite"
        del result
        evaluator.clear_cache()
    gc.collect()
    freed = backend.trim()
    print_row(backend, "after trim()")
    print(f"\ntrim() gave {freed / 2**20:.1f} MiB back\n")


def sample() -> tuple[Graph, int]:
    """Return noise, a blur, levels and a blend."""
    graph = Graph()
    noise = graph.add_node(Perlin(scale=8.0, octaves=2))
    blur = graph.add_node(GaussianBlur(sigma_px=1.5))
    levels = graph.add_node(Levels(gamma=1.4))
    blend = graph.add_node(Blend(opacity=0.5))
    graph.connect(noise, 0, blur, 0)
    graph.connect(blur, 0, levels, 0)
    graph.connect(levels, 0, blend, 0)
    graph.connect(noise, 0, blend, 1)
    return graph, blend


def print_row(backend: GpuComputeBackend, name: str) -> None:
    """Print what there is now."""
    pool = backend.pool.statistics
    cells = (
        name,
        f"{resident_bytes() / 2**20:.1f}",
        str(backend.memory().used_bytes),
        f"{pool.reserved_bytes / 2**20:.1f}",
        *map(str, (pool.allocations, pool.reuses, pool.releases, pool.trims)),
    )
    print(f"| {' | '.join(cells)} |", flush=True)


def resident_bytes() -> int:
    """Return the memory that the process occupies; 0 where the system does not tell."""
    status = Path("/proc/self/statm")
    return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if status.exists() else 0


if __name__ == "__main__":
    main()
