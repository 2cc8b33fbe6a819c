"""Cases at which arithmetic goes wrong: special values in every operation and function, and awkward sizes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from unshape_backend.case import Case, Content, Picture
from unshape_core.context import EvalContext
from unshape_expr import build
from unshape_expr.function_table import default_functions
from unshape_expr.functions import Function
from unshape_expr.ir import Expr
from unshape_expr.ops import Op
from unshape_expr.types import Type
from unshape_testing.nodes import BoxMean, ExpressionNode, Merge, Ramp, Wobble
from unshape_testing.random_expressions import Leaves, plain_operations, signatures
from unshape_testing.strategies import SPECIAL_VALUES

PAIR = Leaves(pictures={"a": Type.F32, "b": Type.F32}, scalars={})
SIDES = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33)
"""Sides around the usual widths of vectors, workgroups and tiles, and primes."""

INTEGERS = (0, 1, -1, 2, -2, 3, -7, 31, 32, 2**15, -(2**15), 2**24, -(2**31), 2**31 - 1)


def special_cases() -> tuple[Case, ...]:
    """Return one case for each operation and function, on every pair of special values."""
    values = np.array(SPECIAL_VALUES, np.float32)
    first, second = (np.ascontiguousarray(grid[..., None]) for grid in np.meshgrid(values, values, indexing="ij"))
    ctx = EvalContext(resolution=(values.size, values.size))
    return tuple(
        Case(
            name=f"special/{name}",
            node=ExpressionNode(f"special {name}", (expression,), PAIR),
            inputs=(first, second),
            ctx=ctx,
        )
        for name, expression in (*_operations(), *_functions())
    )


def integer_case() -> Case:
    """Return the case of all operations on pairs of special whole numbers, which are read from pictures."""
    a, b = (build.to_i32(build.input_pixel(port, Type.F32)) for port in ("a", "b"))
    mixed: Expr = build.literal(0, Type.U32)
    for type_ in (Type.I32, Type.U32):
        x, y = (a, b) if type_ is Type.I32 else (build.to_u32(a), build.to_u32(b))
        for op in plain_operations():
            for result, arguments in signatures(op):
                if type_ in arguments and set(arguments) <= {Type.I32, Type.U32} and not result.is_float:
                    args = tuple(_as(value, wanted) for value, wanted in zip((x, y), arguments, strict=False))
                    mixed = (mixed * 31) ^ build.to_u32(Expr(op, result, args))
    values = np.array(INTEGERS, np.float32)
    first, second = (np.ascontiguousarray(grid[..., None]) for grid in np.meshgrid(values, values, indexing="ij"))
    low, high = build.to_f32(mixed & 0xFFFF), build.to_f32(mixed >> 16)
    return Case(
        name="special/integers",
        node=ExpressionNode("special integers", (build.vec2(low, high),), PAIR),
        inputs=(first, second),
        ctx=EvalContext(resolution=(values.size, values.size)),
    )


def size_cases() -> tuple[Case, ...]:
    """Return small work on pictures of every awkward size and number of channels."""
    cases = []
    sizes = [*((side, 5) for side in SIDES), *((5, side) for side in SIDES), (1, 257), (257, 1), (1, 1), (65, 64)]
    for index, (width_px, height_px) in enumerate(sizes):
        ctx = EvalContext(resolution=(width_px, height_px), seed=index)
        picture = Picture(width_px=width_px, height_px=height_px, channels=index % 4 + 1, content=Content.SIGNED)
        name = f"size/{width_px}x{height_px}x{index % 4 + 1}"
        cases += [
            Case(name=f"{name}/merge", node=Merge(), inputs=(picture, picture, 0.25), ctx=ctx),
            Case(name=f"{name}/ramp", node=Ramp(), ctx=ctx),
            Case(name=f"{name}/wobble", node=Wobble(), inputs=(picture,), ctx=ctx),
            Case(name=f"{name}/mean", node=BoxMean(1), inputs=(picture,), ctx=ctx),
        ]
    return tuple(cases)


def _as(value: Expr, wanted: Type) -> Expr:
    return build.to_i32(value) if wanted is Type.I32 else build.to_u32(value)


def _operations() -> Iterator[tuple[str, Expr]]:
    a, b = (build.input_pixel(port, Type.F32) for port in ("a", "b"))
    for op in plain_operations():
        for result, arguments in signatures(op):
            if op is Op.BITCAST_U32 or not arguments or set(arguments) != {Type.F32} or len(arguments) > 2:
                continue
            expression = Expr(op, result, (a, b)[: len(arguments)])
            if result.is_vector:
                yield f"{op}-{result}", build.component(expression, result.components - 1)
            else:
                yield f"{op}", _as_float(expression)
    yield "select", build.select(build.lt(a, b), a, b)


def _functions() -> Iterator[tuple[str, Expr]]:
    a, b = (build.input_pixel(port, Type.F32) for port in ("a", "b"))
    for function in default_functions().functions():
        if all(parameter.type.is_float and not parameter.is_uniform for parameter in function.parameters):
            yield function.qualified_name, _as_float(_call(function, a, b))


def _call(function: Function, a: Expr, b: Expr) -> Expr:
    arguments = []
    for parameter, value in zip(function.parameters, (a, b, a, b, a, b, a, b), strict=False):
        arguments.append(build.splat(value, parameter.type) if parameter.type.is_vector else value)
    result = function(*arguments)
    return build.component(result, 0) if result.type.is_vector else result


def _as_float(expr: Expr) -> Expr:
    return expr if expr.type is Type.F32 else build.to_f32(expr)
