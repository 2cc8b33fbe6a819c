"""Values that say for themselves where they live."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pytest

from unshape_core import MemorySpace
from unshape_core.coercion import is_graph_value


class Busy:
    """A value that would have to be waited for to know what it holds."""

    space = MemorySpace("test")

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes

    @property
    def content_key(self) -> Hashable:
        raise AssertionError("nobody needs the contents yet")


def test_a_value_is_recognised_without_being_asked_what_it_holds() -> None:
    assert is_graph_value(Busy(4))


@pytest.mark.parametrize(
    "value", [1.0, np.zeros(3), "text", None, object()], ids=["number", "array", "text", "none", "object"]
)
def test_other_values_are_none(value: Any) -> None:
    assert not is_graph_value(value)
