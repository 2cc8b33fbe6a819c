"""The executor that plans: it turns a graph into a program whose steps run where they are best placed."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from unshape_backend.acceptance import Acceptance
from unshape_backend.errors import BackendError, DeviceLostError, SelectionError
from unshape_backend.fallback import Fallback
from unshape_backend.identity import REFERENCE, BackendId
from unshape_backend.late_runner import LateRunner
from unshape_backend.plan.fusible import Kind
from unshape_backend.plan.options import PlanOptions
from unshape_backend.plan.plan import Plan
from unshape_backend.plan.planner import make_plan
from unshape_backend.plan.steps import GivenStep, PlanStep, TaskStep, TransferStep
from unshape_backend.policy import AUTO, ExecutionPolicy, Named, as_policy
from unshape_backend.registry import BackendRegistry, default_registry
from unshape_backend.residency import Residency
from unshape_backend.runners import GivenRunner, TaskRunner, TransferRunner
from unshape_backend.scalar_runner import ScalarKernels, ScalarRunner
from unshape_backend.scheduler import Scheduler
from unshape_core.cache import ValueCache
from unshape_core.context import EvalContext
from unshape_core.evaluator import LazyEvaluator
from unshape_core.memory_space import HOST, MemorySpace
from unshape_core.program import Program, Step, StepKind, StepRunner
from unshape_core.snapshot import GraphSnapshot

if TYPE_CHECKING:
    from unshape_core.protocols import NodeExecutor, SupportsRecovery

_log = logging.getLogger("unshape_backend")


class BackendNodeExecutor:
    """Plans graphs and runs them on backends.

    Parameters
    ----------
    scheduler : Scheduler
        Knows the backends and the policy.
    options : PlanOptions or None
        Pins, hints, where results have to be.
    strict : bool or None
        Whether a failing backend is an error instead of a fallback; None takes ``UNSHAPE_STRICT``.
    cache : ValueCache or None
        The evaluator's cache, of which something may be dropped when a device is out of memory.

    Attributes
    ----------
    residency : Residency
        What was moved so far.

    Examples
    --------
    >>> from unshape_backend import BackendNodeExecutor, BackendRegistry, Scheduler
    >>> from unshape_core import Constant, Graph, LazyEvaluator
    >>> executor = BackendNodeExecutor(Scheduler(BackendRegistry.with_cpu()))
    >>> graph = Graph()
    >>> one = graph.add_node(Constant(1.0))
    >>> LazyEvaluator(executor=executor).evaluate(graph, [one]).outputs
    ((1.0,),)
    """

    def __init__(
        self,
        scheduler: Scheduler,
        *,
        options: PlanOptions | None = None,
        strict: bool | None = None,
        cache: ValueCache | None = None,
    ) -> None:
        self.scheduler = scheduler
        self.options = PlanOptions() if options is None else options
        is_strict = scheduler.registry.settings.strict if strict is None else strict
        self.residency = Residency(scheduler.registry)
        self._fallback = Fallback(scheduler.registry, is_strict=is_strict, cache=cache)
        self._scalar_kernels = ScalarKernels()
        self._distrusted: set[BackendId] = set()
        self._given_up: set[BackendId] = set()

    def plan(self, snapshot: GraphSnapshot, outputs: Sequence[int], ctx: EvalContext) -> Plan:
        """Return the plan for the outputs of some nodes; raises as :func:`~unshape_backend.plan.planner.make_plan`."""
        plan = make_plan(snapshot, outputs, ctx, scheduler=self.scheduler, options=self.options)
        self._check_orders(plan)
        return plan

    def prepare(self, snapshot: GraphSnapshot, outputs: Sequence[int], ctx: EvalContext) -> Program:
        """Return the program of the plan for the outputs of some nodes."""
        plan = self.plan(snapshot, outputs, ctx)
        for transfer in plan.transfers:
            _log.debug("plan: node %d: %s to %s", transfer.value.node_id, transfer.source, transfer.target)
        registry = self.scheduler.registry
        awaited = _awaited(plan)
        return Program(
            steps=tuple([self._step(step, plan, is_awaited=k in awaited) for k, step in enumerate(plan.steps)]),
            slot_count=plan.slot_count,
            outputs=plan.outputs,
            constants=plan.constants,
            explanation=plan,
            accepts=Acceptance(plan),
            is_current=lambda: registry.current() is plan.topology,
        )

    def recover(self, error: Exception, /) -> MemorySpace | None:
        """Return the space whose values are lost with an error that no step could make good, None to raise it.

        An error that came late, when a result was waited for, does not say which step it belongs to: the evaluation is
        run again, and each step of that backend is waited for, so that the one that fails falls back by itself.
        """
        if not isinstance(error, BackendError) or self._fallback.is_strict or isinstance(self.scheduler.policy, Named):
            return None
        if error.node_id in self.options.pins:
            return None
        entries = {entry.id: entry for entry in self.scheduler.registry.current().entries}
        entry = entries.get(BackendId(error.backend))
        if entry is None or entry.is_reference or entry.id in self._given_up:
            return None
        if entry.health.is_set_aside:
            self._given_up.add(entry.id)
            _log.warning("'%s' failed (%s); what it held is computed again", entry.id, error)
        elif isinstance(error, DeviceLostError) or entry.id in self._distrusted:
            self.scheduler.registry.report_failure(entry.id, error)
            _log.warning("'%s' failed (%s); what it held is computed again", entry.id, error)
        self._distrusted.add(entry.id)
        return entry.capabilities.space

    def _step(self, step: PlanStep, plan: Plan, *, is_awaited: bool) -> Step:
        match step:
            case GivenStep():
                return self._given(step, plan)
            case TransferStep():
                return self._transfer(step)
            case TaskStep():
                return self._task(step, plan, is_awaited=is_awaited)

    def _given(self, step: GivenStep, plan: Plan) -> Step:
        return Step(
            node_ids=(step.node_id,),
            run=GivenRunner(),
            input_slots=(),
            output_slots=step.output_slots,
            context_fields=plan.facts.live[step.node_id].node.context_fields,
            key=None,
            backend=REFERENCE,
            space=step.space,
        )

    def _transfer(self, step: TransferStep) -> Step:
        is_bound = step.ordered_by is not None or isinstance(self.scheduler.policy, Named)
        return Step(
            node_ids=(step.value.node_id,),
            run=TransferRunner(step, fallback=self._fallback, residency=self.residency, is_bound=is_bound),
            input_slots=(step.input_slot,),
            output_slots=(step.output_slot,),
            output_ports=((step.value.node_id, step.value.port),),
            context_fields=frozenset(),
            key=None,
            backend=step.backend,
            space=step.target,
            kind=StepKind.TRANSFER,
        )

    def _task(self, step: TaskStep, plan: Plan, *, is_awaited: bool) -> Step:
        wired = step.wired
        window = wired.task.region.output if plan.facts.regions[wired.task.node_ids[-1]].is_told else None
        key = window if wired.task.precision == "exact" else (window, str(step.backend))
        return Step(
            node_ids=wired.task.node_ids,
            run=self._task_runner(step, is_awaited=is_awaited),
            input_slots=step.input_slots,
            output_slots=step.output_slots,
            output_ports=tuple((value.node_id, value.port) for value in wired.outputs),
            context_fields=wired.context_fields,
            key=wired.task.region.output if step.is_excerpt else key,
            backend=step.backend,
            space=step.space,
            kind=StepKind.CUT if step.is_excerpt else StepKind.NODE,
        )

    def _task_runner(self, step: TaskStep, *, is_awaited: bool) -> StepRunner:
        if step.wired.kind is Kind.SCALARS and step.decision.chain == (REFERENCE,):
            return ScalarRunner(step.wired.task, self._scalar_kernels)
        if step.wired.is_late:
            return LateRunner(step.wired.task, self.scheduler.registry, self.residency)
        is_pinned = step.wired.task.node_ids[-1] in self.options.pins
        return TaskRunner(
            step,
            fallback=self._fallback,
            residency=self.residency,
            distrusted=self._distrusted,
            is_bound=is_pinned or isinstance(self.scheduler.policy, Named),
            is_awaited=is_awaited,
        )

    def _check_orders(self, plan: Plan) -> None:
        """Say which transfer nodes ask for what is not there; with ``strict`` that is an error."""
        for order in plan.orders:
            if order.space is not None:
                continue
            text = f"node {order.node_id} ({order.type_name}): {order.target} is not available"
            if self._fallback.is_strict:
                raise SelectionError(text, node_id=order.node_id, type_name=order.type_name)
            _log.warning("%s; the value stays where it is", text)


def _awaited(plan: Plan) -> frozenset[int]:
    """Return the steps after which the graph's results are all there, one for each memory they stay in."""
    wanted = {slot for slots in plan.outputs.values() for slot in slots}
    last = {
        step.space: index
        for index, step in enumerate(plan.steps)
        if isinstance(step, TaskStep) and step.space != HOST and wanted.intersection(step.output_slots)
    }
    return frozenset(last.values())


