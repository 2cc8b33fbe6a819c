"""The plan behind a program or a result."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unshape_backend.plan.plan import Plan
    from unshape_core.program import Explanation


def as_plan(explanation: Explanation | None) -> Plan:
    """Return what the planning executor attached to a program."""
    from unshape_backend.plan.plan import Plan

    assert isinstance(explanation, Plan), "the command line evaluates through the planning executor only"
    return explanation
