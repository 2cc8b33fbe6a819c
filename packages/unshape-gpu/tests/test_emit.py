"""WGSL from expressions: what must not be merged is shielded, and nothing else."""

from __future__ import annotations

import re

import pytest

from unshape_expr import build, math_functions
from unshape_expr.ir import Expr
from unshape_expr.leaves import input_pixel
from unshape_expr.lower import lower
from unshape_expr.types import Type
from unshape_gpu.arithmetic import FAST, Arithmetic, Shielding
from unshape_gpu.shader import write_shader

X, Y = input_pixel("x", Type.F32), input_pixel("y", Type.F32)


def shader_of(*outputs: Expr, shielding: Shielding = Shielding.PRODUCTS) -> str:
    arithmetic = Arithmetic(shielding=shielding, corrects_division=False, corrects_root=False)
    kernel = lower(outputs).kernel
    text = write_shader(kernel, frozenset(use.port for use in kernel.inputs), arithmetic).text
    return text[text.index("struct Pixel") :]


def test_a_product_that_feeds_a_sum_is_shielded() -> None:
    assert "k_ex((v0 * v1))" in shader_of(X * Y + X)


def test_a_product_that_feeds_a_product_or_memory_is_not() -> None:
    assert "k_ex(" not in shader_of(X * Y * X)


@pytest.mark.parametrize(
    "expression",
    [-(X * Y), build.min(X * Y, X), build.select(build.eq(X, Y), X * Y, X), build.vec2(X * Y, X).x + Y, (X * Y) % X],
    ids=["negated", "minimum", "selected", "component", "remainder"],
)
def test_a_product_that_may_reach_a_sum_by_a_detour_is_shielded(expression: Expr) -> None:
    assert "k_ex((v" in shader_of(expression)


def test_a_product_carried_around_a_loop_is_shielded() -> None:
    (result,) = build.loop(3, [X], lambda _index, state: state * Y, max_count=3)
    assert re.search(r"k_ex\(\(v\d+ \* v\d+\)\)", shader_of(result + X))


def test_fast_shaders_hold_no_shield_that_a_compiler_must_respect() -> None:
    kernel = lower((X * Y + X,)).kernel
    text = write_shader(kernel, frozenset("xy"), FAST).text
    assert "| params[0].x" not in text
    assert "| params[0].w" not in text


def test_literals_are_words_of_the_parameter_block() -> None:
    assert shader_of(X * 2.0) == shader_of(X * 3.0)


def test_whole_groups_of_pixels_are_read_and_written_in_16_bytes() -> None:
    text = shader_of(X + Y)
    assert "r0.value_0, r1.value_0, r2.value_0, r3.value_0" in text


def test_comparisons_are_not_merged_with_selections() -> None:
    assert "k_apart(v1)" in shader_of(build.select(X < Y, X, Y))


@pytest.mark.parametrize("shielding", list(Shielding))
def test_infinite_literals_are_made_at_run_time(shielding: Shielding) -> None:
    arithmetic = Arithmetic(shielding=shielding, corrects_division=True, corrects_root=True)
    kernel = lower((math_functions.log(X),)).kernel
    text = write_shader(kernel, frozenset("x"), arithmetic).text
    text = text[text.index("var<storage") :]
    assert not re.search(r"\b(inf|nan)f?\b", text)
