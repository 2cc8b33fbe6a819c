"""The account of a plan as text."""

from __future__ import annotations

from unshape_backend.plan.plan import Plan


def explain(plan: Plan) -> str:
    """Return the account of a plan."""
    return "\n".join(str(step) for step in plan.steps)
