"""The account of a plan as text, for people.

First what all is about, then the steps in the order they run, by backend: what is computed there, why there, what it is
estimated to take, and why the others were not taken. What is true of a backend as a whole (not installed, set aside) is
said once, at the top.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from unshape_backend.cost import Cost, format_ns
from unshape_backend.plan.fusible import Kind
from unshape_backend.plan.steps import GivenStep, TaskStep, TransferStep
from unshape_backend.plan.wiring import is_alias
from unshape_backend.task import RejectionCode
from unshape_core.spec import ValueSpec
from unshape_core.value_type import ArrayType

if TYPE_CHECKING:
    from unshape_backend.plan.plan import Plan

_MAX_FUSED_NAMED = 32
_MAX_GIVEN_NAMED = 6
_GENERAL = frozenset({RejectionCode.UNAVAILABLE, RejectionCode.SET_ASIDE})


def explain(plan: Plan) -> str:
    """Return the account of a plan."""
    return "\n".join([*_head(plan), "", *_body(plan), *_tail(plan)])


def _head(plan: Plan) -> Iterator[str]:
    ctx = plan.facts.ctx
    counted = f"{_count(len(plan.facts.live), 'node')} in {_count(len(plan.tasks), 'step')}"
    yield f"Plan: {counted}, {_moved(plan)}, {_estimate(plan.cost)}"
    part = ""
    if ctx.window is not None:
        w = ctx.window
        part = f", the part {w.width_px} x {w.height_px} at ({w.x_px}, {w.y_px})"
    yield f"  policy {plan.policy}, {ctx.resolution[0]} x {ctx.resolution[1]} px{part}, {ctx.precision}"
    for entry in plan.topology.entries:
        facts = entry.capabilities
        why = entry.why_unusable()
        software = ", played by a CPU" if entry.is_software else ""
        state = "" if why is None else f" -- {why}"
        yield f"  {entry.id}: {facts.device.name} ({facts.kind}{software}, memory '{facts.space}'){state}"
    for name, unavailable in plan.topology.unopened.items():
        yield f"  {name}: {unavailable}"


def _body(plan: Plan) -> Iterator[str]:
    owner: str | None = None
    number = 0
    for step in plan.steps:
        if isinstance(step, GivenStep):
            continue
        number += 1
        if step.backend != owner:
            owner = step.backend
            yield f"on {owner}"
        if isinstance(step, TransferStep):
            yield _transfer_line(step, number)
        else:
            yield from _task_lines(step, number, plan)


def _task_lines(step: TaskStep, number: int, plan: Plan) -> Iterator[str]:
    task = step.wired.task
    if step.is_excerpt:
        yield f"  {number:>3}. cut node {task.node_ids[-1]} to the window that was asked for, {_estimate(step.cost)}"
        return
    names = [f"{node.type_name} ({node_id})" for node_id, node in zip(task.node_ids, task.nodes, strict=True)]
    if len(names) > _MAX_FUSED_NAMED:
        names = [*names[:2], f"... {len(names) - 3} more ...", names[-1]]
    fused = " as one kernel" if len(task.nodes) > 1 else ""
    made = ", ".join(_shape(spec) for spec in task.output_specs)
    if step.wired.kind is Kind.SCALARS:
        yield f"  {number:>3}. {' + '.join(names)}{fused} -> {made}: {step.decision.reason}"
        return
    yield f"  {number:>3}. {' + '.join(names)}{fused} -> {made}"
    yield f"         {_estimate(step.cost)}: {step.decision.reason}"
    region = plan.facts.regions[task.node_ids[-1]]
    window, size = region.region.output, task.output_specs[0].picture_px
    if region.is_told and size is not None and (window.width_px, window.height_px) != size:
        yield f"         computes the part {window.width_px} x {window.height_px} at ({window.x_px}, {window.y_px})"
    for name, why in step.decision.rejected.items():
        if why.code not in _GENERAL:
            yield f"         not {name}: {why}"


def _transfer_line(step: TransferStep, number: int) -> str:
    size = "unknown size" if step.nbytes is None else format_bytes(step.nbytes)
    order = "" if step.ordered_by is None else f", as node {step.ordered_by} says"
    way = f"from '{step.source}' to '{step.target}'"
    return f"  {number:>3}. move node {step.value.node_id} {way}: {size} by {step.path}, {_estimate(step.cost)}{order}"


def _tail(plan: Plan) -> Iterator[str]:
    given = [step for step in plan.steps if isinstance(step, GivenStep)]
    if given:
        yield "given"
        shown = given if len(given) <= _MAX_GIVEN_NAMED else given[:_MAX_GIVEN_NAMED]
        for step in shown:
            spec = plan.facts.live[step.node_id].output_specs[0]
            yield f"       {step.type_name} ({step.node_id}) -> {_shape(spec)} in '{step.space}'"
        if len(given) > len(shown):
            yield f"       ... and {len(given) - len(shown)} more"
    for order in plan.orders:
        if order.space is None:
            yield f"note: {order.type_name} ({order.node_id}): {order.target} is not available; the value stays"
    handed = [each for each in plan.facts.live.values() if is_alias(each)]
    if handed:
        yield "handed on by " + ", ".join(f"{each.node.type_name} ({each.id})" for each in handed)


def _moved(plan: Plan) -> str:
    if not plan.transfers:
        return "nothing is moved"
    sizes = [step.nbytes for step in plan.transfers]
    known = [size for size in sizes if size is not None]
    total = format_bytes(sum(known)) if len(known) == len(sizes) else "of unknown size"
    return f"{_count(len(sizes), 'transfer')} ({total})"


def _estimate(cost: Cost | None) -> str:
    return "no estimate" if cost is None else f"about {format_ns(cost.total_ns)} ({cost.basis})"


def _shape(spec: ValueSpec) -> str:
    if not isinstance(spec.value_type, ArrayType):
        return str(spec.value_type)
    if spec.shape is None:
        return f"{spec.value_type.dtype}[size depends on data]"
    return f"{spec.value_type.dtype}[{', '.join(map(str, spec.shape))}]"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def format_bytes(nbytes: int) -> str:
    """Return a size for people: three digits and a unit.

    Examples
    --------
    >>> format_bytes(512), format_bytes(4_194_304), format_bytes(3_000_000_000)
    ('512 B', '4 MiB', '2.79 GiB')
    """
    value = float(nbytes)
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{value:.{4 if value >= 1000 else 3}g} {unit}"
        value /= 1024
    return f"{value:.3g} GiB"
