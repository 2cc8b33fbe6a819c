"""What an evaluation gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from unshape_core.program import StepKind

if TYPE_CHECKING:
    from unshape_core.device_time import DeviceTime
    from unshape_core.program import Explanation


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRecord:
    """What one step did.

    Parameters
    ----------
    node_ids : tuple of int
        The nodes computed, in order; all but the last were fused into the last.
    type_name : str
        Type of the last node.
    kind : StepKind
        Node, transfer or cut.
    backend : str
        Who ran it.
    start_ns, duration_ns : int
        When it began (``time.perf_counter_ns``) and how long the host was busy with it; a device may work on.
    nbytes : int
        Bytes of the outputs; for a transfer the bytes moved.
    copied_bytes : int
        Bytes of inputs that whoever ran it copied because they lay otherwise than it takes them: rows that are no whole
        numbers of elements apart, channels that are not side by side, another byte order.
    is_cache_hit : bool
        Whether the outputs were found instead of computed.
    notes : tuple of str
        What whoever ran it had to say, for example that it fell back to another backend.
    device_time : DeviceTime or None
        What the device measured; None if nobody measures, as on the host.
    """

    node_ids: tuple[int, ...]
    type_name: str
    kind: StepKind
    backend: str
    start_ns: int
    duration_ns: int
    nbytes: int
    copied_bytes: int = 0
    is_cache_hit: bool = False
    notes: tuple[str, ...] = ()
    device_time: DeviceTime | None = field(default=None, compare=False, repr=False)

    @property
    def device_ns(self) -> int | None:
        """How long the device worked for it, by its own clock; None if unknown. The first look waits for the device."""
        return None if self.device_time is None else self.device_time.ns

    @property
    def fused_into(self) -> int | None:
        """The node that the others were fused into, None if the step is of one node."""
        return self.node_ids[-1] if len(self.node_ids) > 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalStatistics:
    """How much an evaluation had to do.

    Parameters
    ----------
    steps : int
        Steps of the program.
    steps_run : int
        Steps that ran.
    cache_hits : int
        Steps whose outputs were found by content instead.
    copied_bytes : int
        Bytes of the caller's arrays that were copied because they were not in C order and native byte order.
    """

    steps: int
    steps_run: int
    cache_hits: int
    copied_bytes: int = 0


@dataclass(frozen=True, slots=True)
class WrittenExplanation:
    """An account that was written down."""

    text: str

    def explain(self) -> str:
        """Return the account as text."""
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalResult:
    """The values that were asked for, and how they came about.

    Picklable if its values are. What arrives elsewhere has the plan as text only: backends stay where they are.

    Parameters
    ----------
    outputs : tuple of tuple of Value
        For each output asked for, in that order, the values of the node's output ports. Arrays are read-only and own
        their memory; ``numpy.array(x)`` gives one to write to.
    plan : Explanation or None
        Why it ran where it ran.
    records : tuple of StepRecord
        What each step did, if records were asked for.
    statistics : EvalStatistics
        How much was done.
    keys : tuple of tuple of bytes
        For each value of ``outputs`` its content key; empty if all are scalars.
    """

    outputs: tuple[tuple[Any, ...], ...]
    plan: Explanation | None
    records: tuple[StepRecord, ...]
    statistics: EvalStatistics
    keys: tuple[tuple[bytes, ...], ...] = ()

    def __reduce__(self) -> tuple[Callable[..., EvalResult], tuple[object, ...]]:
        plan = None if self.plan is None else WrittenExplanation(self.plan.explain())
        return _restored, (self.outputs, plan, self.records, self.statistics, self.keys)

    def record_of(self, node_id: int) -> StepRecord | None:
        """Return the record of the step that computed a node, None if it did not run."""
        for record in self.records:
            if node_id in record.node_ids and record.kind is StepKind.NODE:
                return record
        return None


def _restored(
    outputs: tuple[tuple[Any, ...], ...],
    plan: Explanation | None,
    records: tuple[StepRecord, ...],
    statistics: EvalStatistics,
    keys: tuple[tuple[bytes, ...], ...],
) -> EvalResult:
    return EvalResult(outputs=outputs, plan=plan, records=records, statistics=statistics, keys=keys)


if TYPE_CHECKING:
    _proof: type[Explanation] = WrittenExplanation
