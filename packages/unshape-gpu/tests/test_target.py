"""WGSL from expressions: what must not be merged is written such that it cannot be."""

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
from unshape_gpu.sources import prelude

X, Y = input_pixel("x", Type.F32), input_pixel("y", Type.F32)


def shader_of(*outputs: Expr, shielding: Shielding = Shielding.SUMS) -> str:
    arithmetic = Arithmetic(shielding=shielding, corrects_division=False, corrects_root=False)
    kernel = lower(outputs).kernel
    text = write_shader(kernel, frozenset(use.port for use in kernel.inputs), arithmetic).text
    return text[text.index("struct Pixel") :]


def test_products_and_sums_are_functions_that_compilers_cannot_merge() -> None:
    assert "k_add(v2, v0)" in shader_of(X * Y + X)
    assert "k_mul(v0, v1)" in shader_of(X * Y + X)
    assert "k_sub(v0, v1)" in shader_of(X - Y)


@pytest.mark.parametrize(
    ("shielding", "product", "sum_"),
    [
        (Shielding.NONE, "x * y", "x + y"),
        (Shielding.SUMS, "fma(x, y, bitcast<f32>(params[0].z))", "fma(x, bitcast<f32>(params[0].w), y)"),
        (Shielding.ALL, "k_ex(x * y)", "k_ex(x + k_apart(y))"),
    ],
)
def test_each_level_rounds_products_and_sums_in_its_own_way(shielding: Shielding, product: str, sum_: str) -> None:
    arithmetic = Arithmetic(shielding=shielding, corrects_division=False, corrects_root=False)
    text = prelude(arithmetic, params_words=4)
    assert f"fn k_mul(x: f32, y: f32) -> f32 {{\n    return {product};" in text
    assert f"fn k_add(x: f32, y: f32) -> f32 {{\n    return {sum_};" in text


def test_where_anything_is_rewritten_other_results_are_opaque_too() -> None:
    text = shader_of(build.floor(X), shielding=Shielding.ALL)
    assert "k_ex(k_floor(v0))" in text
    assert "k_ex(" not in shader_of(build.floor(X), shielding=Shielding.SUMS)


def test_fast_shaders_hold_no_shield_that_a_compiler_must_respect() -> None:
    kernel = lower((X * Y + X,)).kernel
    text = write_shader(kernel, frozenset("xy"), FAST).text
    for opaque in ("| params[0]", "^ params[0]", "fma("):
        assert opaque not in text


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
