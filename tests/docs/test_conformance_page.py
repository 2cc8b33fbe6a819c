"""The page of laws names every law and every check, and nothing that does not exist."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re

from tools.members import ROOT
from unshape_testing import laws

PAGE = (ROOT / "docs" / "reference" / "conformance.md").read_text(encoding="utf-8")
CHECK = re.compile(r"`(\w+\.check_\w+)`")


def existing_checks() -> set[str]:
    """Return every check by the module that defines it."""
    found = set()
    for module in pkgutil.iter_modules(laws.__path__):
        if module.name != "programs":
            loaded = importlib.import_module(f"{laws.__name__}.{module.name}")
            functions = inspect.getmembers(loaded, inspect.isfunction)
            found |= {
                f"{module.name}.{name}"
                for name, function in functions
                if name.startswith("check_") and function.__module__ == loaded.__name__
            }
    return found


def test_every_check_is_on_the_page_and_every_check_on_the_page_exists() -> None:
    assert existing_checks() == set(CHECK.findall(PAGE))


def test_every_law_is_on_the_page_once_and_has_a_check() -> None:
    rows = re.findall(r"^\| (\d+) \| .* \| (.*) \|$", PAGE, re.MULTILINE)
    assert [int(law) for law, _ in rows] == list(range(1, 27))
    assert all(CHECK.search(checks) for _, checks in rows)
