"""Every package that exports names has a page in the reference that shows them."""

from __future__ import annotations

import importlib

import pytest

from tools.members import ROOT, Member, find_members

FOLDER = ROOT / "docs" / "reference" / "api"
EXPORTING = [each for each in find_members() if hasattr(importlib.import_module(each.import_name), "__all__")]


def shows(text: str, member: Member) -> bool:
    """Return whether a page documents what a package exports."""
    return f".. automodule:: {member.import_name}\n   :members:\n   :imported-members:\n" in text


@pytest.mark.parametrize("member", EXPORTING, ids=lambda member: member.distribution)
def test_package_has_a_page_that_the_index_names(member: Member) -> None:
    assert shows((FOLDER / f"{member.import_name}.md").read_text(encoding="utf-8"), member)
    assert f"\n{member.import_name}\n" in (FOLDER / "index.md").read_text(encoding="utf-8")


def test_page_of_another_package_does_not_do() -> None:
    one, other = EXPORTING[:2]
    assert not shows((FOLDER / f"{one.import_name}.md").read_text(encoding="utf-8"), other)
