"""What the tests of the core share: helper nodes in a module beside them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def _fresh_counts() -> None:
    from core_nodes import RUNS

    RUNS.clear()
