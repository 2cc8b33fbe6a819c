"""No kernel reads or writes out of bounds, and none races: what oclgrind says of a whole session."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SESSION = Path(__file__).with_name("oclgrind_session.py")
NOT_INSTALLED = 3


def _session(*arguments: str) -> tuple[int, str]:
    """Run a session and return its status and what it printed."""
    done = subprocess.run(
        [sys.executable, str(SESSION), *arguments], capture_output=True, text=True, timeout=3000, check=False
    )
    if done.returncode == NOT_INSTALLED:
        pytest.skip(done.stderr.strip())
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
def test_no_kernel_leaves_its_buffers_or_races() -> None:
    status, printed = _session("--every", os.environ.get("UNSHAPE_OCLGRIND_EVERY", "10"))
    assert status == 0, printed
    assert int(printed.split()[0]) > 50


def test_what_leaves_its_buffers_or_races_is_found() -> None:
    status, printed = _session("--sabotage")
    assert status == 1
    for what in ("Invalid read", "Invalid write", "ace"):
        assert what in printed
