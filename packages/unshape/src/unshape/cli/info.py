"""``unshape info``: versions, backends (available or why not), devices, node types."""

from __future__ import annotations

import argparse
import textwrap
from typing import Any

from unshape.cli.arguments import add_json
from unshape.cli.output import format_bytes, print_json, print_table

HELP = "show versions, backends (available, or why not), devices and node types"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Print what there is."""
    from unshape.cli import facts
    from unshape.cli.node_types import node_type_names
    from unshape_backend.registry import default_registry

    found = facts.backends(default_registry())
    types = node_type_names()
    if options.json:
        print_json({"versions": facts.versions(), "backends": found, "node_types": types})
        return 0
    for name, version in facts.versions().items():
        print(f"{name} {version}")
    print()
    print_table(("backend", "kind", "device", "memory", "features"), [_row(row) for row in found if row["available"]])
    missing = [row for row in found if not row["available"]]
    if missing:
        print("\nnot available:")
        for row in missing:
            print(f"  {row['id']}: {row['reason']}: {row['detail']}")
            if row["remedy"]:
                print(f"    {row['remedy']}")
    print(f"\n{len(types)} node types (`unshape nodes` explains them):")
    print(
        textwrap.fill(", ".join(types), width=100, initial_indent="  ", subsequent_indent="  ", break_long_words=False)
    )
    return 0


def _row(row: dict[str, Any]) -> tuple[str, ...]:
    device = row["device"]
    software = " (software)" if device["is_software"] else ""
    return (
        row["id"],
        row["kind"],
        f"{device['name']}, {device['api']}{software}",
        format_bytes(device["total_memory_bytes"]),
        " ".join(row["features"]),
    )
