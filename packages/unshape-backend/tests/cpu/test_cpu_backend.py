from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt
import pytest

from unshape_backend.capabilities import Feature
from unshape_backend.cost import CostBasis
from unshape_backend.cpu import CpuBackend
from unshape_backend.errors import BackendClosedError, OutOfMemoryError, UnsupportedTaskError
from unshape_backend.identity import CPU
from unshape_backend.kernel import KernelSpec
from unshape_backend.task import Rejection, RejectionCode
from unshape_core.context import ContextField, EvalContext
from unshape_core.errors import Cancelled, InvalidArgumentError
from unshape_core.memory_space import HOST
from unshape_core.port import Port
from unshape_core.protocols import Node
from unshape_core.spec import Region, ValueSpec
from unshape_core.value import Value
from unshape_core.window import Window
from unshape_core.workload import OpClass
from unshape_testing.sample_task import AddOne, Undefined, picture_task

Array: TypeAlias = npt.NDArray[Any]


@pytest.fixture
def cpu() -> CpuBackend:
    return CpuBackend()


@dataclass(frozen=True, slots=True)
class Told:
    """A node that knows of windows and returns what it was told."""

    type_name: ClassVar[str] = "test::Told"
    inputs: ClassVar[tuple[Port, ...]] = AddOne.inputs
    outputs: ClassVar[tuple[Port, ...]] = AddOne.outputs
    op_class: ClassVar[OpClass] = OpClass.OTHER
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        return (input_specs[0],)

    def input_windows(
        self, window: Window, input_specs: Sequence[ValueSpec], ctx: EvalContext
    ) -> tuple[Window | None, ...]:
        return (window,)

    def execute(self, inputs: Sequence[Value], ctx: EvalContext) -> tuple[Value, ...]:
        assert ctx.region is not None
        window = ctx.region.output
        return (np.array([window.x_px, window.y_px], np.float32),)


@dataclass(frozen=True, slots=True)
class Raises:
    """A node that raises."""

    error: Exception

    type_name: ClassVar[str] = "test::Raises"
    inputs: ClassVar[tuple[Port, ...]] = AddOne.inputs
    outputs: ClassVar[tuple[Port, ...]] = AddOne.outputs
    op_class: ClassVar[OpClass] = OpClass.OTHER
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        return (input_specs[0],)

    def execute(self, inputs: Sequence[Value], ctx: EvalContext) -> tuple[Value, ...]:
        raise self.error


def _run(cpu: CpuBackend, node: Node, *inputs: Array) -> tuple[Value, ...]:
    task = picture_task(node, shape=(inputs[0].shape[0], inputs[0].shape[1], inputs[0].shape[2]))
    return cpu.compile(task)((node,), inputs, EvalContext())


def test_facts_are_honest(cpu: CpuBackend) -> None:
    facts = cpu.capabilities
    assert (facts.id, facts.kind, facts.space, facts.device.api) == ("cpu", CPU, HOST, "native")
    assert not facts.device.is_software
    # a probe for each feature that is claimed
    assert facts.features == {Feature.EXACT_F32, Feature.F64, Feature.DENORMALS}
    picture = np.full((1, 1, 1), 1e-40, np.float32)
    (output,) = _run(cpu, AddOne(amount=0.0), picture)
    np.testing.assert_array_equal(output, picture, strict=True)  # a denormal survives
    assert np.float64(1) + np.finfo(np.float64).eps != 1


def test_a_definition_is_what_runs(cpu: CpuBackend) -> None:
    picture = np.arange(20, dtype=np.float32).reshape(4, 5, 1)
    (output,) = _run(cpu, AddOne(), picture)
    np.testing.assert_array_equal(output, np.arange(1, 21, dtype=np.float32).reshape(4, 5, 1), strict=True)


def test_a_node_of_other_parameters_needs_no_compilation(cpu: CpuBackend) -> None:
    compiled = cpu.compile(picture_task(AddOne(), shape=(1, 1, 1)))
    (output,) = compiled((AddOne(amount=5.0),), (np.zeros((1, 1, 1), np.float32),), EvalContext())
    assert np.asarray(output).item() == 5


def test_a_node_that_knows_of_windows_is_told_its_region(cpu: CpuBackend) -> None:
    task = picture_task(Told())
    window = Window(3, 2, 1, 1)
    part = replace(task, region=Region(window, (window,), task.input_specs, task.output_specs))
    (output,) = cpu.compile(part)((Told(),), (np.zeros((1, 1, 1), np.float32),), EvalContext())
    np.testing.assert_array_equal(output, np.array([3, 2], np.float32), strict=True)


def test_a_node_without_a_definition_is_not_supported(cpu: CpuBackend) -> None:
    task = picture_task(Undefined())
    why = cpu.supports(task)
    assert why is not None
    assert why.code is RejectionCode.NO_KERNEL
    with pytest.raises(UnsupportedTaskError, match="neither a body nor execute") as caught:
        cpu.compile(task)
    assert (caught.value.node_id, caught.value.type_name) == (7, "test::Undefined")


def test_a_registered_kernel_comes_before_the_definition(cpu: CpuBackend) -> None:
    def kernel(node: Node, inputs: Sequence[Value], ctx: EvalContext) -> tuple[Value, ...]:
        assert ctx.region is not None
        return (np.asarray(inputs[0]) * 0 - 1,)

    cpu.register_kernel(KernelSpec(node_type="test::AddOne", backend="cpu", function=kernel))
    assert cpu.kernels.dtypes("test::AddOne") == {"float32"}
    (output,) = _run(cpu, AddOne(), np.zeros((1, 1, 1), np.float32))
    assert np.asarray(output).item() == -1


