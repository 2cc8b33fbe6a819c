"""MapPixels and RemapUv against NumPy and scipy, and what they say they depend on."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.ndimage
from running import f32, run_one

from unshape_core.context import ContextField, EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.spec import ValueSpec
from unshape_core.value_type import F32, TEXTURE
from unshape_expr.errors import ExpressionSyntaxError
from unshape_image import Border, Filter, MapPixels, RemapUv

RNG = np.random.default_rng(12)
PICTURE = RNG.random((20, 30, 3), np.float32)
GRID_MODES = {
    Border.CLAMP: "nearest",
    Border.REPEAT: "grid-wrap",
    Border.MIRROR: "reflect",
    Border.ZERO: "grid-constant",
}


def test_a_formula_is_computed_for_every_pixel() -> None:
    result = run_one(MapPixels("color*0.5 + vec3(u, v, 0.25)"), PICTURE)
    u, v = np.meshgrid((np.arange(30) + 0.5) / 30, (np.arange(20) + 0.5) / 20)
    np.testing.assert_allclose(result, PICTURE * 0.5 + np.stack([u, v, 0.25 + 0 * u], -1), atol=1e-6)


def test_components_have_names() -> None:
    result = run_one(MapPixels("vec2(b, r) + image.gg"), PICTURE)
    np.testing.assert_allclose(result, PICTURE[..., [2, 0]] + PICTURE[..., [1]], atol=1e-6)


def test_several_pictures_and_numbers_go_in() -> None:
    node = MapPixels("mix(low, high, amount*mask)", pictures=("low", "high", "mask"), numbers=("amount",))
    high, mask = RNG.random((20, 30, 3), np.float32), RNG.random((20, 30, 1), np.float32)
    expected = PICTURE + 0.5 * mask * (high.astype(np.float64) - PICTURE)
    np.testing.assert_allclose(run_one(node, PICTURE, high, mask, 0.5), expected, atol=1e-6)
    assert [port.value_type for port in node.inputs] == [TEXTURE, TEXTURE, TEXTURE, F32]


def test_a_picture_may_be_named_like_a_word_of_the_language() -> None:
    np.testing.assert_array_equal(run_one(MapPixels("height", pictures=("height",)), PICTURE), PICTURE)


def test_a_formula_without_pictures_fills_the_resolution() -> None:
    result = run_one(MapPixels("time", pictures=()), ctx=EvalContext(resolution=(4, 3), time_s=2.5))
    np.testing.assert_array_equal(result, np.full((3, 4, 1), 2.5, np.float32))


@pytest.mark.parametrize(
    ("node", "fields"),
    [
        (MapPixels("color*2.0"), set()),
        (MapPixels("vec3(u, v, time)"), {ContextField.TIME, ContextField.RESOLUTION}),
        (MapPixels("vec3(u, v, 0.0).r", pictures=()), {ContextField.RESOLUTION}),
        (MapPixels("a = u*2.0; vec3(a)"), {ContextField.RESOLUTION}),
        (MapPixels("texture_size(image)"), {ContextField.RESOLUTION}),
        (MapPixels("sample(image, uv)*to_f32(frame)"), {ContextField.FRAME}),
        (MapPixels("image*dt + to_f32(seed)"), {ContextField.DT, ContextField.SEED}),
        (MapPixels("preview ? r : g"), {ContextField.PREVIEW}),
        (MapPixels("x.z*time + dot(vec2(1.0), y)", pictures=("x", "y")), {ContextField.TIME, ContextField.RESOLUTION}),
        (RemapUv("uv*time"), {ContextField.TIME}),
        (RemapUv("uv"), set()),
    ],
)
def test_a_formula_depends_on_what_it_reads(node: MapPixels | RemapUv, fields: set[ContextField]) -> None:
    # The one of two pictures makes sense only with different channels, so everything that it may read is counted.
    assert node.context_fields == fields


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_the_formula_gives_the_channels(channels: int) -> None:
    text = ["u", "vec2(u)", "vec3(u)", "vec4(u)"][channels - 1]
    (spec,) = MapPixels(text).infer([ValueSpec(TEXTURE, (5, 6, 3))], EvalContext())
    assert spec.shape is not None
    assert spec.shape[2] == channels


def test_a_wrong_formula_is_refused_with_its_place() -> None:
    with pytest.raises(ExpressionSyntaxError, match="column 4"):
        run_one(MapPixels("r +* 1"), PICTURE)
    with pytest.raises(ExpressionSyntaxError, match="unknown name 'colr'"):
        run_one(MapPixels("colr*2.0"), PICTURE)


def test_a_remap_must_give_a_position() -> None:
    with pytest.raises(ExpressionSyntaxError, match="expected an expression of type vec2, got vec3"):
        run_one(RemapUv("vec3(u, v, 0.0)"), PICTURE)


@pytest.mark.parametrize("names", [("2x",), ("a b",), ("image", "image"), ("sin", "vec2"), tuple("abcdefghijklmnopq")])
def test_names_that_cannot_be_used_are_refused(names: tuple[str, ...]) -> None:
    with pytest.raises(InvalidArgumentError, match="image::MapPixels: expected"):
        MapPixels("0.0", pictures=names)


@pytest.mark.parametrize("border", list(Border))
@pytest.mark.parametrize("chosen", list(Filter))
def test_a_remap_is_the_sampling_of_scipy(border: Border, chosen: Filter) -> None:
    node = RemapUv("vec2(u*1.6 - 0.31 + 0.1*sin(v*9.0), v*1.4 - 0.17)", chosen, border)
    u, v = np.meshgrid((np.arange(30) + 0.5) / 30, (np.arange(20) + 0.5) / 20)
    x, y = (u * 1.6 - 0.31 + 0.1 * np.sin(v * 9.0)) * 30 - 0.5, (v * 1.4 - 0.17) * 20 - 0.5
    order = 1 if chosen is Filter.BILINEAR else 0
    expected = np.stack(
        [
            scipy.ndimage.map_coordinates(plane.astype(np.float64), [y, x], order=order, mode=GRID_MODES[border])
            for plane in np.moveaxis(PICTURE, 2, 0)
        ],
        axis=-1,
    )
    result = run_one(node, PICTURE)
    # At an edge between texels float32 and float64 may choose different ones.
    decided = np.ones_like(x, bool)
    if chosen is Filter.NEAREST:
        decided = (np.abs(np.mod(x, 1.0) - 0.5) > 1e-4) & (np.abs(np.mod(y, 1.0) - 0.5) > 1e-4)
    assert decided.mean() > 0.95
    np.testing.assert_allclose(result[decided], expected[decided], atol=2e-5)


@pytest.mark.parametrize("chosen", list(Filter))
def test_the_identity_gives_the_picture(chosen: Filter) -> None:
    np.testing.assert_allclose(run_one(RemapUv("uv", chosen), PICTURE), PICTURE, atol=3e-6)


def test_a_displacement_comes_from_another_picture() -> None:
    warp = np.full((20, 30, 2), 0.5, np.float32)
    warp[..., 0] += 0.5 * 3 / 30
    node = RemapUv("uv + 2.0*(warp - 0.5)", Filter.NEAREST, Border.REPEAT, pictures=("warp",))
    np.testing.assert_array_equal(run_one(node, PICTURE, warp), np.roll(PICTURE, -3, axis=1))


def test_the_result_is_as_large_as_the_picture() -> None:
    assert run_one(RemapUv("uv.yx"), PICTURE, ctx=EvalContext(resolution=(7, 5))).shape == PICTURE.shape


def test_a_smaller_displacement_gives_its_own_size() -> None:
    node = RemapUv("position", pictures=("position",))
    assert run_one(node, PICTURE, f32(RNG.random((4, 6, 2)))).shape == (4, 6, 3)
