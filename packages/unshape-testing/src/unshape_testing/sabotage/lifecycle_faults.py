"""Faults against laws 1 to 6: opening, errors, leaks, claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unshape_backend.capabilities import BackendCapabilities, Feature
from unshape_backend.protocols import CompiledTask
from unshape_backend.task import Rejection, Task
from unshape_core.context import EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.notes import note_device_time
from unshape_core.protocols import Node
from unshape_core.value import Value
from unshape_testing.sabotage.wrapped import WrappedBackend

if TYPE_CHECKING:
    from unshape_backend.protocols import ComputeBackend


class NeverCloses(WrappedBackend):
    """Stays open after close."""

    def close(self) -> None:
        """Do nothing."""


class ClosesTheOther(WrappedBackend):
    """Shares one device among all that are opened, and closes it with the first."""

    _shared: ComputeBackend | None = None

    def __init__(self, inner: ComputeBackend) -> None:
        cls = type(self)
        if cls._shared is None:
            cls._shared = inner
        super().__init__(cls._shared)

    def close(self) -> None:
        """Close the device for everyone."""
        type(self)._shared = None
        self.inner.close()


class OpensWithoutWorking(WrappedBackend):
    """Opens, and gives zeros for everything."""

    def spoil(self, _task: Task, _index: int, array: npt.NDArray[Any], _ctx: EvalContext) -> npt.NDArray[Any]:
        """Return zeros."""
        return np.zeros_like(array)


class FabricatesValues(WrappedBackend):
    """Takes anything for a value and makes zeros of it."""

    def download(self, value: Value) -> npt.NDArray[Any]:
        """Return zeros for what is no value."""
        try:
            return self.inner.download(value)
        except InvalidArgumentError:
            return np.zeros((2, 2, 1), np.float32)


class IgnoresSizes(WrappedBackend):
    """Runs on inputs of any size."""

    def run(
        self, task: Task, compiled: CompiledTask, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext
    ) -> tuple[Value, ...]:
        """Return zeros where a size is wrong."""
        try:
            return super().run(task, compiled, nodes, inputs, ctx)
        except InvalidArgumentError:
            return tuple(self.inner.upload(np.zeros(spec.shape or (), np.float32)) for spec in task.output_specs)


class TakesMemoryForNothing(WrappedBackend):
    """Allocates for zero elements and never gives it back."""

    def __init__(self, inner: ComputeBackend) -> None:
        super().__init__(inner)
        self._kept: list[Value] = []

    def spoil(self, _task: Task, _index: int, array: npt.NDArray[Any], _ctx: EvalContext) -> npt.NDArray[Any]:
        """Keep a scratch value."""
        if array.size == 0:
            self._kept.append(self.inner.upload(np.zeros(16, np.uint8)))
        return array


class Leaks(WrappedBackend):
    """Keeps every output for ever."""

    def __init__(self, inner: ComputeBackend) -> None:
        super().__init__(inner)
        self._kept: list[Value] = []

    def altered(self, task: Task, index: int, value: Value, ctx: EvalContext) -> Value:
        """Keep the output."""
        self._kept.append(value)
        return super().altered(task, index, value, ctx)


class LeaksWhenFailing(WrappedBackend):
    """Keeps the inputs of every run that fails."""

    def __init__(self, inner: ComputeBackend) -> None:
        super().__init__(inner)
        self._kept: list[Sequence[Value]] = []

    def run(
        self, task: Task, compiled: CompiledTask, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext
    ) -> tuple[Value, ...]:
        """Keep the inputs of a failure."""
        try:
            return super().run(task, compiled, nodes, inputs, ctx)
        except InvalidArgumentError:
            self._kept.append(inputs)
            raise


class LeaksWhenOpened(WrappedBackend):
    """Keeps 64 KiB of host memory for every time that it was opened."""

    kept: list[npt.NDArray[np.uint8]] = []  # noqa: RUF012 - shared by all, which is the fault

    def __init__(self, inner: ComputeBackend) -> None:
        super().__init__(inner)
        self.kept.append(np.zeros(1 << 16, np.uint8))


class ClaimsEverything(WrappedBackend):
    """Says that it runs whatever it is asked."""

    def supports(self, _task: Task) -> Rejection | None:
        """Reject nothing."""
        return None


class Contracts(WrappedBackend):
    """Fuses multiplication and addition, as compilers do unless they are told not to, and claims exact arithmetic."""

    def spoil(self, task: Task, _index: int, array: npt.NDArray[Any], _ctx: EvalContext) -> npt.NDArray[Any]:
        """Return the difference that is left of a contracted ``a*a - b`` where it should be zero."""
        if task.node.type_name == "testing::ExactProbe":
            array[..., 0] = np.where(array[..., 0] == 0, np.float32(5.960464e-8), array[..., 0])
        return array


class FlushesDenormals(WrappedBackend):
    """Gives zero for the smallest numbers and claims to keep them."""

    def spoil(self, _task: Task, _index: int, array: npt.NDArray[Any], _ctx: EvalContext) -> npt.NDArray[Any]:
        """Flush."""
        return np.where(np.abs(array) < np.finfo(np.float32).tiny, np.zeros((), array.dtype), array)


class TellsWrongTimes(WrappedBackend):
    """Says that the device worked for an hour."""

    def run(
        self, task: Task, compiled: CompiledTask, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext
    ) -> tuple[Value, ...]:
        """Hand over a time that cannot be."""
        note_device_time(lambda: 3_600_000_000_000)
        return super().run(task, compiled, nodes, inputs, ctx)


class TellsTimesWithoutClaim(WrappedBackend):
    """Tells a time on the device that nobody has measured."""

    def run(
        self, task: Task, compiled: CompiledTask, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext
    ) -> tuple[Value, ...]:
        """Make up a time."""
        note_device_time(lambda: 1)
        return super().run(task, compiled, nodes, inputs, ctx)


class TellsNoTimes(WrappedBackend):
    """Claims to measure its work, and does not."""

    @property
    def capabilities(self) -> BackendCapabilities:
        """Those of the other backend, and one feature more."""
        facts = self.inner.capabilities
        return replace(facts, features=facts.features | {Feature.TIMESTAMPS})


class ComputesFloat64InFloat32(WrappedBackend):
    """Accepts float64 and computes with half of its digits."""

    def spoil(self, _task: Task, _index: int, array: npt.NDArray[Any], _ctx: EvalContext) -> npt.NDArray[Any]:
        """Round through float32."""
        return array.astype(np.float32).astype(array.dtype) if array.dtype == np.float64 else array
