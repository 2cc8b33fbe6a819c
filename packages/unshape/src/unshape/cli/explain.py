"""``unshape explain``: the plan of a graph, without running it."""

from __future__ import annotations

import argparse
from pathlib import Path

from unshape.cli.arguments import add_graph, add_json, add_placement, context, load_graph
from unshape.cli.output import print_json

HELP = "show where every node of a graph would run, and why, without running it"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    add_graph(parser)
    add_placement(parser)
    parser.add_argument("--svg", type=Path, metavar="FILE", help="draw the plan")
    parser.add_argument("--mermaid", action="store_true", help="print the plan as a Mermaid diagram")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Plan and print."""
    from unshape.cli.graph_outputs import choose_output
    from unshape.cli.plans import as_plan
    from unshape.session import default_session

    graph = load_graph(options.graph)
    ctx = context(options, graph)
    evaluator = default_session().evaluator(policy=options.policy, strict=True if options.strict else None)
    plan = as_plan(evaluator.prepare(graph, [choose_output(graph, options.output)], ctx).explanation)
    if options.svg is not None:
        from unshape_core.atomic_file import write_text

        write_text(options.svg, plan.to_svg())
    if options.json:
        print_json(plan.to_json())
    elif options.mermaid:
        print(plan.to_mermaid())
    else:
        print(plan.explain())
    return 0
