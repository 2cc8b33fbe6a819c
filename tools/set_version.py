"""Set the one version that all members share, and the pins they have on one another.

Writes ``packages/*/pyproject.toml`` and brings ``uv.lock`` up to date.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections.abc import Sequence

from tools.members import ROOT, find_members

SEMANTIC_VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)((a|b|rc)\d+)?(\.dev\d+)?")


def main(arguments: Sequence[str] | None = None) -> int:
    """Set the version of every member; 0 on success."""
    parser = argparse.ArgumentParser(prog="python -m tools.set_version", description=__doc__)
    parser.add_argument("version", help="for example 0.2.0 or 0.2.0rc1")
    parser.add_argument("--no-lock", action="store_true", help="leave uv.lock alone")
    options = parser.parse_args(arguments)
    if SEMANTIC_VERSION.fullmatch(options.version) is None:
        parser.error(f"{options.version!r} is not a version such as 0.2.0 or 0.2.0rc1")
    members = find_members()
    names = frozenset(member.distribution for member in members)
    for member in members:
        path = member.folder / "pyproject.toml"
        text = path.read_text(encoding="utf-8")
        path.write_text(with_version(text, version=options.version, members=names), encoding="utf-8")
    print(f"{len(members)} members are now {options.version}")
    if not options.no_lock:
        subprocess.run(["uv", "lock"], cwd=ROOT, check=True)
    return 0


def with_version(text: str, *, version: str, members: frozenset[str]) -> str:
    """Return the text of a member's ``pyproject.toml`` with another version.

    Parameters
    ----------
    text : str
        The file as it is.
    version : str
        The new version.
    members : frozenset of str
        The distributions whose pins (``==``) follow.

    Examples
    --------
    >>> with_version('"unshape-core ==0.1.0"', version="0.2.0", members=frozenset({"unshape-core"}))
    '"unshape-core ==0.2.0"'
    """
    text = re.sub(r'(?m)^version = "[^"]*"', f'version = "{version}"', text, count=1)
    either = "|".join(re.escape(name) for name in sorted(members, key=len, reverse=True))
    return re.sub(rf'"({either})((?:\[[^\]]*\])?) *==[^"]*"', rf'"\1\2 =={version}"', text)


if __name__ == "__main__":
    raise SystemExit(main())
