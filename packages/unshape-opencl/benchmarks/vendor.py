"""Opening the device that is measured."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unshape_backend.kernel_library import KernelLibrary

if TYPE_CHECKING:
    from unshape_opencl import OpenClBackend


def open_first(vendor: str | None) -> OpenClBackend:
    """Open the first device, with the kernels of all domains; drivers are loaded when the library is imported."""
    if vendor is not None:
        folder = Path(tempfile.mkdtemp())
        (folder / "named.icd").write_text(f"{vendor}\n", encoding="utf-8")
        os.environ["OCL_ICD_VENDORS"] = f"{folder}{os.sep}"
    from unshape_opencl import open_backends

    backend, *others = open_backends()
    for other in others:
        other.close()
    KernelLibrary().give(backend, "opencl")
    return backend


def first_device() -> Any:
    """Return the device that is measured, for what only the driver does."""
    from unshape_opencl.discovery import list_devices

    return list_devices()[0]
