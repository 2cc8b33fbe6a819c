"""What the tests of backends share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from unshape_backend.config import Settings
from unshape_backend.registry import BackendRegistry
from unshape_core.context import EvalContext
from unshape_testing.graph_builder import GraphBuilder
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


@pytest.fixture
def photo() -> npt.NDArray[Any]:
    """A picture of 24 x 16 pixels."""
    return np.random.default_rng(3).random((16, 24, 3)).astype(np.float32)


@pytest.fixture
def ctx(photo: npt.NDArray[Any]) -> EvalContext:
    """The circumstances of a picture given as ``photo``."""
    return EvalContext(resolution=(24, 16), inputs={"photo": photo})


@pytest.fixture
def build() -> GraphBuilder:
    """An empty graph and a short way to fill it."""
    return GraphBuilder()
