"""The bootstrap finds what is there, and says in one sentence what it cannot get."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tools import bootstrap, dev
from tools.members import find_members

MEMBER = find_members()[0]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("uv 0.9.0", True), ("uv 0.13.9 (x86_64)", True), ("uv 0.8.24", False), ("uv 1.0.0", False), ("nonsense", False)],
)
def test_only_a_uv_of_the_supported_range_is_taken(tmp_path: Path, answer: str, *, expected: bool) -> None:
    uv = program(tmp_path / "uv", f"echo '{answer}'")
    assert bootstrap.is_supported_uv(uv) is expected


def test_a_missing_uv_is_no_uv(tmp_path: Path) -> None:
    assert not bootstrap.is_supported_uv(tmp_path / "uv")


def test_only_missing_debian_packages_are_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "dpkg-query", "echo 'here installed'; echo 'removed config-files'; exit 1")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert bootstrap.missing_debian_packages(["here", "removed", "unknown"]) == ["removed", "unknown"]


def test_a_system_without_dpkg_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    bootstrap.require_debian_packages([replace(MEMBER, debian_packages=("anything",))])


def test_debian_packages_that_cannot_be_installed_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "dpkg-query", "exit 1")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(bootstrap.SetupError, match=r"run: sudo apt-get install --no-install-recommends a b$"):
        bootstrap.require_debian_packages([replace(MEMBER, debian_packages=("b", "a"))])


def test_a_setup_error_is_one_sentence_and_exit_code_two(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_arguments: str) -> None:
        message = "no uv"
        raise bootstrap.SetupError(message)

    monkeypatch.setattr(bootstrap, "sync", refuse)
    assert dev.main(["picture"]) == 2
    assert capsys.readouterr().err == "dev: no uv\n"


def test_an_old_python_is_refused_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.version_info", (3, 10, 4))
    assert dev.main(["test"]) == 2
    message = capsys.readouterr().err
    assert message.startswith("dev: unshape needs Python 3.11 or later and this is 3.10;")
    assert message.count("\n") == 1


def program(path: Path, script: str) -> Path:
    """Write an executable shell script."""
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return path
