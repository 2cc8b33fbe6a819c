"""Tasks: the unit that is placed, priced and run.

A task is one node, or several body nodes fused into one expression, together with the specs and the region that it
computes. Backends see nothing else of a graph.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from math import prod

import numpy as np

from unshape_core.context import Precision
from unshape_core.protocols import Node
from unshape_core.spec import Region, ValueSpec
from unshape_core.value_type import ArrayType
from unshape_core.window import Window
from unshape_core.workload import OpClass, WorkloadHint
from unshape_expr.kernel import Kernel


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One unit of work.

    Parameters
    ----------
    nodes : tuple of Node
        The nodes computed, in order; the last one gives the task its name.
    node_ids : tuple of int
        Their numbers in the graph.
    input_specs, output_specs : tuple of ValueSpec
        Specs of the whole values that go in and out.
    region : Region
        Which part of the output is computed from which parts of the inputs.
    kernel : Kernel or None
        The lowered expression of body nodes; None for a node whose meaning is ``execute``.
    input_names : tuple of str
        For each input the name under which the kernel's INPUT, SAMPLE and FETCH instructions know it.
    precision : {"exact", "fast"}
        What the caller asked for.
    workload : WorkloadHint
        How much work it is.
    """

    nodes: tuple[Node, ...]
    node_ids: tuple[int, ...]
    input_specs: tuple[ValueSpec, ...]
    output_specs: tuple[ValueSpec, ...]
    region: Region
    kernel: Kernel | None
    input_names: tuple[str, ...]
    precision: Precision
    workload: WorkloadHint
    slot_values: Callable[[tuple[Node, ...]], tuple[bool | int | float, ...]]
    """Literal values of the kernel for nodes that differ in parameters from ``nodes`` only."""

    @property
    def node(self) -> Node:
        """The node that names the task."""
        return self.nodes[-1]

    @property
    def op_class(self) -> OpClass:
        """Kind of work of the naming node."""
        return self.nodes[-1].op_class

    @property
    def input_bytes(self) -> tuple[int | None, ...]:
        """Bytes of each input as far as it is at hand, None where unknown."""
        return tuple(map(bytes_at_hand, self.input_specs, self.region.inputs))

    @property
    def output_bytes(self) -> tuple[int | None, ...]:
        """Bytes of each output as far as it is computed, None where unknown."""
        return tuple([bytes_at_hand(spec, self.region.output) for spec in self.output_specs])

    @property
    def dtypes(self) -> frozenset[str]:
        """Element types of the arrays that go in and out."""
        types = [spec.value_type for spec in (*self.input_specs, *self.output_specs)]
        return frozenset([t.dtype for t in types if isinstance(t, ArrayType)])

    @property
    def array_count(self) -> int:
        """Number of arrays that go in and out."""
        return sum([isinstance(s.value_type, ArrayType) for s in (*self.input_specs, *self.output_specs)])


def bytes_at_hand(spec: ValueSpec, window: Window | None) -> int | None:
    """Return the bytes of the part of a value that a window covers.

    Parameters
    ----------
    spec : ValueSpec
        Spec of the whole value.
    window : Window or None
        The part of a picture; None, and any window of what is no picture, means all of it.
    """
    value_type = spec.value_type
    if window is None or spec.picture_px is None or spec.shape is None or not isinstance(value_type, ArrayType):
        return spec.nbytes
    channels = prod(spec.shape[2:])
    return window.width_px * window.height_px * channels * np.dtype(value_type.dtype).itemsize


class RejectionCode(StrEnum):
    """Classes of reasons why a backend was not chosen."""

    NO_KERNEL = "no kernel"
    FAULT = "faulty backend"
    LIMIT = "device limit"
    MEMORY = "does not fit"
    SIZE = "size unknown"
    DTYPE = "dtype"
    PRECISION = "precision"
    FEATURE = "feature"
    KIND = "kind"
    UNAVAILABLE = "unavailable"
    SET_ASIDE = "set aside"
    COST = "dearer"
    PRIORITY = "lower priority"
    LOCALITY = "data is elsewhere"
    SOFTWARE = "software device"
    NOT_PINNED = "another backend is pinned"


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a backend cannot or should not run a task.

    Parameters
    ----------
    code : RejectionCode
        The class of reason.
    detail : str
        The facts: needed and available.
    """

    code: RejectionCode
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}" if self.detail else str(self.code)
