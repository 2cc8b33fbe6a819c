"""Placement: which backend runs which task.

What is minimised is the sum of running every task, of moving every value once into each space where somebody wants it,
and of bringing results to where the caller wants them. On trees the dynamic program below is exact. Where values are
shared it is a start, as is every single backend; the cheapest start is improved by moving single tasks and connected
runs of tasks as long as that helps, so the outcome is never worse than the best single backend.

Pure: knows prices and spaces, nothing of graphs or backends.
"""

from __future__ import annotations

from collections.abc import Sequence

from unshape_backend.plan.placement_problem import Assignment, PlacementProblem

_MAX_SWEEPS = 8


def place(problem: PlacementProblem) -> Assignment:
    """Return the cheapest placement found: exact on trees, never worse than the best single backend.

    Examples
    --------
    >>> from unshape_core.memory_space import HOST, MemorySpace
    >>> from unshape_backend.plan.placement_problem import PlacedValue, PlacementOption
    >>> device = MemorySpace("device")
    >>> task = [PlacementOption(space=HOST, price=10, group=0), PlacementOption(space=device, price=1, group=1)]
    >>> values = [PlacedValue(producer=None, origin=HOST, consumers=(0,)), PlacedValue(producer=0, exits=(HOST,))]
    >>> place(PlacementProblem(options=[task], values=values, route=lambda value, start, end: [(start, end, 3)]))
    [1]
    >>> place(PlacementProblem(options=[task], values=values, route=lambda value, start, end: [(start, end, 5)]))
    [0]
    """
    if all(len(options) == 1 for options in problem.options):
        return [0] * len(problem.options)
    best = _dynamic_program(problem)
    if problem.is_forest:
        return best
    best_price = problem.price(best)
    for start in _single_backend_starts(problem):
        price = problem.price(start)
        if price < best_price:
            best, best_price = start, price
    return _improve(problem, best)


def _dynamic_program(problem: PlacementProblem) -> Assignment:
    """Return the placement of least price when every value has one consumer; a good one otherwise.

    ``table[task][option]`` is the price of the task there and of all that it needs. A consumer sees, for each space,
    the least of its producer's table less the least of all, so that a shared producer is not counted twice.
    """
    table: list[list[int]] = []
    offered: list[dict[int, int]] = []
    for task, options in enumerate(problem.options):
        from_tasks: dict[int, list[int]] = {}
        given: list[int] = []
        for number in problem.reads[task]:
            producer = problem.values[number].producer
            if producer is None:
                given.append(number)
            else:
                from_tasks.setdefault(producer, []).append(number)
        arrival: dict[int, int] = {}
        for space in problem.space_of[task]:
            if space in arrival:
                continue
            price = sum(problem.move(number, problem.origin_of[number], space) for number in given)
            for producer, numbers in from_tasks.items():
                price += min(
                    above + sum([problem.move(number, there, space) for number in numbers])
                    for there, above in offered[producer].items()
                )
            for number in problem.writes[task]:
                for target in problem.exits_of[number]:
                    price += problem.move(number, space, target)
            arrival[space] = price
        row = [option.price + arrival[space] for option, space in zip(options, problem.space_of[task], strict=True)]
        table.append(row)
        floor = min(row)
        least: dict[int, int] = {}
        for price, space in zip(row, problem.space_of[task], strict=True):
            least[space] = min(price - floor, least.get(space, price - floor))
        offered.append(least)

    choice = [0] * len(problem.options)
    for task in range(len(problem.options) - 1, -1, -1):
        prices = list(table[task])
        for number in problem.writes[task]:
            wanted = {problem.space_of[consumer][choice[consumer]] for consumer in problem.values[number].consumers}
            wanted.difference_update(problem.exits_of[number])
            for target in wanted:
                for option, space in enumerate(problem.space_of[task]):
                    prices[option] += problem.move(number, space, target)
        choice[task] = prices.index(min(prices))
    return choice


def _single_backend_starts(problem: PlacementProblem) -> list[Assignment]:
    """Return for each backend the placement that uses it wherever it can, and the cheapest option elsewhere."""
    groups = sorted({option.group for options in problem.options for option in options})
    choices = [{option.group: index for index, option in enumerate(options)} for options in problem.options]
    prices = [[option.price for option in options] for options in problem.options]
    cheapest = [row.index(min(row)) for row in prices]
    return [
        [choice.get(group, otherwise) for choice, otherwise in zip(choices, cheapest, strict=True)] for group in groups
    ]


def _improve(problem: PlacementProblem, assignment: Assignment) -> Assignment:
    """Move single tasks, then connected runs on one backend, until nothing helps."""
    for _ in range(_MAX_SWEEPS):
        changed = _move_single_tasks(problem, assignment)
        changed = _move_runs(problem, assignment) or changed
        if not changed:
            break
    return assignment


def _local_price(problem: PlacementProblem, tasks: Sequence[int], assignment: Assignment) -> int:
    """Return the part of the price that depends on where these tasks run."""
    touched = {number for task in tasks for numbers in (problem.reads, problem.writes) for number in numbers[task]}
    running = sum(problem.options[task][assignment[task]].price for task in tasks)
    return running + sum(problem.value_price(number, assignment) for number in touched)


def _move_single_tasks(problem: PlacementProblem, assignment: Assignment) -> bool:
    changed = False
    for task, options in enumerate(problem.options):
        if len(options) == 1:
            continue
        current = assignment[task]
        best, best_price = current, _local_price(problem, (task,), assignment)
        for candidate in range(len(options)):
            if candidate != current:
                assignment[task] = candidate
                price = _local_price(problem, (task,), assignment)
                if price < best_price:
                    best, best_price = candidate, price
        assignment[task] = best
        changed = changed or best != current
    return changed


def _move_runs(problem: PlacementProblem, assignment: Assignment) -> bool:
    changed = False
    for run in _runs(problem, assignment):
        before = [assignment[task] for task in run]
        best, best_price = before, _local_price(problem, run, assignment)
        choices = [{option.group: index for index, option in enumerate(problem.options[task])} for task in run]
        for group in sorted({group for choice in choices for group in choice}):
            target = [choice.get(group, current) for choice, current in zip(choices, before, strict=True)]
            if target == before:
                continue
            _write(assignment, run, target)
            price = _local_price(problem, run, assignment)
            if price < best_price:
                best, best_price = target, price
        _write(assignment, run, best)
        changed = changed or best != before
    return changed


def _write(assignment: Assignment, tasks: Sequence[int], choices: Sequence[int]) -> None:
    for task, choice in zip(tasks, choices, strict=True):
        assignment[task] = choice


def _runs(problem: PlacementProblem, assignment: Assignment) -> list[list[int]]:
    """Return the connected components of tasks that are on the same backend, of two tasks or more."""
    parent = list(range(len(assignment)))

    def root(task: int) -> int:
        while parent[task] != task:
            parent[task] = parent[parent[task]]
            task = parent[task]
        return task

    groups = [problem.options[task][choice].group for task, choice in enumerate(assignment)]
    for value in problem.values:
        if value.producer is None:
            continue
        for consumer in value.consumers:
            if groups[consumer] == groups[value.producer]:
                parent[root(consumer)] = root(value.producer)
    members: dict[int, list[int]] = {}
    for task in range(len(assignment)):
        members.setdefault(root(task), []).append(task)
    return [run for run in members.values() if len(run) > 1]
