"""Content keys: equal for equal contents, different for different ones, whatever Python's ``==`` says."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from dataclasses import dataclass
from enum import Enum
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from core_nodes import Add, AddPicture
from hypothesis import given
from hypothesis import strategies as st

from unshape_core import F32, TEXTURE, ArrayType, Constant, GraphInput, Latch, Vec2, Vec3, Window
from unshape_core.content_key import NoContentKeyError, content_bytes, node_key, value_key


class Colour(Enum):
    RED = 1
    BLUE = 2


@dataclass(frozen=True)
class Point:
    x: float
    y: float


@dataclass(frozen=True)
class OtherPoint:
    x: float
    y: float


@dataclass(eq=False)
class Opaque:
    x: float = 0.0


DIFFERENT: list[Any] = [
    None, False, True, 0, 1, -1, 10, 0.0, -0.0, 1.0, math.nan, math.inf, "", "0", "1", "a", b"", b"a", (), (1,),
    ((1,),), (1, 2), (2, 1), ("ab", "c"), ("a", "bc"), ("abc",), frozenset(), frozenset({1}), frozenset({1, 2}),
    {}, {"a": 1}, {"a": 2}, {"b": 1}, Colour.RED, Colour.BLUE, Vec2(1, 2), Vec2(2, 1), Vec3(1, 2, 0),
    Point(1.0, 2.0), OtherPoint(1.0, 2.0), Point(1.0, -0.0), Point(1.0, 0.0), F32, TEXTURE,
    ArrayType("float32", ("a",)), Window(0, 0, 1, 1), Window(0, 0, 1, 2),
    np.zeros(3, np.float32), np.zeros(3, np.float64), np.zeros((3, 1), np.float32), np.zeros((1, 3), np.float32),
    -np.zeros(3, np.float32), np.zeros(3, np.int32), np.zeros(0, np.float32), np.zeros((0, 5), np.float32),
    np.zeros((5, 0), np.float32), np.float32(1.0), 2**70, -(2**70),
]  # fmt: skip


def test_different_contents_have_different_keys() -> None:
    keys = [content_bytes(content) for content in DIFFERENT]
    same = [(DIFFERENT[a], DIFFERENT[b]) for a, b in combinations(range(len(keys)), 2) if keys[a] == keys[b]]
    assert same == []


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary()),
    lambda inner: st.one_of(st.lists(inner, max_size=3).map(tuple), st.dictionaries(st.text(), inner, max_size=3)),
    max_leaves=8,
)


def _strict(value: Any) -> Any:
    """A form in which ``==`` compares types and bits."""
    match value:
        case float():
            return ("float", value.hex())
        case tuple():
            return ("tuple", tuple(map(_strict, value)))
        case dict():
            return ("dict", {key: _strict(item) for key, item in value.items()})
        case _:
            return (type(value).__name__, value)


@given(VALUES, VALUES)
def test_keys_are_equal_exactly_if_contents_are(one: Any, other: Any) -> None:
    assert content_bytes(one) == content_bytes(one)
    assert (_strict(one) == _strict(other)) == (content_bytes(one) == content_bytes(other))


@pytest.mark.parametrize(
    "layout",
    [lambda a: a.copy(), np.asfortranarray, lambda a: a[::-1][::-1], lambda a: a.astype(">f4"), lambda a: a.T.copy().T],
)
def test_array_key_does_not_depend_on_the_layout(layout: Any) -> None:
    array = np.random.default_rng(1).normal(size=(5, 7)).astype(np.float32)
    assert value_key(array) == value_key(layout(array))


def test_array_key_changes_with_any_element() -> None:
    array = np.zeros((5, 7, 3), np.float32)
    keys = {value_key(array)}
    for index in range(array.size):
        array.flat[index] = 1.0
        keys.add(value_key(array))
    assert array.size + 1 == len(keys)


def test_node_key_is_of_type_and_parameters() -> None:
    nodes = [Add(1.0), Add(2.0), Add(-0.0), Add(0.0), AddPicture(1.0), Latch(F32), Latch(F32, 2), Constant(0.0)]
    nodes += [Constant(-0.0), Constant(0), Constant(False), GraphInput("a", F32), GraphInput("a", F32, 0.0)]
    assert len(nodes) == len({node_key(node) for node in nodes})
    assert node_key(Add(1.0)) == node_key(Add(1.0))


def test_constants_are_equal_only_if_bits_and_types_are() -> None:
    assert Constant(0.0) == Constant(0.0)
    assert len({Constant(0.0), Constant(-0.0), Constant(0), Constant(False), Constant(0.0)}) == 4
    assert Constant(np.zeros((2, 2), np.float32)) == Constant(np.zeros((2, 2, 1), np.float32))


def test_what_has_no_key_is_never_found() -> None:
    for content in (object(), Opaque(), [1], (1, object()), {"a": Opaque()}, np.array([object()])):
        with pytest.raises(NoContentKeyError):
            content_bytes(content)
    assert node_key(Add(Opaque())) is None  # type: ignore[arg-type]


def test_object_may_bring_its_own_key() -> None:
    class Graded:
        def __init__(self, key: Any) -> None:
            self.content_key = key

    assert content_bytes(Graded(1)) == content_bytes(Graded(1)) != content_bytes(Graded(2))


def test_key_is_the_same_in_another_process() -> None:
    code = "from core_nodes import Add\nfrom unshape_core.content_key import node_key\nprint(node_key(Add(1.5)).hex())"
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    keys = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": seed},
        ).stdout.strip()
        for seed in ("1", "2")
    }
    key = node_key(Add(1.5))
    assert key is not None
    assert {key.hex()} == keys
