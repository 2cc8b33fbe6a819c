"""No import points upward or sideways, and the check would notice one that did."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools.members import ROOT, find_members

MEMBERS = find_members()


def test_imports_point_down() -> None:
    assert check_arrows() == 0


@pytest.mark.parametrize(
    ("module", "imported"),
    [
        ("unshape_core", "unshape_expr"),
        ("unshape_expr", "unshape_backend"),
        ("unshape_backend", "unshape_noise"),
        ("unshape_noise", "unshape_image"),
        ("unshape_image", "unshape"),
        ("unshape", "unshape_testing"),
    ],
)
def test_an_import_upward_or_sideways_is_noticed(tmp_path: Path, module: str, imported: str) -> None:
    for member in MEMBERS:
        package = tmp_path / member.import_name
        package.mkdir()
        (package / "__init__.py").touch()
    (tmp_path / module / "__init__.py").write_text(f"import {imported}\n", encoding="utf-8")
    assert check_arrows(shadow=tmp_path) == 1


def check_arrows(*, shadow: Path | None = None) -> int:
    """Run the check in a process of its own, with the packages in ``shadow`` instead of ours if given."""
    variables = {**os.environ, "PYTHONPATH": str(shadow or "")}
    command = [sys.executable, "-m", "tools.check_arrows"]
    return subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, check=False).returncode
