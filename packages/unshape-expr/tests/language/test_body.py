"""Bodies of nodes: outputs, sizes, windows, fusion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

from unshape_core.context import ContextField, EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value_type import BOOL, F32, F64, I32, TEXTURE, VEC3, ValueType
from unshape_core.window import Window
from unshape_expr import build as e
from unshape_expr.body import BodyInputs, SupportsBody, build_body, infer_body
from unshape_expr.body_windows import input_windows_of_body
from unshape_expr.context_uniforms import context_uniforms
from unshape_expr.errors import ExpressionError, ExpressionTypeError
from unshape_expr.ir import Expr
from unshape_expr.lower import lower
from unshape_expr.ops import Op
from unshape_expr.structure import is_same_expression
from unshape_expr.substitute import rename_ports, substitute
from unshape_expr.traverse import postorder
from unshape_expr.types import Type
from unshape_expr.uniformity import require_uniform

Body = Callable[[BodyInputs], Sequence[Expr]]
CTX = EvalContext(resolution=(64, 32))


@dataclass(frozen=True)
class Sample:
    build: Body
    inputs: tuple[Port, ...] = ()
    outputs: tuple[Port, ...] = (Port("value", TEXTURE),)
    type_name: str = "test::Sample"

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        return self.build(inputs)


def node(build: Body, *inputs: tuple[str, ValueType], output: ValueType = TEXTURE) -> Sample:
    return Sample(build, tuple(Port(n, t) for n, t in inputs), (Port("value", output),))


def picture(width: int, height: int, channels: int) -> ValueSpec:
    return ValueSpec(TEXTURE, (height, width, channels))


A, B = ("a", TEXTURE), ("b", TEXTURE)


def test_the_sample_is_a_body_node() -> None:
    assert isinstance(node(lambda i: [e.u()]), SupportsBody)


def test_inputs_have_the_type_of_their_specs() -> None:
    types: list[Type] = []

    def body(inputs: BodyInputs) -> list[Expr]:
        types.extend(inputs[n].type for n in "abcde")
        assert inputs["a"] is inputs["a"]
        return [inputs["a"].x]

    ports = (A, B, ("c", F32), ("d", VEC3), ("e", BOOL))
    specs = [picture(4, 3, 3), picture(4, 3, 1), ValueSpec(F32), ValueSpec(VEC3), ValueSpec(BOOL)]
    built = build_body(node(body, *ports), specs)
    assert types == [Type.VEC3, Type.F32, Type.F32, Type.VEC3, Type.BOOL]
    assert (frozenset("a"), frozenset(), True) == (built.pixel_ports, built.sampled_ports, built.is_pointwise)


@pytest.mark.parametrize(
    ("build", "shape"),
    [
        (lambda i: [e.uv()], (32, 64, 2)),
        (lambda i: [i["a"] + 1.0], (20, 10, 3)),
        (lambda i: [e.vec4(i["a"], 1.0)], (20, 10, 4)),
        (lambda i: [e.sample("b", e.uv(), type=i.texture_type("b"))], (7, 5, 1)),
        (lambda i: [i["a"] * e.sample("b", e.uv(), type=i.texture_type("b"))], (20, 10, 3)),
    ],
)
def test_a_picture_is_as_large_as_what_it_is_made_of(build: Body, shape: tuple[int, ...]) -> None:
    specs = [picture(10, 20, 3), picture(5, 7, 1)]
    assert (ValueSpec(TEXTURE, shape),) == infer_body(node(build, A, B), specs, CTX)


def test_pictures_of_different_size_are_refused_with_the_remedy() -> None:
    adds = node(lambda i: [i["a"] + i["b"]], A, B)
    with pytest.raises(InvalidArgumentError, match=r"test::Sample.*'a' 10 x 20, 'b' 5 x 7.*Resize"):
        infer_body(adds, [picture(10, 20, 1), picture(5, 7, 1)], CTX)


def test_numbers_may_be_computed_too() -> None:
    twice = node(lambda i: [i["n"] * 2], ("n", I32), output=I32)
    assert (ValueSpec(I32),) == infer_body(twice, [ValueSpec(I32)], CTX)


@pytest.mark.parametrize(
    ("sample", "specs", "words"),
    [
        (node(lambda i: [e.pixel_x()]), [], "to_f32"),
        (node(lambda i: []), [], "1 expressions, got 0"),
        (node(lambda i: [i["x"]], A), [picture(1, 1, 1)], "no input is called 'x'; inputs: a"),
        (node(lambda i: [i["a"]], A), [ValueSpec(TEXTURE)], "shape"),
        (node(lambda i: [i["a"]], A), [picture(1, 1, 5)], "1 to 4 channels"),
        (node(lambda i: [i["x"]], ("x", F64)), [ValueSpec(F64)], "f64"),
        (node(lambda i: [i["a"]], A), [], "1 input specs, got 0"),
        (node(lambda i: [e.u()], output=I32), [], "i32"),
        (node(lambda i: [e.u()], output=F32), [], "equal for all pixels"),
    ],
)
def test_bodies_that_do_not_fit_are_refused(sample: Sample, specs: list[ValueSpec], words: str) -> None:
    with pytest.raises((InvalidArgumentError, ExpressionTypeError), match=words):
        build_body(sample, specs)


def test_the_context_fields_that_are_read_are_known() -> None:
    body = build_body(node(lambda i: [e.u() * e.time() + e.to_f32(e.seed())]), [])
    assert {ContextField.TIME, ContextField.SEED} == body.context_fields


def test_parameters_change_no_structure() -> None:
    def scaled(factor: float) -> Sample:
        return node(lambda i: [e.u() * factor + 0.5])

    keys = {build_body(scaled(k), []).lower().kernel.key for k in (0.0, 1.0, 2.5)}
    assert len(keys) == 1


def test_windows_of_inputs_follow_from_the_reads() -> None:
    def body(i: BodyInputs) -> list[Expr]:
        return [i["a"] + e.fetch("b", e.pixel_x() - 2, e.pixel_y(), type=Type.F32) * i["k"]]

    window = Window(4, 4, 8, 2)
    specs = [picture(64, 32, 1), picture(64, 32, 1), ValueSpec(F32), picture(9, 9, 1)]
    sample = node(body, A, B, ("k", F32), ("unused", TEXTURE))
    assert (window, Window(2, 4, 8, 2), None, Window(0, 0, 0, 0)) == input_windows_of_body(sample, window, specs, CTX)


def test_uniforms_of_the_context_fit_their_types() -> None:
    ctx = EvalContext(time_s=0.1, frame=2**31, seed=-1, preview=True)
    got = context_uniforms(ctx)
    assert (got["frame"], got["seed"], got["preview"]) == (-(2**31), 2**32 - 1, True)
    assert got["time_s"] != 0.1  # rounded to float32
    assert {"time_s", "frame", "dt_s", "seed", "preview"} == set(got)


def test_fusion_puts_the_producer_in_place_of_the_input() -> None:
    producer = e.u() * 2.0
    consumer = e.sqrt(e.input_pixel("a", Type.F32)) + e.to_f32(e.texture_width("a"))
    (fused,) = substitute([consumer], {"a": producer})
    assert is_same_expression(e.sqrt(e.u() * 2.0) + e.to_f32(e.width()), fused)


def test_fusion_keeps_sharing_and_loops() -> None:
    producer = e.fract(e.u() * 3.0)
    a = e.input_pixel("a", Type.F32)
    (loop,) = e.loop(3, [a], lambda i, s: s * a, max_count=4)
    (fused,) = substitute([loop + a], {"a": producer})
    assert sum(x is producer for x in postorder([fused])) == 1
    assert any(s.op is Op.LOOP for s in lower([fused]).kernel.body)


def test_fusion_refuses_what_has_to_be_a_picture() -> None:
    read = e.sample("a", e.uv(), type=Type.F32)
    with pytest.raises(ExpressionError, match="other pixels"):
        substitute([read], {"a": e.u()})
    with pytest.raises(ExpressionTypeError, match="expected vec3, got f32"):
        substitute([e.input_pixel("a", Type.VEC3)], {"a": e.u()})
    with pytest.raises(ExpressionTypeError, match="equal for all pixels"):
        substitute([e.input_scalar("a", Type.F32)], {"a": e.u()})


def test_fusion_takes_time_in_proportion_to_the_expression() -> None:
    expr: Expr = e.input_pixel("a", Type.F32)
    for _ in range(20):
        (expr,) = substitute([e.input_pixel("a", Type.F32) + e.input_pixel("a", Type.F32)], {"a": expr})
    assert len(postorder([expr])) < 70


def test_ports_are_renamed_and_merged() -> None:
    mixed = e.input_pixel("a", Type.F32) + e.sample("b", e.uv(), type=Type.F32) + e.to_f32(e.texture_height("b"))
    (renamed,) = rename_ports([mixed], {"a": "p0", "b": "p0"})
    (use,) = lower([renamed]).kernel.inputs
    assert (use.port, use.is_pixel, use.is_sampled) == ("p0", True, True)


def test_what_varies_is_named() -> None:
    with pytest.raises(ExpressionTypeError, match="a picture input at this pixel"):
        require_uniform(e.input_pixel("a", Type.F32) + 1.0, where="x")
