"""The tests that the page of noise names exist."""

from __future__ import annotations

import re

from tools.members import ROOT

PAGE = ROOT / "docs" / "explanation" / "noise.md"
FOLDERS = ("packages/unshape-noise/tests", "packages/unshape-testing/src/unshape_testing", "tests/faults")


def test_every_test_that_is_named_exists() -> None:
    named = re.findall(r"`(test_\w+)`", PAGE.read_text(encoding="utf-8"))
    sources = "".join(path.read_text(encoding="utf-8") for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    assert len(named) > 20
    assert [name for name in named if f"def {name}(" not in sources] == []
    assert "def test_that_is_nowhere(" not in sources
