"""A task made ready on the loopback: checks its inputs, records the work, gives out what is not there yet."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unshape_backend.protocols import CompiledTask
from unshape_backend.task import Task
from unshape_core.context import EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.notes import note_device_time
from unshape_core.protocols import Node
from unshape_core.spec import ValueSpec
from unshape_core.value import Value
from unshape_core.value_type import ArrayType
from unshape_core.window import Window
from unshape_testing.loopback_array import LoopbackArray
from unshape_testing.loopback_queue import Job, read

if TYPE_CHECKING:
    from unshape_testing.loopback import LoopbackBackend


class LoopbackTask:
    """Runs a task on values of one loopback.

    Parameters
    ----------
    backend : LoopbackBackend
        Whose values go in and out.
    task : Task
        What is run.
    run : callable
        The reference's compiled task, or a kernel's function, on host arrays.
    """

    __slots__ = ("_backend", "_run", "_shapes", "_task", "_where")

    def __init__(self, backend: LoopbackBackend, task: Task, run: CompiledTask) -> None:
        self._backend = backend
        self._task = task
        self._run = run
        self._where = f"{task.node.type_name} on '{backend.id}'"
        region = task.region
        self._shapes = [shape_at_hand(spec, region.output) for spec in task.output_specs]

    def __call__(self, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext, /) -> tuple[Value, ...]:
        """Record the run and return its outputs; runs at once where outputs are no arrays of known shape."""
        backend = self._backend
        backend.check_usable("run")
        arrays = self._checked(inputs)

        def work() -> Sequence[Value]:
            backend.launches += 1
            return self._run(nodes, [self._open(value) for value in arrays], ctx)

        shapes = [shape for shape in self._shapes if shape is not None]
        if len(shapes) < len(self._shapes):
            return self._run_now(work, arrays)
        places = [
            backend.take(shape, np.dtype(spec.value_type.dtype))
            for shape, spec in zip(shapes, self._task.output_specs, strict=True)
            if isinstance(spec.value_type, ArrayType)
        ]
        if all(0 in shape for shape in shapes):
            return tuple(backend.array(place) for place in places)
        job = Job(work, places, where=self._where)
        backend.queue.record(job)
        note_device_time(partial(backend.queue.time_of, job))
        return tuple(backend.array(place, job) for place in places)

    def _run_now(self, work: Any, arrays: Sequence[Value | tuple[LoopbackArray, Any]]) -> tuple[Value, ...]:
        for value in arrays:
            if isinstance(value, tuple):
                self._backend.queue.wait_for(value[0].job)
        return tuple(self._backend.upload(result) if isinstance(result, np.ndarray) else result for result in work())

    def _open(self, value: Value | tuple[LoopbackArray, Any]) -> Value:
        """Return the elements of an input; raises what went wrong with the work that should have filled it."""
        if not isinstance(value, tuple):
            return value
        array, buffer = value
        if array.job is not None and array.job.error is not None:
            raise array.job.error
        elements: npt.NDArray[Any] = read(buffer.view(array.shape, array.dtype))
        return elements

    def _checked(self, inputs: Sequence[Value]) -> list[Value | tuple[LoopbackArray, Any]]:
        specs, windows = self._task.input_specs, self._task.region.inputs
        if len(inputs) != len(specs):
            msg = f"{self._where}: expected {len(specs)} inputs, got {len(inputs)}"
            raise InvalidArgumentError(msg, type_name=self._task.node.type_name)
        checked: list[Value | tuple[LoopbackArray, Any]] = []
        for index, (value, spec, window) in enumerate(zip(inputs, specs, windows, strict=True)):
            where = f"run {self._task.node.type_name}: input {index}"
            if not isinstance(spec.value_type, ArrayType):
                checked.append(value)
                continue
            array = self._backend.own(value, where)
            shape = shape_at_hand(spec, window)
            if str(array.dtype) != spec.value_type.dtype or (shape is not None and array.shape != shape):
                msg = (
                    f"backend '{self._backend.id}': {where}: expected {spec.value_type.dtype}{shape}, "
                    f"got {array.dtype}{array.shape}"
                )
                raise InvalidArgumentError(msg, type_name=self._task.node.type_name)
            checked.append((array, array.buffer(where=where)))
        return checked


def shape_at_hand(spec: ValueSpec, window: Window | None) -> tuple[int, ...] | None:
    """Return the shape of the part of an array that a window covers, None for a scalar and where it is unknown.

    Parameters
    ----------
    spec : ValueSpec
        Spec of the whole value.
    window : Window or None
        The part of a picture; None, and any window of what is no picture, means all of it.
    """
    if not isinstance(spec.value_type, ArrayType) or spec.shape is None:
        return None
    if window is None or spec.picture_px is None:
        return spec.shape
    return (window.height_px, window.width_px, *spec.shape[2:])
