"""Residency: where values are, and bringing them where they are needed.

Which mirrors of a value exist is known to the evaluator's cache: a value and its copies in other spaces have one
content key, and each copy is kept on the shelf of its space. So a value is uploaded once however many read it, is found
again in the next evaluation, and is uploaded again if it had been dropped. This module moves values, for the transfer
steps of a plan and for whoever finds a value elsewhere than planned (after a fallback).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from unshape_backend.errors import SelectionError
from unshape_backend.protocols import ComputeBackend, SupportsDirectTransfer
from unshape_backend.registry import BackendRegistry
from unshape_core.cache import bytes_of, space_of
from unshape_core.fork_safety import renew_in_children
from unshape_core.memory_space import HOST, MemorySpace
from unshape_core.value import Value

_log = logging.getLogger("unshape_backend")


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """What was moved from one space to another.

    Parameters
    ----------
    count : int
        Number of values.
    nbytes : int
        Their bytes.
    """

    count: int = 0
    nbytes: int = 0


class Residency:
    """Moves values between memory spaces and counts what it moved. Safe to use from several threads.

    Parameters
    ----------
    registry : BackendRegistry
        Knows who computes in which space.
    """

    def __init__(self, registry: BackendRegistry) -> None:
        self._registry = registry
        self._lock = threading.Lock()
        self._traffic: dict[tuple[MemorySpace, MemorySpace], Traffic] = {}
        renew_in_children(self)

    def renew_after_fork(self) -> None:
        """Replace the lock, which a thread that is not here may have held."""
        self._lock = threading.Lock()

    @property
    def traffic(self) -> Mapping[tuple[MemorySpace, MemorySpace], Traffic]:
        """What was moved so far, by source and target."""
        with self._lock:
            return dict(self._traffic)

    def bring(self, value: Value, target: MemorySpace, *, backend: ComputeBackend | None = None) -> Value:
        """Return a value in a space; itself if it is there.

        Parameters
        ----------
        value : Value
            An array on the host or on a device. Numbers are everywhere.
        target : MemorySpace
            Where it is wanted.
        backend : ComputeBackend or None
            Who takes it there; found by the space if not given.

        Raises
        ------
        BackendError
            If a device could not do it; ``backend`` says which one: that of the source, which then has lost the value,
            or that of the target.
        SelectionError
            If no open backend computes in one of the spaces.
        """
        source = space_of(value)
        if source == target or not hasattr(value, "nbytes"):
            return value
        if target == HOST:
            return self._to_host(value, source)
        taker = self._backend_in(target) if backend is None else backend
        if isinstance(taker, SupportsDirectTransfer):
            direct = taker.adopt(value)
            if direct is not None:
                self._note(source, target, bytes_of(value))
                return direct
        host = value if source == HOST else self._to_host(value, source)
        moved = taker.upload(host)  # type: ignore[arg-type]  # an array, since it is on the host and has bytes
        self._note(HOST, target, bytes_of(value))
        return moved

    def wait_for(self, space: MemorySpace) -> None:
        """Wait until everything that was handed over in a space is done.

        Raises
        ------
        BackendError
            What went wrong with it.
        """
        self._backend_in(space).synchronize()

    def _to_host(self, value: Value, source: MemorySpace) -> npt.NDArray[Any]:
        array = self._backend_in(source).download(value)
        self._note(source, HOST, array.nbytes)
        return array

    def _backend_in(self, space: MemorySpace) -> ComputeBackend:
        """Return who computes in a space; one that was set aside may still give back what it holds."""
        entries = self._registry.current().in_space(space)
        if not entries:
            msg = f"a value in '{space}': expected an open backend there to move it; register the backend that made it"
            raise SelectionError(msg)
        usable = [entry for entry in entries if entry.why_unusable() is None]
        return (usable or entries)[0].backend

    def _note(self, source: MemorySpace, target: MemorySpace, nbytes: int) -> None:
        _log.debug("moved %d bytes from '%s' to '%s'", nbytes, source, target)
        with self._lock:
            before = self._traffic.get((source, target), Traffic())
            self._traffic[source, target] = Traffic(count=before.count + 1, nbytes=before.nbytes + nbytes)
