"""Placement against enumeration of every possibility."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from unshape_backend.plan.place import place
from unshape_backend.plan.placement_problem import PlacedValue, PlacementOption, PlacementProblem
from unshape_core.memory_space import HOST, MemorySpace

SPACES = (HOST, MemorySpace("alpha"), MemorySpace("beta"))


@st.composite
def problems(draw: st.DrawFn, *, is_tree: bool) -> PlacementProblem:
    tasks = draw(st.integers(1, 6))
    price = st.integers(0, 50)
    options = []
    for _ in range(tasks):
        groups = draw(st.lists(st.integers(0, 2), min_size=1, max_size=3, unique=True))
        options.append([PlacementOption(space=SPACES[g], price=draw(price), group=g) for g in sorted(groups)])
    consumers: dict[int, set[int]] = {task: set() for task in range(tasks)}
    for task in range(tasks - 1):
        if is_tree:
            consumers[task] = {draw(st.integers(task + 1, tasks - 1))}
        else:
            consumers[task] = draw(st.sets(st.integers(task + 1, tasks - 1), max_size=3))
    values = [PlacedValue(producer=t, consumers=tuple(sorted(c))) for t, c in consumers.items() if c]
    values.append(PlacedValue(producer=tasks - 1, exits=(HOST,)))
    given_values = draw(st.lists(st.tuples(st.sampled_from(SPACES), st.integers(0, tasks - 1)), max_size=3))
    values += [PlacedValue(producer=None, origin=origin, consumers=(task,)) for origin, task in given_values]
    hops = {
        (value, source, target): draw(st.integers(1, 40))
        for value in range(len(values))
        for source, target in itertools.permutations(SPACES, 2)
    }
    return PlacementProblem(
        options=options,
        values=values,
        route=lambda value, source, target: [(source, target, hops[value, source, target])],
    )


def enumerated_minimum(problem: PlacementProblem) -> int:
    """Add the prices up here, not by the problem's own method."""
    best = None
    for choice in itertools.product(*(range(len(options)) for options in problem.options)):
        spaces = [options[i].space for options, i in zip(problem.options, choice, strict=True)]
        total = sum(options[i].price for options, i in zip(problem.options, choice, strict=True))
        for number, value in enumerate(problem.values):
            source = value.origin if value.producer is None else spaces[value.producer]
            assert source is not None
            for target in {*(spaces[c] for c in value.consumers), *value.exits} - {source}:
                total += problem.route(number, source, target)[0][2]
        best = total if best is None else min(best, total)
    assert best is not None
    return best


@given(problems(is_tree=True))
@settings(max_examples=300, deadline=None)
def test_placement_on_a_tree_is_equal_to_brute_force(problem: PlacementProblem) -> None:
    assert enumerated_minimum(problem) == problem.price(place(problem))


@given(problems(is_tree=False))
@settings(max_examples=300, deadline=None)
def test_placement_is_never_worse_than_the_best_single_backend(problem: PlacementProblem) -> None:
    price = problem.price(place(problem))
    assert enumerated_minimum(problem) <= price
    for group in range(3):
        single = [next((i for i, o in enumerate(options) if o.group == group), None) for options in problem.options]
        if all(choice is not None for choice in single):
            assert price <= problem.price([choice for choice in single if choice is not None])


def test_the_tree_law_notices_a_placer_that_ignores_transfers() -> None:
    """Sabotage twin: cheapest node by node is not the optimum, so the comparison with brute force discriminates."""
    far = MemorySpace("alpha")
    options = [
        [PlacementOption(space=HOST, price=5, group=0), PlacementOption(space=far, price=1, group=1)] for _ in range(2)
    ]
    options[1] = options[1][:1]
    problem = PlacementProblem(
        options=options,
        values=[
            PlacedValue(producer=None, origin=HOST, consumers=(0,)),
            PlacedValue(producer=0, consumers=(1,)),
            PlacedValue(producer=1, exits=(HOST,)),
        ],
        route=lambda value, source, target: [(source, target, 10)],
    )
    greedy = [min(range(len(o)), key=lambda i: o[i].price) for o in options]
    assert problem.price(greedy) > enumerated_minimum(problem)
    assert place(problem) == [0, 0]


def test_a_value_is_moved_once_into_a_space_however_many_read_it_there() -> None:
    far = MemorySpace("alpha")
    problem = PlacementProblem(
        options=[[PlacementOption(space=far, price=1, group=0)] for _ in range(4)],
        values=[PlacedValue(producer=None, origin=HOST, consumers=(0, 1, 2, 3))],
        route=lambda value, source, target: [(source, target, 10)],
    )
    assert problem.price([0, 0, 0, 0]) == 4 * 1 + 10


def test_two_ways_through_host_memory_share_the_download() -> None:
    first, second, third = MemorySpace("alpha"), MemorySpace("beta"), MemorySpace("gamma")
    problem = PlacementProblem(
        options=[[PlacementOption(space=s, price=0, group=g)] for g, s in enumerate((first, second, third))],
        values=[PlacedValue(producer=0, consumers=(1, 2), exits=(HOST,))],
        route=lambda value, source, target: (
            [(source, target, 7)] if HOST in {source, target} else [(source, HOST, 7), (HOST, target, 5)]
        ),
    )
    assert problem.price([0, 0, 0]) == 7 + 5 + 5


def test_a_chain_of_twenty_thousand_tasks_is_placed() -> None:
    far = MemorySpace("alpha")
    count = 20_000
    options = [PlacementOption(space=HOST, price=3, group=0), PlacementOption(space=far, price=2, group=1)]
    problem = PlacementProblem(
        options=[options] * count,
        values=[PlacedValue(producer=t, consumers=(t + 1,)) for t in range(count - 1)]
        + [PlacedValue(producer=count - 1, exits=(HOST,))],
        route=lambda value, source, target: [(source, target, 10)],
    )
    assert 2 * count + 10 == problem.price(place(problem))
