"""Interval arithmetic: bounds hold at every pixel, and are tight where windows need them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unshape_core.window import Window
from unshape_expr import build as e
from unshape_expr.body_windows import read_windows
from unshape_expr.bounds import Circumstances, bounds_of
from unshape_expr.function_table import FunctionTable
from unshape_expr.functions import Function, Parameter
from unshape_expr.interpret import Interpreter
from unshape_expr.interval import Interval, apply, exactly
from unshape_expr.ir import Border, Expr, Filter
from unshape_expr.lower import lower
from unshape_expr.ops import Op
from unshape_expr.picture_input import PictureInput
from unshape_expr.types import Type, float_type
from unshape_testing.pixel_evaluator import Pixel, evaluate_all

WINDOW = Window(3, 2, 9, 5)
KNOWN = Circumstances(window=WINDOW, size_px=(17, 9), picture_px={"map": (17, 9)})


def inside(values: Sequence[object], bounds: Sequence[Interval]) -> bool:
    return all(
        (b.may_be_nan if math.isnan(v := float(value)) else b.low <= v <= b.high)  # type: ignore[arg-type]
        for value, b in zip(values, bounds, strict=True)
    )


def violations(cases: Sequence[tuple[Expr, ...]], pixels: Sequence[Pixel], shrink: float = 0.0) -> int:
    """Return how many values lie outside of their bounds, cut by a part of their width."""
    found = 0
    for outputs in cases:
        bounds = bounds_of(outputs, KNOWN)
        for pixel in pixels:
            for expr, values in zip(outputs, evaluate_all(outputs, pixel), strict=True):
                cut = [
                    Interval(b.low + shrink * (b.high - b.low), b.high, b.may_be_nan) if b.is_finite else b
                    for b in bounds[expr]
                ]
                found += not inside(values, cut)
    return found


@pytest.fixture(scope="module")
def within(pixels: tuple[Pixel, ...]) -> list[Pixel]:
    places = [(3, 2), (11, 6), (7, 4), (3, 6)]
    return [
        Pixel(x=x, y=y, width=17, height=9, values=pixel.values) for (x, y), pixel in zip(places, pixels, strict=True)
    ]


def test_every_value_lies_in_its_bounds(
    random_parts: Callable[[int], list[tuple[Expr, ...]]], within: list[Pixel]
) -> None:
    assert violations(random_parts(24), within) == 0


def test_bounds_that_are_too_tight_are_found(
    random_parts: Callable[[int], list[tuple[Expr, ...]]], within: list[Pixel]
) -> None:
    assert violations(random_parts(12), within, shrink=0.25) > 0


_FLOATS = st.floats(width=32, allow_nan=False)
_RANGES = st.tuples(_FLOATS, _FLOATS).map(lambda ends: Interval(min(ends), max(ends)))


@given(st.sampled_from([Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.MOD, Op.MIN, Op.MAX]), _RANGES, _RANGES, st.data())
def test_float_operations_stay_in_their_bounds(op: Op, a: Interval, b: Interval, data: st.DataObject) -> None:
    x, y = (e.literal(data.draw(st.floats(r.low, r.high, width=32, allow_nan=False))) for r in (a, b))
    (value,) = evaluate_all([Expr(op, Type.F32, (x, y))], Pixel())[0]
    assert inside([value], [apply(op, Type.F32, [a, b])])


@given(
    st.sampled_from([Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.MOD, Op.MIN, Op.MAX, Op.BIT_AND, Op.BIT_XOR]),
    st.tuples(st.integers(-(2**31), 2**31 - 1), st.integers(-(2**31), 2**31 - 1)),
    st.tuples(st.integers(-50, 50), st.integers(-50, 50)),
    st.data(),
)
def test_integer_operations_stay_in_their_bounds(
    op: Op, a: tuple[int, int], b: tuple[int, int], data: st.DataObject
) -> None:
    x, y = (e.literal(data.draw(st.integers(min(r), max(r))), Type.I32) for r in (a, b))
    (value,) = evaluate_all([Expr(op, Type.I32, (x, y))], Pixel())[0]
    assert inside([value], [apply(op, Type.I32, [Interval(min(a), max(a)), Interval(min(b), max(b))])])


def sampled(uv: Expr, border: Border = Border.CLAMP, filter_: Filter = Filter.BILINEAR) -> Window:
    known = Circumstances(window=Window(40, 30, 20, 10), size_px=(100, 80), picture_px={"map": (100, 80)})
    return read_windows([e.sample("map", uv, type=Type.F32, border=border, filter=filter_)], known)["map"]


WHOLE = Window(0, 0, 100, 80)


def test_a_fetch_at_a_constant_offset_reads_the_shifted_window() -> None:
    known = Circumstances(window=Window(40, 30, 20, 10), size_px=(100, 80), picture_px={"map": (100, 80)})
    fetched = e.fetch("map", e.pixel_x() + 3, e.pixel_y() - 2, type=Type.F32)
    assert {"map": Window(43, 28, 20, 10)} == read_windows([fetched], known)
    both = fetched + e.fetch("map", e.pixel_x() - 1, e.pixel_y(), type=Type.F32)
    assert {"map": Window(39, 28, 24, 12)} == read_windows([both], known)


def test_a_pixel_read_needs_the_window_itself() -> None:
    assert read_windows([e.input_pixel("map", Type.F32)], KNOWN) == {"map": WINDOW}


@pytest.mark.parametrize(
    ("uv", "reach"),
    [
        (e.uv, 3),
        (lambda: e.uv() + e.vec2(0.05, -0.05), 8),
        (lambda: e.uv() + 0.05 * e.saturate(e.input_scalar("k", Type.F32)), 8),
        (lambda: e.uv() + e.min(e.max(e.input_pixel("d", Type.VEC2), -0.02), 0.02), 5),
    ],
)
def test_samples_near_the_pixel_read_little_more_than_the_window(uv: Callable[[], Expr], reach: int) -> None:
    window = sampled(uv())
    assert window.contains(Window(40, 30, 20, 10)) or reach == 8
    assert Window(40, 30, 20, 10).expand(x_px=reach, y_px=reach).contains(window)


@pytest.mark.parametrize(
    "uv",
    [
        lambda: e.uv() + e.time(),
        lambda: e.uv() * e.input_pixel("d", Type.VEC2),
        lambda: e.vec2(e.input_scalar("k", Type.F32)),
        lambda: e.uv() / 0.0,
    ],
)
def test_positions_that_are_not_bounded_read_the_whole_picture(uv: Callable[[], Expr]) -> None:
    assert sampled(uv()) == WHOLE


def test_borders_decide_what_is_read_outside() -> None:
    assert sampled(e.uv() + 5.0).width_px == 1
    assert sampled(e.uv() + 5.0, Border.REPEAT) == WHOLE
    assert sampled(e.fract(e.uv() * 7.0), Border.REPEAT) == WHOLE
    assert sampled(e.uv(), Border.REPEAT) == sampled(e.uv())


def test_nan_reads_the_first_texel_when_nearest_and_none_when_bilinear() -> None:
    uv = e.uv() + 0.01 * e.saturate(e.input_pixel("d", Type.F32))
    bilinear, nearest = (sampled(uv, Border.CLAMP, f) for f in (Filter.BILINEAR, Filter.NEAREST))
    assert (nearest.x_px, nearest.y_px) == (0, 0)
    assert bilinear.x_px > 30


def test_nothing_is_read_for_an_empty_window() -> None:
    known = Circumstances(window=Window(4, 4, 0, 3), size_px=(10, 10), picture_px={"map": (10, 10)})
    assert read_windows([e.sample("map", e.uv(), type=Type.F32)], known) == {}


def test_a_stated_range_of_a_function_bounds_a_warp() -> None:
    wave = Function("wave", (Parameter("x", Type.F32),), Type.F32, lambda x: x, result_range=(-1.0, 1.0))
    window = sampled(e.uv() + 0.02 * wave(e.u() * 9.0))
    assert Window(40, 30, 20, 10).expand(x_px=5, y_px=5).contains(window)


def ranged() -> list[Function]:
    table = FunctionTable(plugins=list)
    return [f for f in table.functions() if f.result_range is not None and f.parameters[0].type is Type.F32]


def outside(function: Function, bounds: tuple[float, float]) -> int:
    """Return how many results for finite arguments of every size lie outside of bounds."""
    rng = np.random.default_rng(7)
    words = rng.integers(0, 2**32, (20_000, len(function.parameters)), dtype=np.uint32).view(np.float32)
    near = (rng.random((20_000, len(function.parameters))) * 40 - 20).astype(np.float32)
    numbers = np.concatenate([words[np.isfinite(words).all(axis=1)], near])
    picture = PictureInput(np.ascontiguousarray(numbers[None, :, :]), Window(0, 0, len(numbers), 1), len(numbers), 1)
    given = e.input_pixel("x", float_type(len(function.parameters)))
    low = lower([function(*e.components(given))])
    (got,) = Interpreter().run(
        low.kernel, low.slot_values, {"x": picture}, window=picture.window, width_px=len(numbers), height_px=1
    )
    return int(np.count_nonzero(~((got >= bounds[0]) & (got <= bounds[1]))))


@pytest.mark.parametrize("function", ranged(), ids=lambda f: f.name)
def test_functions_keep_their_stated_range(function: Function) -> None:
    assert function.result_range is not None
    assert outside(function, function.result_range) == 0


def test_a_range_that_is_too_small_is_found() -> None:
    assert outside(e.sin, (-0.99, 0.99)) > 0


def test_a_wave_reads_little_more_than_the_window() -> None:
    assert Window(40, 30, 20, 10).expand(x_px=5, y_px=5).contains(sampled(e.uv() + 0.02 * e.sin(e.v() * 25.0)))


def test_exact_values_of_nan_are_unbounded() -> None:
    assert exactly(math.nan).may_be_nan
