"""Blend against the W3C's compositing formulas, written with associated alpha in float64."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from references import Array
from running import f32, run_one

from unshape_core.errors import InvalidArgumentError
from unshape_image import Blend, BlendMode

RNG = np.random.default_rng(8)

# https://www.w3.org/TR/compositing-1/, section 9; add and subtract as in image editors.
MIX: dict[BlendMode, Callable[[Array, Array], Array]] = {
    BlendMode.NORMAL: lambda _b, s: s,
    BlendMode.MULTIPLY: lambda b, s: b * s,
    BlendMode.SCREEN: lambda b, s: 1.0 - (1.0 - b) * (1.0 - s),
    BlendMode.OVERLAY: lambda b, s: np.where(b <= 0.5, s * (2.0 * b), s + (2.0 * b - 1.0) - s * (2.0 * b - 1.0)),
    BlendMode.ADD: lambda b, s: b + s,
    BlendMode.SUBTRACT: lambda b, s: b - s,
    BlendMode.DIFFERENCE: lambda b, s: np.abs(b - s),
    BlendMode.DARKEN: np.minimum,
    BlendMode.LIGHTEN: np.maximum,
}


def composited(mode: BlendMode, base: Array, top: Array, opacity: float) -> tuple[Array, Array]:
    """Return associated colour and alpha by section 5 of the standard: source-over after blending."""
    b, s = base.astype(np.float64), top.astype(np.float64)
    ab = b[..., 3:] if b.shape[2] == 4 else np.ones_like(b[..., :1])
    as_ = opacity * (s[..., 3:] if s.shape[2] == 4 else np.ones_like(s[..., :1]))
    cb, cs = b[..., :3], s[..., :3]
    colour = as_ * (1.0 - ab) * cs + as_ * ab * MIX[mode](cb, cs) + (1.0 - as_) * ab * cb
    return colour, as_ + ab * (1.0 - as_)


@pytest.mark.parametrize("mode", list(BlendMode))
@pytest.mark.parametrize(("base", "top"), [(3, 3), (3, 4), (4, 3), (4, 4)])
@pytest.mark.parametrize("opacity", [0.0, 0.35, 1.0])
def test_blending_is_that_of_the_standard(mode: BlendMode, base: int, top: int, opacity: float) -> None:
    lower, upper = RNG.random((9, 8, base), np.float32), RNG.random((9, 8, top), np.float32)
    result = run_one(Blend(mode, opacity), lower, upper)
    colour, alpha = composited(mode, lower, upper, opacity)
    assert result.shape[2] == base
    own = result[..., 3:].astype(np.float64) if base == 4 else np.ones_like(alpha)
    np.testing.assert_allclose(own, alpha, atol=5e-7)
    np.testing.assert_allclose(result[..., :3] * own, colour, atol=1e-6)


@pytest.mark.parametrize("mode", list(BlendMode))
def test_a_transparent_top_changes_nothing(mode: BlendMode) -> None:
    base, top = RNG.random((4, 4, 3), np.float32), RNG.random((4, 4, 3), np.float32)
    np.testing.assert_array_equal(run_one(Blend(mode, 0.0), base, top), base)


def test_nothing_on_nothing_is_nothing() -> None:
    clear = f32([[[0.3, 0.6, 0.9, 0.0]]])
    assert run_one(Blend(), clear, clear).tolist() == [[[0.0, 0.0, 0.0, 0.0]]]


def test_a_gray_picture_counts_as_equal_colours() -> None:
    gray, colour = RNG.random((4, 4, 1), np.float32), RNG.random((4, 4, 3), np.float32)
    spread = np.repeat(gray, 3, axis=2)
    for node in (Blend(BlendMode.MULTIPLY, 0.5), Blend(BlendMode.OVERLAY)):
        np.testing.assert_array_equal(run_one(node, gray, colour), run_one(node, spread, colour))
        np.testing.assert_array_equal(run_one(node, colour, gray), run_one(node, colour, spread))


def test_nothing_is_cut_off() -> None:
    bright = f32([[[1000.0]]])
    assert run_one(Blend(BlendMode.ADD), bright, bright).tolist() == [[[2000.0]]]
    assert run_one(Blend(BlendMode.SUBTRACT), f32([[[0.0]]]), bright).tolist() == [[[-1000.0]]]


@pytest.mark.parametrize("opacity", [-0.1, 1.1, float("nan")])
def test_an_opacity_outside_its_range_is_refused(opacity: float) -> None:
    with pytest.raises(InvalidArgumentError, match=r"opacity: expected a finite number in \[0, 1\]"):
        Blend(opacity=opacity)


def test_an_unknown_mode_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidArgumentError, match="mode: expected one of 'normal', 'multiply'"):
        Blend("dodge")  # type: ignore[arg-type]
