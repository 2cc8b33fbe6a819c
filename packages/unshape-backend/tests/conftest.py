"""What the tests of backends share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from unshape_backend.config import Settings
from unshape_backend.registry import BackendRegistry
from unshape_testing.installation import Installation


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings that no variable of the environment influences."""
    return Settings(cache_dir=tmp_path / "cache")


@pytest.fixture
def registry(settings: Settings) -> BackendRegistry:
    """A registry of the reference backend alone."""
    return BackendRegistry.with_cpu(settings=settings)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Installation]:
    """A folder into which a test installs distributions."""
    with Installation(tmp_path / "site") as installation:
        yield installation
