"""Arguments that several verbs share, and how their texts become values."""

from __future__ import annotations

import argparse
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from unshape_core.argument_checks import shown
from unshape_core.window import LARGEST_SIDE_PX

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from unshape_core.context import EvalContext, Precision
    from unshape_core.graph import Graph
    from unshape_core.value_type import ValueType


def resolution(text: str) -> tuple[int, int]:
    """Return ``(width_px, height_px)`` of ``"1024x768"`` or ``"512"``."""
    match = re.fullmatch(r"([0-9]+)(?:[xX]([0-9]+))?", text.strip())
    if match is None:
        msg = f"expected WIDTHxHEIGHT such as 1024x768, got {text!r}"
        raise argparse.ArgumentTypeError(msg)
    width, height = match[1], match[2] or match[1]
    if not all(
        len(side) <= len(str(LARGEST_SIDE_PX)) and 1 <= int(side) <= LARGEST_SIDE_PX for side in (width, height)
    ):
        msg = f"expected sides from 1 to {LARGEST_SIDE_PX}, got {shown(text)}"
        raise argparse.ArgumentTypeError(msg)
    return int(width), int(height)


def window(text: str) -> tuple[int, int, int, int]:
    """Return ``(x_px, y_px, width_px, height_px)`` of ``"64,0,32,32"``."""
    parts = text.split(",")
    try:
        x, y, width, height = (int(part) for part in parts)
    except ValueError:
        msg = f"expected X,Y,WIDTH,HEIGHT in pixels, got {text!r}"
        raise argparse.ArgumentTypeError(msg) from None
    if min(x, y, width, height) < 0:
        msg = f"expected numbers of at least 0, got {text!r}"
        raise argparse.ArgumentTypeError(msg)
    return x, y, width, height


def assignment(text: str) -> tuple[str, str]:
    """Return name and text of ``"NAME=TEXT"``."""
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        msg = f"expected NAME=FILE or NAME=VALUE, got {text!r}"
        raise argparse.ArgumentTypeError(msg)
    return name, value


def add_graph(parser: argparse.ArgumentParser) -> None:
    """Declare the graph file and what an evaluation of it may be given."""
    parser.add_argument("graph", type=Path, metavar="GRAPH.json", help="graph file")
    parser.add_argument(
        "--resolution", type=resolution, default=(512, 512), metavar="WxH", help="size of generated pictures (512x512)"
    )
    parser.add_argument("--window", type=window, metavar="X,Y,W,H", help="compute this part only (all)")
    parser.add_argument("--output", metavar="NAME", help="GraphOutput to compute; needed if the graph has several")
    parser.add_argument(
        "--input",
        dest="inputs",
        action="append",
        default=[],
        type=assignment,
        metavar="NAME=FILE|VALUE",
        help="value of a GraphInput: a picture or .npy file, a number, true/false, or x,y[,z[,w]]; may be repeated",
    )
    parser.add_argument("--seed", type=int, default=0, help="added to all seeds (0)")
    parser.add_argument("--time", type=float, default=0.0, metavar="SECONDS", help="time of the picture (0)")
    parser.add_argument("--frame", type=int, default=0, help="number of the picture (0)")
    parser.add_argument(
        "--precision",
        choices=("exact", "fast"),
        default="exact",
        help="exact: the same bits on every backend (default); fast: within each node's bound",
    )


def add_placement(parser: argparse.ArgumentParser) -> None:
    """Declare how placement is steered."""
    parser.add_argument(
        "--policy",
        default="auto",
        help="auto (default), local-first, minimize-cost, by-priority, prefer:KIND, named:BACKEND",
    )
    parser.add_argument("--strict", action="store_true", help="fail instead of falling back to another backend")


def add_json(parser: argparse.ArgumentParser) -> None:
    """Declare machine-readable output."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def load_graph(path: Path) -> Graph:
    """Read a graph file."""
    from unshape_core.graph_file import read_graph

    return read_graph(path)


def context(options: argparse.Namespace, graph: Graph) -> EvalContext:
    """Return the context that the arguments describe."""
    from unshape_core.context import EvalContext
    from unshape_core.window import Window

    precision: Precision = options.precision
    return EvalContext(
        time_s=options.time,
        frame=options.frame,
        resolution=options.resolution,
        window=None if options.window is None else Window(*options.window),
        seed=options.seed,
        inputs=_inputs(options.inputs, graph),
        precision=precision,
    )


def _inputs(pairs: Sequence[tuple[str, str]], graph: Graph) -> Mapping[str, object]:
    from unshape_core.errors import InvalidArgumentError
    from unshape_core.nodes import GraphInput

    declared = {node.name: node for node in graph.nodes.values() if isinstance(node, GraphInput)}
    values: dict[str, object] = {}
    for name, text in pairs:
        if name not in declared:
            known = ", ".join(sorted(declared)) or "none"
            msg = f"--input {name}: the graph has no input of that name; it has: {known}"
            raise InvalidArgumentError(msg)
        if name in values:
            msg = f"--input {name}: expected once, given again as {text!r}"
            raise InvalidArgumentError(msg)
        values[name] = _value(name, text, declared[name].value_type)
    return values


def _value(name: str, text: str, value_type: ValueType) -> object:
    """Return what a text means for an input of that type; the graph checks the rest."""
    from unshape_core.errors import InvalidArgumentError
    from unshape_core.value_type import ArrayType, ScalarType

    match value_type:
        case ArrayType():
            return _array(name, Path(text))
        case ScalarType.BOOL if text.lower() in {"true", "false"}:
            return text.lower() == "true"
        case ScalarType.I32 | ScalarType.F32 | ScalarType.F64:
            with suppress(ValueError):
                return int(text) if value_type is ScalarType.I32 else float(text)
        case ScalarType.VEC2 | ScalarType.VEC3 | ScalarType.VEC4:
            with suppress(ValueError):
                return tuple(float(part) for part in text.split(","))
        case _:
            pass
    msg = f"--input {name}: expected {_FORMS.get(str(value_type), str(value_type))}, got {text!r}"
    raise InvalidArgumentError(msg)


_FORMS = {
    "bool": "true or false",
    "i32": "a whole number",
    "f32": "a number",
    "f64": "a number",
    "vec2": "two numbers X,Y",
    "vec3": "three numbers X,Y,Z",
    "vec4": "four numbers X,Y,Z,W",
}


def _array(name: str, path: Path) -> object:
    from unshape_core.errors import InvalidArgumentError
    from unshape_image import read_image

    if not path.is_file():
        msg = f"--input {name}: there is no file {str(path)!r}"
        raise InvalidArgumentError(msg)
    return read_image(path)
