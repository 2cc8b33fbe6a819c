"""NumPy's MemoryError as an error of this backend."""

from __future__ import annotations

from unshape_backend.cpu.host_memory import host_memory
from unshape_backend.errors import OutOfMemoryError
from unshape_backend.identity import REFERENCE
from unshape_backend.task import Task


def as_backend_error(error: MemoryError, task: Task) -> OutOfMemoryError:
    """Return the error to raise: what was needed as far as it is known, and what there is."""
    sizes = (*task.input_bytes, *task.output_bytes)
    needed = None if None in sizes else sum(size for size in sizes if size is not None)
    available = host_memory().available_bytes
    return OutOfMemoryError(
        f"node '{task.node.type_name}' on 'cpu': {str(error) or 'out of memory'}; "
        "compute a smaller window or resolution",
        backend=REFERENCE,
        needed_bytes=needed,
        available_bytes=available,
        node_id=task.node_ids[-1],
        type_name=task.node.type_name,
    )
