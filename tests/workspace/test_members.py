"""Every member declares what it uses and carries what a distribution needs."""

from __future__ import annotations

import ast
import importlib.metadata
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tools.members import ROOT, Member, closure, combinations, find_members, find_optional_backends, requirement_name

MEMBERS = find_members()
VERSIONS = {member.distribution: member.version for member in MEMBERS}
each_member = pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.distribution)


def test_members_are_found() -> None:
    spine = {"unshape-core", "unshape-expr", "unshape-backend"}
    assert spine | {"unshape", "unshape-noise", "unshape-image", "unshape-testing"} <= set(VERSIONS)


def test_all_members_have_one_version() -> None:
    assert len(set(VERSIONS.values())) == 1


@each_member
def test_member_carries_readme_licence_and_type_marker(member: Member) -> None:
    assert (member.source / "py.typed").is_file()
    assert (member.folder / "README.md").read_text(encoding="utf-8").startswith(f"# {member.distribution}\n")
    assert (member.folder / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


@each_member
def test_member_metadata_is_complete(member: Member) -> None:
    project = read_pyproject(member)["project"]
    assert member.folder.name == project["name"]
    assert project["license"] == "MIT"
    assert project["license-files"] == ["LICENSE"]
    assert project["readme"] == "README.md"
    assert project["requires-python"] == ">=3.11"
    assert project["description"]


@each_member
def test_member_pins_other_members_to_the_one_version(member: Member) -> None:
    requirements = [*member.dependencies, *(text for texts in member.extras.values() for text in texts)]
    sources = read_pyproject(member).get("tool", {}).get("uv", {}).get("sources", {})
    for requirement in requirements:
        name = requirement_name(requirement)
        if name in VERSIONS and name != member.distribution:
            assert requirement.endswith(f"=={member.version}"), f"{requirement!r} names no version"
            assert sources[name] == {"workspace": True}


@each_member
def test_declared_dependencies_cover_the_imports_of_the_package(member: Member) -> None:
    assert undeclared_imports(member.source, declared=declared(member)) == {}


@each_member
def test_declared_dependencies_cover_the_imports_of_the_tests(member: Member) -> None:
    group = read_pyproject(member).get("dependency-groups", {}).get("test", [])
    allowed = declared(member) | {requirement_name(text) for text in group}
    assert undeclared_imports(member.tests, declared=allowed) == {}


def test_an_undeclared_import_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text("def late():\n    import numpy.linalg\n", encoding="utf-8")
    assert undeclared_imports(tmp_path, declared={"msgspec"}) == {"numpy": {"module.py"}}


def test_extra_all_of_the_facade_names_every_optional_backend() -> None:
    facade = next(member for member in MEMBERS if member.distribution == "unshape")
    everything = "".join(facade.extras["all"])
    for backend in find_optional_backends(MEMBERS):
        extras = [name for name, texts in facade.extras.items() if backend.distribution in map(requirement_name, texts)]
        assert extras, f"no extra of unshape installs {backend.distribution}"
        assert any(name in everything for name in extras)


def test_a_plain_install_brings_the_domains_and_no_optional_backend() -> None:
    brought = closure("unshape", members=MEMBERS)
    assert {"unshape-core", "unshape-expr", "unshape-backend", "unshape-noise", "unshape-image"} <= brought
    assert brought.isdisjoint(backend.distribution for backend in find_optional_backends(MEMBERS))
    assert "unshape-testing" not in brought


def test_backend_packages_are_combined_in_every_way() -> None:
    two = MEMBERS[:2]
    assert combinations(two) == ((), two[:1], two[1:], two)
    assert combinations(()) == ((),)


def declared(member: Member) -> set[str]:
    """Return what may be imported by a member: its dependencies, those of its extras, and itself."""
    requirements = [*member.dependencies, *(text for texts in member.extras.values() for text in texts)]
    return {member.distribution, *map(requirement_name, requirements)}


def undeclared_imports(folder: Path, *, declared: set[str]) -> dict[str, set[str]]:
    """Return the top-level modules imported below a folder that neither lie there nor come from what is declared."""
    providers = importlib.metadata.packages_distributions()
    beside = {path.stem for path in folder.rglob("*.py")}
    found: dict[str, set[str]] = {}
    for path in sorted(folder.rglob("*.py")):
        for name in imported_names(path):
            if name not in beside and not is_covered(name, declared=declared, providers=providers):
                found.setdefault(name, set()).add(str(path.relative_to(folder)))
    return found


def is_covered(name: str, *, declared: set[str], providers: Mapping[str, list[str]]) -> bool:
    """Tell whether a top-level module is of the standard library or provided by a declared distribution."""
    if name in sys.stdlib_module_names:
        return True
    distributions = {requirement_name(provider) for provider in providers.get(name, [name])}
    return not distributions.isdisjoint(declared)


def imported_names(path: Path) -> Iterator[str]:
    """Yield the top-level names of all imports of a file, late and type-checking ones included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                yield from (alias.name.partition(".")[0] for alias in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module.partition(".")[0]
            case _:
                pass


def read_pyproject(member: Member) -> dict[str, Any]:
    """Return the parsed ``pyproject.toml`` of a member."""
    return tomllib.loads((member.folder / "pyproject.toml").read_text(encoding="utf-8"))
