"""Arrays of any layout are taken; copies that this needs are counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from unshape_core import TEXTURE, Graph, LazyEvaluator
from unshape_core.context import EvalContext
from unshape_core.nodes import GraphInput

PICTURE = np.arange(4 * 6 * 2, dtype=np.float32).reshape(4, 6, 2)


@pytest.mark.parametrize(
    ("laid_out", "copied_bytes"),
    [
        (lambda a: a, 0),
        (lambda a: np.ascontiguousarray(a)[1:], 0),
        (lambda a: a[::-1], PICTURE.nbytes),
        (lambda a: a[:, ::2], PICTURE.nbytes // 2),
        (lambda a: a.transpose(1, 0, 2), PICTURE.nbytes),
        (np.asfortranarray, PICTURE.nbytes),
        (lambda a: np.broadcast_to(a[:1], a.shape), PICTURE.nbytes),
        (lambda a: a.astype(">f4"), PICTURE.nbytes),
    ],
)
def test_an_evaluation_counts_what_it_copied_of_the_arrays_given(
    laid_out: Callable[[Any], Any], copied_bytes: int
) -> None:
    graph = Graph()
    source = graph.add_node(GraphInput("picture", TEXTURE))
    given = laid_out(PICTURE)
    result = LazyEvaluator().evaluate(graph, [source], EvalContext(inputs={"picture": given}))
    np.testing.assert_array_equal(given, result.outputs[0][0])
    assert copied_bytes == result.statistics.copied_bytes
