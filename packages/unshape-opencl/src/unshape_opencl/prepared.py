"""What a task that runs a written kernel keeps between its runs: tables, launches, forms of its arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unshape_opencl.buffer import Form
from unshape_opencl.launch import Launch
from unshape_opencl.memo import Memo

if TYPE_CHECKING:
    from unshape_opencl.backend import OpenClBackend
    from unshape_opencl.opened_device import OpenedDevice

LAUNCHES = 64
"""More than a node needs for one run; the levels of a wide filter are some 20."""
_FLOAT = np.dtype(np.float32)


class Prepared:
    """What was made for earlier runs of a task. Safe to use from several threads.

    Parameters
    ----------
    backend : OpenClBackend
        Whose arrays go in and out.
    device : OpenedDevice
        The device.
    where : str
        Begins messages: which node, on which backend.

    Attributes
    ----------
    tables : Memo
        What the kernel asked to keep.
    errors : DriverErrors
        Turns errors of the driver into those of this package.
    """

    def __init__(self, backend: OpenClBackend, device: OpenedDevice, where: str) -> None:
        self.tables = Memo()
        self.errors = backend.driver_errors(where)
        self._backend = backend
        self._programs = device.programs
        self._where = where
        self._launches = Memo(LAUNCHES)
        self._forms = Memo(LAUNCHES)

    def form(self, shape: tuple[int, ...]) -> Form:
        """Return what float32 arrays of a shape have in common."""
        return self._forms.get(shape, lambda: self._backend.form(shape, _FLOAT))

    def launch(
        self,
        source: str,
        entry: str,
        macros: tuple[tuple[str, int | str], ...],
        global_size: tuple[int, ...],
        local_size: tuple[int, ...] | None,
    ) -> Launch:
        """Return a kernel of a text with the sizes of its launch, see ``KernelDevice.launch``."""

        def make() -> Launch:
            kernel = self._programs.written(source, entry, macros, where=self._where)
            local = local_size or (1,) * len(global_size)
            rounded = tuple([-(-size // group) * group for size, group in zip(global_size, local, strict=True)])
            return Launch(kernel, name=entry, global_size=rounded, local_size=local)

        return self._launches.get((source, entry, macros, global_size, local_size), make)
