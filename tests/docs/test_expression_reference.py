"""The reference page of the expression language is written from the operations and functions themselves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools import write_expression_reference as reference

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_current() -> None:
    """In a process of its own, where no test has defined functions."""
    command = [sys.executable, "-m", "tools.write_expression_reference", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_page_that_is_not_current_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    text = reference.page()
    monkeypatch.setattr(reference, "page", lambda: text + "one more line")
    assert reference.main(["--check"]) == 1
