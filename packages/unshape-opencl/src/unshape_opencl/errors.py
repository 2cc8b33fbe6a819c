"""Errors of the driver as errors of this backend, in one sentence each."""

from __future__ import annotations

import re
from types import TracebackType

import pyopencl as cl

from unshape_backend.errors import BackendError, CompilationError, DeviceLostError, OutOfMemoryError
from unshape_opencl.source import Source

_OUT_OF_MEMORY = frozenset(
    {
        cl.status_code.MEM_OBJECT_ALLOCATION_FAILURE,
        cl.status_code.OUT_OF_RESOURCES,
        cl.status_code.OUT_OF_HOST_MEMORY,
        cl.status_code.INVALID_BUFFER_SIZE,
    }
)
_LOST = frozenset(
    {
        cl.status_code.DEVICE_NOT_AVAILABLE,
        cl.status_code.INVALID_COMMAND_QUEUE,
        cl.status_code.INVALID_CONTEXT,
        cl.status_code.INVALID_DEVICE,
    }
)
_COMPILER_MESSAGES = (
    re.compile(r":(?P<line>\d+):\d+: (?:fatal )?error: (?P<text>.*)"),
    re.compile(r"error: \S+?:(?P<line>\d+):\d+: (?P<text>.*)"),  # PoCL
    re.compile(r":(?P<line>\d+):\d+: warning: (?P<text>implicit declaration .*)"),  # NVIDIA; then its linker fails
)


def is_out_of_memory(error: cl.Error) -> bool:
    """Return whether a driver's error says that memory ran out."""
    return isinstance(error, cl.MemoryError) or error.code in _OUT_OF_MEMORY


class DriverErrors:
    """A block in which errors of the driver become those of this package; may be entered again and by several threads.

    Parameters
    ----------
    where : str
        What is done, to begin the message: ``"upload on 'opencl'"``.
    backend : str
        The backend's id.
    """

    __slots__ = ("_backend", "_where")

    def __init__(self, where: str, *, backend: str) -> None:
        self._where = where
        self._backend = backend

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, cl.Error):
            raise translated(error, self._where, backend=self._backend) from error


def translated(error: cl.Error, where: str, *, backend: str) -> BackendError:
    """Return a driver's error as one of this package."""
    reason = f"{where}: {error.routine or 'the driver'} failed: {_first_line(error)}"
    if is_out_of_memory(error):
        return OutOfMemoryError(f"{reason}; compute a smaller window or resolution", backend=backend)
    if error.code in _LOST:
        return DeviceLostError(f"{reason}; open the backend again", backend=backend)
    return BackendError(f"{reason}; 'unshape doctor' tries the device", backend=backend)


def compilation_error(log: str, source: Source, where: str, *, backend: str) -> CompilationError:
    """Return a compiler's complaint, with the part of the expression that it is about.

    Parameters
    ----------
    log : str
        What the compiler said.
    source : Source
        What it was given.
    where : str
        Begins the message: which node, on which backend.
    backend : str
        The backend's id.
    """
    found = next((match for match in (message.search(log) for message in _COMPILER_MESSAGES) if match), None)
    if found is None:
        lines = [line.strip() for line in log.splitlines() if line.strip()]
        said = lines[0] if lines else "the compiler gave no reason"
        return CompilationError(f"{where}: the kernel does not compile: {said}", backend=backend)
    line = int(found["line"])
    origin = source.origin(line)
    at = f" in {origin}" if origin else f" in line {line} of the frame around the expression"
    return CompilationError(f"{where}: the kernel does not compile: {found['text']}{at}", backend=backend)


def _first_line(error: cl.Error) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else f"status {error.code}"
