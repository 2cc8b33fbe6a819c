"""``unshape compare``: the difference of two backends on the user's own graph."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unshape.cli.arguments import add_graph, add_json, context, load_graph
from unshape.cli.output import print_json, print_table

if TYPE_CHECKING:
    import numpy.typing as npt

HELP = "show the difference of two backends on a graph: bits, ulp, 8-bit levels, a difference picture"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    add_graph(parser)
    parser.add_argument(
        "--backends",
        required=True,
        type=_backends,
        metavar="A,B[,C...]",
        help="backends, or prefer:KIND for one that cannot run every node; all are compared with the first",
    )
    parser.add_argument("--diff", type=Path, metavar="OUT.png", help="write |A - B|, scaled to its largest value")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Evaluate the graph on every backend; exit code 1 if exact results differ."""
    from unshape.cli.facts import plain
    from unshape_backend.difference import difference

    if options.diff is not None:
        from unshape_core.atomic_file import check_place
        from unshape_image.files.writing import check_request

        check_place(options.diff)
        check_request(options.diff, bit_depth=8, transfer="none")
    graph = load_graph(options.graph)
    ctx = context(options, graph)
    pictures = {name: _evaluate(graph, options.output, ctx, name) for name in options.backends}
    first, *others = options.backends
    found = {name: difference(pictures[first], pictures[name]) for name in others}
    if options.diff is not None:
        _write_difference(options.diff, pictures[first], pictures[others[0]])
    if options.json:
        print_json({"reference": first, "differences": {name: plain(each) for name, each in found.items()}})
    else:
        rows = [
            (
                f"{first} - {name}",
                str(each.elements),
                str(each.differing),
                str(each.max_ulp),
                f"{each.max_absolute:.3g}",
                str(each.differing_8bit),
                str(each.max_8bit),
            )
            for name, each in found.items()
        ]
        print_table(("backends", "values", "differ", "max ulp", "max abs", "differ in 8 bits", "max level"), rows)
    is_promised = options.precision == "exact"
    return 1 if is_promised and any(not each.is_equal for each in found.values()) else 0


def _backends(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if len(names) < 2 or len(set(names)) < len(names):
        msg = f"expected two or more different backends such as cpu,simd, got {text!r}"
        raise argparse.ArgumentTypeError(msg)
    return names


def _evaluate(graph: Any, output: str | None, ctx: Any, backend: str) -> npt.NDArray[Any]:
    import numpy as np

    from unshape.cli.graph_outputs import choose_output
    from unshape.session import default_session

    policy = backend if backend.startswith("prefer:") else f"named:{backend}"
    evaluator = default_session().fresh_evaluator(policy=policy, strict=True)
    return np.asarray(evaluator.evaluate(graph, [choose_output(graph, output)], ctx).outputs[0][0])


def _write_difference(path: Path, left: npt.NDArray[Any], right: npt.NDArray[Any]) -> None:
    import numpy as np

    from unshape_image import write_image

    with np.errstate(invalid="ignore", over="ignore"):
        gap = np.abs(left - right)
    gap[~np.isfinite(gap)] = 0.0
    largest = float(gap.max(initial=0.0))
    write_image(path, gap / np.float32(largest) if largest else gap)
