"""Check with import-linter that no import points upward or sideways.

The contracts are made from the members' own declarations: the spine and the facade are fixed by the
architecture, every other member stands in the layer between them, beside all others there. A new domain or
backend package is held to them without being named anywhere.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from importlinter import cli as importlinter_cli

from tools.members import FACADE, Member, closure, find_members

SPINE = ("unshape-backend", "unshape-expr", "unshape-core")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the check; 0 if every contract is kept, 1 otherwise."""
    parser = argparse.ArgumentParser(prog="python -m tools.check_arrows", description=__doc__)
    parser.add_argument("--show", action="store_true", help="print the contracts instead of checking them")
    options = parser.parse_args(arguments)
    text = contracts(find_members())
    if options.show:
        print(text)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "importlinter.ini"
        config.write_text(text, encoding="utf-8")
        return importlinter_cli.lint_imports(config_filename=str(config), no_cache=True, no_logo=True)


def contracts(members: tuple[Member, ...]) -> str:
    """Return the configuration of import-linter for the members of a workspace.

    Parameters
    ----------
    members : tuple of Member
        All members; the facade and the spine must be among them.
    """
    fixed = {FACADE, *SPINE}
    between = [member for member in members if member.distribution not in fixed]
    layers = [
        FACADE,
        " | ".join(member.import_name for member in between),
        *(name.replace("-", "_") for name in SPINE),
    ]
    brought = closure(FACADE, members=members)
    optional = [member.import_name for member in members if member.distribution not in brought]
    parts = [
        _section("importlinter", {"root_packages": [member.import_name for member in members]}),
        _section(
            "importlinter:contract:layers",
            {"name": "Imports point down; siblings do not know each other", "type": "layers", "layers": layers},
        ),
    ]
    if optional:
        parts.append(
            _section(
                "importlinter:contract:facade",
                {
                    "name": "The facade imports only what it declares",
                    "type": "forbidden",
                    "source_modules": [FACADE],
                    "forbidden_modules": optional,
                },
            )
        )
    return "\n".join(parts)


def _section(title: str, values: dict[str, str | list[str]]) -> str:
    lines = [f"[{title}]"]
    for key, value in values.items():
        lines.append(f"{key} = {value}" if isinstance(value, str) else f"{key} =")
        lines += [] if isinstance(value, str) else [f"    {line}" for line in value if line]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())
