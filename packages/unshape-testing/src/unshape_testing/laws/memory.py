"""Laws 15 to 17 and 19: what goes up comes down, sharing is real, nothing is written beside a buffer, copies cost."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from unshape_backend.cpu.backend import CpuBackend
from unshape_backend.protocols import ComputeBackend
from unshape_backend.transfer import LinkTable, shares_storage
from unshape_core.context import EvalContext
from unshape_core.memory_space import HOST, MemorySpace
from unshape_testing.laws.expect import live_bytes, picture, refusal
from unshape_testing.nodes import Gain
from unshape_testing.strategies import Layout, laid_out
from unshape_testing.tasks import make_job, on_host
from unshape_testing.tolerance import assert_same_bits, is_same_bits

DTYPES = (
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "float16",
    "int32",
    "uint32",
    "float32",
    "int64",
    "uint64",
    "float64",
)
LENGTHS = (0, 1, 3, 4, 255, 256, 257, 65535, 65536, 65537)


def check_round_trip(backend: ComputeBackend, dtype: str) -> None:
    """Law 15: upload then download is the identity, for every type and at lengths around every alignment."""
    rng = np.random.default_rng(5)
    for length in LENGTHS:
        array = rng.integers(0, 256, length * np.dtype(dtype).itemsize, np.uint8)
        array = (array & 1).astype(bool) if dtype == "bool" else array.view(dtype)
        back = backend.download(backend.upload(array))
        # Compared as bytes: the pattern of a NaN is to arrive as well.
        assert back.dtype == array.dtype, f"{dtype}[{length}]: expected {array.dtype}, got {back.dtype}"
        assert back.shape == array.shape, f"{dtype}[{length}]: expected {array.shape}, got {back.shape}"
        assert back.tobytes() == array.tobytes(), f"{dtype}[{length}]: other bytes came down than went up"


def check_layout(backend: ComputeBackend, layout: Layout) -> None:
    """Law 11: an array of any layout goes up by its elements, stays as it was, and comes down owning its memory."""
    for shape in ((5, 7, 3), (1, 1, 1), (16, 1, 4)):
        given = laid_out(picture(*shape), layout)
        expected = np.array(given, dtype=np.float32, order="C")
        before = given.tobytes()
        value = backend.upload(given)
        back = backend.download(value)
        assert_same_bits([expected], [back], what=f"{layout} {shape}")
        assert given.tobytes() == before, f"{layout} {shape}: the upload changed the array"
        assert back.flags.writeable, f"{layout} {shape}: expected a download that may be written"
        assert not np.shares_memory(back, given), f"{layout} {shape}: the download is the caller's own array"
        back[...] = 99
        assert_same_bits([expected], [backend.download(value)], what=f"{layout} {shape}, after its copy was changed")


def check_upload_is_a_copy(backend: ComputeBackend) -> None:
    """Law 17: an upload is seen by the very next kernel, and changing the host array afterwards is not."""
    array = picture(9, 11, 2)
    expected = array * np.float32(2)
    job = make_job(Gain(2.0, 0.0), (array.copy(),), EvalContext(resolution=(11, 9)))
    run = backend.compile(job.task)
    value = backend.upload(array)
    array[...] = -1
    (output,) = run(job.task.nodes, [value], job.ctx)
    array[...] = -2
    assert_same_bits([expected], [on_host(backend, output)], what="a kernel on an array that was changed since")


def check_stays_within_its_buffers(backend: ComputeBackend) -> None:
    """Law 17: host memory around what is uploaded stays as it was, at odd sizes and offsets."""
    for height_px, width_px, offset in itertools.product((1, 3, 8), (1, 5, 16), (0, 1, 3)):
        count = height_px * width_px
        around = np.full(count + 64 + offset, 123.0, np.float32)
        inside = around[32 + offset : 32 + offset + count].reshape(height_px, width_px, 1)
        inside[...] = picture(height_px, width_px, 1)
        before = around.copy()
        job = make_job(Gain(0.5, 1.0), (inside,), EvalContext(resolution=(width_px, height_px)))
        (output,) = backend.compile(job.task)(job.task.nodes, [backend.upload(inside)], job.ctx)
        expected = inside * np.float32(0.5) + np.float32(1.0)
        what = f"{width_px} x {height_px} at {offset}"
        assert_same_bits([expected], [on_host(backend, output)], what=what)
        assert is_same_bits(before, around), f"{what}: host memory around the array was written"


def check_sharing(backend: ComputeBackend) -> None:
    """Law 16: a backend of the host's space takes its arrays as they are; any other refuses them without a copy."""
    reference, array = CpuBackend(), picture(6, 5, 3)
    job = make_job(Gain(2.0, 1.0), (array,), EvalContext(resolution=(5, 6)))
    run, run_reference = backend.compile(job.task), reference.compile(job.task)
    assert shares_storage(backend.capabilities.space, backend.capabilities.space)
    if not shares_storage(backend.capabilities.space, HOST):
        (there,) = run(job.task.nodes, [backend.upload(array)], job.ctx)
        assert not isinstance(there, np.ndarray), "a value of another space is no host array"
        with refusal("a host array on a device", backend.id):
            run(job.task.nodes, [array], job.ctx)
        return
    (once,) = run(job.task.nodes, [array], job.ctx)
    backend.flush()
    (twice,) = run_reference(job.task.nodes, [once], job.ctx)
    (thrice,) = run(job.task.nodes, [twice], job.ctx)
    backend.synchronize()
    expected = array
    for _ in range(3):
        expected = expected * np.float32(2) + np.float32(1)
    assert_same_bits([expected], [thrice], what="turns of this backend and the reference on one array")


