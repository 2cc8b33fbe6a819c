"""A task made ready on the loopback: checks its inputs, records the work, gives out what is not there yet."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unshape_backend.input_checks import Memory, make_input_checks, shape_at_hand
from unshape_backend.protocols import CompiledTask
from unshape_backend.task import Task
from unshape_core.context import EvalContext
from unshape_core.notes import note_device_time
from unshape_core.protocols import Node
from unshape_core.value import Value
from unshape_core.value_type import ArrayType
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

    __slots__ = ("_backend", "_check", "_run", "_shapes", "_task", "_where")

    def __init__(self, backend: LoopbackBackend, task: Task, run: CompiledTask) -> None:
        self._backend = backend
        self._task = task
        self._run = run
        self._where = f"{task.node.type_name} on '{backend.id}'"
        region = task.region
        self._shapes = [shape_at_hand(spec, region.output) for spec in task.output_specs]
        memory = Memory(
            name=f"'{backend.capabilities.space}'",
            array_type=LoopbackArray,
            is_own=lambda array: array.owner is backend,
            remedy="upload it first",
        )
        self._check = make_input_checks(task, backend=backend.id, memory=memory)

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
        self._check(inputs)
        return [
            (value, value.buffer(where=self._where)) if isinstance(value, LoopbackArray) else value for value in inputs
        ]
