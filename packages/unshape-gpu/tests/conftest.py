"""The backend under test: the first device that there is, software or not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from unshape_backend.errors import BackendUnavailableError
from unshape_gpu.backend import GpuComputeBackend, open_backend
from unshape_testing.plugin import give_up


@pytest.fixture
def gpu(pytestconfig: pytest.Config) -> Iterator[GpuComputeBackend]:
    try:
        backend, *others = open_backend()
    except BackendUnavailableError as error:
        give_up(pytestconfig, "gpu", error.availability)
    yield backend
    for each in (backend, *others):
        each.close()
