"""What a plan looks like: boxes for steps, coloured by backend, and lines for values.

Colours are the palette of Okabe and Ito (2008), which can be told apart with any kind of colour vision; each box names
its backend as well, so that no colour is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unshape_backend.cost import Cost, format_ns
from unshape_backend.plan.explain import format_bytes
from unshape_backend.plan.steps import GivenStep, PlanStep, TaskStep, TransferStep

if TYPE_CHECKING:
    from unshape_backend.plan.plan import Plan

_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442")
GIVEN_COLOUR = "#999999"
_MAX_LINES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class StepBox:
    """One step as a box.

    Parameters
    ----------
    index : int
        Number of the step.
    lines : tuple of str
        What is written in it, the most important first.
    backend : str
        Who runs it; empty for what is given.
    is_transfer : bool
        Whether it moves a value, and is drawn rounded.
    layer : int
        How many steps come before it at least.
    """

    index: int
    lines: tuple[str, ...]
    backend: str
    is_transfer: bool
    layer: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanPicture:
    """Boxes and lines.

    Parameters
    ----------
    boxes : tuple of StepBox
        The steps in order.
    lines : tuple of (int, int, str)
        From which step to which, and what is written beside it.
    colours : dict of str to str
        The colour of each backend that has something to do.
    """

    boxes: tuple[StepBox, ...]
    lines: tuple[tuple[int, int, str], ...]
    colours: dict[str, str]


def draw(plan: Plan) -> PlanPicture:
    """Return boxes and lines of a plan."""
    made_by = {slot: index for index, step in enumerate(plan.steps) for slot in _outputs(step)}
    layers: list[int] = []
    lines: list[tuple[int, int, str]] = []
    for index, step in enumerate(plan.steps):
        before = [made_by[slot] for slot in _inputs(step) if slot in made_by]
        layers.append(1 + max((layers[each] for each in before), default=-1))
        lines.extend((each, index, _size(plan.steps[each])) for each in dict.fromkeys(before))
    names = [step.backend for step in plan.steps if not isinstance(step, GivenStep)]
    used = dict.fromkeys(names)
    ordered = [entry.id for entry in plan.topology.entries if entry.id in used]
    return PlanPicture(
        boxes=tuple(
            StepBox(
                index=index,
                lines=tuple(_text(step)),
                backend="" if isinstance(step, GivenStep) else step.backend,
                is_transfer=isinstance(step, TransferStep),
                layer=layer,
            )
            for index, (step, layer) in enumerate(zip(plan.steps, layers, strict=True))
        ),
        lines=tuple(lines),
        colours={name: _COLOURS[number % len(_COLOURS)] for number, name in enumerate(ordered)},
    )


def _inputs(step: PlanStep) -> tuple[int, ...]:
    match step:
        case GivenStep():
            return ()
        case TaskStep():
            return step.input_slots
        case TransferStep():
            return (step.input_slot,)


def _outputs(step: PlanStep) -> tuple[int, ...]:
    return (step.output_slot,) if isinstance(step, TransferStep) else step.output_slots


def _text(step: PlanStep) -> list[str]:
    match step:
        case GivenStep():
            return [f"{step.node_id} {step.type_name}", f"given in {step.space}"]
        case TransferStep():
            return [f"{step.source} to {step.target}", _time(step.cost)]
        case TaskStep():
            if step.is_excerpt:
                return ["cut to the window", f"{step.backend}, {_time(step.cost)}"]
            task = step.wired.task
            names = [f"{node_id} {node.type_name}" for node_id, node in zip(task.node_ids, task.nodes, strict=True)]
            if len(names) > _MAX_LINES:
                names = [*names[: _MAX_LINES - 2], f"... {len(names) - _MAX_LINES + 1} more", names[-1]]
            return [*names, f"{step.backend}, {_time(step.cost)}"]


def _size(step: PlanStep) -> str:
    if not isinstance(step, TaskStep):
        return "" if isinstance(step, GivenStep) or step.nbytes is None else format_bytes(step.nbytes)
    sizes = [size for size in step.wired.task.output_bytes if size is not None]
    return format_bytes(sum(sizes)) if sizes else ""


def _time(cost: Cost | None) -> str:
    return "no estimate" if cost is None else f"{format_ns(cost.total_ns)} ({cost.basis})"
