"""Groups: consecutive steps of one backend, which are handed over to the device at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from unshape_backend.identity import BackendId
from unshape_backend.plan.fusible import Kind
from unshape_backend.plan.steps import GivenStep, PlanStep, TaskStep


def grouped(steps: Sequence[PlanStep]) -> list[PlanStep]:
    """Return the steps with their groups numbered and each group's last step marked.

    Numbers and given values belong to no group: they need no device and no waiting for one.
    """
    group = -1
    owner: BackendId | None = None
    numbers: list[int | None] = []
    last: dict[int, int] = {}
    for index, step in enumerate(steps):
        if isinstance(step, GivenStep) or (isinstance(step, TaskStep) and step.wired.kind is Kind.SCALARS):
            numbers.append(None)
            continue
        if step.backend != owner:
            group += 1
            owner = step.backend
        numbers.append(group)
        last[group] = index
    ends = set(last.values())
    return [
        step if isinstance(step, GivenStep) else replace(step, group=number, ends_group=index in ends)
        for index, (step, number) in enumerate(zip(steps, numbers, strict=True))
    ]
