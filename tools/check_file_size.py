"""Warn about source files that have grown too long to be about one thing.

Half of our files are under 150 lines and nearly none over 400: a file that wants a section banner wants to
be two.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tools.members import ROOT

SUFFIXES = frozenset({".c", ".cl", ".h", ".py", ".wgsl"})


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the files over the limit; 0, or 1 with ``--strict`` if there are any."""
    parser = argparse.ArgumentParser(prog="python -m tools.check_file_size", description=__doc__)
    parser.add_argument("--limit", type=int, default=400, metavar="LINES", help="warn above this (default: 400)")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a file is over the limit")
    options = parser.parse_args(arguments)
    sizes = line_counts(tracked_files())
    long_files = {path: lines for path, lines in sizes.items() if lines > options.limit}
    for path, lines in sorted(long_files.items(), key=lambda item: -item[1]):
        print(f"warning: {path} has {lines} lines, more than {options.limit}")
    median = statistics.median(sizes.values()) if sizes else 0
    print(f"{len(sizes)} source files, median {median:g} lines, {len(long_files)} over {options.limit}")
    return 1 if long_files and options.strict else 0


def tracked_files() -> list[Path]:
    """Return the files of the workspace that git tracks or would track, relative to the root."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [Path(name) for name in sorted(set(listing.split("\0"))) if name and (ROOT / name).is_file()]


def line_counts(paths: Sequence[Path]) -> dict[Path, int]:
    """Count the lines of the source files among the given ones."""
    return {path: len((ROOT / path).read_bytes().splitlines()) for path in paths if path.suffix in SUFFIXES}


if __name__ == "__main__":
    raise SystemExit(main())
