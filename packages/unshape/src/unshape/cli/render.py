"""``unshape render``: evaluates a graph file and writes the picture."""

from __future__ import annotations

import argparse
from pathlib import Path

from unshape.cli.arguments import add_graph, add_json, add_placement, context, load_graph
from unshape.cli.output import format_ns, print_json, progress_bar

HELP = "evaluate a graph file and write the picture"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    add_graph(parser)
    add_placement(parser)
    parser.add_argument(
        "-o", "--out", type=Path, required=True, metavar="OUT", help="picture to write: .png, .exr, .npy or .zarr"
    )
    parser.add_argument("--bits", type=int, choices=(8, 16), default=8, help="bits per channel of a PNG (8)")
    parser.add_argument(
        "--transfer",
        choices=("none", "srgb"),
        default="none",
        help="of a PNG: none stores the numbers as they are (default), srgb takes them as linear light",
    )
    parser.add_argument("--explain", action="store_true", help="print what ran where, why, and how long it took")
    parser.add_argument("--trace", type=Path, metavar="FILE", help="write a Chrome trace, for Perfetto")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Render one picture."""
    import time
    from dataclasses import replace

    import numpy as np

    from unshape.cli.graph_outputs import choose_output
    from unshape.cli.plans import as_plan
    from unshape.session import default_session
    from unshape_backend.run_report import describe_run, explain_run
    from unshape_core.atomic_file import check_place
    from unshape_image import write_image
    from unshape_image.files.writing import check_request

    for path in (options.out, options.trace):
        if path is not None:
            check_place(path)
    check_request(options.out, bit_depth=options.bits, transfer=options.transfer)
    graph = load_graph(options.graph)
    output = choose_output(graph, options.output)
    ctx = context(options, graph)
    session = default_session()
    evaluator = session.evaluator(policy=options.policy, strict=True if options.strict else None)
    session.open_backends(policy=options.policy)  # which is no part of the picture's time
    start_ns = time.perf_counter_ns()
    with progress_bar("rendering") as progress:
        result = evaluator.evaluate(graph, [output], replace(ctx, progress=progress), keeps_records=True)
        picture = np.asarray(result.outputs[0][0])
    duration_ns = time.perf_counter_ns() - start_ns
    write_image(options.out, picture, bit_depth=options.bits, transfer=options.transfer)
    if options.trace is not None:
        from unshape_backend.trace import write_trace

        write_trace(options.trace, result)
    ran_on = sorted({record.backend for record in result.records})
    if options.json:
        report = {"out": str(options.out), "shape": list(picture.shape), "duration_ns": duration_ns, "ran_on": ran_on}
        if options.explain:
            report["plan"] = as_plan(result.plan).to_json()
            report["steps"] = describe_run(result.records)
        print_json(report)
        return 0
    if options.explain:
        print(as_plan(result.plan).explain(), explain_run(result.records), sep="\n\n", end="\n\n")
    height, width, channels = picture.shape
    shape = f"{width}x{height}, {channels} channel{'' if channels == 1 else 's'}"
    print(f"{options.out}: {shape}, {format_ns(duration_ns)} on {', '.join(ran_on)}")
    return 0
