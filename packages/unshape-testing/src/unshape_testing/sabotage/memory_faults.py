"""Faults against laws 15 to 19: transfers and memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from unshape_backend.cost import Cost
from unshape_backend.protocols import CompiledTask, MemoryInfo
from unshape_backend.task import Task
from unshape_backend.transfer import LinkTable
from unshape_core.context import EvalContext
from unshape_core.memory_space import MemorySpace
from unshape_core.protocols import Node
from unshape_core.value import Value
from unshape_testing.sabotage.wrapped import WrappedBackend


class LosesTheTail(WrappedBackend):
    """Copies whole blocks of 256 bytes only."""

    def download(self, value: Value) -> npt.NDArray[Any]:
        """Zero what is beyond the last whole block."""
        array = self.inner.download(value)
        flat = array.reshape(-1).view(np.uint8)
        flat[len(flat) // 256 * 256 :] = 0
        return array


class NarrowsNumbers(WrappedBackend):
    """Keeps eight-byte numbers in four bytes."""

    def upload(self, array: npt.NDArray[Any]) -> Value:
        """Round through half the width."""
        narrow = {"f8": np.float32, "i8": np.int32, "u8": np.uint32}.get(f"{array.dtype.kind}{array.dtype.itemsize}")
        with np.errstate(all="ignore"):
            return self.inner.upload(array if narrow is None else array.astype(narrow).astype(array.dtype))


class UploadsLate(WrappedBackend):
    """Remembers a host array and copies it when it is first used."""

    def __init__(self, inner: Any) -> None:
        super().__init__(inner)
        self._arrays: dict[int, npt.NDArray[Any]] = {}

    def upload(self, array: npt.NDArray[Any]) -> Value:
        """Copy later."""
        value = self.inner.upload(array)
        self._arrays[id(value)] = array
        return value

    def run(
        self, task: Task, compiled: CompiledTask, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext
    ) -> tuple[Value, ...]:
        """Copy now."""
        fresh = [self.inner.upload(self._arrays[id(value)]) if id(value) in self._arrays else value for value in inputs]
        return super().run(task, compiled, nodes, fresh, ctx)


class WritesPastTheEnd(WrappedBackend):
    """Writes one element too many into the memory that an array lies in."""

    def upload(self, array: npt.NDArray[Any]) -> Value:
        """Write behind the array."""
        value = self.inner.upload(array)
        base = array.base
        while isinstance(base, np.ndarray) and base.base is not None:
            base = base.base
        if isinstance(base, np.ndarray) and base.flags.writeable and base.size > array.size:
            base.reshape(-1)[-1] = 0
        return value


class ReturnsTheUpload(WrappedBackend):
    """Gives the same array for every download of a value, so that whoever writes to it changes the value."""

    def __init__(self, inner: Any) -> None:
        super().__init__(inner)
        self._given: dict[int, npt.NDArray[Any]] = {}

    def download(self, value: Value) -> npt.NDArray[Any]:
        """Return what was returned before."""
        return self._given.setdefault(id(value), self.inner.download(value))


class ReadsUnknownMemoryAsZero(WrappedBackend):
    """Says that it has no memory where it does not know how much."""

    def memory(self) -> MemoryInfo:
        """Put zero for None."""
        info = self.inner.memory()
        return replace(info, total_bytes=info.total_bytes or 0, available_bytes=info.available_bytes or 0)


class ForgetsItsMemory(WrappedBackend):
    """Says that nothing is used."""

    def memory(self) -> MemoryInfo:
        """Put zero for what is used."""
        return replace(self.inner.memory(), used_bytes=0)


class FreeLinks(LinkTable):
    """Links that cost nothing, as those that were forgotten do in tables of costs."""

    __slots__ = ()

    def cost(self, source: MemorySpace, target: MemorySpace, nbytes: int | None) -> Cost | None:
        """Return no cost for any transfer."""
        return Cost() if nbytes is not None or source == target else None
