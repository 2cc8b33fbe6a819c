"""What kernels for particular nodes are given: a device that runs OpenCL C on its arrays.

A kernel in a domain package is a function ``kernel(node, inputs, ctx, device)`` that returns the outputs in port order.
It needs nothing of this package but the methods below, which it may state as a protocol of its own. ``ctx.region`` says
what is computed from what is at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_core.value import Value
from unshape_opencl.buffer import ClArray
from unshape_opencl.launch import Argument, local_memory
from unshape_opencl.memo import Made
from unshape_opencl.opened_device import OpenedDevice
from unshape_opencl.prepared import Prepared
from unshape_opencl.source import library

if TYPE_CHECKING:
    from unshape_opencl.backend import OpenClBackend

FLOAT = np.dtype(np.float32)


class KernelDevice:
    """The device as a kernel for a particular node sees it, made for one run.

    Parameters
    ----------
    backend : OpenClBackend
        Whose arrays go in and out.
    device : OpenedDevice
        The device.
    prepared : Prepared
        What was made for earlier runs of the task.
    where : str
        Begins messages: which node, on which backend.
    """

    __slots__ = ("_backend", "_device", "_errors", "_made", "_prepared", "_where")

    def __init__(self, backend: OpenClBackend, device: OpenedDevice, prepared: Prepared, where: str) -> None:
        self._backend = backend
        self._device = device
        self._prepared = prepared
        self._where = where
        self._errors = prepared.errors
        self._made: list[ClArray] = []

    @property
    def is_cpu(self) -> bool:
        """Whether a CPU plays the device: then few work-items with long loops are fast, and groups are not."""
        return self._device.is_looped

    @property
    def work_items(self) -> int:
        """How many work-items keep a CPU device busy."""
        return 8 * max(self._device.native.max_compute_units, 1)

    @property
    def max_group(self) -> int:
        """Most work-items in a group."""
        return self._device.facts.limits.max_workgroup_size or 1

    @property
    def local_bytes(self) -> int:
        """Local memory of a group, 0 if there is none."""
        return self._device.facts.limits.shared_memory_bytes or 0

    def library(self, name: str) -> str:
        """Return shared source text: ``"prelude.cl"``, ``"pictures.cl"`` or ``"texels.cl"``."""
        return library(name)

    def prepared(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return what ``make()`` returned for an equal key before, else what it returns now.

        For tables and sizes that depend on the task's region and on parameters of the node: the latter are the key.
        """
        return self._prepared.tables.get(key, make)

    def empty(self, shape: tuple[int, ...]) -> ClArray:
        """Return a new float32 array to be written by a kernel."""
        with self._errors:
            form = self._prepared.form(shape)
            array = ClArray(self._device.take(form.nbytes), form)
        self._made.append(array)
        return array

    def table(self, values: npt.NDArray[Any]) -> ClArray:
        """Return a small host array on the device: weights, indices."""
        return self._backend.upload(values)

    def launch(
        self,
        source: str,
        entry: str,
        *,
        arguments: Sequence[ClArray | int | float | np.generic],
        global_size: tuple[int, ...],
        local_size: tuple[int, ...] | None = None,
        defines: Mapping[str, int | str] | None = None,
        local_floats: int = 0,
    ) -> None:
        """Run a kernel; does not wait.

        Parameters
        ----------
        source : str
            OpenCL C 1.2. Nothing in it is contracted.
        entry : str
            Name of the kernel.
        arguments : sequence of (ClArray, int, float or numpy scalar)
            In order. An int is passed as ``int``, a float as ``float``.
        global_size, local_size : tuple of int
            Work-items in all, rounded up to whole groups, and in a group.
        defines : mapping of str to (int or str), optional
            Macros; each set of them is a program of its own.
        local_floats : int
            Floats of local memory that a group is given as the last argument, if there are any.
        """
        if 0 in global_size:
            return
        macros = tuple(defines.items()) if defines else ()
        values: list[Argument] = [each.buffer(self._where) if type(each) is ClArray else each for each in arguments]
        if local_floats:
            values.append(local_memory(FLOAT.itemsize * local_floats))
        with self._errors:
            launch = self._prepared.launch(source, entry, macros, global_size, local_size)
            event = self._device.queue.launch(launch, values)
        for array in self._made:
            array.ready = event  # commands run in order: whoever waits for the last one has waited for all


class KernelFunction(Protocol):
    """A kernel for a particular node, the function of a ``KernelSpec`` for the family "opencl"."""

    def __call__(
        self, node: Node, inputs: Sequence[Value], ctx: EvalContext, device: KernelDevice, /
    ) -> Sequence[Value]:
        """Return the outputs, made by ``device``; inputs must not be written."""
