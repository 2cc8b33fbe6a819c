"""``unshape nodes``: node types with ports, parameters, ranges and which backends run them."""

from __future__ import annotations

import argparse
import textwrap
from typing import TYPE_CHECKING

from unshape.cli.arguments import add_json
from unshape.cli.output import print_json, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unshape.cli.node_types import NodeHelp, PortHelp

HELP = "list node types, or explain one: ports, parameters, ranges, which backends run it"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("type", nargs="?", metavar="TYPE", help="a type such as noise::Perlin, or Perlin")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Print the list or the explanation."""
    from unshape.cli.facts import plain
    from unshape.cli.node_types import describe, node_type_names
    from unshape.cli.who_runs import who_runs

    if options.type is None:
        helps = [describe(name) for name in node_type_names()]
        if options.json:
            print_json([plain(each) for each in helps])
        else:
            print_table(("type", "what it does"), [(each.type_name, each.summary) for each in helps])
        return 0
    explained = describe(options.type)
    backends = who_runs(explained.type_name)
    if options.json:
        print_json({**plain(explained), "backends": backends})
        return 0
    _print(explained, backends)
    return 0


def _print(node: NodeHelp, backends: dict[str, str]) -> None:
    print(f"{node.type_name}  ({node.op_class}, from {node.origin})")
    print(f"  {node.summary}")
    if node.details:
        print(textwrap.indent(node.details, "  "))
    which = "" if node.ports_depend_on is None else f", for {node.ports_depend_on}"
    _print_ports("inputs", node.inputs, which)
    _print_ports("outputs", node.outputs, which)
    if node.parameters:
        print("\nparameters")
    for parameter in node.parameters:
        print(f"  {parameter.name} = {parameter.default}   {parameter.form}")
        if parameter.doc:
            print(textwrap.fill(parameter.doc, width=100, initial_indent="      ", subsequent_indent="      "))
    lines = [node.graph_file_line or in_graph_file(node.type_name, example) for example in node.examples]
    if node.examples:
        print("\nexample, in Python and in a graph file" if any(lines) else "\nexample, in Python")
    for example in node.examples:
        print(f"  {example}")
    for line in dict.fromkeys(lines):
        if line is not None:
            print(f"  {line}")
    print("\nbackends")
    for name, how in backends.items():
        print(f"  {name}: {how}")


def in_graph_file(type_name: str, example: str) -> str | None:
    """Return the line of a graph file that means a call; None if the call is not written with names and literals."""
    import ast
    import json

    try:
        statement = ast.parse(example).body[0]
        call = statement.value if isinstance(statement, ast.Assign | ast.Expr) else None
        if not isinstance(call, ast.Call) or call.args:
            return None
        params = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
        return json.dumps({"id": 0, "type_name": type_name, "params": params})
    except (SyntaxError, ValueError, TypeError, IndexError):
        return None


def _print_ports(title: str, ports: Sequence[PortHelp] | None, which: str) -> None:
    if ports is None:
        print(f"\n{title}\n  as the parameters say")
        return
    if ports:
        print(f"\n{title}{which}")
    for port in ports:
        required = " (required)" if port.is_required else ""
        print(f"  {port.name}: {port.value_type}{required}  {port.doc}".rstrip())
