"""The kernel library: every kernel that scripts registered and distributions bring, by family of backends."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from unshape_backend.discovery import FoundKernels, find_kernels
from unshape_backend.errors import KernelConflictError
from unshape_backend.kernel import KernelSpec, KernelTable, describe_conflict, is_equal_claim
from unshape_backend.protocols import ComputeBackend
from unshape_core.errors import InvalidArgumentError

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
            _load_into(table, find_kernels(family))
        return table

    def give(self, backend: ComputeBackend, family: str) -> None:
        """Register the kernels of a family at a backend that is newly open."""
        for kernel in self.load(family):
            try:
                backend.register_kernel(kernel)
            except KernelConflictError as error:
                _log.warning("%s; until then the backend's own is used", error)
            except Exception as error:
                _log.warning("backend '%s' refuses a kernel: %s: %s", backend.id, type(error).__name__, error)


def _load_into(table: KernelTable, tables: Sequence[FoundKernels]) -> None:
    contested: list[KernelSpec] = []
    for found in tables:
        for kernel in _load(found, table.family):
            rivals = [*table.of(kernel.node_type), *contested]
            claims = [rival for rival in rivals if rival != kernel and is_equal_claim(rival, kernel)]
            try:
                if not claims:
                    table.add(kernel)
                    continue
            except InvalidArgumentError as error:
                _log.warning("%s; it is left out, tell the authors of '%s'", error, found.distribution)
                continue
            _log.warning("%s; until then neither is used", describe_conflict(claims[0], kernel))
            contested += [kernel, *claims]
            for rival in claims:
                table.remove(rival)


def _load(found: FoundKernels, family: str) -> list[KernelSpec]:
    try:
        return [replace(kernel, origin=found.distribution) for kernel in found.load()]
    except Exception as error:
        _log.warning(
            "kernels for '%s' from '%s' cannot be loaded: %s: %s; without them nodes run slower or on other backends",
            family,
            found.distribution,
            type(error).__name__,
            error,
        )
        return []
