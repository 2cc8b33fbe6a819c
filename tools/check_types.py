"""Check all packages, their tests, the workspace's tests, the tools and the noxfile with mypy.

The tests of two members may have modules of one name, which one run of mypy refuses; so each member's tests
are a run of their own. The runs share mypy's cache, only what is new in each is analysed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tools.environment import relative
from tools.members import ROOT, Member, find_members


def main(arguments: Sequence[str] | None = None) -> int:
    """Run mypy over everything; 0 if all is well, 1 otherwise."""
    parser = argparse.ArgumentParser(prog="python -m tools.check_types", description=__doc__)
    parser.add_argument("members", nargs="*", metavar="MEMBER", help="only these members, e.g. unshape-core")
    options = parser.parse_args(arguments)
    known = find_members()
    unknown = set(options.members) - {member.distribution for member in known}
    if unknown:
        parser.error(f"no such member: {', '.join(sorted(unknown))}")
    failed = [targets for targets in _runs(known, only=options.members) if not _check(targets, members=known)]
    return 1 if failed else 0


def _runs(members: Sequence[Member], *, only: Sequence[str]) -> Iterator[list[Path]]:
    """Yield the files of each run."""
    chosen = [member for member in members if not only or member.distribution in only]
    sources = [member.source for member in chosen]
    yield sources if only else [*sources, ROOT / "tests", ROOT / "tools", ROOT / "noxfile.py"]
    for member in chosen:
        if any(member.tests.rglob("*.py")):
            yield [member.tests]


def _check(targets: Sequence[Path], *, members: Sequence[Member]) -> bool:
    names = [relative(target) for target in targets if target.exists()]
    bases = os.pathsep.join(relative(member.source.parent) for member in members)
    command = [sys.executable, "-m", "mypy", "--explicit-package-bases", *names]
    print("mypy", " ".join(names), flush=True)
    return subprocess.run(command, cwd=ROOT, env={**os.environ, "MYPYPATH": bases}, check=False).returncode == 0


if __name__ == "__main__":
    raise SystemExit(main())
