"""Faults against laws 8 to 14: numbers, edges, layouts, repetition, windows, fusion."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unshape_backend.capabilities import BackendCapabilities, Feature
from unshape_backend.protocols import CompiledTask
from unshape_backend.task import Task
from unshape_core.context import EvalContext
from unshape_core.memory_space import HOST
from unshape_core.protocols import Node
from unshape_core.value import Value
from unshape_testing.sabotage.wrapped import WrappedBackend

if TYPE_CHECKING:
    from unshape_backend.protocols import ComputeBackend


class OneUlpOff(WrappedBackend):
    """Gives one element its neighbour."""

    def spoil(self, _task: Task, _index: int, array: npt.NDArray[Any], _ctx: EvalContext) -> npt.NDArray[Any]:
        """Move the element in the middle."""
        if array.dtype.kind == "f" and array.size:
            flat = array.reshape(-1)
            flat[array.size // 2] = np.nextafter(flat[array.size // 2], np.inf)
        return array


class FlushesTooMuch(WrappedBackend):
    """Claims to have no subnormal numbers, and gives zero for normal ones as well."""

    @property
    def capabilities(self) -> BackendCapabilities:
        """Those of the other backend, without DENORMALS."""
        facts = self.inner.capabilities
        return replace(facts, features=facts.features - {Feature.DENORMALS})

    def spoil(self, _task: Task, _index: int, array: npt.NDArray[Any], _ctx: EvalContext) -> npt.NDArray[Any]:
        """Take small normal numbers for subnormal ones."""
        return (
            np.where(np.abs(array) < 2.0**-100, np.zeros((), array.dtype), array) if array.dtype.kind == "f" else array
        )


class ForgetsAnOutput(WrappedBackend):
    """Returns all outputs but the last, if there are several."""

    def run(
        self, task: Task, compiled: CompiledTask, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext
    ) -> tuple[Value, ...]:
        """Drop the last output."""
        outputs = super().run(task, compiled, nodes, inputs, ctx)
        return outputs[:-1] if len(outputs) > 1 else outputs


class LosesNaN(WrappedBackend):
    """Takes the minimum as ``fmin`` does: a number wins over NaN."""

    def spoil(self, _task: Task, _index: int, array: npt.NDArray[Any], _ctx: EvalContext) -> npt.NDArray[Any]:
        """Replace NaN by a number."""
        return np.where(np.isnan(array), np.zeros((), array.dtype), array) if array.dtype.kind == "f" else array


class LosesTheSignOfZero(WrappedBackend):
    """Gives 0 where -0 is due."""

    def spoil(self, _task: Task, _index: int, array: npt.NDArray[Any], _ctx: EvalContext) -> npt.NDArray[Any]:
        """Add zero."""
        return array + np.zeros((), array.dtype)


class WrongAtTheEdge(WrappedBackend):
    """Forgets the last column where a row is no multiple of eight long."""

    def spoil(self, _task: Task, _index: int, array: npt.NDArray[Any], _ctx: EvalContext) -> npt.NDArray[Any]:
        """Leave the remainder of a row as it was in new memory."""
        if array.ndim == 3 and array.shape[1] % 8:
            array[:, -1] = 0.123
        return array


class IgnoresStrides(WrappedBackend):
    """Reads an array's memory from its start, whatever its strides."""

    def upload(self, array: npt.NDArray[Any]) -> Value:
        """Take the first bytes of the base array."""
        if not isinstance(array.base, np.ndarray) or array.flags.c_contiguous:
            return self.inner.upload(array)
        memory = np.ascontiguousarray(array.base).view(np.uint8).reshape(-1)
        wanted = np.resize(memory, array.nbytes).view(array.dtype)
        return self.inner.upload(wanted.reshape(array.shape))


class IgnoresByteOrder(WrappedBackend):
    """Reads big-endian numbers as little-endian ones."""

    def upload(self, array: npt.NDArray[Any]) -> Value:
        """Take the bytes as they are."""
        return self.inner.upload(array.view(array.dtype.newbyteorder("=")))


class ChangesItsInput(WrappedBackend):
    """Computes in place: afterwards the input holds something else."""

    def run(
        self, task: Task, compiled: CompiledTask, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext
    ) -> tuple[Value, ...]:
        """Write into the first input."""
        outputs = super().run(task, compiled, nodes, inputs, ctx)
        for value in inputs:
            if isinstance(value, np.ndarray) and value.flags.writeable and value.size:
                value[...] = 0
            elif hasattr(value, "buffer"):
                value.buffer(where="sabotage").bytes[:1] ^= 1
        return outputs


