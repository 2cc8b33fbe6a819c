"""Fallback: what happens when a backend cannot do what it was chosen for.

The task is run again on the next backend of its chain, from the same inputs; what came before is not computed again.
One remark in the step's record and one warning say so. A backend that failed three times, or lost its device, is set
aside by the registry, and the next plan does without it.

Never retried: wrong arguments, errors that a node raised, and what the caller cancelled. With ``strict``, under the
policy ``Named`` and for pinned nodes the first failure is raised.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from unshape_backend.errors import BackendError, OutOfMemoryError
from unshape_backend.identity import BackendId
from unshape_backend.protocols import ComputeBackend, SupportsTrim
from unshape_backend.registry import BackendRegistry
from unshape_backend.topology import BackendEntry, Topology
from unshape_core.cache import ValueCache
from unshape_core.errors import UnshapeError
from unshape_core.notes import add_note, note_backend

_log = logging.getLogger("unshape_backend")
_T = TypeVar("_T")


class Fallback:
    """Runs something on the first backend of a chain that can do it.

    Parameters
    ----------
    registry : BackendRegistry
        Keeps count of failures.
    is_strict : bool
        Whether the first failure is raised.
    cache : ValueCache or None
        What may be dropped when a device is out of memory.
    """

    def __init__(self, registry: BackendRegistry, *, is_strict: bool, cache: ValueCache | None = None) -> None:
        self.registry = registry
        self.is_strict = is_strict
        self._cache = cache
        self._known: tuple[Topology | None, dict[tuple[BackendId, ...], list[BackendEntry]]] = (None, {})

    def run(
        self,
        chain: tuple[BackendId, ...],
        attempt: Callable[[ComputeBackend], _T],
        *,
        what: str,
        is_bound: bool = False,
    ) -> _T:
        """Return what the first backend of the chain that does not fail makes.

        Parameters
        ----------
        chain : tuple of BackendId
            Whom to try, in order.
        attempt : callable
            ``attempt(backend)`` does the work there.
        what : str
            The work, for messages: ``"node 3 (noise::Perlin)"``.
        is_bound : bool
            Whether the first backend is the only one allowed.

        Raises
        ------
        BackendError
            What the last backend of the chain raised; what the first one raised if nothing may be retried.
        UnshapeError
            What is never retried.
        """
        entries = self._usable(chain)
        for position, entry in enumerate(entries):
            if entry.id != chain[0]:
                note_backend(entry.id)
            try:
                return self._with_room(entry.backend, attempt)
            except UnshapeError as error:
                if not isinstance(error, BackendError) or error.backend != entry.id:
                    raise
                failure: Exception = error
            except Exception as error:
                if entry.is_reference:
                    raise  # the node's own error
                failure = error
            self.registry.report_failure(entry.id, failure)
            if is_bound or self.is_strict or position == len(entries) - 1:
                if isinstance(failure, UnshapeError):
                    raise failure
                msg = f"{what} on '{entry.id}': the backend raised {type(failure).__name__}: {failure}"
                raise BackendError(msg, backend=entry.id) from failure
            self._tell(what, entry.id, failure, entries[position + 1].id)
        msg = f"{what}: none of {', '.join(chain)} is open any more; register one of them again"
        raise BackendError(msg, backend=chain[0])

    def once(self, backend_id: BackendId, attempt: Callable[[ComputeBackend], _T]) -> _T:
        """Return what one backend makes, after making room if need be; nothing is reported, nobody else is tried."""
        return self._with_room(self.registry.current().backend(backend_id), attempt)

    def _usable(self, chain: tuple[BackendId, ...]) -> list[BackendEntry]:
        """Return the backends of the chain that may be tried; all that are there if none may."""
        topology = self.registry.current()
        known, found = self._known
        if known is not topology:
            found = {}
            self._known = (topology, found)
        entries = found.get(chain)
        if entries is None:
            by_id = {entry.id: entry for entry in topology.entries}
            there = [by_id[backend_id] for backend_id in chain if backend_id in by_id]
            entries = found[chain] = [entry for entry in there if entry.why_unusable() is None] or there
        return entries

    def _with_room(self, backend: ComputeBackend, attempt: Callable[[ComputeBackend], _T]) -> _T:
        """Try once more after making room, if there was none."""
        try:
            return attempt(backend)
        except OutOfMemoryError as error:
            if error.backend != backend.id:
                raise
            freed = 0 if self._cache is None else self._cache.trim(backend.capabilities.space)
            if isinstance(backend, SupportsTrim):
                freed += backend.trim()
            _log.debug("'%s' was out of memory; %d bytes were freed", backend.id, freed)
        return attempt(backend)

    def _tell(self, what: str, failed: BackendId, error: Exception, following: BackendId) -> None:
        text = f"'{failed}' failed ({type(error).__name__}: {error}); continued on '{following}'"
        add_note(text)
        _log.warning("%s: %s", what, text)
