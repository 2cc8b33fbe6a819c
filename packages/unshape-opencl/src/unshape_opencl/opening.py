"""Opening one device: context and queue, self-test, and what follows from it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyopencl as cl

from unshape_backend.capabilities import DeviceLimits
from unshape_backend.identity import BackendId
from unshape_opencl.backend import OpenClBackend
from unshape_opencl.device import (
    LANES_OF_CPU,
    LANES_OF_GPU,
    capabilities,
    device_limits,
    fingerprint,
    is_correctly_rounded,
    is_cpu,
)
from unshape_opencl.opened_device import OpenedDevice
from unshape_opencl.program import Programs
from unshape_opencl.program_cache import ProgramCache
from unshape_opencl.queue import Queue
from unshape_opencl.self_test import WrongResultError, run_self_test

__all__ = ["WrongResultError", "open_opencl_device"]


def open_opencl_device(
    device: cl.Device,
    backend_id: BackendId,
    *,
    ordinal: int,
    folder: Path | None,
    lower: Callable[[DeviceLimits], DeviceLimits] | None = None,
    as_gpu: bool = False,
) -> OpenClBackend:
    """Open a device and return its backend.

    Parameters
    ----------
    device : pyopencl.Device
        The device.
    backend_id : BackendId
        Name of the backend.
    ordinal : int
        Its number among the opened ones.
    folder : Path or None
        Where compiled programs are kept; None keeps none.
    lower : callable or None
        Lowers limits.
    as_gpu : bool
        Whether to run kernels and transfers of GPUs on a CPU device, which tests them where there is no GPU.

    Raises
    ------
    WrongResultError
        If it computes something else than it was asked for.
    """
    where = f"self-test of '{backend_id}'"
    context = cl.Context([device])
    timed = cl.CommandQueue(context, device, cl.command_queue_properties.PROFILING_ENABLE)
    cache = ProgramCache(folder, fingerprint(device))
    rounded = is_correctly_rounded(device)
    programs = Programs(context, device, cache, is_correctly_rounded=rounded, owner=backend_id)
    is_host = is_cpu(device) and not as_gpu
    lanes = LANES_OF_CPU if is_host else LANES_OF_GPU
    traits = run_self_test(context, timed, programs, lanes=lanes, is_host=is_host, where=where)
    limits = device_limits(device)
    facts = capabilities(
        device, backend_id, ordinal=ordinal, traits=traits, limits=limits if lower is None else lower(limits)
    )
    queue = Queue(cl.CommandQueue(context, device), has_timestamps=traits.has_timestamps)
    shares_memory = traits.shares_memory
    opened = OpenedDevice(device, context, queue, programs, facts=facts, shares_memory=shares_memory, lanes=lanes)
    return OpenClBackend(opened)
