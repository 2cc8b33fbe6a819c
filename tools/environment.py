"""Environments that hold exactly what they should: a thin layer over ``uv sync``.

An environment is described by the members, extras and dependency groups that it has; nothing else is in it,
so a missing declaration shows as an ImportError. From a warm cache one takes well under a second.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tools.members import ROOT, Member

OLDEST_MINOR = 11


def sync_command(
    *,
    packages: Sequence[Member | str] = (),
    extras: Sequence[str] = (),
    groups: Sequence[str] = (),
    all_extras: bool = False,
    python: str | None = None,
) -> list[str]:
    """Return the ``uv sync`` command for an environment with the given contents.

    Parameters
    ----------
    packages : sequence of Member or str
        The members to install with what they declare; none means all of them.
    extras, groups : sequence of str
        Extras and dependency groups of those members.
    all_extras : bool
        Whether to install every extra instead of the named ones.
    python : str, optional
        Interpreter to use, a path or a version.
    """
    command = [find_uv(), "sync", "--locked", "--no-default-groups"]
    names = [package if isinstance(package, str) else package.distribution for package in packages]
    command += [f"--package={name}" for name in names] or ["--all-packages"]
    command += [f"--extra={extra}" for extra in extras]
    command += ["--all-extras"] if all_extras else []
    command += [f"--group={group}" for group in groups]
    if python is not None:
        command.append(f"--python={python}")
    return command


def find_uv() -> str:
    """Return the uv that belongs to the running environment, else the one on ``PATH``."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return shutil.which("uv", path=path) or "uv"


def sync_variables(environment: Path) -> dict[str, str]:
    """Return the variables that make uv work on an environment other than ``.venv``."""
    return {"UV_PROJECT_ENVIRONMENT": str(environment), "UV_PYTHON_DOWNLOADS": "never", "VIRTUAL_ENV": ""}


def find_pythons() -> dict[str, Path]:
    """Return the interpreters of this machine that unshape supports, by version, oldest first.

    Looks on ``PATH`` and among the versions of pyenv (whose shims hide all but the selected one). Takes what
    is there: an absent version is not an error.

    Returns
    -------
    dict of str to Path
        For example ``{"3.11": Path(".../bin/python3.11")}``.
    """
    found: dict[int, Path] = {}
    for candidate in _candidates():
        minor = _minor_version(candidate)
        if minor is not None and minor >= OLDEST_MINOR:
            found.setdefault(minor, candidate)
    return {f"3.{minor}": found[minor] for minor in sorted(found)}


def _candidates() -> Iterator[Path]:
    yield Path(sys.executable)
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    folders = [Path(folder) for folder in os.get_exec_path()]
    folders += sorted((pyenv / "versions").glob("*/bin"))
    for folder in folders:
        if folder.name != "shims" and folder.is_dir():
            yield from sorted(path for path in folder.glob("python3.*") if re.fullmatch(r"python3\.\d+", path.name))


def _minor_version(python: Path) -> int | None:
    """Ask an interpreter for its minor version; None if it does not run or is not CPython 3."""
    question = "import sys; print(sys.implementation.name, *sys.version_info[:2])"
    try:
        answer = subprocess.run([python, "-c", question], capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    match answer.stdout.split():
        case ["cpython", "3", minor]:
            return int(minor)
        case _:
            return None


def member_names(members: Sequence[Member]) -> str:
    """Return a short label for a set of members, fit for a folder name."""
    return "+".join(member.distribution.removeprefix("unshape-") for member in members) or "none"


def relative(path: Path) -> str:
    """Return a path of the workspace as text relative to its root."""
    return str(path.relative_to(ROOT))
