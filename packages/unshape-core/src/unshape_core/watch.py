"""What an evaluation tells while it runs: cancellation asked for, progress, records of steps.

Only evaluations that want one of these have a watch; the others run without asking.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from unshape_core.cache import bytes_of
from unshape_core.device_time import DeviceTime
from unshape_core.notes import StepNotes, start_notes
from unshape_core.program import StepKind
from unshape_core.progress import EvalProgress
from unshape_core.result import StepRecord

if TYPE_CHECKING:
    from unshape_core.context import EvalContext
    from unshape_core.program import Step
    from unshape_core.protocols import Node
    from unshape_core.value import Value


class Watch:
    """Stands beside the loop and takes note.

    Parameters
    ----------
    ctx : EvalContext
        Holds the token and the sink.
    nodes : mapping of int to Node
        The nodes by number.
    total : int
        Steps of the program.
    keeps_records : bool
        Whether to write down what each step did.
    """

    def __init__(self, ctx: EvalContext, nodes: dict[int, Node], *, total: int, keeps_records: bool) -> None:
        self._ctx = ctx
        self._nodes = nodes
        self._total = total
        self._done = 0
        self._keeps_records = keeps_records
        self._notes: StepNotes | None = None
        self._start_ns = 0
        self.records: list[StepRecord] = []

    def before(self) -> None:
        """Begin a step; raises :class:`~unshape_core.errors.Cancelled` if the caller asked to stop."""
        self._ctx.raise_if_cancelled()
        if self._keeps_records:
            self._notes = StepNotes()
            start_notes(self._notes)
            self._start_ns = time.perf_counter_ns()

    def after(self, step: Step, values: Sequence[Value | None]) -> None:
        """End a step."""
        if self._keeps_records:
            duration_ns = time.perf_counter_ns() - self._start_ns
            self._record(step, values, duration_ns=duration_ns, is_cache_hit=False)
        self._done += 1
        self._tell(step)

    def found(self, steps: Iterable[Step], values: Sequence[Value | None]) -> None:
        """Take note of steps whose values were found in the cache."""
        if self._keeps_records:
            self._notes = None
            self._start_ns = time.perf_counter_ns()
            for step in steps:
                self._record(step, values, duration_ns=0, is_cache_hit=True)

    def close(self) -> None:
        """End the run, also one that failed: nothing is noted any more."""
        if self._keeps_records:
            start_notes(None)

    def skip_to(self, done: int) -> None:
        """Count steps as done that need not run."""
        self._done = done

    def _record(self, step: Step, values: Sequence[Value | None], *, duration_ns: int, is_cache_hit: bool) -> None:
        outputs = [values[slot] for slot in step.output_slots]
        notes = self._notes or StepNotes()
        self.records.append(
            StepRecord(
                node_ids=step.node_ids,
                type_name=self._nodes[step.node_ids[-1]].type_name,
                kind=step.kind,
                backend=step.backend if notes.backend is None else notes.backend,
                start_ns=self._start_ns,
                duration_ns=duration_ns,
                nbytes=sum(bytes_of(value) for value in outputs if value is not None),
                copied_bytes=notes.copied_bytes,
                is_cache_hit=is_cache_hit,
                notes=tuple(notes.remarks),
                device_time=DeviceTime(notes.device_times) if notes.device_times else None,
            )
        )

    def _tell(self, step: Step) -> None:
        if self._ctx.progress is not None:
            node_id = step.node_ids[-1]
            self._ctx.progress(
                EvalProgress(
                    done=self._done,
                    total=self._total,
                    node_id=node_id if step.kind is StepKind.NODE else None,
                    type_name=self._nodes[node_id].type_name if step.kind is StepKind.NODE else step.kind.value,
                )
            )
