"""Make a backend package that joins the workspace: ``packages/unshape-NAME`` and the extra of ``unshape``.

The backend starts as a copy of the one in ``unshape_testing/stub.py``, which passes the conformance suite; make
it yours step by step and keep it passing. Nothing else has to be edited: registry, ``unshape info``, conformance
tests and the matrix of backends find it by its entry point.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.environment import find_uv
from tools.members import FACADE, ROOT, find_members

TEMPLATES = Path(__file__).resolve().parent / "templates" / "backend"
STUB = Path("packages/unshape-testing/src/unshape_testing/stub.py")


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the package and bring the lock up to date; 0 on success, 2 if the name will not do."""
    parser = argparse.ArgumentParser(prog="python -m tools.new_backend", description=__doc__)
    parser.add_argument("name", help="the backend's id, e.g. vulkan: lower case letters and digits")
    parser.add_argument("--no-lock", action="store_true", help="leave uv.lock alone")
    options = parser.parse_args(arguments)
    try:
        folder = create_backend(options.name)
    except (ValueError, OSError) as error:
        print(f"new_backend: {error}", file=sys.stderr)
        return 2
    if not options.no_lock:
        subprocess.run([find_uv(), "lock"], cwd=ROOT, check=True)
    print(f"made {folder.relative_to(ROOT)}; next: python3 -m tools.dev setup, then edit src and run its tests")
    return 0


def create_backend(name: str, *, root: Path = ROOT) -> Path:
    """Write the package and add its extra to the facade.

    Parameters
    ----------
    name : str
        The backend's id.
    root : Path
        The workspace to write to.

    Returns
    -------
    Path
        The folder of the new package.

    Raises
    ------
    ValueError
        If the name is not fit for a package or is taken.
    """
    members = {member.distribution: member for member in find_members(root)}
    distribution = f"unshape-{name}"
    if re.fullmatch(r"[a-z][a-z0-9]*", name) is None:
        message = f"{name!r} is not lower case letters and digits, a letter first"
        raise ValueError(message)
    if distribution in members:
        message = f"there is a package {distribution} already; take another name"
        raise ValueError(message)
    stub = (root / STUB).read_text(encoding="utf-8")
    version = members[FACADE].version
    folder = root / "packages" / distribution
    package = folder / "src" / f"unshape_{name}"
    words = {"@NAME@": name, "@PACKAGE@": package.name, "@VERSION@": version}
    files = {
        folder / "pyproject.toml": _template("pyproject.toml", words=words),
        folder / "README.md": _template("README.md", words=words),
        folder / "LICENSE": (root / "LICENSE").read_text(encoding="utf-8"),
        folder / "tests" / "test_backend.py": _template("test_backend.py", words=words),
        package / "__init__.py": f'"""Backend "{name}"."""\n',
        package / "py.typed": "",
        package / "backend.py": _renamed(stub, name=name),
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    facade = members[FACADE].folder / "pyproject.toml"
    facade.write_text(with_extra(facade.read_text(encoding="utf-8"), name=name, version=version), encoding="utf-8")
    return folder


def with_extra(text: str, *, name: str, version: str) -> str:
    """Return the facade's ``pyproject.toml`` with an extra that installs a backend.

    Parameters
    ----------
    text : str
        The file as it is.
    name, version : str
        Of the backend.

    Examples
    --------
    >>> print(with_extra('all = ["unshape[cli]"]', name="x", version="0.1.0"))
    x = ["unshape-x ==0.1.0"]
    all = ["unshape[cli,x]"]
    """
    text = re.sub(r'(?m)^all = \["unshape\[([^\]]*)\]"\]', rf'all = ["unshape[\1,{name}]"]', text)
    text = re.sub(r"(?m)^(?=all = )", f'{name} = ["unshape-{name} =={version}"]\n', text, count=1)
    return text.replace("[tool.uv.sources]\n", f"[tool.uv.sources]\nunshape-{name} = {{ workspace = true }}\n", 1)


def _template(name: str, *, words: dict[str, str]) -> str:
    text = (TEMPLATES / f"{name}.txt").read_text(encoding="utf-8")
    for word, value in words.items():
        text = text.replace(word, value)
    return text


def _renamed(stub: str, *, name: str) -> str:
    """Return the stub's source with its name replaced in both forms."""
    return stub.replace("stub", name).replace("Stub", name.capitalize())


if __name__ == "__main__":
    raise SystemExit(main())
