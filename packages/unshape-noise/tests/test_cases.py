"""The cases of the noise nodes: complete, of different names, and such that parts and wholes agree."""

from __future__ import annotations

import numpy as np
import pytest
from noise_runner import run_node, same_bits

from unshape_backend.case import Case, Picture
from unshape_core.window import Window
from unshape_expr.body import SupportsBody
from unshape_noise.cases import cases
from unshape_noise.node_types import NODES

CASES = list(cases())


def test_every_node_has_cases_of_different_names() -> None:
    assert {case.node.type_name for case in CASES} == {node.type_name for node in NODES}
    assert len({case.name for case in CASES}) == len(CASES)


def pictures_of(case: Case) -> list[np.ndarray]:
    return [item.make() for item in case.inputs if isinstance(item, Picture)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_windows_equal_the_whole(case: Case) -> None:
    node = case.node
    assert isinstance(node, SupportsBody)
    ctx = case.ctx
    width, height = ctx.resolution

    def run(window: Window | None) -> np.ndarray:
        return run_node(
            node,
            pictures_of(case),
            resolution=ctx.resolution,
            window=window,
            seed=ctx.seed,
            time_s=ctx.time_s,
            frame=ctx.frame,
        )

    whole = run(None)
    for window in case.windows:
        rows, columns = window.slices_in(Window.whole(width_px=width, height_px=height))
        assert same_bits(run(window), whole[rows, columns])
