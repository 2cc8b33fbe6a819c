"""The reference of the expression language says what the language is."""

from __future__ import annotations

import pytest

from tools import write_expression_reference as reference


def test_the_page_is_current() -> None:
    assert reference.main(["--check"]) == 0


def test_a_page_that_is_not_current_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    text = reference.page()
    monkeypatch.setattr(reference, "page", lambda: text + "one more line")
    assert reference.main(["--check"]) == 1
