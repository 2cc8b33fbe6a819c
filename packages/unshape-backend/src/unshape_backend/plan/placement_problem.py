"""What is to be placed: tasks with their options, the values between them, and the price of a placement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from unshape_core.memory_space import MemorySpace

Assignment: TypeAlias = list[int]
"""For each task the index of the chosen option."""

Hop: TypeAlias = tuple[MemorySpace, MemorySpace, int]
"""One transfer: from where, to where, and its price."""

Route: TypeAlias = Callable[[int, MemorySpace, MemorySpace], Sequence[Hop]]
"""``(value, source, target)`` to the transfers on the way, for two spaces that differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementOption:
    """One backend that may run a task.

    Parameters
    ----------
    space : MemorySpace
        Where its inputs must be and its outputs are.
    price : int
        Price of running the task there.
    group : int
        Number of the backend, equal for the same backend in all tasks.
    """

    space: MemorySpace
    price: int
    group: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedValue:
    """A value that tasks exchange.

    Parameters
    ----------
    producer : int or None
        The task that makes it; None for a value that is there before.
    origin : MemorySpace or None
        Where it is, if it is there before.
    consumers : tuple of int
        The tasks that read it, each once.
    exits : tuple of MemorySpace
        Spaces in which it is wanted apart from its consumers, each once.
    """

    producer: int | None
    origin: MemorySpace | None = None
    consumers: tuple[int, ...] = ()
    exits: tuple[MemorySpace, ...] = ()


class PlacementProblem:
    """Tasks in dependency order, the values between them, and the way of each value between spaces.

    Parameters
    ----------
    options : sequence of sequence of PlacementOption
        For each task the backends that may run it, at least one.
    values : sequence of PlacedValue
        What is exchanged. Values that need no space (numbers) are left out.
    route : Route
        The way of a value between two spaces. Two ways of one value that share a transfer make it once.

    Attributes
    ----------
    space_of : list of list of int
        Number of the space of each option of each task.
    reads, writes : list of list of int
        The values that each task reads and makes.
    origin_of : list of int
        Number of the space in which a value is before, -1 if a task makes it.
    exits_of : list of list of int
        Numbers of the spaces in which each value is wanted apart from its consumers.
    """

    __slots__ = (
        "_hops",
        "_spaces",
        "exits_of",
        "options",
        "origin_of",
        "reads",
        "route",
        "space_of",
        "values",
        "writes",
    )

    def __init__(
        self, *, options: Sequence[Sequence[PlacementOption]], values: Sequence[PlacedValue], route: Route
    ) -> None:
        self.options = options
        self.values = values
        self.route = route
        numbers: dict[MemorySpace, int] = {}
        for task_options in options:
            for option in task_options:
                numbers.setdefault(option.space, len(numbers))
        for value in values:
            for space in (*value.exits, *(() if value.origin is None else (value.origin,))):
                numbers.setdefault(space, len(numbers))
        self._spaces = list(numbers)
        self.space_of = [[numbers[option.space] for option in task_options] for task_options in options]
        self.origin_of = [-1 if value.origin is None else numbers[value.origin] for value in values]
        self.exits_of = [[numbers[space] for space in value.exits] for value in values]
        self.reads: list[list[int]] = [[] for _ in options]
        self.writes: list[list[int]] = [[] for _ in options]
        for number, value in enumerate(values):
            if value.producer is not None:
                self.writes[value.producer].append(number)
            for consumer in value.consumers:
                self.reads[consumer].append(number)
        self._hops: dict[tuple[int, int, int], tuple[int, Sequence[Hop]]] = {}

    @property
    def is_forest(self) -> bool:
        """Whether nothing that is made or given is wanted in two places, so that the dynamic program is exact."""
        outgoing = [0] * len(self.options)
        for value in self.values:
            wanted = len(value.consumers) + len(value.exits)
            if wanted > 1:
                return False
            if value.producer is not None:
                outgoing[value.producer] += wanted
        return all(count <= 1 for count in outgoing)

    def move(self, value: int, source: int, target: int) -> int:
        """Return the price of moving a value from one space to another, zero if it is there."""
        return 0 if source == target else self._way(value, source, target)[0]

    def _way(self, value: int, source: int, target: int) -> tuple[int, Sequence[Hop]]:
        key = (value, source, target)
        way = self._hops.get(key)
        if way is None:
            hops = self.route(value, self._spaces[source], self._spaces[target])
            way = self._hops[key] = (sum(hop[2] for hop in hops), hops)
        return way

    def value_price(self, number: int, assignment: Assignment) -> int:
        """Return the price of bringing one value to all who want it, once for each space."""
        value = self.values[number]
        space_of = self.space_of
        producer = value.producer
        source = self.origin_of[number] if producer is None else space_of[producer][assignment[producer]]
        wanted = {space_of[consumer][assignment[consumer]] for consumer in value.consumers}
        wanted.update(self.exits_of[number])
        wanted.discard(source)
        if len(wanted) <= 1:
            return sum(self._way(number, source, target)[0] for target in wanted)
        hops = {hop for target in wanted for hop in self._way(number, source, target)[1]}
        return sum(price for _, _, price in hops)

    def price(self, assignment: Assignment) -> int:
        """Return the price of a whole placement."""
        running = sum(options[choice].price for options, choice in zip(self.options, assignment, strict=True))
        return running + sum(self.value_price(number, assignment) for number in range(len(self.values)))
