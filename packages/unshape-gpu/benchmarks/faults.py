"""Faults, injected one by one: what becomes of an evaluation, in a process of its own each.

Prints a table in Markdown: what was done, how it ended (a typed error or the right result from another backend), and in
which time. A process that crashes or hangs is shown as that, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import gc
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

MOST_SECONDS = 90

FAULTS = {
    "lost": "the device is destroyed before an evaluation by priority",
    "lost-named": "the device is destroyed before an evaluation named on it",
    "memory": "a budget of 64 KiB, 256 KiB needed",
    "compile": "a kernel whose shader does not compile, by priority",
    "vanished": "no driver finds an adapter (UNSHAPE_GPU_ADAPTER names none)",
    "fork": "a forked child uses its parent's device",
    "exit": "the interpreter ends with work in flight",
    "threads": "16 threads open the backend at once",
    "closed": "a value is read after its backend was closed",
    "leak": "200 runs of a kernel that fails: bytes in use afterwards",
}


def main() -> None:
    """Run every fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fault", choices=sorted(FAULTS), help="this one alone, in this process")
    options = parser.parse_args()
    if options.fault:
        print(globals()[f"fault_{options.fault.replace('-', '_')}"]())
        return
    is_fine = True
    print("| fault | ended with | s |")
    print("|---|---|---|")
    for name, what in FAULTS.items():
        start = time.perf_counter()
        try:
            command = [sys.executable, "-W", "ignore", __file__, "--fault", name]
            done = subprocess.run(command, capture_output=True, text=True, timeout=MOST_SECONDS, check=False)
            lines = done.stdout.strip().splitlines() or [""]
            ended = lines[-1] if done.returncode == 0 else f"CRASH {done.returncode}: {done.stderr.strip()[-200:]}"
            is_fine &= done.returncode == 0 and bool(lines[-1])
        except subprocess.TimeoutExpired:
            ended, is_fine = f"HANG: more than {MOST_SECONDS} s", False
        print(f"| {what} | {ended.replace('|', '/')} | {time.perf_counter() - start:.1f} |", flush=True)
    sys.exit(0 if is_fine else 1)


def named(error: BaseException) -> str:
    """Return an error in one line."""
    return f"{type(error).__name__}: {str(error).splitlines()[0]}"[:220]


def evaluated(backend: object, policy: str) -> str:
    """Return what an evaluation of four nodes gives, and who ran the last one."""
    import logging

    import numpy as np

    from unshape_core.context import EvalContext
    from unshape_core.graph import Graph
    from unshape_gpu import GpuComputeBackend
    from unshape_testing.graph_builder import UNFUSED
    from unshape_testing.laws.running import evaluator_of, registry_of
    from unshape_testing.nodes import Gain, Ramp

    assert isinstance(backend, GpuComputeBackend)
    logging.disable(logging.CRITICAL)
    graph = Graph()
    last = graph.add_node(Ramp())
    for _ in range(4):
        node = graph.add_node(Gain(2.0, 0.0))
        graph.connect(last, 0, node, 0)
        last = node
    ctx = EvalContext(resolution=(32, 32))
    expected = evaluator_of(registry_of(), "named:cpu").evaluate(graph, [last], ctx).outputs[0][0]
    registry = registry_of(backend, priorities={str(backend.id): 100})
    try:
        result = evaluator_of(registry, policy, options=UNFUSED).evaluate(graph, [last], ctx, keeps_records=True)
    except Exception as error:
        return named(error)
    record = result.record_of(last)
    is_same = np.asarray(result.outputs[0][0]).tobytes() == np.asarray(expected).tobytes()
    return f"{'the right' if is_same else 'a WRONG'} result from '{record.backend if record else '?'}'"


def fault_lost() -> str:
    """Destroy the device."""
    from unshape_gpu import open_backend

    backend = open_backend()[0]
    backend.context.device.destroy()
    return evaluated(backend, "by-priority")


def fault_lost_named() -> str:
    """Destroy the device."""
    from unshape_gpu import open_backend

    backend = open_backend()[0]
    backend.context.device.destroy()
    return evaluated(backend, f"named:{backend.id}")


