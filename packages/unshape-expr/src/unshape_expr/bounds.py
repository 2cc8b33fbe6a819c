"""Bounds of whole expressions over a rectangle of pixels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from unshape_core.window import Window
from unshape_expr.functions import Function
from unshape_expr.interval import Interval, anything, apply, convert, exactly
from unshape_expr.ir import Expr
from unshape_expr.ops import Op
from unshape_expr.traverse import postorder
from unshape_expr.types import Type

Bounds = tuple[Interval, ...]
"""One interval for each component."""

_CONVERSIONS = frozenset({Op.TO_F32, Op.TO_I32, Op.TO_U32})


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What is known before pixels are computed.

    Parameters
    ----------
    window : Window
        The rectangle of pixels.
    size_px : (int, int)
        Width and height of the whole picture.
    uniforms : mapping of str to float
        Values of those uniforms that are known.
    picture_px : mapping of str to (int, int)
        Width and height of picture inputs.
    """

    window: Window
    size_px: tuple[int, int]
    uniforms: Mapping[str, float] = field(default_factory=dict)
    picture_px: Mapping[str, tuple[int, int]] = field(default_factory=dict)


def bounds_of(outputs: Sequence[Expr], known: Circumstances) -> dict[Expr, Bounds]:
    """Return sound bounds of every operation of expressions, for all pixels of a window."""
    return _evaluate(outputs, known, {})


def _evaluate(
    outputs: Sequence[Expr], known: Circumstances | None, arguments: Mapping[str, Bounds]
) -> dict[Expr, Bounds]:
    found: dict[Expr, Bounds] = {}
    for expr in postorder(outputs):
        found[expr] = _bounds(expr, [found[a] for a in expr.args], known, arguments)
    return found


def _bounds(expr: Expr, args: Sequence[Bounds], known: Circumstances | None, arguments: Mapping[str, Bounds]) -> Bounds:
    match expr.op:
        case Op.CONST if isinstance(expr.attr, bool | int | float):
            return (exactly(expr.attr),)
        case Op.ARGUMENT if expr.attr in arguments:
            return arguments[str(expr.attr)]
        case Op.VEC:
            return tuple(a[0] for a in args)
        case Op.SPLAT:
            return args[0] * expr.type.components
        case Op.COMPONENT if isinstance(expr.attr, int):
            return (args[0][expr.attr],)
        case Op.SELECT:
            return tuple(a.union(b) for a, b in zip(args[1], args[2], strict=True))
        case Op.CALL if isinstance(expr.attr, Function):
            return _call(expr.attr, expr.type, args)
        case Op.SUB if _is_fraction(expr):
            # Exact, and so in [0, 1], unless it is NaN.
            return tuple(Interval(0.0, 1.0, not a.is_finite) for a in args[0])
    if expr.op in _CONVERSIONS:
        return (convert(expr.op, expr.args[0].type, args[0][0]),)
    if known is not None and not args:
        return _leaf(expr, known)
    if args and all(len(a) == expr.type.components for a in args):
        scalar = expr.type.scalar
        if scalar is not Type.BOOL and all(a.type is expr.type for a in expr.args):
            return tuple(apply(expr.op, scalar, parts) for parts in zip(*args, strict=True))
    return (anything(expr.type),) * expr.type.components


def _is_fraction(expr: Expr) -> bool:
    return expr.type.is_float and expr.args[1].op is Op.FLOOR and expr.args[1].args[0] is expr.args[0]


def _leaf(expr: Expr, known: Circumstances) -> Bounds:
    window, name = known.window, expr.attr if isinstance(expr.attr, str) else ""
    match expr.op:
        case Op.PIXEL_X:
            return (Interval(window.x_px, max(window.right_px - 1, window.x_px)),)
        case Op.PIXEL_Y:
            return (Interval(window.y_px, max(window.bottom_px - 1, window.y_px)),)
        case Op.WIDTH:
            return (exactly(known.size_px[0]),)
        case Op.HEIGHT:
            return (exactly(known.size_px[1]),)
        case Op.TEXTURE_WIDTH if name in known.picture_px:
            return (exactly(known.picture_px[name][0]),)
        case Op.TEXTURE_HEIGHT if name in known.picture_px:
            return (exactly(known.picture_px[name][1]),)
        case Op.UNIFORM if name in known.uniforms:
            return (exactly(known.uniforms[name]),)
        case _:
            return (anything(expr.type),) * expr.type.components


def _call(function: Function, type_: Type, args: Sequence[Bounds]) -> Bounds:
    if function.result_range is not None:
        low, high = function.result_range
        is_finite = all(i.is_finite for a in args for i in a)
        return (Interval(low, high, not is_finite),) * type_.components
    if not function.is_componentwise:
        return _definition(function, args)
    each = zip(*args, strict=True)
    return tuple(_definition(function, [(part,) for part in parts])[0] for parts in each)


def _definition(function: Function, args: Sequence[Bounds]) -> Bounds:
    names = [p.name for p in function.parameters]
    return _evaluate((function.definition,), None, dict(zip(names, args, strict=True)))[function.definition]
