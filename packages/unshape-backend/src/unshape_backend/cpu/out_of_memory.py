"""Running out of host memory: refused before it is taken where that can be told, an error of this backend always."""

from __future__ import annotations

from collections.abc import Callable

from unshape_backend.cpu.host_memory import host_memory
from unshape_backend.errors import OutOfMemoryError
from unshape_backend.identity import REFERENCE
from unshape_backend.task import Task

LARGE_BYTES = 1 << 28
"""Outputs of this size are worth a question to the operating system; smaller ones are taken unasked."""


def make_room_check(task: Task) -> Callable[[], None]:
    """Return what raises OutOfMemoryError if the outputs of a task are larger than the memory that is left.

    NumPy would get the address space without a murmur, and the system would end the process when it is filled.
    """
    needed = sum(size for size in task.output_bytes if size is not None)
    if needed < LARGE_BYTES:
        return _nothing_to_check

    def check() -> None:
        available = host_memory().available_bytes
        if available is not None and needed > available:
            raise _error(task, f"its outputs need {needed} bytes, {available} are left", needed, available)

    return check


def as_backend_error(error: MemoryError, task: Task) -> OutOfMemoryError:
    """Return NumPy's MemoryError as one of this backend: what was needed as far as it is known, and what there is."""
    sizes = (*task.input_bytes, *task.output_bytes)
    needed = None if None in sizes else sum(size for size in sizes if size is not None)
    return _error(task, str(error) or "out of memory", needed, host_memory().available_bytes)


def _error(task: Task, what: str, needed_bytes: int | None, available_bytes: int | None) -> OutOfMemoryError:
    return OutOfMemoryError(
        f"node '{task.node.type_name}' on 'cpu': {what}; compute a smaller window or resolution",
        backend=REFERENCE,
        needed_bytes=needed_bytes,
        available_bytes=available_bytes,
        node_id=task.node_ids[-1],
        type_name=task.node.type_name,
    )


def _nothing_to_check() -> None:
    pass