def backend_evaluator(
    policy: ExecutionPolicy | str = AUTO,
    *,
    registry: BackendRegistry | None = None,
    options: PlanOptions | None = None,
    strict: bool | None = None,
) -> LazyEvaluator:
    """Return an evaluator that runs graphs on the installed backends.

    Parameters
    ----------
    policy : ExecutionPolicy or str
        What is wanted of placement; text as on the command line: ``"auto"``, ``"prefer:gpu"``, ``"named:simd"`` ...
    registry : BackendRegistry, optional
        The backends; the shared one, with every installed backend, if not given.
    options : PlanOptions, optional
        Pins, hints, where results have to be.
    strict : bool, optional
        Whether a failing backend is an error instead of a fallback; ``UNSHAPE_STRICT`` if not given.

    Examples
    --------
    >>> from unshape_backend import BackendRegistry, backend_evaluator
    >>> from unshape_core import Constant, Graph
    >>> graph = Graph()
    >>> one = graph.add_node(Constant(1.0))
    >>> backend_evaluator("auto", registry=BackendRegistry.with_cpu()).evaluate(graph, [one]).outputs
    ((1.0,),)
    """
    cache = ValueCache()
    scheduler = Scheduler(
        default_registry() if registry is None else registry,
        as_policy(policy),
    )
    executor = BackendNodeExecutor(scheduler, options=options, strict=strict, cache=cache)
    return LazyEvaluator(executor=executor, cache=cache)


if TYPE_CHECKING:
    _proof: type[NodeExecutor] = BackendNodeExecutor
    _recovery: type[SupportsRecovery] = BackendNodeExecutor
