"""Stated error bounds of the mathematical functions, on samples of float32; and the coefficients' reproduction."""

from __future__ import annotations

import numpy as np
import pytest

from tools import fit_polynomials, math_accuracy
from unshape_expr import exponentials, polynomials
from unshape_expr.functions import Function
from unshape_expr.math_functions import MATH_FUNCTIONS, ULP_BOUNDS

STEP = 4999  # prime, so that the samples meet all patterns of low bits
BY_NAME = {f.name: f for f in MATH_FUNCTIONS}


@pytest.mark.parametrize("name", BY_NAME)
def test_error_is_within_the_stated_bound(name: str) -> None:
    measured = list(math_accuracy.measurements(BY_NAME[name], step=STEP))
    assert measured
    for where, found, bound in measured:
        assert found.ulp <= bound, where
        assert found.ulp > 0.4, where  # the measurement sees rounding at all


def test_the_measurement_sees_one_wrong_coefficient(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = (polynomials.EXP2[0], polynomials.EXP2[1] * 1.00001, *polynomials.EXP2[2:])
    monkeypatch.setattr(exponentials, "EXP2", wrong)
    original = BY_NAME["exp2"]
    spoilt = Function("exp2", original.parameters, original.returns, original.define, is_componentwise=True)
    ((_, found, bound),) = math_accuracy.measurements(spoilt, step=STEP)
    assert found.ulp > bound


def test_every_function_states_its_bound() -> None:
    assert set(BY_NAME) == set(ULP_BOUNDS)
    for name, function in BY_NAME.items():
        assert str(ULP_BOUNDS[name]) in function.doc


@pytest.mark.parametrize("fit", fit_polynomials.FITS, ids=lambda fit: fit.name)
def test_coefficients_are_as_good_as_a_fresh_fit(fit: fit_polynomials.Fit) -> None:
    fresh = fit_polynomials.fitted(fit, len(fit.coefficients))
    assert fit_polynomials.error_of(fit, fit.coefficients) <= 1.05 * fit_polynomials.error_of(fit, fresh)


@pytest.mark.parametrize("fit", fit_polynomials.FITS, ids=lambda fit: fit.name)
def test_coefficients_are_float32_and_their_last_bits_matter(fit: fit_polynomials.Fit) -> None:
    assert all(float(np.float32(c)) == c for c in fit.coefficients)
    spoilt = (fit.coefficients[0] * 1.0001, *fit.coefficients[1:])
    assert fit_polynomials.error_of(fit, spoilt) > fit_polynomials.error_of(fit, fit.coefficients)
