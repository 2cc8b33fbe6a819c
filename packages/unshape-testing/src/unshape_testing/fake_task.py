"""A compiled task with the failures and the delay that its fake backend was told."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from unshape_backend.errors import BackendError
from unshape_backend.protocols import CompiledTask
from unshape_backend.task import Task
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_core.value import Value
from unshape_testing.failure import FailurePoint, FailureScript
from unshape_testing.loopback_array import LoopbackArray

HANG_LIMIT_S = 20.0
"""After that long a hanging run gives up with an error, so that a test that forgot to cancel it ends."""


class FakeTask:
    """Runs a task, unless it was told to fail.

    Parameters
    ----------
    task : Task
        What is run.
    run : CompiledTask
        Does the work.
    backend : str
        For error messages.
    script : FailureScript
        What goes wrong.
    latency_ns : int
        How long each run takes at least.
    note_run : callable
        Told of each run.
    """

    def __init__(
        self,
        task: Task,
        run: CompiledTask,
        *,
        backend: str,
        script: FailureScript,
        latency_ns: int,
        note_run: Callable[[], None],
    ) -> None:
        self._name = task.node.type_name
        self._run = run
        self._backend = backend
        self._script = script
        self._latency_ns = latency_ns
        self._note_run = note_run

    def __call__(self, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext, /) -> tuple[Value, ...]:
        """Run, or fail before, during or after."""
        self._note_run()
        if self._script.due(FailurePoint.HANG, self._name) is not None:
            self._hang(ctx)
        self._script.raise_if_due(FailurePoint.BEFORE, self._name)
        time.sleep(self._latency_ns / 1e9)
        during = self._script.due(FailurePoint.DURING, self._name)
        late = self._script.due(FailurePoint.WAIT, self._name)
        outputs = self._run(nodes, inputs, ctx)
        if during is not None:
            _spoil(outputs)
            raise during
        if late is not None:
            _doom(outputs, late)
        self._script.raise_if_due(FailurePoint.AFTER, self._name)
        return outputs

    def _hang(self, ctx: EvalContext) -> None:
        give_up_at = time.monotonic() + HANG_LIMIT_S
        while time.monotonic() < give_up_at:
            ctx.raise_if_cancelled()
            time.sleep(0.005)
        msg = f"kernel '{self._name}' on '{self._backend}': hung for {HANG_LIMIT_S} s and was not cancelled"
        raise BackendError(msg, backend=self._backend, type_name=self._name)


def _spoil(outputs: Sequence[Value]) -> None:
    """Leave outputs as a kernel leaves them that dies half-way: the second half is not what it should be."""
    for value in outputs:
        if isinstance(value, LoopbackArray):
            elements = value.buffer(where="fake").bytes
            elements[len(elements) // 2 :] = 0xEE
        elif isinstance(value, np.ndarray) and value.flags.writeable and value.base is None:
            value.reshape(-1)[value.size // 2 :] = np.zeros((), value.dtype)


def _doom(outputs: Sequence[Value], error: Exception) -> None:
    """Let the error come when somebody waits; at once if the outputs are there already."""
    jobs = [value.job for value in outputs if isinstance(value, LoopbackArray) and value.job is not None]
    if not jobs:
        raise error
    for job in jobs:
        job.doom(error)
