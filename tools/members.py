"""The members of the workspace, read from ``packages/*/pyproject.toml``.

Whoever needs the list of packages, of optional backends or of Debian packages asks here, so that a new
package takes part in every check by existing. Uses the standard library only: the bootstrap runs it before
anything is installed.
"""

from __future__ import annotations

import itertools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FACADE = "unshape"
BACKEND_GROUP = "unshape.backends"


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One distribution of the workspace."""

    distribution: str
    version: str
    folder: Path
    dependencies: tuple[str, ...]
    extras: dict[str, tuple[str, ...]]
    entry_points: dict[str, dict[str, str]]
    debian_packages: tuple[str, ...]
    brings_stand_ins: bool

    @property
    def import_name(self) -> str:
        """The name under which the distribution is imported."""
        return self.distribution.replace("-", "_")

    @property
    def source(self) -> Path:
        """The folder of the import package."""
        return self.folder / "src" / self.import_name

    @property
    def tests(self) -> Path:
        """The folder of the member's own tests."""
        return self.folder / "tests"


def find_members(root: Path = ROOT) -> tuple[Member, ...]:
    """Read all members of the workspace, sorted by name."""
    return tuple(_read_member(path) for path in sorted((root / "packages").glob("*/pyproject.toml")))


def find_optional_backends(members: tuple[Member, ...]) -> tuple[Member, ...]:
    """Return the members that bring a backend and that a plain install of the facade does not bring.

    Stand-ins for devices in tests are none.

    Parameters
    ----------
    members : tuple of Member
        All members of the workspace.
    """
    always = closure(FACADE, members=members)
    return tuple(
        m
        for m in members
        if BACKEND_GROUP in m.entry_points and m.distribution not in always and not m.brings_stand_ins
    )


def combinations(backends: tuple[Member, ...]) -> tuple[tuple[Member, ...], ...]:
    """Return every subset of the backends, the empty one first."""
    sizes = range(len(backends) + 1)
    return tuple(subset for size in sizes for subset in itertools.combinations(backends, size))


def closure(distribution: str, *, members: tuple[Member, ...]) -> frozenset[str]:
    """Return the members that installing a distribution brings, itself included.

    Parameters
    ----------
    distribution : str
        Where to start.
    members : tuple of Member
        All members of the workspace.
    """
    by_name = {member.distribution: member for member in members}
    found: set[str] = set()
    waiting = [distribution]
    while waiting:
        name = waiting.pop()
        if name in by_name and name not in found:
            found.add(name)
            waiting += [requirement_name(text) for text in by_name[name].dependencies]
    return frozenset(found)


def requirement_name(requirement: str) -> str:
    """Return the normalised distribution name of a requirement such as ``"unshape-core ==0.1.0"``.

    Examples
    --------
    >>> requirement_name("Pillow[xmp] >=11; python_version > '3'")
    'pillow'
    """
    match = re.match(r"[A-Za-z0-9._-]+", requirement.strip())
    if match is None:
        message = f"not a requirement: {requirement!r}"
        raise ValueError(message)
    return re.sub(r"[-_.]+", "-", match.group()).lower()


def _read_member(path: Path) -> Member:
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    project: dict[str, Any] = data["project"]
    own: dict[str, Any] = data.get("tool", {}).get("unshape", {})
    return Member(
        distribution=project["name"],
        version=project["version"],
        folder=path.parent,
        dependencies=tuple(project.get("dependencies", ())),
        extras={name: tuple(texts) for name, texts in project.get("optional-dependencies", {}).items()},
        entry_points={group: dict(table) for group, table in project.get("entry-points", {}).items()},
        debian_packages=tuple(own.get("debian-packages", ())),
        brings_stand_ins=bool(own.get("stand-ins", False)),
    )