class ReturnsItsInput(WrappedBackend):
    """Gives out an input's memory as an output."""

    def run(
        self, task: Task, compiled: CompiledTask, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext
    ) -> tuple[Value, ...]:
        """Return the first input if it holds what the output holds."""
        outputs = super().run(task, compiled, nodes, inputs, ctx)
        (first, *rest) = outputs
        arrays = [value for value in inputs if isinstance(value, np.ndarray)]
        same = [each for each in arrays if isinstance(first, np.ndarray) and np.array_equal(each, first)]
        return (same[0].view(), *rest) if same else outputs


class ReusesItsOutput(WrappedBackend):
    """Writes every run into the memory of the run before."""

    def __init__(self, inner: ComputeBackend) -> None:
        super().__init__(inner)
        self._kept: dict[tuple[object, ...], Value] = {}

    def altered(self, task: Task, index: int, value: Value, _ctx: EvalContext) -> Value:
        """Overwrite and return the earlier output."""
        if not hasattr(value, "shape"):
            return value
        new = self.inner.download(value)
        key = (task.node, index, new.shape, new.dtype.str)
        old = self._kept.setdefault(key, self.inner.upload(new))
        if isinstance(old, np.ndarray):
            old.flags.writeable = True
            old[...] = new
        elif hasattr(old, "buffer"):
            old.buffer(where="sabotage").view(new.shape, new.dtype)[...] = new
        return old


class StaleOnceInAWhile(WrappedBackend):
    """Gives something else every seventh time."""

    def __init__(self, inner: ComputeBackend) -> None:
        super().__init__(inner)
        self._count = 0

    def spoil(self, _task: Task, _index: int, array: npt.NDArray[Any], _ctx: EvalContext) -> npt.NDArray[Any]:
        """Spoil every seventh output."""
        self._count += 1
        if self._count % 7 == 0 and array.size:
            array.reshape(-1)[0] += 1
        return array


class SharesScratchBetweenThreads(WrappedBackend):
    """Is right as long as one thread uses it."""

    def __init__(self, inner: ComputeBackend) -> None:
        super().__init__(inner)
        self._threads: set[int] = set()

    def spoil(self, _task: Task, _index: int, array: npt.NDArray[Any], _ctx: EvalContext) -> npt.NDArray[Any]:
        """Spoil what a second thread computes."""
        self._threads.add(threading.get_ident())
        if len(self._threads) > 1 and array.size:
            array.reshape(-1)[-1] += 1
        return array


class CountsPixelsFromTheWindow(WrappedBackend):
    """Takes positions in the window for positions in the picture."""

    def spoil(self, task: Task, _index: int, array: npt.NDArray[Any], _ctx: EvalContext) -> npt.NDArray[Any]:
        """Shift what is computed away from the origin."""
        if (task.region.output.x_px or task.region.output.y_px) and array.ndim == 3 and array.size:
            array[0, 0, 0] += 1
        return array


class FusesWrongly(WrappedBackend):
    """Is wrong only where several nodes are computed as one."""

    def spoil(self, task: Task, _index: int, array: npt.NDArray[Any], _ctx: EvalContext) -> npt.NDArray[Any]:
        """Spoil what was fused."""
        if len(task.nodes) > 1 and array.size:
            array.reshape(-1)[0] += 1
        return array


class KeepsParameters(WrappedBackend):
    """Compiles parameters in: a changed one has no effect."""

    def run(
        self, task: Task, compiled: CompiledTask, _nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext
    ) -> tuple[Value, ...]:
        """Run the nodes that were there when the task was compiled."""
        return super().run(task, compiled, task.nodes, inputs, ctx)


class TakesHostArrays(WrappedBackend):
    """Uploads behind the caller's back what lives elsewhere."""

    def run(
        self, task: Task, compiled: CompiledTask, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext
    ) -> tuple[Value, ...]:
        """Upload host arrays."""
        assert self.capabilities.space != HOST
        values = [self.inner.upload(value) if isinstance(value, np.ndarray) else value for value in inputs]
        return super().run(task, compiled, nodes, values, ctx)