def check_transfer_costs(backend: ComputeBackend) -> None:
    """Law 19: a transfer is free exactly within a space, never gets cheaper with size, and is never free unmeasured."""
    check_link_costs(LinkTable([backend.capabilities]), backend.capabilities.space)


def check_link_costs(links: LinkTable, space: MemorySpace) -> None:
    """Law 19, for the links of one space with the host and with a space that nobody knows."""
    sizes = (0, 1, 4096, 1 << 20, 1 << 30)
    spaces = (space, HOST, MemorySpace("nowhere"))
    for source, target in itertools.product(spaces, spaces):
        costs = []
        for nbytes in sizes:
            cost = links.cost(source, target, nbytes)
            assert cost is not None, f"{source} -> {target}: a known size has a price"
            costs.append(cost.total_ns)
        assert costs == sorted(costs), f"{source} -> {target}: larger values are cheaper: {costs}"
        if source == target:
            assert costs == [0] * len(sizes), f"{source} -> {target}: expected no cost, got {costs}"
        else:
            assert costs[0] > 0, f"{source} -> {target}: expected a price also for nothing, got {costs}"
            assert links.cost(source, target, None) is None, f"{source} -> {target}: an unknown size has a price"


def check_memory_answers(backend: ComputeBackend) -> None:
    """Law 19: unknown memory is None and never zero, and known memory adds up."""
    info = backend.memory()
    for name, size in (("total_bytes", info.total_bytes), ("available_bytes", info.available_bytes)):
        assert size is None or size > 0, f"{name}: expected a size, or None where it is unknown, got {size}"
    assert info.used_bytes >= 0
    if info.total_bytes is not None and info.available_bytes is not None:
        assert info.available_bytes <= info.total_bytes


def check_memory_follows_use(backend: ComputeBackend) -> None:
    """Law 4: what is uploaded is accounted for, and what is dropped is not."""
    if backend.capabilities.space == HOST:
        pytest.skip("host memory is accounted for by the operating system")
    before = live_bytes(backend)
    value = backend.upload(picture(64, 64, 4))
    grown = live_bytes(backend) - before
    assert grown >= 64 * 64 * 4 * 4, f"a value of {64 * 64 * 4 * 4} bytes was uploaded, {grown} bytes are used for it"
    del value
    assert live_bytes(backend) == before, "a value was dropped, and its bytes are still used"
