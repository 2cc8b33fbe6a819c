"""Inventories of cases are not empty, hold different things, and a domain that lists none is refused."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import EntryPoint

import numpy as np
import pytest

from unshape_backend.case import Case, Content
from unshape_backend.domain_cases import domain_cases
from unshape_core.context import EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.value import Vec2
from unshape_testing import nodes
from unshape_testing.graphs import graph_cases
from unshape_testing.laws.numbers import case_job, definition
from unshape_testing.nodes import Gain
from unshape_testing.own_cases import node_cases, own_cases


def some() -> Iterable[Case]:
    return [Case(name="a", node=Gain()), Case(name="b", node=Gain())]


def none() -> Iterable[Case]:
    return []


def doubled() -> Iterable[Case]:
    return [Case(name="a", node=Gain()), Case(name="a", node=Gain(1.0))]


def point(function: str) -> EntryPoint:
    return EntryPoint(name="toy", value=f"{__name__}:{function}", group="unshape.cases")


def load(function: str, monkeypatch: pytest.MonkeyPatch) -> tuple[tuple[str, Case], ...]:
    monkeypatch.setattr(EntryPoint, "load", lambda self: globals()[self.value.partition(":")[2]])
    return domain_cases(lambda: [point(function)])


def test_cases_of_a_domain_carry_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [(domain, case.name) for domain, case in load("some", monkeypatch)] == [("toy", "a"), ("toy", "b")]


@pytest.mark.parametrize(("function", "what"), [("none", "no case at all"), ("doubled", "two cases named 'a'")])
def test_a_domain_without_cases_or_with_two_of_one_name_is_refused(
    function: str, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match=f"'toy'.*{what}"):
        load(function, monkeypatch)


def test_every_node_of_this_package_has_a_case() -> None:
    assert {type(case.node).__name__ for case in own_cases()} == set(nodes.__all__)


def test_own_cases_are_of_different_names() -> None:
    names = [case.name for case in own_cases()]
    assert len(names) == len(set(names)) >= 50


def test_own_cases_discriminate() -> None:
    """No two cases of nodes mean the same, and special values are among the inputs."""
    results = [repr([np.asarray(value).tolist() for value in definition(case_job(case))]) for case in node_cases()]
    assert len(set(results)) == len(results)
    contents = {getattr(item, "content", None) for case in own_cases() for item in case.inputs}
    assert {Content.SPECIAL, Content.HDR, Content.SIGNED, Content.UNIT} <= contents


def test_graphs_are_of_different_names_and_all_kinds_of_node_occur() -> None:
    cases = graph_cases()
    assert len({case.name for case in cases}) == len(cases) >= 10
    used = {case.graph.node(node).type_name for case in cases for node in case.graph}
    assert {
        f"testing::{name}" for name in ("Ramp", "Gain", "Merge", "Split", "BoxMean", "Wobble", "Flip", "Mean")
    } <= used


@pytest.mark.parametrize("case", node_cases(), ids=lambda case: case.name)
def test_a_job_covers_what_its_window_reads(case: Case) -> None:
    for window in (None, *case.windows):
        job = case_job(case, window=window)
        for value, spec, held in zip(job.inputs, job.task.input_specs, job.task.region.inputs, strict=True):
            if isinstance(value, np.ndarray) and spec.picture_px is not None:
                assert held is not None
                assert value.shape[:2] == (held.height_px, held.width_px)


def test_the_nodes_compute_what_they_say() -> None:
    """Expected values by NumPy, which knows nothing of expressions."""
    cases = {case.name: case for case in node_cases()}
    gain = cases["Gain"]
    (picture,) = gain.values()
    expected = np.asarray(picture) * np.float32(1.75) + np.float32(-0.125)
    np.testing.assert_array_equal(expected, np.asarray(definition(case_job(gain))[0]))
    whole, fraction = definition(case_job(cases["Split"]))
    (picture,) = cases["Split"].values()
    np.testing.assert_array_equal(np.floor(np.asarray(picture)), np.asarray(whole))
    first = np.asarray(picture)[..., :1]
    np.testing.assert_array_equal(first - np.floor(first), np.asarray(fraction))
    x, count, v = definition(case_job(cases["ScalarMix"]))
    scaled = np.float32(0.1) * np.float32(2.5) + np.float32(-7)
    assert (x, count) == (float(scaled), -7 // -2)
    assert v == Vec2(float(np.float32(0.5) * scaled), float(np.float32(-3) * scaled))


def test_a_case_for_a_node_of_other_inputs_is_refused() -> None:
    with pytest.raises((InvalidArgumentError, ValueError)):
        case_job(Case(name="wrong", node=Gain(), inputs=(), ctx=EvalContext(resolution=(2, 2))))
