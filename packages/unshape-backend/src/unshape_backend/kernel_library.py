"""The kernel library: every kernel that scripts registered and distributions bring, by family of backends."""

from __future__ import annotations

import logging
from dataclasses import replace

from unshape_backend.discovery import FoundKernels, find_kernels
from unshape_backend.errors import KernelConflictError
from unshape_backend.kernel import KernelSpec, KernelTable
from unshape_backend.protocols import ComputeBackend

_log = logging.getLogger("unshape_backend")


class KernelLibrary:
    """Tables of kernels, loaded family by family. Not locked: the registry that owns it is."""

    __slots__ = ("_loaded", "_tables")

    def __init__(self) -> None:
        self._tables: dict[str, KernelTable] = {}
        self._loaded: set[str] = set()

    def table(self, family: str) -> KernelTable:
        """Return the table of a family as far as it is loaded."""
        return self._tables.setdefault(family, KernelTable(family))

    def add(self, kernel: KernelSpec) -> None:
        """Add a kernel of a script.

        Raises
        ------
        KernelConflictError
            If another one of equal priority is there.
        """
        self.table(kernel.backend).add(kernel)

    def load(self, family: str) -> KernelTable:
        """Return the table of a family with what distributions bring; imports them on the first call.

        A table that cannot be loaded costs one warning. Of two kernels with equal claims neither is used, since either
        choice would be a guess; the warning names both distributions.
        """
        table = self.table(family)
        if family not in self._loaded:
            self._loaded.add(family)
            for found in find_kernels(family):
                _load_into(table, found)
        return table

    def give(self, backend: ComputeBackend, family: str) -> None:
        """Register the kernels of a family at a backend that is newly open."""
        for kernel in self.load(family):
            try:
                backend.register_kernel(kernel)
            except KernelConflictError as error:
                _log.warning("%s", error)


def _load_into(table: KernelTable, found: FoundKernels) -> None:
    try:
        kernels = [replace(kernel, origin=found.distribution) for kernel in found.load()]
    except Exception as error:
        _log.warning(
            "kernels for '%s' from '%s' cannot be loaded: %s: %s; without them nodes run slower or on other backends",
            table.family,
            found.distribution,
            type(error).__name__,
            error,
        )
        return
    for kernel in kernels:
        try:
            table.add(kernel)
        except KernelConflictError as error:
            _log.warning("%s; until then neither is used", error)
            for rival in table.of(kernel.node_type):
                if rival.priority == kernel.priority and rival.dtypes & kernel.dtypes:
                    table.remove(rival)
