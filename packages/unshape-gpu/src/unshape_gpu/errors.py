"""Errors of this backend: those of unshape-backend, told apart by what wgpu says.

::

    wgpu                                   here
    out of memory                          OutOfMemoryError
    "lost", "destroyed", "invalid parent"  DeviceLostError
    a shader that does not compile         CompilationError (see program.py)
    anything else                          BackendError
"""

from __future__ import annotations

from unshape_backend.availability import Unavailable, UnavailableReason
from unshape_backend.errors import BackendError, BackendUnavailableError, DeviceLostError, OutOfMemoryError
from unshape_gpu import native

_LOST = ("lost", "destroyed", "parent device is invalid", "device is invalid")


def first_sentence(error: BaseException) -> str:
    """Return what an error of wgpu says in one line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip() and line.strip() != "Caused by:"]
    return "; ".join(lines[:4])[:400] or type(error).__name__


def is_device_loss(error: BaseException) -> bool:
    """Return whether an error says that the device is gone."""
    text = str(error).lower()
    return any(sign in text for sign in _LOST)


def translated(error: Exception, *, backend: str, doing: str, needed_bytes: int | None = None) -> BackendError:
    """Return an error of wgpu as one of ours.

    Parameters
    ----------
    error : Exception
        What was raised.
    backend : str
        Whose device it was.
    doing : str
        Begins the message: what was to be done.
    needed_bytes : int, optional
        Size of the allocation that failed.
    """
    if isinstance(error, BackendError):
        return error
    what = f"backend '{backend}': {doing}: {first_sentence(error)}"
    if is_device_loss(error):
        return DeviceLostError(f"{what}; the device is lost, open the backend again", backend=backend)
    if native.is_out_of_memory(error) or isinstance(error, MemoryError):
        return OutOfMemoryError(what, backend=backend, needed_bytes=needed_bytes)
    return BackendError(what, backend=backend)


def unavailable(reason: UnavailableReason, detail: str, remedy: str) -> BackendUnavailableError:
    """Return the error that says why there is no backend."""
    return BackendUnavailableError(backend="gpu", availability=Unavailable(reason=reason, detail=detail, remedy=remedy))
