"""What is computed once, in which form functions are called, and how much memory a tile takes."""

from __future__ import annotations

from typing import Any

import numpy as np

from unshape_core.window import Window
from unshape_expr import build as b
from unshape_expr.functions import Function, Parameter
from unshape_expr.interpret.layout import wide_values
from unshape_expr.interpret.program import ProgramCache, executable
from unshape_expr.interpret.run import Interpreter
from unshape_expr.interpret.unroll import count_numbers
from unshape_expr.ir import Expr
from unshape_expr.lower import lower
from unshape_expr.picture_input import PictureInput
from unshape_expr.types import Type
from unshape_testing.picture_evaluator import PictureCase, same_bits

COLOR, GRAY = b.input_pixel("color", Type.VEC4), b.input_pixel("gray", Type.F32)


class Spy:
    """A function of scalars or vectors that notes the shapes it is called with."""

    def __init__(self, type_: Type) -> None:
        self.shapes: list[tuple[int, ...]] = []
        self.function = Function(
            "spy",
            (Parameter("x", type_), Parameter("k", Type.F32)),
            type_,
            lambda x, k: x * k + x,
            is_componentwise=type_ is Type.F32,
            numpy=self.scalar if type_ is Type.F32 else self.vector,
        )

    def scalar(self, x: Any, k: Any) -> Any:
        self.shapes.append(np.shape(x))
        return x * k + x

    def vector(self, x: Any, k: Any) -> Any:
        self.shapes.extend(np.shape(component) for component in x)
        return tuple(component * k + component for component in x)


def test_what_varies_along_one_axis_is_computed_for_one_row_or_column() -> None:
    along_x, along_y, everywhere = Spy(Type.F32), Spy(Type.F32), Spy(Type.F32)
    outputs = [along_x.function(b.u(), 2.0) + along_y.function(b.v(), 3.0) + everywhere.function(GRAY, 1.0)]
    gray = np.random.default_rng(0).random((40, 30, 1), dtype=np.float32)
    case = PictureCase({"gray": gray}, width=30, height=40)
    expected = case.directly(outputs)
    assert same_bits(expected[0], case.run(outputs, tile_px=150)[0])
    assert along_x.shapes == [(1, 30)]
    assert along_y.shapes == [(40, 1)]
    assert everywhere.shapes == [(5, 30)] * 8


def test_components_of_a_vector_vary_each_for_itself() -> None:
    spy = Spy(Type.VEC2)
    position = spy.function(b.uv() * 3.0 + 1.0, 2.0)
    case = PictureCase({}, width=6, height=4)
    assert same_bits(case.directly([position])[0], case.run([position])[0])
    assert spy.shapes == [(1, 6), (4, 1)]


def test_a_function_of_uniform_arguments_is_computed_once_without_numpy() -> None:
    spy = Spy(Type.F32)
    outputs = [spy.function(b.input_scalar("k", Type.F32), 2.0) + GRAY]
    case = PictureCase({"gray": np.zeros((3, 3, 1), np.float32), "k": np.float32(1.5)}, width=3, height=3)
    assert np.all(case.run(outputs)[0] == 4.5)
    assert spy.shapes == []


def test_a_component_by_component_function_gets_whole_pixels_at_once() -> None:
    spy = Spy(Type.F32)
    color = np.random.default_rng(1).random((5, 7, 4), dtype=np.float32)
    case = PictureCase({"color": color}, width=7, height=5)
    outputs = [spy.function(COLOR, 2.0)]
    assert same_bits(case.directly(outputs)[0], case.run(outputs)[0])
    assert spy.shapes == [(5, 28)]


def prepared(outputs: list[Expr]) -> Any:
    program = ProgramCache().program(lower(outputs).kernel)
    return program, executable(program, (3,) * len(program.count_numbers))


def test_arithmetic_on_pixels_keeps_them_whole_and_taking_them_apart_does_not() -> None:
    whole, _ = prepared([b.mix(COLOR, COLOR * COLOR, 0.5)])
    apart, _ = prepared([b.vec4(*[b.dot(COLOR, COLOR) * b.component(COLOR, k) for k in range(4)])])
    assert wide_values(whole.flat)
    assert not wide_values(apart.flat)


def test_temporaries_of_a_long_chain_share_memory() -> None:
    value = GRAY
    for _ in range(200):
        value = b.sqrt(value * value + 1.0)
    _, chosen = prepared([value])
    assert chosen.buffers.bytes_per_pixel <= 8


def test_short_loops_are_unrolled_and_their_rows_computed_once() -> None:
    spy = Spy(Type.F32)
    (total,) = b.loop(4, [GRAY], lambda i, s: s + spy.function(b.u() * b.to_f32(i), 1.0), max_count=10)
    gray = np.zeros((20, 10, 1), np.float32)
    case = PictureCase({"gray": gray}, width=10, height=20)
    assert same_bits(case.directly([total])[0], case.run([total], tile_px=20)[0])
    assert spy.shapes == [(1, 10)] * 4
    program, _ = prepared([total])
    assert len(count_numbers(program.flat)) == 1


def test_one_program_serves_pictures_of_all_sizes() -> None:
    interpreter, lowering = Interpreter(), lower([GRAY + b.u()])
    for height, width in [(1, 1), (4, 9), (300, 2), (2, 300)]:
        gray = np.ones((height, width, 1), np.float32)
        (result,) = interpreter.run(
            lowering.kernel,
            lowering.slot_values,
            {"gray": PictureInput.whole(gray)},
            window=Window.whole(width_px=width, height_px=height),
            width_px=width,
            height_px=height,
        )
        centres = (np.arange(width, dtype=np.float32) + np.float32(0.5)) / np.float32(width)
        assert np.array_equal(np.broadcast_to(centres + np.float32(1.0), (height, width)), result[..., 0])
