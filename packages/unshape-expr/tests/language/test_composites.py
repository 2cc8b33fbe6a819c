"""Composite operations against float32 arithmetic written out in their stated order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from unshape_expr import build as e
from unshape_expr import common
from unshape_expr.ir import Expr
from unshape_expr.types import Type
from unshape_testing.pixel_evaluator import Pixel, evaluate_pixel

f32 = np.float32
Vector = npt.NDArray[np.float32]


def at(expr: Expr, **values: Any) -> Vector:
    components = {name: tuple(np.atleast_1d(np.asarray(v, f32))) for name, v in values.items()}
    return np.array(evaluate_pixel(expr, Pixel(x=3, y=5, width=17, height=9, values=components)), f32)


def vectors(seed: int, size: int = 3) -> Vector:
    return np.random.default_rng(seed).normal(size=(40, size)).astype(f32) * f32(3)


A, B = (e.input_pixel(name, Type.VEC3) for name in "ab")
S = e.input_pixel("s", Type.F32)


def dot(a: Vector, b: Vector) -> np.float32:
    return f32(f32(f32(a[0] * b[0]) + f32(a[1] * b[1])) + f32(a[2] * b[2]))


@pytest.mark.parametrize("seed", range(3))
def test_vector_products_keep_their_stated_order(seed: int) -> None:
    for a, b in zip(vectors(seed), vectors(seed + 9), strict=True):
        d = dot(a, b)
        assert d == at(e.dot(A, B), a=a, b=b)[0]
        cross = [a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))]
        np.testing.assert_array_equal(np.array(cross, f32), at(e.cross(A, B), a=a, b=b))
        np.testing.assert_array_equal(a - (d + d) * b, at(e.reflect(A, B), a=a, b=b)) if dot(b, a) == d else None
        np.testing.assert_array_equal(a / np.sqrt(dot(a, a)), at(e.normalize(A), a=a))
        assert np.sqrt(dot(a - b, a - b)) == at(e.distance(A, B), a=a, b=b)[0]


def test_another_order_of_a_product_is_told_apart() -> None:
    pairs = zip(vectors(0), vectors(9), strict=True)
    assert any(f32(a[0] * b[0]) + f32(f32(a[1] * b[1]) + f32(a[2] * b[2])) != dot(a, b) for a, b in pairs)


def test_mix_is_a_plus_t_times_the_difference() -> None:
    for a, b in zip(vectors(1), vectors(2), strict=True):
        np.testing.assert_array_equal(a + f32(0.3) * (b - a), at(e.mix(A, B, S), a=a, b=b, s=0.3))


def test_smoothstep_is_the_hermite_cubic() -> None:
    for x in np.linspace(-1, 2, 31, dtype=f32):
        t = min(max(f32(f32(x - f32(0.25)) / f32(0.5)), f32(0)), f32(1))
        expected = f32(t * t) * f32(f32(3) - f32(f32(2) * t))
        assert expected == at(e.smoothstep(0.25, 0.75, S), s=x)[0]


@pytest.mark.parametrize(
    ("x", "sign", "step", "saturate", "fract"),
    [
        (-2.5, -1.0, 0.0, 0.0, 0.5),
        (-0.0, -0.0, 0.0, 0.0, 0.0),
        (0.5, 1.0, 1.0, 0.5, 0.5),
        (7.25, 1.0, 1.0, 1.0, 0.25),
        (np.inf, 1.0, 1.0, 1.0, np.nan),
        (-1e-10, -1.0, 0.0, 0.0, 1.0),
        (np.nan, np.nan, 1.0, np.nan, np.nan),
    ],
)
def test_small_functions_have_their_stated_results(
    x: float, sign: float, step: float, saturate: float, fract: float
) -> None:
    got = [at(f, s=x)[0] for f in (e.sign(S), e.step(0.5, S), e.saturate(S), e.fract(S))]
    np.testing.assert_array_equal([sign, step, saturate, fract], got)
    assert np.signbit(f32(sign)) == np.signbit(got[0])


@pytest.mark.parametrize(
    ("x", "low", "high", "expected"), [(5, 0, 1, 1), (-5, 0, 1, 0), (0.5, 0, 1, 0.5), (5, 1, 0, 0)]
)
def test_clamp_takes_the_upper_limit_last(x: float, low: float, high: float, expected: float) -> None:
    assert expected == at(e.clamp(S, low, high), s=x)[0]


@pytest.mark.parametrize("x", [np.nan, np.inf, -np.inf, 0.0, 3e38])
def test_classification_agrees_with_numpy(x: float, number: Callable[[Expr], Any]) -> None:
    lit = e.literal(x)
    assert (np.isnan(x), np.isinf(x), np.isfinite(x)) == tuple(
        map(number, (e.is_nan(lit), e.is_inf(lit), e.is_finite(lit)))
    )


def test_pixel_centres_lie_at_half_pixels() -> None:
    np.testing.assert_array_equal(np.array([3.5 / 17, 5.5 / 9], f32), at(e.uv()))
    np.testing.assert_array_equal([3, 5, 17, 9], [*at(e.pixel()), *at(e.resolution())])


def test_refraction_obeys_snells_law() -> None:
    eta, angle = 0.75, 0.6
    incident = [np.sin(angle), -np.cos(angle), 0.0]
    got = at(refract(), a=incident, b=[0, 1, 0], s=eta)
    np.testing.assert_allclose(eta * np.sin(angle), got[0], rtol=1e-6)
    np.testing.assert_allclose(1.0, np.linalg.norm(got), rtol=1e-6)
    np.testing.assert_array_equal([0, 0, 0], at(refract(), a=[1, 0, 0], b=[0, 1, 0], s=1.5))


def refract() -> Expr:
    from unshape_expr.common import refract_vec3

    return refract_vec3(A, B, S)


def test_angles_convert_both_ways() -> None:
    assert f32(np.pi) == at(e.radians(S), s=180)[0]
    np.testing.assert_allclose(180, at(e.degrees(S), s=np.pi), rtol=1e-7)


def test_chained_minima_go_from_left_to_right_and_keep_nan() -> None:
    assert np.isnan(at(e.min(S, 1.0, 2.0), s=np.nan)[0])
    assert np.isnan(at(e.max(1.0, S, 2.0), s=np.nan)[0])
    assert at(e.min(S, 1.0, -2.0), s=0.5)[0] == -2


def test_turning_and_scaling_about_a_point_are_those_of_complex_numbers() -> None:
    p, center = (e.input_pixel(name, Type.VEC2) for name in ("p", "c"))
    for a, c in zip(vectors(3, 2), vectors(4, 2), strict=True):
        turned = complex(*c) + (complex(*a) - complex(*c)) * np.exp(0.7j)
        found = at(common.rotate_about(p, center, 0.7), p=a, c=c)
        np.testing.assert_allclose(found, [turned.real, turned.imag], atol=2e-6)
        found = at(common.scale_about(p, center, e.vec2(2.0, -0.5)), p=a, c=c)
        np.testing.assert_allclose(found, c + (a - c) * np.array([2.0, -0.5], np.float32), atol=2e-6)
