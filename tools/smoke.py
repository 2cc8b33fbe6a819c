"""Render a graph with an installed unshape, as a user would, and check that a picture came out.

Run by path from a folder outside the tree, so that only what is installed can be imported.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Render the graph to a temporary PNG; 0 if it is one."""
    parser = argparse.ArgumentParser(prog="python tools/smoke.py", description=__doc__)
    parser.add_argument("graph", type=Path, help="a graph file")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / "picture.png"
        command = ["render", str(options.graph.resolve()), "-o", str(picture), "--resolution", "64x64"]
        subprocess.run([sys.executable, "-m", "unshape", *command], cwd=folder, check=True)
        if not picture.read_bytes().startswith(PNG_SIGNATURE):
            print(f"{picture.name} is no PNG", file=sys.stderr)
            return 1
    installed = importlib.metadata.distribution("unshape")
    print(f"unshape {installed.version} from {installed.locate_file('')} rendered {options.graph.name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
