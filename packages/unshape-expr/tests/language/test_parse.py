"""Text to expression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from unshape_expr import build as e
from unshape_expr.errors import ExpressionSyntaxError
from unshape_expr.ir import Border, Expr, Filter
from unshape_expr.parse import parse
from unshape_expr.scope import Scope
from unshape_expr.structure import is_same_expression
from unshape_expr.types import Type

COLOR = e.input_pixel("color", Type.VEC3)
K = e.input_scalar("k", Type.F32)
N = e.input_scalar("n", Type.I32)


def loop_sum() -> Expr:
    return e.loop(N, [0.0, 1.0], lambda i, s, w: (s + w * e.to_f32(i), w * 0.5), max_count=8)[1]


@pytest.mark.parametrize(
    ("text", "build"),
    [
        ("vec2(u + 0.05*k, v)", lambda: e.vec2(e.u() + 0.05 * K, e.v())),
        ("k + k*k", lambda: K + K * K),
        ("(k + k)*k", lambda: (K + K) * K),
        ("k - k - k", lambda: (K - K) - K),
        ("k ** k ** k", lambda: K ** (K**K)),
        ("-k ** 2", lambda: -(K**2.0)),
        ("2 ** -k", lambda: e.literal(2.0) ** -K),
        ("-2.5", lambda: e.literal(-2.5)),
        ("- -k", lambda: e.neg(-K)),
        ("n // 3 % 2", lambda: (N // 3) % 2),
        ("n & 3 | 4 ^ n", lambda: (N & 3) | (4 ^ N)),
        ("n & 3 == 3", lambda: e.eq(N & 3, 3)),
        ("n << 2", lambda: N << 2),
        ("k < 1 && !(k > 2) || k >= 3", lambda: ((K < 1) & ~(K > 2)) | (K >= 3)),
        ("not k < 1 and k != 2", lambda: ~(K < 1) & e.ne(K, 2)),
        ("k < 1 ? color : 0", lambda: e.select(K < 1, COLOR, 0.0)),
        ("k < 1 ? 2 : k < 3 ? 4 : 5", lambda: e.select(K < 1, 2.0, e.select(K < 3, 4.0, 5.0))),
        ("color.bgr", lambda: COLOR.bgr),
        ("color.xy.y", lambda: COLOR.xy.y),
        ("r + g*b", lambda: COLOR.r + COLOR.g * COLOR.b),
        ("mix(color, 1, t=k)", lambda: e.mix(COLOR, 1.0, K)),
        ("smoothstep(high=1, low=0, x=k)", lambda: e.smoothstep(0.0, 1.0, K)),
        ("max(k, 1, 2)", lambda: e.max(K, 1.0, 2.0)),
        ("seed ^ 0x9e3779b9", lambda: e.seed() ^ 0x9E3779B9),
        ("3u + seed", lambda: 3 + e.seed()),
        ("to_f32(3i)", lambda: e.to_f32(e.literal(3, Type.I32))),
        ("time + dt + to_f32(frame)", lambda: e.time() + e.dt() + e.to_f32(e.frame())),
        ("preview ? 1 : 2", lambda: e.select(e.preview(), 1.0, 2.0)),
        ("pixel / resolution", lambda: e.pixel() / e.resolution()),
        ("pixel_x + width * pixel_y + height", lambda: e.pixel_x() + e.width() * e.pixel_y() + e.height()),
        (
            "sample(color, uv, filter=nearest, border=mirror)",
            lambda: e.sample("color", e.uv(), type=Type.VEC3, filter=Filter.NEAREST, border=Border.MIRROR),
        ),
        ("sample(color, uv)", lambda: e.sample("color", e.uv(), type=Type.VEC3)),
        (
            "fetch(color, pixel_x + 1, 0, border=zero)",
            lambda: e.fetch("color", e.pixel_x() + 1, 0, type=Type.VEC3, border=Border.ZERO),
        ),
        ("texture_size(color)", lambda: e.texture_size("color")),
        ("texture_width(color) - texture_height(color)", lambda: e.texture_width("color") - e.texture_height("color")),
        ("loop(i, n, 8, s = 0, w = 1) { s + w*to_f32(i), w*0.5 }[1]", loop_sum),
        ("l = loop(i, n, 8, s = 0, w = 1) { t = w*to_f32(i); s + t, w*0.5 }; l[1]", loop_sum),
        ("true", lambda: e.literal(True, Type.BOOL)),
        (".5e1 + 1.f", None),
        ("\n k\t+ k ", lambda: K + K),
    ],
)
def test_text_and_python_give_the_same_expression(text: str, build: Callable[[], Expr] | None, scope: Scope) -> None:
    expected = build() if build is not None else e.literal(5.0) + 1.0
    assert is_same_expression(expected, parse(text, scope=scope))


def test_a_name_for_a_part_is_computed_once(scope: Scope) -> None:
    expr = parse("t = k*2; t + t", scope=scope)
    assert expr.args[0] is expr.args[1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("inf", np.inf), ("-inf", -np.inf), ("1e39", np.inf), ("-0", -0.0), ("pi", np.float32(np.pi))],
)
def test_special_numbers_are_read(text: str, expected: float, number: Callable[[Expr], Any]) -> None:
    value = number(parse(text))
    assert (float(expected), np.signbit(expected)) == (float(value), np.signbit(value))


def test_nan_is_read(number: Callable[[Expr], Any]) -> None:
    assert np.isnan(number(parse("nan")))


def test_the_names_of_inputs_come_before_those_of_the_language() -> None:
    scope = Scope.of(numbers={"u": Type.F32, "r": Type.F32, "color": Type.VEC3})
    assert [x.attr for x in parse("u + r", scope=scope).args] == ["u", "r"]


@pytest.mark.parametrize(("expected", "text"), [(Type.VEC3, "0.5"), (Type.F32, "0.5"), (Type.VEC3, "color")])
def test_the_expected_type_is_met_or_spread(expected: Type, text: str, scope: Scope) -> None:
    assert expected is parse(text, scope=scope, expected=expected).type


ERRORS = [
    ("k +* 1", 4, ["'*'", "number"]),
    ("colr.x", 1, ["unknown name 'colr'", "'color'"]),
    ("sinn(k)", 1, ["unknown function 'sinn'", "'sin'"]),
    ("k + true", 3, ["add", "f32", "bool"]),
    ("(k + 1", 7, ["')'", "column 1", "end of the text"]),
    ("k)", 2, ["')'"]),
    ("", 1, ["end of the text"]),
    ("k k", 3, ["operator", "'k'"]),
    ("k $ 2", 3, ["'$'"]),
    ("color.q", 7, ["'xyzw'", "'q'"]),
    ("color.w", 7, ["vec3", "'w'"]),
    ("n.x", 3, ["i32"]),
    ("vec2(1, 2, 3)", 1, ["vec2", "3"]),
    ("mix(k, 1)", 1, ["'t'", "missing", "mix(a, b, t)"]),
    ("mix(k, 1, 2, 3)", 1, ["3", "4"]),
    ("mix(k, 1, a=2)", 1, ["'a'", "twice"]),
    ("mix(k, 1, s=2)", 1, ["'s'", "no parameter"]),
    ("smoothstep(0, x=1, 2)", 20, ["by name"]),
    ("smoothstep(0, x=1, x=2)", 20, ["'x'", "twice"]),
    ("sin", 1, ["function", "sin(...)"]),
    ("1 < k < 2", 7, ["chain"]),
    ("k ? 1 : 2", 3, ["select", "bool", "f32"]),
    ("k < 1 ? 2", 10, ["':'", "column 7"]),
    ("k ^ 2", 3, ["bit_xor", "**"]),
    ("n + 0.5", 3, ["i32", "f32"]),
    ("3.5u", 1, ["'3.5u'", "no number"]),
    ("4294967296u", 1, ["u32"]),
    ("sample(k, uv)", 8, ["'k'", "no picture", "color"]),
    ("sample(color, uv, filter=cubic)", 26, ["nearest", "bilinear", "'cubic'"]),
    ("sample(color)", 13, ["','"]),
    ("t = 1, t", 6, ["';'"]),
    ("k = 1; k", 1, ["'k'", "meaning already"]),
    ("loop(i, pixel_x, 8, s = 0) { s }", 1, ["pixel's column"]),
    ("loop(i, 3, n, s = 0) { s }", 12, ["whole number"]),
    ("loop(i, 3, 8, s = 0) { s, s }", 1, ["1 carried", "2"]),
    ("loop(i, 3, 8, s = 0) { s }[1]", 28, ["carried value"]),
    ("loop(i, 3, 8, s = 0) { s } + s", 30, ["unknown name 's'"]),
    ("k[0]", 2, ["loop"]),
    ("and", 1, ["'and'"]),
    ("1" * 65, 1, ["64 characters"]),
    ("k" + " " * 70000, 65537, ["65536 characters"]),
    ("(" * 200 + "k" + ")" * 200, 101, ["100 levels"]),
    ("-" * 30000 + "k", 101, ["100 levels"]),
    ("k ** " * 10000 + "k", None, ["100 levels"]),
    ("true ? k : " * 5000 + "k", None, ["100 levels"]),
    ("sin(" * 3000, None, ["100 levels"]),
    ("not " * 3000 + "true", None, ["100 levels"]),
]


@pytest.mark.parametrize(("text", "column", "words"), ERRORS, ids=range(len(ERRORS)))
def test_errors_say_what_is_wrong_with_column_and_caret(
    text: str, column: int | None, words: list[str], scope: Scope
) -> None:
    with pytest.raises(ExpressionSyntaxError) as caught:
        parse(text, scope=scope)
    error = caught.value
    message = str(error)
    assert [word for word in words if word not in error.reason] == []
    assert column in {None, error.column}
    first, shown, carets = message.split("\n")
    assert first == f"column {error.column}: {error.reason}"
    assert len(shown) < 120
    assert set(carets.strip()) == {"^"}
    pointed = shown[carets.index("^") : carets.index("^") + 1]
    assert pointed.strip() == text[error.column - 1 : error.column].strip()


def test_the_wrong_type_of_a_result_is_an_error(scope: Scope) -> None:
    with pytest.raises(ExpressionSyntaxError, match="expected an expression of type f32, got vec3"):
        parse("color", scope=scope, expected=Type.F32)


def test_a_long_flat_text_is_read(scope: Scope) -> None:
    expr = parse("k" + " + k" * 10000, scope=scope)
    assert expr.type is Type.F32


def test_no_text_crashes_the_parser(scope: Scope) -> None:
    words = [
        "k",
        "n",
        "color",
        ".",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ";",
        "=",
        "==",
        "?",
        ":",
        "+",
        "-",
        "*",
        "**",
        "//",
        "1",
        "2.5",
        "3u",
        "loop",
        "sin",
        "vec2",
        "sample",
        "uv",
        "not",
        "and",
        "<",
        "^",
        "{",
        "}",
        "inf",
    ]
    rng = np.random.default_rng(1)
    outcomes = {True: 0, False: 0}
    for _ in range(3000):
        text = " ".join(rng.choice(words, size=rng.integers(1, 9)))
        try:
            parse(text, scope=scope)
        except ExpressionSyntaxError as error:
            outcomes[False] += 1 <= error.column <= len(text) + 1
        else:
            outcomes[True] += 1
    assert min(outcomes.values()) > 50
    assert sum(outcomes.values()) == 3000
