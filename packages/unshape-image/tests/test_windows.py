"""Any window of any node equals the same part of the whole, bit for bit; a node that looks at its window is caught."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from running import part_of, run

from unshape_backend.case import Case
from unshape_core.protocols import Node
from unshape_core.window import Window
from unshape_image import Border, ResizeMethod
from unshape_image.cases import cases
from unshape_image.node_types import NODES
from unshape_image.nodes import BoxBlur, Convolve, GaussianBlur, HeightToNormal, Pad, RemapUv, Resize
from unshape_testing.sabotage.node_faults import WindowForPicture
from unshape_testing.tolerance import assert_same_bits

CASES = [case for case in cases() if case.windows]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_any_window_equals_the_same_part_of_the_whole(case: Case) -> None:
    check_windows(case)


def test_every_node_has_cases_with_windows() -> None:
    assert {type(case.node) for case in CASES} == set(NODES)


def test_every_node_has_distinct_names_of_cases() -> None:
    names = [case.name for case in cases()]
    assert len(names) == len(set(names))


def test_a_node_that_depends_on_its_window_is_noticed() -> None:
    blur = next(case for case in CASES if case.name == "GaussianBlur/clamp-3")
    wrong = Case(
        name="wrong", node=WindowForPicture(GaussianBlur(1.7)), inputs=blur.inputs, ctx=blur.ctx, windows=blur.windows
    )
    with pytest.raises(AssertionError):
        check_windows(wrong)


def check_windows(case: Case) -> None:
    values = case.values()
    wholes = run(case.node, *values, ctx=case.ctx)
    for window in case.windows:
        parts = run(case.node, *values, ctx=case.ctx, window=window)
        expected = [part_of(whole, window) for whole in wholes]
        assert_same_bits(expected, parts, what=f"{case.name} in {window}")


def test_the_empty_window_is_among_them() -> None:
    assert all(Window(0, 0, 0, 0) in case.windows for case in CASES)


SIDES = st.integers(1, 24)
BORDERS = st.sampled_from(Border)


@st.composite
def neighbourhood_nodes(draw: st.DrawFn) -> Node:
    """Return any node that reads more than the very pixel."""
    border = draw(BORDERS)
    odd = st.integers(0, 3).map(lambda half: 2 * half + 1)
    sides = (draw(odd), draw(odd))
    amounts = [draw(st.integers(0, 30)) for _ in range(4)]
    kernel = tuple(tuple(draw(st.floats(-2.0, 2.0, width=32)) for _ in range(sides[1])) for _ in range(sides[0]))
    nodes: list[Node] = [
        GaussianBlur(draw(st.floats(0.0, 9.0)), border),
        BoxBlur(draw(st.integers(0, 40)), border),
        Convolve(kernel, border),
        Resize(draw(SIDES), draw(SIDES), draw(st.sampled_from(ResizeMethod))),
        Pad(amounts[0], amounts[1], amounts[2], amounts[3], border),
        HeightToNormal(5.0, border),
        RemapUv("uv*1.3 - 0.1*vec2(v, u)", border=border),
    ]
    return draw(st.sampled_from(nodes))


@given(node=neighbourhood_nodes(), width=SIDES, height=SIDES, data=st.data())
@settings(max_examples=120, deadline=None)
def test_any_window_of_any_neighbourhood_equals_the_same_part(
    node: Node, width: int, height: int, data: st.DataObject
) -> None:
    picture = np.random.default_rng(width * 100 + height).normal(0.0, 1.0, (height, width, 3)).astype(np.float32)
    (whole,) = run(node, picture)
    left, top = data.draw(st.integers(0, whole.shape[1] - 1)), data.draw(st.integers(0, whole.shape[0] - 1))
    right, bottom = data.draw(st.integers(left, whole.shape[1])), data.draw(st.integers(top, whole.shape[0]))
    window = Window(left, top, right - left, bottom - top)
    assert_same_bits([part_of(whole, window)], run(node, picture, window=window), what=f"{node} in {window}")
