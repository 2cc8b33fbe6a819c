"""The steps of a plan, as facts: what runs where, over which slots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from unshape_backend.capabilities import TransferPath
from unshape_backend.cost import Cost
from unshape_backend.decision import Decision
from unshape_backend.identity import BackendId
from unshape_backend.plan.tasks import WiredTask
from unshape_backend.plan.wiring import ValueId
from unshape_core.memory_space import MemorySpace


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenStep:
    """A value that is there: a constant, or an input that the caller gives.

    Parameters
    ----------
    node_id : int
        The node.
    type_name : str
        Its type.
    space : MemorySpace
        Where the value is.
    output_slots : tuple of int
        Where it goes.
    """

    node_id: int
    type_name: str
    space: MemorySpace
    output_slots: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskStep:
    """A task on a backend.

    Parameters
    ----------
    wired : WiredTask
        The work.
    decision : Decision
        Who does it, and why.
    cost : Cost or None
        What it is estimated to take, its inputs being there.
    space : MemorySpace
        Where inputs have to be and outputs are.
    input_slots, output_slots : tuple of int
        Where values come from and go.
    group : int or None
        Number of the submission that it is part of; None for numbers, which are computed in between.
    ends_group : bool
        Whether what was recorded is handed over to the device afterwards.
    is_excerpt : bool
        Whether it cuts a result to the window that was asked for.
    """

    wired: WiredTask
    decision: Decision
    cost: Cost | None
    space: MemorySpace
    input_slots: tuple[int, ...]
    output_slots: tuple[int, ...]
    group: int | None = None
    ends_group: bool = False
    is_excerpt: bool = False

    @property
    def backend(self) -> BackendId:
        """Who was chosen."""
        return self.decision.pick


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferStep:
    """A value moved from one memory space to another.

    Parameters
    ----------
    value : ValueId
        What is moved.
    source, target : MemorySpace
        From where to where.
    backend : BackendId
        Who moves it.
    nbytes : int or None
        How much; None if unknown.
    cost : Cost or None
        What it is estimated to take.
    path : TransferPath
        How.
    input_slot, output_slot : int
        Where the value is and goes.
    ordered_by : int or None
        The transfer node that asks for it; None if the plan needs it.
    group, ends_group
        As in :class:`TaskStep`.
    """

    value: ValueId
    source: MemorySpace
    target: MemorySpace
    backend: BackendId
    nbytes: int | None
    cost: Cost | None
    path: TransferPath
    input_slot: int
    output_slot: int
    ordered_by: int | None = None
    group: int | None = None
    ends_group: bool = False


PlanStep: TypeAlias = GivenStep | TaskStep | TransferStep
