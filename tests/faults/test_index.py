"""The page of known faults names tests that are there, and at least one for each fault."""

from __future__ import annotations

import ast
import re

import pytest

from tools.members import ROOT

PAGE = ROOT / "docs" / "reference" / "known-faults.md"
ROWS = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
FAULTS = [row for row in ROWS if not row.startswith("| kind of fault")]
NAMED = sorted(set(re.findall(r"`([\w./-]+\.py)::(\w+)`", PAGE.read_text(encoding="utf-8"))))


def has_test(file: str, name: str) -> bool:
    path = ROOT / file
    if not path.is_file():
        return False
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return any(isinstance(node, ast.FunctionDef) and node.name == name for node in ast.walk(tree))


def test_each_fault_has_four_cells_and_a_test() -> None:
    assert len(FAULTS) >= 50
    for row in FAULTS:
        cells = [cell.strip() for cell in row.strip("|").split(" | ")]
        assert 4 == len(cells), row
        assert "::test_" in cells[3], row


@pytest.mark.parametrize(("file", "name"), NAMED, ids=[name for _, name in NAMED])
def test_a_named_test_is_there(file: str, name: str) -> None:
    assert has_test(file, name)


def test_a_test_that_is_not_there_is_noticed() -> None:
    assert not has_test("tests/faults/test_index.py", "test_nothing_of_the_kind")
    assert not has_test("tests/faults/test_nothing.py", "test_a_named_test_is_there")
