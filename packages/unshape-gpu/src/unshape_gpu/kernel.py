"""Kernels for particular nodes: what a package writes whose node is no expression.

The ``function`` of a ``KernelSpec`` for the family ``"gpu"`` is a :class:`GpuKernel`: it is handed the node, the inputs
on the device and a :class:`KernelCall` with which it makes arrays and runs shaders. A shader is a WGSL text with an
entry point ``main``; before it stands what ``wgsl/`` of this package offers:

- ``params``, the parameter block at binding 0: word 1 is the number of work items, and the words given to
  :meth:`KernelCall.run` follow from word 4 (``params[1].x``); the other three belong to what follows here;
- ``k_mul``, ``k_add`` and ``k_sub`` (``k_mul4`` and ``k_add4`` of four at once), which compilers cannot merge with each
  other, in the place of ``*``, ``+`` and ``-``; ``k_div``, ``k_sqrt``, ``k_neg``, ``k_min``, ``k_lerp`` ... with the
  promised bits; ``k_item(group, groups, lane, size)``, the number of a work item in a flat grid.

Arrays that are read are bound from 1 on, arrays that are written behind them.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_core.value import Value
from unshape_expr.emit import Line
from unshape_gpu.arithmetic import FAST, Arithmetic
from unshape_gpu.buffer import GpuBuffer
from unshape_gpu.grid import grid_of
from unshape_gpu.parameters import WORD_BYTES, opaque_words
from unshape_gpu.program import Program, compile_program
from unshape_gpu.sources import prelude

if TYPE_CHECKING:
    from unshape_gpu.device import GpuContext

FIRST_WORD = 4
_MOST_FORMS = 16
"""Shaders that a call finds without a digest of their text: as many as one kernel needs for one task, and more."""


class GpuKernel(Protocol):
    """A kernel for one type of node."""

    def __call__(self, node: Node, inputs: Sequence[Value], ctx: EvalContext, call: KernelCall, /) -> tuple[Value, ...]:
        """Record the work and return the outputs, which need not be there yet.

        ``ctx.region`` says which part of the output is computed from which parts of the inputs; array inputs are
        :class:`~unshape_gpu.buffer.GpuBuffer`.
        """


class Runner(Protocol):
    """What a call needs of its backend."""

    @property
    def context(self) -> GpuContext:
        """The device."""

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any], /) -> GpuBuffer:
        """Return an array whose elements are not set."""

    def table(self, array: npt.NDArray[Any], /) -> GpuBuffer:
        """Return a copy of a host array on the device."""

    def record(
        self,
        program: Program,
        arrays: Sequence[GpuBuffer],
        *,
        written: Sequence[GpuBuffer],
        params: bytes,
        groups: tuple[int, int, int],
        label: str,
    ) -> None:
        """Record a kernel."""


class KernelCall:
    """One call of a kernel.

    Parameters
    ----------
    runner : Runner
        The backend.
    label : str
        The node's type, for messages and times.
    precision : {"exact", "fast"}
        What the caller asked for.
    """

    __slots__ = ("_arithmetic", "_label", "_programs", "_runner")

    def __init__(self, runner: Runner, *, label: str, precision: str) -> None:
        self._runner = runner
        self._label = label
        self._programs: dict[tuple[str, int, int, int], Program] = {}
        self._arithmetic: Arithmetic = FAST if precision == "fast" else runner.context.exact

    def empty(self, shape: tuple[int, ...], dtype: str = "float32") -> GpuBuffer:
        """Return an array on the device whose elements are not set."""
        return self._runner.empty(shape, np.dtype(dtype))

    def table(self, array: npt.NDArray[Any]) -> GpuBuffer:
        """Return a copy of a host array on the device; equal contents are copied once and kept for a while."""
        return self._runner.table(array)

    def run(
        self,
        source: str,
        *,
        reads: Sequence[GpuBuffer],
        writes: Sequence[GpuBuffer],
        words: Sequence[int | float] | bytes = (),
        items: int = 0,
        group_size: int = 256,
        groups: tuple[int, int, int] | None = None,
    ) -> None:
        """Record a run of a shader.

        Parameters
        ----------
        source : str
            WGSL with an entry point ``main``; compiled once for each device.
        reads, writes : sequence of GpuBuffer
            Arrays at the bindings from 1 on.
        words : sequence of int or float, or bytes
            Parameters: an int becomes an i32 (or a u32), a float a float32; bytes are taken as they are.
        items : int
            Number of work items; ``k_item`` is what tells them apart where ``groups`` is not given.
        group_size : int
            Work items of a workgroup, as the source states it.
        groups : (int, int, int), optional
            Number of workgroups along each axis; as many as ``items`` need if not given.
        """
        block = words if isinstance(words, bytes) else b"".join(map(_word, words))
        form = (source, len(reads), len(writes), FIRST_WORD + len(block) // WORD_BYTES)
        program = self._programs.get(form)
        if program is None:
            if len(self._programs) >= _MOST_FORMS:
                self._programs.clear()
            program = self._programs[form] = self._program(*form)
        params = opaque_words(items) + block
        if groups is None:
            groups = grid_of(-(-items // group_size), self._runner.context.limits)
        if 0 not in groups:
            self._runner.record(
                program, [*reads, *writes], written=writes, params=params, groups=groups, label=self._label
            )

    def _program(self, source: str, reads: int, writes: int, words: int) -> Program:
        key = ("source", hashlib.sha256(source.encode()).digest(), self._arithmetic, reads, writes, words)
        return self._runner.context.program(key, lambda: self._compiled(source, reads, writes, words))

    def _compiled(self, source: str, reads: int, writes: int, words: int) -> Program:
        text = f"{prelude(self._arithmetic, params_words=words)}\n{source}"
        lines = [Line(line, "") for line in text.split("\n")]
        return compile_program(
            self._runner.context, lines, reads=reads, writes=writes, params_words=words, label=self._label
        )


def _word(value: int | float) -> bytes:
    if isinstance(value, int):
        return struct.pack("<I", value & 0xFFFFFFFF)
    return struct.pack("<f", value)
