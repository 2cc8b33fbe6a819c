"""An opened device: its context, queue, memory and programs, and making, reading and writing arrays there."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from unshape_backend.capabilities import BackendCapabilities
from unshape_opencl.device import LANES_OF_CPU
from unshape_opencl.pool import Block, Pool
from unshape_opencl.program import Programs
from unshape_opencl.queue import Queue
from unshape_opencl.transfer import PinnedTransfer, SharedTransfer, Transfer


class OpenedDevice:
    """What a backend needs of its device; knows nothing of nodes.

    Parameters
    ----------
    native : pyopencl.Device
        The device.
    context : pyopencl.Context
        Its context.
    queue : Queue
        Takes all commands.
    programs : Programs
        Compiles.
    facts : BackendCapabilities
        What is known of it.
    shares_memory : bool
        Whether it uses host memory in place.
    lanes : int
        How many pixels a value holds if the kernel does not matter.
    """

    def __init__(
        self,
        native: cl.Device,
        context: cl.Context,
        queue: Queue,
        programs: Programs,
        *,
        facts: BackendCapabilities,
        shares_memory: bool,
        lanes: int,
    ) -> None:
        self.native = native
        self.queue = queue
        self.programs = programs
        self.facts = facts
        self.shares_memory = shares_memory
        self.lanes = lanes
        self.pool = Pool(
            context,
            queue,
            budget_bytes=facts.limits.memory_budget_bytes,
            is_shared=shares_memory,
            owner=facts.id,
        )
        self.transfer: Transfer = SharedTransfer(queue) if shares_memory else PinnedTransfer(context, queue)

    @property
    def is_looped(self) -> bool:
        """Whether a work-item runs through many pixels: on a CPU."""
        return self.lanes == LANES_OF_CPU

    def take(self, nbytes: int, *, for_host: bool = False) -> Block | None:
        """Return memory for an array, None for one without elements."""
        return self.pool.take(nbytes, for_host=for_host) if nbytes else None

    def download(
        self, block: Block | None, shape: tuple[int, ...], dtype: np.dtype[Any], ready: cl.Event | None
    ) -> npt.NDArray[Any]:
        """Return a copy of memory as an array; waits until it is ready."""
        if block is None:
            return np.empty(shape, dtype)
        return self.transfer.download(block, shape, dtype, ready)

    def host_array(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        """Return a new host array that travels fast."""
        return self.transfer.host_bytes(prod(shape) * dtype.itemsize).view(dtype).reshape(shape)

    def close(self) -> None:
        """Wait until everything is done and release it."""
        self.queue.close()
        self.transfer.close()
        self.pool.close()
        self.programs.close()
