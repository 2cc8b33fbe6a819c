"""What is stated of every operation: complete, and true of two independent implementations."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import numpy as np
import pytest

from unshape_core.window import Window
from unshape_expr import build as e
from unshape_expr.builtins_in_text import BUILTINS
from unshape_expr.interpret import Interpreter
from unshape_expr.ir import Expr
from unshape_expr.lower import lower
from unshape_expr.ops import Op
from unshape_expr.simplify import simplify
from unshape_expr.types import Type
from unshape_testing.pixel_evaluator import Pixel, evaluate_all

INF, NAN = float("inf"), float("nan")
TINY = float(np.finfo(np.float32).smallest_subnormal)
LOWEST, HIGHEST = -(2**31), 2**31 - 1


def rows(heading: str) -> dict[str, str]:
    """Return the rows of one table of the page by their first cell."""
    page = files("unshape_expr").joinpath("semantics.md").read_text(encoding="utf-8")
    section = page.split(f"## {heading}\n")[1].split("\n## ")[0]
    return {m[1]: m[2] for m in re.finditer(r"^\| ([a-z_0-9]+) \|(.*)\|$", section, re.MULTILINE) if m[2].strip("- |")}


def test_every_operation_has_a_row() -> None:
    assert {op.value for op in Op} == set(rows("Operations")) - {"operation"}


def test_every_named_operation_of_the_language_has_a_row() -> None:
    assert set(BUILTINS) == set(rows("Composite operations")) - {"name"}


def f(value: float) -> Expr:
    return e.literal(value)


def i(value: int) -> Expr:
    return e.literal(value, Type.I32)


def u(value: int) -> Expr:
    return e.literal(value, Type.U32)


CASES: list[tuple[Expr, float | int | bool]] = [
    (f(INF) + f(-INF), NAN),
    (f(3e38) + f(3e38), INF),
    (f(0.0) * f(INF), NAN),
    (f(TINY) * f(0.5), 0.0),
    (f(TINY) + f(0.0), TINY),
    (f(1.0) / f(0.0), INF),
    (f(1.0) / f(-0.0), -INF),
    (f(0.0) / f(0.0), NAN),
    (f(-7.5) % f(2.0), 0.5),
    (f(7.5) % f(-2.0), -0.5),
    (f(1.0) % f(0.0), NAN),
    (f(INF) % f(2.0), NAN),
    (f(1.0) % f(INF), NAN),
    (i(-7) // i(2), -4),
    (i(7) // i(-2), -4),
    (i(-7) % i(2), 1),
    (i(7) % i(-2), -1),
    (i(5) // i(0), 0),
    (i(5) % i(0), 0),
    (u(5) // u(0), 0),
    (u(5) % u(0), 0),
    (i(LOWEST) // i(-1), LOWEST),
    (i(LOWEST) % i(-1), 0),
    (-i(LOWEST), LOWEST),
    (abs(i(LOWEST)), LOWEST),
    (i(HIGHEST) + i(1), LOWEST),
    (i(65536) * i(65536), 0),
    (u(0) - u(1), 2**32 - 1),
    (-u(1), 2**32 - 1),
    (-f(0.0), -0.0),
    (abs(f(-0.0)), 0.0),
    (e.min(f(NAN), f(1.0)), NAN),
    (e.min(f(1.0), f(NAN)), NAN),
    (e.max(f(NAN), f(1.0)), NAN),
    (e.max(f(1.0), f(NAN)), NAN),
    (e.min(f(0.0), f(-0.0)), -0.0),
    (e.min(f(-0.0), f(0.0)), 0.0),
    (e.max(f(0.0), f(-0.0)), -0.0),
    (e.max(f(-0.0), f(0.0)), 0.0),
    (e.floor(f(-0.5)), -1.0),
    (e.ceil(f(-0.5)), -0.0),
    (e.trunc(f(-0.5)), -0.0),
    (e.round(f(-0.5)), -0.0),
    (e.round(f(0.5)), 0.0),
    (e.round(f(2.5)), 2.0),
    (e.floor(f(-INF)), -INF),
    (e.round(f(NAN)), NAN),
    (e.sqrt(f(-1.0)), NAN),
    (e.sqrt(f(-0.0)), -0.0),
    (e.sqrt(f(INF)), INF),
    (e.eq(f(NAN), f(NAN)), False),
    (e.ne(f(NAN), f(NAN)), True),
    (e.eq(f(0.0), f(-0.0)), True),
    (f(NAN) < f(1.0), False),
    (f(NAN) <= f(NAN), False),
    (i(-1) < i(1), True),
    (u(2**32 - 1) < u(1), False),
    (u(1) << u(33), 2),
    (i(-8) >> u(1), -4),
    (u(2**31) >> u(31), 1),
    (i(1) << u(31), LOWEST),
    (~u(0), 2**32 - 1),
    (e.select(f(1.0) < f(2.0), f(3.0), f(NAN)), 3.0),
    (e.select(e.is_nan(f(NAN)), f(0.0), f(NAN)), 0.0),
    (e.to_f32(u(2**32 - 1)), 2.0**32),
    (e.to_f32(i(16777217)), 16777216.0),
    (e.to_f32(i(16777219)), 16777220.0),
    (e.to_f32(f(1.0) < f(2.0)), 1.0),
    (e.to_i32(f(NAN)), 0),
    (e.to_i32(f(-1.9)), -1),
    (e.to_i32(f(1e20)), HIGHEST),
    (e.to_i32(f(-INF)), LOWEST),
    (e.to_u32(f(-1.0)), 0),
    (e.to_u32(f(INF)), 2**32 - 1),
    (e.to_u32(i(-1)), 2**32 - 1),
    (e.to_i32(u(2**32 - 1)), -1),
    (e.bitcast_u32(f(1.0)), 0x3F800000),
    (e.bitcast_f32(u(0x80000000)), -0.0),
    (e.loop(i(-3), [f(2.0)], lambda n, s: s * 2.0, max_count=4)[0], 2.0),
    (e.loop(i(9), [f(2.0)], lambda n, s: s * 2.0, max_count=4)[0], 32.0),
    (e.loop(i(3), [f(1.0), f(2.0)], lambda n, s, t: (t, s), max_count=4)[0], 2.0),
    (e.fract(f(-1e-10)), 1.0),
    (e.clamp(f(5.0), f(2.0), f(1.0)), 1.0),
    (e.normalize(e.vec2(f(0.0))).x, NAN),
    (e.length(e.vec2(f(3e20))), INF),
    (e.mix(f(2.0), f(5.0), f(0.0)), 2.0),
    (f(1.000244140625) * f(1.000244140625) - f(1.00048828125), 0.0),
]


def shown(value: Any) -> str:
    """Return a value so that equal texts mean equal bits, and all NaN are the same."""
    if isinstance(value, float | np.floating):
        return "nan" if value != value else struct.pack("<f", value).hex()  # noqa: PLR0124
    return repr(value)


@pytest.mark.parametrize(("expr", "expected"), CASES, ids=[repr(c[0])[6:60] for c in CASES])
def test_special_cases_are_as_stated(expr: Expr, expected: float) -> None:
    assert shown(expected) == shown(evaluate_all((expr,), Pixel())[0][0])


def pattern(expr: Expr) -> list[Expr]:
    """Return two f32 outputs that hold all bits of a scalar expression, a NaN as itself."""
    match expr.type:
        case Type.F32:
            return [expr, f(0.0)]
        case Type.BOOL:
            return [e.to_f32(expr), f(0.0)]
        case _:
            word = e.to_u32(expr)
            return [e.to_f32(word & 0xFFFF), e.to_f32(word >> 16)]


def test_the_interpreter_agrees_with_what_is_stated() -> None:
    outputs = [half for expr, _ in CASES for half in pattern(expr)]
    expected = [half for expr, value in CASES for half in halves(expr, value)]
    for change in (tuple, simplify):
        low = lower(change(outputs))
        got = Interpreter().run(low.kernel, low.slot_values, {}, window=Window(0, 0, 1, 1), width_px=1, height_px=1)
        assert [shown(x) for x in expected] == [shown(picture[0, 0, 0]) for picture in got]


def halves(expr: Expr, value: float) -> tuple[float, float]:
    if expr.type is Type.F32 or expr.type is Type.BOOL:
        return float(value), 0.0
    word = int(value) & 0xFFFFFFFF
    return float(word & 0xFFFF), float(word >> 16)


@pytest.mark.parametrize("wrong", [(Op.FLOOR, Op.TRUNC), (Op.MIN, Op.MAX)])
def test_a_wrong_operation_contradicts_what_is_stated(wrong: tuple[Op, Op]) -> None:
    def swapped(expr: Expr) -> Expr:
        return Expr(wrong[1], expr.type, expr.args) if expr.op is wrong[0] else expr

    assert any(shown(expected) != shown(evaluate_all((swapped(expr),), Pixel())[0][0]) for expr, expected in CASES)


def test_interpreted_parts_have_the_bits_of_the_second_opinion(
    random_parts: Callable[[int], list[tuple[Expr, ...]]], pixels: tuple[Pixel, ...]
) -> None:
    pixel = pixels[1]
    values: dict[str, float] = {
        name: v[0].item() if isinstance(v[0], np.generic) else v[0] for name, v in pixel.values.items() if len(v) == 1
    }
    for outputs in random_parts(12):
        floats = tuple(x for x in outputs if x.type.is_float)
        low = lower(simplify(floats))
        got = Interpreter().run(
            low.kernel,
            low.slot_values,
            {use.port: values[use.port] for use in low.kernel.inputs},
            window=Window(pixel.x, pixel.y, 1, 1),
            width_px=pixel.width,
            height_px=pixel.height,
            uniforms=values,
        )
        expected = [[shown(v) for v in components] for components in evaluate_all(floats, pixel)]
        assert expected == [[shown(v) for v in picture[0, 0]] for picture in got]
