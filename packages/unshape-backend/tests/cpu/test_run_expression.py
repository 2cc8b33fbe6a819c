from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from unshape_backend.cpu import CpuBackend
from unshape_backend.kernel import KernelSpec
from unshape_core.cancellation import CancellationToken
from unshape_core.context import ContextField, EvalContext
from unshape_core.errors import Cancelled, InvalidArgumentError
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value import Value, Vec2
from unshape_core.value_type import BOOL, F32, TEXTURE, VEC2
from unshape_core.window import Window
from unshape_core.workload import OpClass
from unshape_expr.body import BodyInputs
from unshape_expr.ir import Expr
from unshape_expr.leaves import pixel_x, time
from unshape_expr.operators import lt, to_f32
from unshape_expr.vectors import vector
from unshape_testing.tasks import make_job


@dataclass(frozen=True, slots=True)
class Scale:
    """A picture times a parameter and the time, plus the column."""

    factor: float = 2.0

    type_name: ClassVar[str] = "test::Scale"
    inputs: ClassVar[tuple[Port, ...]] = (Port("picture", TEXTURE),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("picture", TEXTURE),)
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset({ContextField.TIME})

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        return (input_specs[0],)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        return (inputs["picture"] * self.factor * time() + to_f32(pixel_x()),)


@dataclass(frozen=True, slots=True)
class Compare:
    """Numbers in, a number, a vector and a truth value out."""

    type_name: ClassVar[str] = "test::Compare"
    inputs: ClassVar[tuple[Port, ...]] = (Port("a", F32), Port("b", F32))
    outputs: ClassVar[tuple[Port, ...]] = (Port("sum", F32), Port("pair", VEC2), Port("is_less", BOOL))
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        return (ValueSpec(F32), ValueSpec(VEC2), ValueSpec(BOOL))

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        a, b = inputs["a"], inputs["b"]
        return (a + b, vector(a, b), lt(a, b))


_PICTURE = np.arange(24, dtype=np.float32).reshape(4, 6, 1)


def _run(node: Scale | Compare, *inputs: Value, ctx: EvalContext, window: Window | None = None) -> tuple[Value, ...]:
    job = make_job(node, inputs, ctx, window=window)
    return CpuBackend().compile(job.task)((node,), job.inputs, ctx)


def test_an_expression_is_run_at_every_pixel() -> None:
    (output,) = _run(Scale(3.0), _PICTURE, ctx=EvalContext(time_s=0.5))
    columns = np.arange(6, dtype=np.float32)[None, :, None]
    np.testing.assert_array_equal(output, _PICTURE * np.float32(1.5) + columns, strict=True)


def test_a_window_equals_the_same_part_of_the_whole() -> None:
    ctx = EvalContext(time_s=0.1)
    (whole,) = _run(Scale(), _PICTURE, ctx=ctx)
    (part,) = _run(Scale(), _PICTURE, ctx=ctx, window=Window(2, 1, 3, 2))
    np.testing.assert_array_equal(part, np.asarray(whole)[1:3, 2:5], strict=True)


def test_another_parameter_and_another_time_compile_nothing() -> None:
    job = make_job(Scale(), (_PICTURE,), EvalContext())
    compiled = CpuBackend().compile(job.task)
    for factor, time_s in ((1.0, 1.0), (4.0, 1.0), (4.0, 0.25)):
        (output,) = compiled((Scale(factor),), job.inputs, EvalContext(time_s=time_s))
        assert np.asarray(output)[1, 0, 0] == 6 * factor * time_s


def test_numbers_in_give_numbers_out_of_the_types_of_the_ports() -> None:
    outputs = _run(Compare(), 0.5, 2.0, ctx=EvalContext())
    assert outputs == (2.5, Vec2(0.5, 2.0), True)
    assert [type(output) for output in outputs] == [float, Vec2, bool]


def test_zero_pixels_give_zero_pixels() -> None:
    (output,) = _run(Scale(), np.zeros((0, 6, 1), np.float32), ctx=EvalContext())
    assert np.asarray(output).shape == (0, 6, 1)


def test_outputs_own_their_memory_and_inputs_are_left_alone() -> None:
    picture = _PICTURE.copy()
    picture.flags.writeable = False
    (output,) = _run(Scale(1.0), picture, ctx=EvalContext(time_s=1.0))
    assert isinstance(output, np.ndarray)
    assert not np.shares_memory(output, picture)


def test_a_cancelled_run_stops() -> None:
    token = CancellationToken()
    token.cancel()
    with pytest.raises(Cancelled):
        _run(Scale(), _PICTURE, ctx=EvalContext(cancellation=token))


@pytest.mark.parametrize(
    ("value", "got"),
    [
        (object(), "got object"),
        (1.0, "got float"),
        (_PICTURE.astype(np.float64), r"got float64\[4, 6, 1\]; use .astype\(\"float32\"\)"),
        (_PICTURE[:3], r"got float32\[3, 6, 1\]$"),
    ],
)
def test_a_foreign_input_is_refused_with_node_input_and_backend(value: Value, got: str) -> None:
    job = make_job(Scale(), (_PICTURE,), EvalContext())
    compiled = CpuBackend().compile(job.task)
    where = "node 'test::Scale' on 'cpu': input 'picture': expected float32"
    with pytest.raises(InvalidArgumentError, match=f"^{where}.* in host memory, {got}"):
        compiled((Scale(),), (value,), EvalContext())


def test_a_foreign_number_is_refused() -> None:
    job = make_job(Compare(), (0.5, 2.0), EvalContext())
    compiled = CpuBackend().compile(job.task)
    with pytest.raises(InvalidArgumentError, match="input 'b': expected f32 in host memory, got str"):
        compiled((Compare(),), (0.5, "2"), EvalContext())  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="expected 2 inputs, got 1"):
        compiled((Compare(),), (0.5,), EvalContext())


def test_a_picture_of_another_byte_order_is_accepted() -> None:
    (output,) = _run(Scale(1.0), _PICTURE.astype(">f4"), ctx=EvalContext(time_s=1.0))
    (expected,) = _run(Scale(1.0), _PICTURE, ctx=EvalContext(time_s=1.0))
    np.testing.assert_array_equal(output, expected, strict=True)


def test_a_kernel_for_the_node_comes_before_its_expression() -> None:
    cpu = CpuBackend()
    cpu.register_kernel(KernelSpec(node_type="test::Scale", backend="cpu", function=lambda node, inputs, ctx: inputs))
    job = make_job(Scale(), (_PICTURE,), EvalContext())
    (output,) = cpu.compile(job.task)((Scale(),), job.inputs, EvalContext())
    assert output is job.inputs[0]
