"""Errors of the backend layer, below the root of unshape-core.

::

    UnshapeError
    ├── BackendError (RuntimeError)            a backend could not do its work; the next of the chain is tried
    │   ├── BackendUnavailableError            it cannot be opened; carries reason and remedy
    │   ├── BackendClosedError                 used after close
    │   ├── UnsupportedTaskError               it was asked for what it does not support
    │   ├── CompilationError                   a kernel does not compile
    │   ├── OutOfMemoryError (MemoryError)     also after trimming
    │   ├── DeviceLostError                    the device is gone
    │   └── ForkedProcessError                 a device opened before a fork is used after it
    ├── SelectionError (LookupError)           no backend satisfies the request; carries every rejection
    ├── KernelConflictError                    two kernels claim one node on one backend with equal priority
    └── ProtocolVersionError                   a backend was written for another version
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from unshape_backend.availability import Unavailable
from unshape_core.errors import UnshapeError

if TYPE_CHECKING:
    from unshape_backend.task import Rejection


class BackendError(UnshapeError, RuntimeError):
    """A backend could not do its work.

    Attributes
    ----------
    backend : str
        Which one.
    """

    def __init__(self, message: str, *, backend: str, node_id: int | None = None, type_name: str | None = None) -> None:
        super().__init__(message, node_id=node_id, type_name=type_name)
        self.backend = backend


class BackendUnavailableError(BackendError):
    """A backend cannot be opened.

    Attributes
    ----------
    availability : Unavailable
        Reason, detail and remedy.
    """

    def __init__(self, *, backend: str, availability: Unavailable) -> None:
        super().__init__(f"backend '{backend}': {availability}", backend=backend)
        self.availability = availability


class BackendClosedError(BackendError):
    """A backend was used after it was closed."""


class UnsupportedTaskError(BackendError):
    """A backend was asked for a task that it does not support."""


class CompilationError(BackendError):
    """A kernel does not compile; the message names node and expression."""


class OutOfMemoryError(BackendError, MemoryError):
    """An allocation failed, also after trimming.

    Attributes
    ----------
    needed_bytes, available_bytes : int or None
        What was asked for and what there was.
    """

    def __init__(
        self,
        message: str,
        *,
        backend: str,
        needed_bytes: int | None = None,
        available_bytes: int | None = None,
        node_id: int | None = None,
        type_name: str | None = None,
    ) -> None:
        super().__init__(message, backend=backend, node_id=node_id, type_name=type_name)
        self.needed_bytes = needed_bytes
        self.available_bytes = available_bytes


class DeviceLostError(BackendError):
    """The device is gone; the backend is set aside."""


class ForkedProcessError(BackendError):
    """A device that was opened before a fork is used in the child; use the "spawn" start method."""


class SelectionError(UnshapeError, LookupError):
    """No backend satisfies a request.

    Attributes
    ----------
    rejected : mapping of str to Rejection
        Every backend that was considered, and why it does not serve.
    """

    def __init__(
        self,
        message: str,
        *,
        rejected: Mapping[str, Rejection] = MappingProxyType({}),
        node_id: int | None = None,
        type_name: str | None = None,
    ) -> None:
        reasons = "; ".join(f"'{name}': {rejection}" for name, rejection in rejected.items())
        super().__init__(f"{message}: {reasons}" if reasons else message, node_id=node_id, type_name=type_name)
        self.rejected = rejected


class KernelConflictError(UnshapeError):
    """Two kernels of equal priority claim one node on one family of backends; the message names both origins."""


class ProtocolVersionError(UnshapeError):
    """A backend was written for another version of the protocol."""
