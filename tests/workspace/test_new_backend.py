"""A new backend package joins the workspace by existing."""

from __future__ import annotations

import importlib
import shutil
import tomllib
from pathlib import Path

import pytest

from tools.check_arrows import contracts
from tools.members import ROOT, combinations, find_members, find_optional_backends
from tools.new_backend import STUB, create_backend


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Return a workspace with our members' declarations and none of their code but the stub."""
    for member in find_members():
        folder = tmp_path / "packages" / member.distribution
        folder.mkdir(parents=True)
        shutil.copy(member.folder / "pyproject.toml", folder)
    shutil.copy(ROOT / "LICENSE", tmp_path)
    (tmp_path / STUB).parent.mkdir(parents=True)
    (tmp_path / STUB).write_text("class StubBackend:\n    id = 'stub'\n", encoding="utf-8")
    return tmp_path


def test_a_new_backend_doubles_the_matrix(workspace: Path) -> None:
    before = combinations(find_optional_backends(find_members(workspace)))
    create_backend("foam", root=workspace)
    after = combinations(find_optional_backends(find_members(workspace)))
    assert len(before) * 2 == len(after)


def test_a_new_backend_is_held_to_the_arrows(workspace: Path) -> None:
    create_backend("foam", root=workspace)
    assert "unshape_foam | " in contracts(find_members(workspace))


def test_a_new_backend_is_an_extra_of_the_facade(workspace: Path) -> None:
    create_backend("foam", root=workspace)
    facade = tomllib.loads((workspace / "packages" / "unshape" / "pyproject.toml").read_text(encoding="utf-8"))
    extras = facade["project"]["optional-dependencies"]
    assert extras["foam"] == [f"unshape-foam =={facade['project']['version']}"]
    assert "foam" in extras["all"][0]
    assert facade["tool"]["uv"]["sources"]["unshape-foam"] == {"workspace": True}


def test_a_new_backend_is_the_stub_under_its_own_name(workspace: Path) -> None:
    folder = create_backend("foam", root=workspace)
    source = (folder / "src" / "unshape_foam" / "backend.py").read_text(encoding="utf-8")
    assert source == "class FoamBackend:\n    id = 'foam'\n"


def test_the_backend_to_copy_opens_under_its_new_name(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(ROOT / STUB, workspace / STUB)
    folder = create_backend("foam", root=workspace)
    monkeypatch.syspath_prepend(str(folder / "src"))
    backend = importlib.import_module("unshape_foam.backend").open_backend()
    assert (backend.id, str(backend.capabilities.space)) == ("foam", "foam")
    assert "tub" not in (folder / "src" / "unshape_foam" / "backend.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["", "Foam", "foam-", "two-words", "1foam", "../foam", "core"])
def test_a_name_that_will_not_do_is_refused_and_nothing_written(workspace: Path, name: str) -> None:
    before = sorted(workspace.rglob("*"))
    with pytest.raises(ValueError, match=r"already|is not lower case"):
        create_backend(name, root=workspace)
    assert before == sorted(workspace.rglob("*"))