def fault_memory() -> str:
    """Ask for more than the budget."""
    import numpy as np

    from unshape_gpu import GpuComputeBackend, open_backend

    backend = open_backend()[0]
    limits = replace(backend.capabilities.limits, memory_budget_bytes=65536)
    try:
        GpuComputeBackend(backend.context, limits=limits).upload(np.zeros(65536, np.float32))
    except Exception as error:
        return named(error)
    return ""


def fault_compile() -> str:
    """Register a kernel that does not compile."""
    from unshape_backend.kernel import KernelSpec
    from unshape_gpu import open_backend
    from unshape_testing.nodes import Gain

    backend = open_backend()[0]
    backend.register_kernel(KernelSpec(node_type=Gain.type_name, backend="gpu", function=broken, priority=9))
    return evaluated(backend, "by-priority")


def broken(_node: object, inputs: list[object], _ctx: object, call: object) -> tuple[object, ...]:
    """Run what is no WGSL."""
    from unshape_gpu import GpuBuffer, KernelCall

    (first,) = inputs
    assert isinstance(call, KernelCall)
    assert isinstance(first, GpuBuffer)
    result = call.empty(first.shape)
    call.run("@compute @workgroup_size(1)\nfn main() { no wgsl }", reads=[first], writes=[result], items=1)
    return (result,)


def fault_vanished() -> str:
    """Ask for an adapter that is not there."""
    from unshape_gpu import open_backend

    os.environ["UNSHAPE_GPU_ADAPTER"] = "no such adapter"
    try:
        open_backend()
    except Exception as error:
        return named(error)
    return ""


def fault_fork() -> str:
    """Use an inherited device."""
    import numpy as np

    from unshape_gpu import open_backend

    backend = open_backend()[0]
    backend.download(backend.upload(np.ones(8, np.float32)))
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            backend.upload(np.ones(8, np.float32))
            os.write(write, b"no error")
        except Exception as error:
            os.write(write, named(error).encode())
        os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    with os.fdopen(read) as told:
        return told.read()


def fault_exit() -> str:
    """Leave without waiting."""
    import numpy as np

    from unshape_core.context import EvalContext
    from unshape_gpu import open_backend
    from unshape_noise import Perlin
    from unshape_testing.tasks import make_job

    backend = open_backend()[0]
    job = make_job(Perlin(octaves=8), (), EvalContext(resolution=(512, 512)))
    run = backend.compile(job.task)
    kept = [run(job.task.nodes, [], job.ctx) for _ in range(8)]
    backend.upload(np.zeros(4 << 20, np.float32))
    backend.flush()
    return f"an orderly end, {len(kept)} results never asked for"


def fault_threads() -> str:
    """Open from many threads."""
    from unshape_gpu import open_backend

    with ThreadPoolExecutor(16) as pool:
        opened = list(pool.map(lambda _: open_backend()[0], range(16)))
    return f"{len(opened)} backends on {len({id(each.context) for each in opened})} device"


def fault_closed() -> str:
    """Read after closing."""
    import numpy as np

    from unshape_gpu import open_backend

    backend = open_backend()[0]
    value = backend.upload(np.ones(8, np.float32))
    backend.close()
    try:
        np.asarray(value)
    except Exception as error:
        return named(error)
    return ""


def fault_leak() -> str:
    """Fail many times."""
    from contextlib import suppress

    import numpy as np

    from unshape_backend.errors import BackendError
    from unshape_backend.kernel import KernelSpec
    from unshape_core.context import EvalContext
    from unshape_gpu import open_backend
    from unshape_testing.nodes import Gain
    from unshape_testing.tasks import make_job, run_job

    backend = open_backend()[0]
    backend.register_kernel(KernelSpec(node_type=Gain.type_name, backend="gpu", function=broken, priority=9))
    job = make_job(Gain(2.0, 1.0), (np.ones((5, 5, 1), np.float32),), EvalContext(resolution=(5, 5)))
    for _ in range(200):
        with suppress(BackendError):
            run_job(backend, job)
    gc.collect()
    return f"{backend.memory().used_bytes} bytes"


if __name__ == "__main__":
    main()
