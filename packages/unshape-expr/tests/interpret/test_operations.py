"""Each primitive operation on special values, against Python numbers."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from unshape_expr import build as b
from unshape_expr.interpret import array_ops
from unshape_expr.ir import Expr
from unshape_expr.types import Type
from unshape_testing.picture_evaluator import PictureCase

INF, NAN = math.inf, math.nan
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, -0.25, 16777217.0, 3e38, -3e38, 1e-40, -1e-45, INF, -INF, NAN]
INTEGERS = [0, 1, -1, 2, 7, -7, 31, 32, 33, 2**31 - 1, -(2**31), -(2**31) + 1]
UNSIGNED = [0, 1, 2, 7, 31, 32, 33, 2**31, 2**32 - 1]


def f32(value: float) -> float:
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return math.copysign(INF, value)


def wrapped(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


def rounded(value: Fraction) -> float:
    """Return the nearest float32 of an exact number: Python rounds to 53 bits, so the last bit is made to stick."""
    nearest = float(value) if abs(value) < 2**1000 else math.copysign(INF, value)
    if math.isfinite(nearest) and Fraction(nearest) != value:
        bits = struct.unpack("<q", struct.pack("<d", nearest))[0]
        toward = nearest if abs(Fraction(nearest)) < abs(value) else struct.unpack("<d", struct.pack("<q", bits - 1))[0]
        odd = struct.unpack("<q", struct.pack("<d", toward))[0] | 1
        nearest = struct.unpack("<d", struct.pack("<q", odd))[0]
    return f32(nearest)


def exactly(op: Callable[[Fraction, Fraction], Fraction], special: Callable[[float, float], float]) -> Any:
    def compute(x: float, y: float) -> float:
        if math.isfinite(x) and math.isfinite(y) and x != 0 and y != 0:
            exact = op(Fraction(x), Fraction(y))
            if exact != 0:
                return rounded(exact)
        return special(x, y)

    return compute


def quotient(x: float, y: float) -> float:
    if y == 0:
        return NAN if x == 0 or math.isnan(x) else math.copysign(INF, x) * math.copysign(1.0, y)
    return f32(x / y)


def first_if(condition: bool, x: float, y: float) -> float:
    return x if condition or math.isnan(x) else y


def float_bits(value: float) -> str:
    return "nan" if math.isnan(value) else struct.pack("<f", value).hex()


def picture_of(values: list[float]) -> Any:
    return np.array(values, np.float32).reshape(1, -1, 1)


def on_pairs(values: list[float], build: Callable[[Expr, Expr], Expr]) -> tuple[list[tuple[float, float]], list[float]]:
    rounded_values = [f32(v) for v in values]
    pairs = list(product(rounded_values, rounded_values))
    env = {"x": picture_of([x for x, _ in pairs]), "y": picture_of([y for _, y in pairs])}
    run = PictureCase(env, width=len(pairs), height=1)
    (result,) = run.run([build(b.input_pixel("x", Type.F32), b.input_pixel("y", Type.F32))])
    return pairs, result.reshape(-1).tolist()


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        pytest.param(b.add, exactly(lambda x, y: x + y, lambda x, y: f32(x + y)), id="add"),
        pytest.param(b.sub, exactly(lambda x, y: x - y, lambda x, y: f32(x - y)), id="sub"),
        pytest.param(b.mul, exactly(lambda x, y: x * y, lambda x, y: f32(x * y)), id="mul"),
        pytest.param(b.div, exactly(lambda x, y: x / y, quotient), id="div"),
        pytest.param(b.min, lambda x, y: first_if(x < y, x, y), id="min"),
        pytest.param(b.max, lambda x, y: first_if(x > y, x, y), id="max"),
    ],
)
def test_float_operation_of_two_is_correct(build: Any, expected: Any) -> None:
    pairs, got = on_pairs(FLOATS, build)
    for (x, y), result in zip(pairs, got, strict=True):
        assert float_bits(expected(x, y)) == float_bits(result), (x, y)


@pytest.mark.parametrize("bound", [0.0, -0.0, 1.0, NAN, INF])
@pytest.mark.parametrize("is_second", [True, False])
@pytest.mark.parametrize("build", [b.min, b.max])
def test_min_and_max_with_one_number_are_those_of_pixels(build: Any, is_second: bool, bound: float) -> None:
    run = PictureCase({"x": picture_of(FLOATS)}, width=len(FLOATS), height=1)
    pixel = b.input_pixel("x", Type.F32)
    (result,) = run.run([build(pixel, bound) if is_second else build(bound, pixel)])
    for x, got in zip(FLOATS, result.reshape(-1).tolist(), strict=True):
        first, second = (f32(x), bound) if is_second else (bound, f32(x))
        holds = first < second if build is b.min else first > second
        assert float_bits(first_if(holds, first, second)) == float_bits(got), x


def smaller_of_the_other_choice(a: Any, b: Any, out: Any) -> None:
    """Compute the smaller number as a processor might that takes the first of two zeros."""
    np.copyto(out, np.where(b < a, b, a))


ZEROS = np.array([0.0, -0.0] * 8, np.float32), np.array([0.0, 0.0, -0.0, -0.0] * 4, np.float32)


def test_min_does_not_depend_on_the_processors_choice_of_zero() -> None:
    first, second = ZEROS
    out = np.empty_like(first)
    array_ops._extreme(smaller_of_the_other_choice, first, second, out)  # type: ignore[arg-type]
    assert np.array_equal(np.signbit(second), np.signbit(out))


def test_the_processors_choice_shows_where_it_is_not_made_up_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(array_ops, "_has_minus_zero", lambda _x: False)
    first, second = ZEROS
    out = np.empty_like(first)
    array_ops._extreme(smaller_of_the_other_choice, first, second, out)  # type: ignore[arg-type]
    assert not np.array_equal(np.signbit(second), np.signbit(out))


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (b.floor, math.floor),
        (b.ceil, math.ceil),
        (b.trunc, math.trunc),
        (b.round, round),
    ],
)
def test_rounding_is_that_of_exact_numbers_with_the_sign_of_zero_kept(build: Any, expected: Any) -> None:
    values = [*FLOATS, 0.49999997, 8388607.5, -8388607.5, 3.5, -0.5, -1.5]
    (result,) = PictureCase({"x": picture_of(values)}, width=len(values), height=1).run(
        [build(b.input_pixel("x", Type.F32))]
    )
    for x, got in zip(values, result.reshape(-1).tolist(), strict=True):
        exact = f32(x)
        right = math.copysign(float(expected(exact)), exact) if math.isfinite(exact) else exact
        assert float_bits(right) == float_bits(got), x


def test_square_root_is_correctly_rounded_and_that_of_k_squared_is_k() -> None:
    values = [float(k * k) for k in range(1, 4097)]
    (result,) = PictureCase({"x": picture_of(values)}, width=4096, height=1).run(
        [b.floor(b.sqrt(b.input_pixel("x", Type.F32)))]
    )
    assert list(range(1, 4097)) == result.reshape(-1).tolist()
    (special,) = PictureCase({"x": picture_of([0.0, -0.0, -1.0, INF, NAN, 2.0])}, width=6, height=1).run(
        [b.sqrt(b.input_pixel("x", Type.F32))]
    )
    expected = [0.0, -0.0, NAN, INF, NAN, f32(math.sqrt(2.0))]
    assert [float_bits(v) for v in expected] == [float_bits(v) for v in special.reshape(-1).tolist()]


def test_float_modulus_is_x_minus_y_times_floor_of_the_quotient() -> None:
    values = [1.5, -1.5, 0.7, 5.25, -0.1, 1e10, 3.0]
    pairs, got = on_pairs(values, b.mod)
    for (x, y), result in zip(pairs, got, strict=True):
        expected = f32(x - f32(y * math.floor(f32(x / y))))
        assert float_bits(expected) == float_bits(result), (x, y)


def integers_on_pairs(
    values: list[int], type_: Type, build: Callable[[Expr, Expr], Expr]
) -> list[tuple[int, int, int]]:
    """Return triples of arguments and result; integers enter and leave as two halves of 16 bits, which are exact."""
    pairs = list(product(values, values))
    env = {}
    for name, side in (("x", 0), ("y", 1)):
        raw = [pair[side] % 2**32 for pair in pairs]
        env[name] = np.array([[[v >> 16, v & 0xFFFF] for v in raw]], np.float32)

    def joined(name: str) -> Expr:
        halves = b.input_pixel(name, Type.VEC2)
        bits = (b.to_u32(b.component(halves, 0)) << 16) | b.to_u32(b.component(halves, 1))
        return b.to_i32(bits) if type_ is Type.I32 else bits

    result = b.to_u32(build(joined("x"), joined("y")))
    outputs = [b.to_f32(result >> 16), b.to_f32(result & 0xFFFF)]
    high, low = PictureCase(env, width=len(pairs), height=1).run(outputs)
    found = (high.reshape(-1).astype(np.int64) << 16) | low.reshape(-1).astype(np.int64)
    return [(x, y, int(v)) for (x, y), v in zip(pairs, found, strict=True)]


INTEGER_OPERATIONS: dict[str, tuple[Any, Any]] = {
    "add": (b.add, lambda x, y: x + y),
    "sub": (b.sub, lambda x, y: x - y),
    "mul": (b.mul, lambda x, y: x * y),
    "floordiv": (b.floordiv, lambda x, y: x // y if y else 0),
    "mod": (b.mod, lambda x, y: x % y if y else 0),
    "min": (b.min, min),
    "max": (b.max, max),
    "and": (b.bit_and, lambda x, y: x & y),
    "or": (b.bit_or, lambda x, y: x | y),
    "xor": (b.bit_xor, lambda x, y: x ^ y),
    "shl": (b.shl, lambda x, y: x << (y % 32)),
    "shr": (b.shr, lambda x, y: x >> (y % 32)),
    "neg": (lambda x, y: b.neg(x) + y * 0, lambda x, _y: -x),
    "abs": (lambda x, y: b.abs(x) + y * 0, lambda x, _y: abs(x)),
    "not": (lambda x, y: b.bit_not(x) + y * 0, lambda x, _y: ~x),
}


@pytest.mark.parametrize("type_", [Type.I32, Type.U32])
@pytest.mark.parametrize("name", INTEGER_OPERATIONS)
def test_integer_operation_wraps_floors_and_survives_zero(name: str, type_: Type) -> None:
    build, exact = INTEGER_OPERATIONS[name]
    values = INTEGERS if type_ is Type.I32 else UNSIGNED
    for x, y, got in integers_on_pairs(values, type_, build):
        assert exact(x, y) % 2**32 == got, (x, y)


def test_smallest_integer_divided_by_minus_one_is_itself() -> None:
    results = integers_on_pairs([-(2**31), -1], Type.I32, b.floordiv)
    assert (-(2**31), -1, 2**31) in results  # the bits of -2**31


@pytest.mark.parametrize(
    ("build", "low", "high"), [(b.to_i32, -(2**31), 2**31 - 1), (b.to_u32, 0, 2**32 - 1)], ids=["i32", "u32"]
)
def test_conversion_saturates_truncates_and_takes_nan_for_zero(build: Any, low: int, high: int) -> None:
    values = [
        *FLOATS,
        2147483520.0,
        2147483648.0,
        -2147483648.0,
        -2147483904.0,
        4294967040.0,
        4294967296.0,
        1e20,
        -1e20,
    ]
    env = {"x": picture_of(values)}
    result = b.to_u32(build(b.input_pixel("x", Type.F32)))
    high_half, low_half = PictureCase(env, width=len(values), height=1).run(
        [b.to_f32(result >> 16), b.to_f32(result & 0xFFFF)]
    )
    for x, h, ell in zip(values, high_half.reshape(-1), low_half.reshape(-1), strict=True):
        exact = f32(x)
        expected = 0 if math.isnan(exact) else low if exact < low else high if exact > high else math.trunc(exact)
        assert expected % 2**32 == int(h) * 65536 + int(ell), x


def test_conversion_in_range_and_out_of_range_agree_whatever_shares_the_tile() -> None:
    ordinary = [1.5, -2.5, 1e6]
    alone = PictureCase({"x": picture_of(ordinary)}, width=3, height=1)
    mixed = PictureCase({"x": picture_of([*ordinary, NAN, 1e20])}, width=5, height=1)
    output = b.to_f32(b.to_i32(b.input_pixel("x", Type.F32)))
    assert alone.run([output])[0][0, :, 0].tolist() == mixed.run([output])[0][0, :3, 0].tolist() == [1.0, -2.0, 1e6]


@pytest.mark.parametrize("value", [2**24 + 1, 2**24 + 3, 2**31 - 1, -(2**24) - 1, 2**31 - 65, 123456789])
def test_integers_become_the_nearest_even_float(value: int) -> None:
    run = PictureCase({}, width=1, height=1)
    (signed,) = run.run([b.to_f32(b.literal(value, Type.I32) + b.pixel_x())])
    assert f32(float(value)) == signed[0, 0, 0]
    if value > 0:
        (unsigned,) = run.run([b.to_f32(b.literal(value, Type.U32) + b.to_u32(b.pixel_x()))])
        assert f32(float(value)) == unsigned[0, 0, 0]


@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 0.98, 1.0])
def test_select_takes_whole_bits_and_nothing_of_the_other(share: float) -> None:
    rng = np.random.default_rng(1)
    chosen = (rng.random((40, 50, 1)) < share).astype(np.float32)
    env = {"chosen": chosen, "x": np.full((40, 50, 1), np.nan, np.float32), "y": np.full((40, 50, 1), -0.0, np.float32)}
    test = b.lt(0.5, b.input_pixel("chosen", Type.F32))
    (result,) = PictureCase(env, width=50, height=40).run(
        [b.select(test, b.input_pixel("x", Type.F32), b.input_pixel("y", Type.F32))]
    )
    assert np.array_equal(np.isnan(result), chosen > 0.5)
    assert np.all(np.signbit(result[chosen <= 0.5]))


def test_operations_leave_no_warning_and_no_change_of_error_settings() -> None:
    before = np.geterr()
    with np.errstate(all="raise"):
        inside = np.geterr()
        on_pairs(FLOATS, b.div)
        assert inside == np.geterr()
    assert before == np.geterr()


def test_a_difference_of_contracted_products_is_zero() -> None:
    env = {"a": picture_of([1.000244140625]), "c": picture_of([1.00048828125])}
    a, c = b.input_pixel("a", Type.F32), b.input_pixel("c", Type.F32)
    (result,) = PictureCase(env, width=1, height=1).run([a * a - c])
    assert result[0, 0, 0] == 0.0


def test_infinity_times_a_number_given_at_run_time_is_infinite() -> None:
    env = {"x": picture_of([2.0, -2.0, 0.0]), "k": np.float32(INF)}
    (result,) = PictureCase(env, width=3, height=1).run([b.input_pixel("x", Type.F32) * b.input_scalar("k", Type.F32)])
    assert result[0, :2, 0].tolist() == [INF, -INF]
    assert math.isnan(result[0, 2, 0])
