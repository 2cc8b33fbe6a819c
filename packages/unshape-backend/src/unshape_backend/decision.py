"""Decisions: who was chosen for a task, who comes next, and why not the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from unshape_backend.cost import Cost
from unshape_backend.identity import BackendId
from unshape_backend.task import Rejection


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The outcome of selection for one task.

    Parameters
    ----------
    chain : tuple of BackendId
        ``chain[0]`` is the pick, the rest is tried in order if it fails; the reference backend comes last unless it
        is the pick. No backend appears twice.
    reason : str
        Why ``chain[0]``.
    costs : mapping of BackendId to (Cost or None)
        Estimates of every backend that supports the task; None is unknown.
    rejected : mapping of str to Rejection
        Every backend known to the topology that is not the pick, with the reason; among them the rest of the chain,
        and installed ones that could not be opened.
    """

    chain: tuple[BackendId, ...]
    reason: str
    costs: Mapping[BackendId, Cost | None]
    rejected: Mapping[str, Rejection]

    @property
    def pick(self) -> BackendId:
        """The backend that was chosen."""
        return self.chain[0]
