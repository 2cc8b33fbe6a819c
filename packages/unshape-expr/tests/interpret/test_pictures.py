"""Pictures in and out: windows, layouts, sizes, threads, cancellation, errors."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from unshape_core.cancellation import CancellationToken
from unshape_core.errors import Cancelled, InvalidArgumentError
from unshape_core.window import Window
from unshape_expr import build as b
from unshape_expr import math_functions as mf
from unshape_expr.interpret import Interpreter
from unshape_expr.ir import Border, Expr
from unshape_expr.lower import lower
from unshape_expr.picture_input import PictureInput
from unshape_expr.types import Type
from unshape_testing.picture_evaluator import PictureCase, same_bits

COLOR = b.input_pixel("color", Type.VEC4)
GRAY = b.input_pixel("gray", Type.F32)


def outputs() -> list[Expr]:
    waved = mf.sin(b.u() * 25.1) + b.v()
    mixed = b.mix(COLOR, b.vec4(waved, GRAY, b.u(), 1.0), GRAY)
    moved = b.sample("color", b.vec2(b.v(), b.u() + 0.1 * GRAY), type=Type.VEC4, border=Border.MIRROR)
    return [mixed, moved, b.vec3(waved, b.u(), 0.5), b.swizzle(COLOR, "ab") * 2.0, b.literal(0.25)]


def env(height: int, width: int) -> dict[str, Any]:
    rng = np.random.default_rng(height * 1000 + width)
    return {
        "color": rng.random((height, width, 4), dtype=np.float32),
        "gray": rng.random((height, width, 1), dtype=np.float32),
    }


def run(
    given: dict[str, PictureInput], window: Window, *, width: int, height: int, tile_px: int | None = None
) -> tuple[Any, ...]:
    lowering = lower(outputs())
    return Interpreter(tile_px=tile_px).run(
        lowering.kernel, lowering.slot_values, given, window=window, width_px=width, height_px=height
    )


@pytest.mark.parametrize(
    "window", [Window(0, 0, 1, 1), Window(5, 3, 20, 7), Window(30, 0, 1, 19), Window(0, 18, 31, 1)]
)
@pytest.mark.parametrize("tile_px", [None, 5])
def test_a_window_equals_the_same_part_of_the_whole(window: Window, tile_px: int | None) -> None:
    height, width = 19, 31
    arrays = env(height, width)
    whole = Window.whole(width_px=width, height_px=height)
    everything = run({k: PictureInput.whole(a) for k, a in arrays.items()}, whole, width=width, height=height)
    held = window.expand(x_px=2, y_px=1).intersect(whole)
    rows, columns = held.slices_in(whole)
    given = {
        "gray": PictureInput(arrays["gray"][rows, columns], held, width, height),
        "color": PictureInput.whole(arrays["color"]),
    }
    part = run(given, window, width=width, height=height, tile_px=tile_px)
    rows, columns = window.slices_in(whole)
    for expected, got in zip(everything, part, strict=True):
        assert same_bits(np.ascontiguousarray(expected[rows, columns]), got)


def test_sixteen_tiles_equal_the_whole() -> None:
    given = {k: PictureInput.whole(a) for k, a in env(64, 64).items()}
    whole = run(given, Window(0, 0, 64, 64), width=64, height=64)
    for x in range(0, 64, 16):
        for y in range(0, 64, 16):
            part = run(given, Window(x, y, 16, 16), width=64, height=64)
            for expected, got in zip(whole, part, strict=True):
                assert same_bits(np.ascontiguousarray(expected[y : y + 16, x : x + 16]), got)


def layouts(array: Any) -> dict[str, Any]:
    doubled = np.zeros((array.shape[0] * 2, array.shape[1] * 3, array.shape[2]), np.float32)
    doubled[::2, 1::3] = array
    padded = np.zeros((array.shape[0], array.shape[1], 4), np.float32)
    padded[..., : array.shape[2]] = array
    read_only = array.copy()
    read_only.flags.writeable = False
    return {
        "strided": doubled[::2, 1::3],
        "transposed": np.ascontiguousarray(array.transpose(1, 0, 2)).transpose(1, 0, 2),
        "reversed": np.ascontiguousarray(array[::-1, ::-1])[::-1, ::-1],
        "channels of more": padded[..., : array.shape[2]],
        "read-only": read_only,
        "big-endian": array.astype(">f4"),
        "Fortran order": np.asfortranarray(array),
    }


@pytest.mark.parametrize("layout", layouts(np.zeros((1, 1, 1), np.float32)))
def test_layouts_of_inputs_do_not_matter(layout: str) -> None:
    arrays = env(13, 17)
    whole = Window.whole(width_px=17, height_px=13)
    expected = run({k: PictureInput.whole(a) for k, a in arrays.items()}, whole, width=17, height=13)
    changed = {k: layouts(a)[layout] for k, a in arrays.items()}
    before = {k: a.copy() for k, a in changed.items()}
    got = run({k: PictureInput.whole(a) for k, a in changed.items()}, whole, width=17, height=13, tile_px=40)
    for left, right in zip(expected, got, strict=True):
        assert same_bits(left, right)
    for name, array in changed.items():
        assert np.array_equal(before[name], array)


def test_a_broadcast_picture_is_one_number_everywhere() -> None:
    flat = np.broadcast_to(np.float32(0.5), (6, 5, 4))
    (result,) = PictureCase({"color": flat}, width=5, height=6).run([COLOR * 2.0])
    assert np.all(result == 1.0)


@pytest.mark.parametrize(("height", "width"), [(1, 1), (1, 8193), (8193, 1), (7, 11), (3, 1031), (257, 2)])
def test_awkward_sizes_equal_direct_evaluation(height: int, width: int) -> None:
    case = PictureCase(env(height, width), width=width, height=height)
    mixed, _sampled, *others = outputs()  # the direct evaluation does not sample
    chosen = [mixed, *others]
    for expected, got in zip(case.directly(chosen), case.run(chosen), strict=True):
        assert same_bits(expected, got)


@pytest.mark.parametrize(("height", "width"), [(0, 5), (5, 0), (0, 0)])
def test_empty_pictures_give_empty_results(height: int, width: int) -> None:
    given = {k: PictureInput.whole(a) for k, a in env(height, width).items()}
    results = run(given, Window.whole(width_px=width, height_px=height), width=width, height=height)
    assert [(height, width, c) for c in (4, 4, 3, 2, 1)] == [r.shape for r in results]


def test_results_own_their_memory_and_outputs_of_one_expression_are_two_arrays() -> None:
    case = PictureCase(env(4, 4), width=4, height=4)
    first, second = case.run([COLOR, COLOR])
    assert first.flags.owndata
    assert second.flags.owndata
    assert not np.shares_memory(first, second)
    assert not np.shares_memory(first, case.env["color"])


def test_results_are_written_where_the_caller_says() -> None:
    lowering = lower([GRAY * 2.0])
    out = np.empty((3, 3, 1), np.float32)
    given = {"gray": PictureInput.whole(np.ones((3, 3, 1), np.float32))}
    (result,) = Interpreter().run(
        lowering.kernel, lowering.slot_values, given, window=Window(0, 0, 3, 3), width_px=3, height_px=3, out=[out]
    )
    assert result is out
    assert np.all(out == 2.0)
    with pytest.raises(InvalidArgumentError, match="expected writable C-contiguous float32 arrays"):
        Interpreter().run(
            lowering.kernel,
            lowering.slot_values,
            given,
            window=Window(0, 0, 3, 3),
            width_px=3,
            height_px=3,
            out=[out.astype(np.float64)],
        )


def test_eight_threads_share_one_interpreter() -> None:
    interpreter = Interpreter(tile_px=64)
    lowering = lower(outputs())
    arrays = env(23, 29)
    given = {k: PictureInput.whole(a) for k, a in arrays.items()}

    def compute(_index: int) -> tuple[Any, ...]:
        return interpreter.run(
            lowering.kernel, lowering.slot_values, given, window=Window(0, 0, 29, 23), width_px=29, height_px=23
        )

    expected = compute(0)
    with ThreadPoolExecutor(8) as pool:
        for results in pool.map(compute, range(40)):
            for left, right in zip(expected, results, strict=True):
                assert same_bits(left, right)


def test_literals_change_without_a_new_program() -> None:
    first, second = lower([GRAY * 2.0]), lower([GRAY * 3.0])
    assert first.kernel.key == second.kernel.key
    given = {"gray": PictureInput.whole(np.ones((1, 1, 1), np.float32))}
    interpreter = Interpreter()
    found = [
        interpreter.run(first.kernel, lowering.slot_values, given, window=Window(0, 0, 1, 1), width_px=1, height_px=1)[
            0
        ].item()
        for lowering in (first, second, first)
    ]
    assert found == [2.0, 3.0, 2.0]


def test_a_count_that_is_a_parameter_may_change_from_run_to_run() -> None:
    interpreter = Interpreter()
    for count in (0, 1, 5, 3, 100):
        (total,) = b.loop(count, [0.0], lambda _i, s: s + GRAY, max_count=50)
        lowering = lower([total])
        given = {"gray": PictureInput.whole(np.ones((2, 2, 1), np.float32))}
        (result,) = interpreter.run(
            lowering.kernel, lowering.slot_values, given, window=Window(0, 0, 2, 2), width_px=2, height_px=2
        )
        assert np.all(result == min(count, 50))


def test_cancellation_stops_between_tiles() -> None:
    lowering = lower([GRAY * 2.0])
    token = CancellationToken()
    token.cancel()
    given = {"gray": PictureInput.whole(np.ones((64, 64, 1), np.float32))}
    with pytest.raises(Cancelled):
        Interpreter().run(
            lowering.kernel,
            lowering.slot_values,
            given,
            window=Window(0, 0, 64, 64),
            width_px=64,
            height_px=64,
            cancellation=token,
        )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "input 'gray' is missing"),
        ({"gray": 1.0}, "expected a picture"),
        ({"gray": PictureInput.whole(np.ones((4, 4, 3), np.float32))}, "expected 1 channels, got 3"),
        ({"gray": PictureInput.whole(np.ones((5, 4, 1), np.float32))}, "expected a picture of 4 x 4 pixels"),
        ({"gray": PictureInput(np.ones((2, 4, 1), np.float32), Window(0, 0, 4, 2), 4, 4)}, "expected pixels of all of"),
    ],
)
def test_inputs_that_do_not_fit_are_named(given: Any, message: str) -> None:
    lowering = lower([GRAY * 2.0])
    with pytest.raises(InvalidArgumentError, match=message):
        Interpreter().run(
            lowering.kernel, lowering.slot_values, given, window=Window(0, 0, 4, 4), width_px=4, height_px=4
        )


def test_a_picture_of_integers_or_of_five_channels_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="expected float32"):
        PictureInput.whole(np.ones((2, 2, 1), np.int32))
    with pytest.raises(InvalidArgumentError, match="1 to 4 channels"):
        PictureInput.whole(np.ones((2, 2, 5), np.float32))
    with pytest.raises(InvalidArgumentError, match="expected an array of the window's"):
        PictureInput(np.ones((2, 2, 1), np.float32), Window(0, 0, 3, 2), 8, 8)


def test_a_missing_uniform_and_an_integer_output_are_named() -> None:
    lowering = lower([GRAY * b.time()])
    given = {"gray": PictureInput.whole(np.ones((1, 1, 1), np.float32))}
    with pytest.raises(InvalidArgumentError, match="uniform 'time_s' is missing"):
        Interpreter().run(
            lowering.kernel, lowering.slot_values, given, window=Window(0, 0, 1, 1), width_px=1, height_px=1
        )
    whole = lower([b.pixel_x()])
    with pytest.raises(InvalidArgumentError, match="expected f32 or a vector for a picture, got i32"):
        Interpreter().run(whole.kernel, whole.slot_values, {}, window=Window(0, 0, 1, 1), width_px=1, height_px=1)


def test_many_programs_and_counts_keep_the_memory_of_the_cache_bounded() -> None:
    interpreter = Interpreter()
    (total,) = b.loop(b.to_i32(b.input_scalar("n", Type.F32)), [0.0], lambda i, s: s + b.to_f32(i), max_count=64)
    lowering = lower([total])
    for count in range(40):
        (result,) = interpreter.run(
            lowering.kernel,
            lowering.slot_values,
            {"n": float(count)},
            window=Window(0, 0, 1, 1),
            width_px=1,
            height_px=1,
        )
        assert result.item() == count * (count - 1) / 2


def test_a_value_that_is_equal_everywhere_is_read_from_a_picture_once() -> None:
    picture = np.arange(12, dtype=np.float32).reshape(3, 4, 1)
    texel = b.fetch("gray", 2, 1, type=Type.F32) + b.sample("gray", b.vec2(0.0, 0.0), type=Type.F32)
    (result,) = PictureCase({"gray": picture}, width=4, height=3).run([texel])
    assert np.all(result == 6.0 + 0.0)
