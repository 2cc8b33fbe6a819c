"""Work of kernels, as cost models see it."""

from __future__ import annotations

import pytest

from unshape_expr import build as e
from unshape_expr.ir import Expr, Filter
from unshape_expr.kernel_text import kernel_to_text
from unshape_expr.lower import lower
from unshape_expr.types import Type
from unshape_expr.work import Work, work_of

A = e.input_pixel("a", Type.VEC4)


def work(*outputs: Expr) -> Work:
    return work_of(lower(outputs).kernel)


def test_operations_count_for_each_component_and_bytes_for_each_texel() -> None:
    assert Work(flops=4 + 4, bytes_read=16, bytes_written=16) == work(A * A + A)


def test_what_is_equal_for_all_pixels_is_free() -> None:
    assert work(A * e.time()) == work(A * (e.sqrt(e.time()) + 3.0))


def test_functions_cost_their_definition_for_each_component() -> None:
    scalar, vector = work(e.saturate(A.x)).flops, work(e.saturate(A)).flops
    assert (scalar, vector) == (2, 8)


@pytest.mark.parametrize(("bound", "times"), [(3, 3), (8, 8), (60, 8)])
def test_loops_cost_their_bound_up_to_a_typical_count(bound: int, times: int) -> None:
    (total,) = e.loop(e.frame(), [A.x], lambda i, s: s * s, max_count=bound)
    assert times == work(total).flops


def test_bilinear_samples_read_four_texels() -> None:
    bytes_read = [work(e.sample("m", e.uv(), type=Type.VEC2, filter=f)).bytes_read for f in Filter]
    assert bytes_read == [8, 32]


def test_a_kernel_is_printed_with_what_varies() -> None:
    (total,) = e.loop(3, [e.u()], lambda i, s: s * 0.5, max_count=4)
    text = kernel_to_text(lower([total, e.time() * A]).kernel)
    for part in ("input a: vec4", "uniform time_s: f32", "slot 0: i32", "loop", "[x]", "[uniform]", "[xy]", "outputs"):
        assert part in text
