"""Errors of C calls as errors of this backend."""

from __future__ import annotations

from unshape_backend.cpu.host_memory import host_memory
from unshape_backend.errors import OutOfMemoryError
from unshape_backend.identity import BackendId
from unshape_backend.task import Task


def out_of_memory(error: MemoryError, task: Task, backend: BackendId) -> OutOfMemoryError:
    """Return the error to raise: what was needed as far as it is known, and what there is."""
    sizes = (*task.input_bytes, *task.output_bytes)
    return OutOfMemoryError(
        f"node '{task.node.type_name}' on '{backend}': {str(error) or 'out of memory'}; "
        "compute a smaller window or resolution",
        backend=backend,
        needed_bytes=None if None in sizes else sum(size for size in sizes if size is not None),
        available_bytes=host_memory().available_bytes,
        node_id=task.node_ids[-1],
        type_name=task.node.type_name,
    )
