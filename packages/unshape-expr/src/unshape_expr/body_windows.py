"""Which parts of its inputs a body reads to compute a rectangle."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from unshape_core.context import EvalContext
from unshape_core.spec import ValueSpec
from unshape_core.window import Window
from unshape_expr.body import SupportsBody, body_size, build_body
from unshape_expr.bounds import Bounds, Circumstances, bounds_of
from unshape_expr.interval import Interval
from unshape_expr.ir import Border, Expr, Fetching, Filter, Sampling
from unshape_expr.ops import Op
from unshape_expr.traverse import postorder

_NOTHING = Window(0, 0, 0, 0)


def input_windows_of_body(
    node: SupportsBody, window: Window, input_specs: Sequence[ValueSpec], ctx: EvalContext
) -> tuple[Window | None, ...]:
    """Return for each input the rectangle that a body node reads to compute ``window``.

    Inputs read at the very pixel need the same rectangle; for reads at computed positions interval arithmetic bounds
    the positions, and where it cannot, the whole picture is read. None stands for an input that is no picture. A
    picture that is not read needs an empty rectangle.

    The answer depends on the node's parameters, but not on time, frame, seed or the values of inputs, so that it stays
    right when a program is run again with other ones.
    """
    body = build_body(node, input_specs)
    names = [port.name for port in node.inputs]
    sizes = {name: spec.picture_px for name, spec in zip(names, input_specs, strict=True)}
    pictures = {name: size for name, size in sizes.items() if size is not None}
    known = Circumstances(
        window=window,
        size_px=body_size(node, body, input_specs, ctx),
        picture_px=pictures,
    )
    needed = read_windows(body.outputs, known)
    return tuple(needed.get(name, _NOTHING) if name in pictures else None for name in names)


def read_windows(outputs: Sequence[Expr], known: Circumstances) -> dict[str, Window]:
    """Return the rectangle of each picture that expressions read, inside of the picture."""
    needed: dict[str, Window] = {}
    order = postorder(outputs)
    positions = [a for e in order if isinstance(e.attr, Sampling | Fetching) for a in e.args]
    bounds = bounds_of(positions, known) if positions else {}
    for expr in order:
        read = _read(expr, known, bounds)
        if read is not None:
            port, window = read
            needed[port] = needed.get(port, _NOTHING).union(window)
    return needed


def _read(expr: Expr, known: Circumstances, bounds: Mapping[Expr, Bounds]) -> tuple[str, Window] | None:
    if known.window.is_empty:
        return None
    attr = expr.attr
    if expr.op is Op.INPUT and isinstance(attr, str):
        return attr, known.window
    if not isinstance(attr, Sampling | Fetching):
        return None
    width_px, height_px = known.picture_px[attr.port]
    if isinstance(attr, Fetching):
        x, y = (bounds[a][0] for a in expr.args)
    else:
        u, v = bounds[expr.args[0]]
        x, y = _sampled(u, width_px, attr.filter), _sampled(v, height_px, attr.filter)
    left, right = _inside(x, width_px, attr.border)
    top, bottom = _inside(y, height_px, attr.border)
    return attr.port, Window(left, top, right - left, bottom - top)


def _sampled(position: Interval, size_px: int, how: Filter) -> Interval:
    """Return bounds of the columns or rows that a sample at those positions reads.

    One pixel more on each side than the exact position says covers every rounding, with a relative part for positions
    so far away that a float32 cannot tell neighbouring pixels apart. At NaN the nearest texel is number 0; a bilinear
    sample is NaN, whatever is read.
    """
    low, high = position.low * size_px, position.high * size_px
    slack = 2.0 + max(abs(low), abs(high)) * 2.0**-20
    if position.may_be_nan and how is Filter.NEAREST:
        low, high = min(low, 0.0), max(high, 0.0)
    return Interval(low - slack, high + slack)


def _inside(position: Interval, size_px: int, border: Border) -> tuple[int, int]:
    """Return the half-open range of columns or rows that are read."""
    if not position.is_finite:
        return 0, size_px
    low, high = math.floor(position.low), math.ceil(position.high)
    if border in {Border.REPEAT, Border.MIRROR} and (low < 0 or high >= size_px):
        return 0, size_px
    low, high = (min(max(v, 0), max(size_px - 1, 0)) for v in (low, high))
    return low, min(high + 1, size_px)
