"""Progress: what an evaluation tells while it runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalProgress:
    """One step is done.

    Parameters
    ----------
    done, total : int
        Steps finished, and steps of the whole program.
    node_id : int or None
        The node that was finished; None for a transfer.
    type_name : str
        Its type, or what the step was.
    """

    done: int
    total: int
    node_id: int | None
    type_name: str
