"""What the how-to pages build passes the suites that they name: the pages alone are enough."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools.members import ROOT

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
QUICK = "not (image or noise or special or size or expression or random or processes)"


def run_page(page: str, folder: Path, *, only: str) -> str:
    """Write the code of a page into one test module, run it, and return the last line of the report."""
    text = (ROOT / "docs" / "how-to" / f"{page}.md").read_text(encoding="utf-8")
    module = folder / f"test_{page.replace('-', '_')}.py"
    module.write_text("\n".join(BLOCK.findall(text)), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", str(module), "-q", "-c", str(folder / "none.ini"), "-k", only]
    (folder / "none.ini").write_text("[pytest]\n", encoding="utf-8")
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip().splitlines()[-1]


@pytest.mark.parametrize(("page", "at_least"), [("write-a-backend", 120), ("write-a-domain", 15)])
def test_what_a_page_builds_passes_the_suites_it_names(page: str, at_least: int, tmp_path: Path) -> None:
    summary = run_page(page, tmp_path, only=QUICK)
    passed = re.search(r"(\d+) passed", summary)
    assert passed is not None
    assert int(passed[1]) >= at_least
    assert "failed" not in summary
