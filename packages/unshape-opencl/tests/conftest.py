"""Devices for these tests: a CPU one as it is, and one on which code and transfers of GPUs run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from unshape_backend.errors import BackendUnavailableError
from unshape_backend.kernel_library import KernelLibrary
from unshape_testing.plugin import give_up

if TYPE_CHECKING:
    from unshape_opencl import OpenClBackend


@pytest.fixture(scope="session", params=["as it is", "as a GPU"])
def opened(request: pytest.FixtureRequest, pytestconfig: pytest.Config) -> Iterator[OpenClBackend]:
    """Return the first device, with the kernels of all domains; shared, so nothing may depend on its history."""
    from unshape_opencl.discovery import list_devices, open_device

    try:
        backend = open_device(list_devices()[0], as_gpu=request.param == "as a GPU")
    except BackendUnavailableError as error:
        give_up(pytestconfig, "opencl", error.availability)
    KernelLibrary().give(backend, "opencl")
    yield backend
    backend.close()
