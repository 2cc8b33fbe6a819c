"""The examples in pages and docstrings run and give what they say."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser as MarkdownCode
from sybil.parsers.myst import DocTestDirectiveParser, PythonCodeBlockParser, SkipParser
from sybil.parsers.rest import DocTestParser

from tools.members import ROOT, find_members

PAGES = Sybil(parsers=[PythonCodeBlockParser(), DocTestDirectiveParser(), SkipParser()])
READMES = Sybil(parsers=[MarkdownCode(), SkipParser()])
DOCSTRINGS = Sybil(parsers=[DocTestParser(doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)])

MEMBERS = find_members()
DOCUMENTS = [
    *((PAGES, path) for path in sorted((ROOT / "docs").rglob("*.md")) if "_build" not in path.parts),
    *((READMES, path) for path in [ROOT / "README.md", *(member.folder / "README.md" for member in MEMBERS)]),
    *((DOCSTRINGS, path) for member in MEMBERS for path in sorted(member.source.rglob("*.py"))),
    *((DOCSTRINGS, path) for path in sorted((ROOT / "tools").glob("*.py"))),
]
"""Which parser reads which file; a module without an example is imported nowhere."""


def has_example(path: Path) -> bool:
    """Tell whether a file has anything to run, without importing it."""
    text = path.read_text(encoding="utf-8")
    return ">>> " in text if path.suffix == ".py" else "```" in text


WITH_EXAMPLES = [(sybil, path) for sybil, path in DOCUMENTS if has_example(path)]


@pytest.mark.parametrize(
    ("sybil", "path"), WITH_EXAMPLES, ids=[str(path.relative_to(ROOT)) for _, path in WITH_EXAMPLES]
)
def test_examples_give_what_they_say(sybil: Sybil, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = sybil.parse(path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for example in document.examples():
        example.evaluate()


def test_a_wrong_example_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nassert 1 + 1 == 3\n```\n", encoding="utf-8")
    (example,) = PAGES.parse(page).examples()
    with pytest.raises(AssertionError):
        example.evaluate()
