"""``unshape calibrate``: measures links and kernels of this machine and keeps the figures for the scheduler."""

from __future__ import annotations

import argparse
from pathlib import Path

from unshape.cli.arguments import add_json, resolution
from unshape.cli.output import progress_bar

HELP = "measure links and kernels of this machine, and keep the figures for placement"

_SIDES_PX = (16, 64, 256, 1024)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument(
        "--largest", type=resolution, default=(1024, 1024), metavar="WxH", help="largest size to measure (1024x1024)"
    )
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Measure and keep."""
    from unshape.benchmark import calibrate
    from unshape.cli.output import print_json
    from unshape.session import default_session

    registry = default_session().registry
    limit = max(options.largest)
    with progress_bar("calibrating") as progress:
        measurements, path = calibrate(registry, sides_px=[s for s in _SIDES_PX if s <= limit], progress=progress)
    if options.json:
        print_json({"cells": len(measurements.cells), "links": len(measurements.links), "file": str(path)})
    else:
        print(f"{len(measurements.cells)} measured tasks and {len(measurements.links)} links are kept in {Path(path)}")
    return 0