def test_a_kernel_that_refuses_leaves_the_task_to_the_definition(cpu: CpuBackend) -> None:
    why = Rejection(RejectionCode.LIMIT, "no")
    kernel = KernelSpec(node_type="test::AddOne", backend="cpu", function=len, accepts=lambda task, limits: why)
    cpu.register_kernel(kernel)
    assert cpu.supports(picture_task()) is None
    (output,) = _run(cpu, AddOne(), np.zeros((1, 1, 1), np.float32))
    assert np.asarray(output).item() == 1


def test_a_kernel_makes_a_node_without_a_definition_run(cpu: CpuBackend) -> None:
    cpu.register_kernel(KernelSpec(node_type="test::Undefined", backend="cpu", function=lambda n, i, c: (i[0],)))
    assert cpu.supports(picture_task(Undefined())) is None


@pytest.mark.parametrize("error", [InvalidArgumentError("no"), Cancelled("stop"), ZeroDivisionError("oops")])
def test_errors_of_nodes_pass_unchanged(cpu: CpuBackend, error: Exception) -> None:
    with pytest.raises(type(error)) as caught:
        _run(cpu, Raises(error), np.zeros((1, 1, 1), np.float32))
    assert caught.value is error


def test_running_out_of_memory_is_a_failure_of_the_backend(cpu: CpuBackend) -> None:
    error = MemoryError("cannot allocate")
    with pytest.raises(OutOfMemoryError, match=r"cannot allocate.*smaller window") as caught:
        _run(cpu, Raises(error), np.zeros((1, 1, 1), np.float32))
    assert caught.value.needed_bytes == 2 * 4
    assert caught.value.__cause__ is error


_EDGES = [0, 1, 3, 4, 255, 256, 257, 65535, 65536, 65537]


@pytest.mark.parametrize("size", _EDGES)
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "int32", "float32", "float64", "complex64", ">f4"])
def test_up_and_down_is_the_identity(cpu: CpuBackend, dtype: str, size: int) -> None:
    array = (np.arange(size) % 251).astype(dtype)
    check_round_trip(cpu.upload, cpu.download, array)


def check_round_trip(upload: Callable[[Array], Any], download: Callable[[Any], Array], array: Array) -> None:
    before = array.copy()
    there = upload(array)
    if array.size:
        array[...] = 1  # the uploaded value must not change with it
    back = download(there)
    assert back.dtype == before.dtype.newbyteorder("=")
    np.testing.assert_array_equal(back, before)
    assert back.base is None
    assert back.flags.writeable


def test_sabotage_an_upload_that_aliases_its_array_is_found(cpu: CpuBackend) -> None:
    with pytest.raises(AssertionError):
        check_round_trip(lambda array: array, cpu.download, np.arange(3.0))


def test_sabotage_a_download_that_returns_a_view_is_found(cpu: CpuBackend) -> None:
    with pytest.raises(AssertionError):
        check_round_trip(cpu.upload, lambda value: value[:], np.arange(3.0))


_BASE = np.arange(24.0).reshape(4, 6)


@pytest.mark.parametrize(
    "array",
    [_BASE[::2, 1::3], _BASE.T, _BASE[::-1], np.broadcast_to(_BASE[0], (3, 6)), np.asfortranarray(_BASE), _BASE[:0]],
    ids=["strided", "transposed", "reversed", "broadcast", "fortran", "empty"],
)
def test_any_layout_is_accepted_and_left_alone(cpu: CpuBackend, array: Array) -> None:
    before = array.copy()
    there = cpu.upload(array)
    assert isinstance(there, np.ndarray)
    assert there.flags.c_contiguous
    assert not there.flags.writeable
    np.testing.assert_array_equal(cpu.download(there), before)
    np.testing.assert_array_equal(array, before)


@pytest.mark.parametrize("value", [1.0, "text", [1, 2], np.array([object()])])
def test_what_is_no_array_of_numbers_is_an_invalid_argument_that_names_operation_and_backend(
    cpu: CpuBackend, value: Value
) -> None:
    with pytest.raises(InvalidArgumentError, match="upload on 'cpu'"):
        cpu.upload(value)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="download on 'cpu'"):
        cpu.download(value)


def test_a_closed_backend_says_so_and_closes_twice(cpu: CpuBackend) -> None:
    task = picture_task()
    cpu.close()
    cpu.close()
    calls: list[Callable[[], object]] = [
        lambda: cpu.supports(task),
        lambda: cpu.estimate_cost(task),
        lambda: cpu.compile(task),
        lambda: cpu.upload(np.zeros(1)),
        lambda: cpu.download(np.zeros(1)),
        cpu.flush,
        cpu.synchronize,
        cpu.memory,
    ]
    for call in calls:
        with pytest.raises(BackendClosedError, match="'cpu' was closed"):
            call()


def test_the_estimate_is_a_prior_that_grows_with_the_picture(cpu: CpuBackend) -> None:
    small, large = cpu.estimate_cost(picture_task()), cpu.estimate_cost(picture_task(shape=(400, 500, 1)))
    assert small is not None
    assert large is not None
    assert small.basis is CostBasis.PRIOR
    assert 0 < small.total_ns < large.total_ns


def test_two_backends_of_one_machine_have_one_fingerprint() -> None:
    assert CpuBackend().capabilities.device.fingerprint == CpuBackend().capabilities.device.fingerprint


def test_there_is_memory(cpu: CpuBackend) -> None:
    info = cpu.memory()
    assert info.total_bytes is None or info.total_bytes > 0
