"""Remainders of integers, which are computed by products of doubles, have the bits of the definition."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from unshape_backend.single_task import make_job
from unshape_core.context import EvalContext
from unshape_expr import build as e
from unshape_expr.ir import Expr
from unshape_expr.types import Type
from unshape_expr.vectors import components
from unshape_simd_cffi.backend import SimdBackend
from unshape_testing.laws.numbers import definition
from unshape_testing.nodes import ExpressionNode
from unshape_testing.random_expressions import Leaves
from unshape_testing.tasks import run_job
from unshape_testing.tolerance import assert_same_bits

PAIR = Leaves(pictures={"a": Type.VEC2, "b": Type.VEC2}, scalars={})
EDGES = (0, 1, -1, 2, -2, 3, -7, 46341, 2**16, -(2**16), 2**31 - 1, 2**31 - 2, -(2**31), -(2**31) + 1)


def integer(port: str) -> Expr:
    """Return the i32 whose upper and lower half a picture's two channels hold."""
    high, low = components(e.input_pixel(port, Type.VEC2))
    return e.to_i32(high) * 65536 + e.to_i32(low)


def halves(integers: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
    return np.stack([integers >> 16, integers & 0xFFFF], axis=-1).astype(np.float32)[None]


@pytest.mark.parametrize("divisor", [None, *EDGES])
def test_remainders_have_the_bits_of_the_definition(backend: SimdBackend, divisor: int | None) -> None:
    rng = np.random.default_rng(7)
    divisors = np.where(rng.random(20_000) < 0.2, rng.choice(EDGES, 20_000), rng.integers(-(2**31), 2**31, 20_000))
    divisors >>= rng.integers(0, 31, 20_000)
    if divisor is not None:
        divisors[:] = divisor
    whole = divisors * rng.integers(-(2**16), 2**16, 20_000) + rng.integers(-1, 2, 20_000)
    dividends = np.where(np.abs(whole) < 2**31, whole, rng.integers(-(2**31), 2**31, 20_000))
    dividends[: len(EDGES)] = EDGES
    by = integer("b") if divisor is None else e.literal(divisor, Type.I32)
    remainder = e.mod(integer("a"), by)
    node = ExpressionNode("remainders", (e.vec2(e.to_f32(remainder >> 16), e.to_f32(remainder & 0xFFFF)),), PAIR)
    inputs = (halves(dividends), halves(divisors))
    job = make_job(node, inputs, EvalContext(resolution=(20_000, 1)))
    expected = [a % b if b else 0 for a, b in zip(dividends.tolist(), divisors.tolist(), strict=True)]
    found = run_job(backend, job)
    assert_same_bits(definition(job), found, what=backend.isa.name)
    np.testing.assert_array_equal(halves(np.array(expected)), found[0])
