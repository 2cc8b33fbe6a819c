"""``unshape bench``: times the cases of the installed domains on the installed backends."""

from __future__ import annotations

import argparse
import re

from unshape.cli.arguments import add_json, resolution
from unshape.cli.output import format_ns, print_json, print_table

HELP = "time the cases of the installed domains on the installed backends"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("--backends", metavar="A,B", help="backends to time (all that are available)")
    parser.add_argument("--cases", type=_pattern, default=re.compile(""), metavar="REGEX", help="cases to time (all)")
    parser.add_argument("--resolution", type=resolution, default=(1024, 1024), metavar="WxH", help="size (1024x1024)")
    parser.add_argument("--rounds", type=int, default=7, help="interleaved rounds of which the median counts (7)")
    parser.add_argument("--precision", choices=("exact", "fast"), default="exact")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Time all and print medians, rates and the ratio to the time of a copy."""
    from unshape.benchmark import Measured, bench, copy_bytes_per_ns
    from unshape.cli.facts import plain

    names = None if options.backends is None else [name.strip() for name in options.backends.split(",")]
    copy_rate = copy_bytes_per_ns()
    results: list[Measured] = bench(
        pattern=options.cases,
        backends=names,
        resolution=options.resolution,
        rounds=options.rounds,
        precision=options.precision,
    )
    if options.json:
        print_json({"copy_bytes_per_ns": copy_rate, "results": [plain(each) for each in results]})
        return 0
    rows = [
        (
            each.case,
            each.backend,
            format_ns(each.median_ns),
            f"{each.points / each.median_ns * 1e3:.1f}",
            f"{each.nbytes / each.median_ns:.2f}",
            f"{each.median_ns * copy_rate / max(each.nbytes, 1):.1f}",
        )
        for each in results
    ]
    print_table(("case", "backend", "median", "Mpoint/s", "GB/s", "times a copy"), rows)
    width, height = options.resolution
    print(
        f"\n{width}x{height}, precision {options.precision}; a copy moves {copy_rate:.2f} GB/s here (read and written)"
    )
    return 0


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        msg = f"expected a regular expression, got {text!r}: {error}"
        raise argparse.ArgumentTypeError(msg) from None
