"""Failures that a fake backend plays on demand."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from unshape_backend.errors import BackendError, CompilationError, DeviceLostError, OutOfMemoryError
from unshape_core.errors import InvalidArgumentError


class FailurePoint(StrEnum):
    """Where a run goes wrong."""

    COMPILE = "compile"  # when the task is made ready
    BEFORE = "before"  # called, nothing written
    DURING = "during"  # half of the first output written
    AFTER = "after"  # everything written
    WAIT = "wait"  # handed over without complaint, the error comes when somebody waits
    HANG = "hang"  # never ends until it is cancelled


class FailureKind(StrEnum):
    """What goes wrong."""

    BACKEND = "backend"
    OUT_OF_MEMORY = "out-of-memory"
    DEVICE_LOST = "device-lost"
    COMPILATION = "compilation"
    INVALID_ARGUMENT = "invalid-argument"
    BUG = "bug"  # an exception that no backend should let out


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One thing that goes wrong.

    Parameters
    ----------
    point : FailurePoint
        When.
    kind : FailureKind
        What is raised.
    node_type : str or None
        For which node; None means every one.
    times : int or None
        How often; None means always.
    """

    point: FailurePoint = FailurePoint.BEFORE
    kind: FailureKind = FailureKind.BACKEND
    node_type: str | None = None
    times: int | None = None

    def error(self, *, backend: str, type_name: str) -> Exception:
        """Return what is raised.

        Parameters
        ----------
        backend, type_name : str
            Who fails at which node.
        """
        text = f"kernel '{type_name}' on '{backend}': told to fail ({self.kind}, {self.point})"
        match self.kind:
            case FailureKind.BACKEND:
                return BackendError(text, backend=backend, type_name=type_name)
            case FailureKind.OUT_OF_MEMORY:
                return OutOfMemoryError(text, backend=backend, needed_bytes=1, available_bytes=0, type_name=type_name)
            case FailureKind.DEVICE_LOST:
                return DeviceLostError(text, backend=backend, type_name=type_name)
            case FailureKind.COMPILATION:
                return CompilationError(text, backend=backend, type_name=type_name)
            case FailureKind.INVALID_ARGUMENT:
                return InvalidArgumentError(text, type_name=type_name)
            case FailureKind.BUG:
                return ZeroDivisionError(text)


class FailureScript:
    """What goes wrong, and how often it has. Safe to use from several threads.

    Parameters
    ----------
    failures : sequence of Failure
        What goes wrong; the list may be changed while the backend runs.
    backend : str
        Who fails.
    """

    def __init__(self, failures: Sequence[Failure], *, backend: str) -> None:
        self.failures = list(failures)
        self._backend = backend
        self._counts: dict[Failure, int] = {}
        self._lock = threading.Lock()

    def due(self, point: FailurePoint, type_name: str) -> Exception | None:
        """Return the error that is due at a point of a node's run, and count it; None if all goes well."""
        with self._lock:
            for failure in self.failures:
                count = self._counts.get(failure, 0)
                is_meant = failure.point is point and failure.node_type in {None, type_name}
                if is_meant and (failure.times is None or count < failure.times):
                    self._counts[failure] = count + 1
                    return failure.error(backend=self._backend, type_name=type_name)
        return None

    def raise_if_due(self, point: FailurePoint, type_name: str) -> None:
        """Raise the error that is due at a point of a node's run."""
        error = self.due(point, type_name)
        if error is not None:
            raise error
