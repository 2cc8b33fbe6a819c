"""Tables in place of selections: the same bits, and only where a value depends on a few neighbouring bits."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_expr import build as e
from unshape_expr.functions import Function, Parameter
from unshape_expr.ir import Expr
from unshape_expr.types import Type
from unshape_noise import DomainWarp, Perlin, Simplex
from unshape_opencl import OpenClBackend, source, tables
from unshape_opencl.discovery import list_devices, open_device
from unshape_opencl.tables import MAX_BITS, Lookup, Tables
from unshape_testing.laws.numbers import definition
from unshape_testing.tasks import make_job, run_job

CTX = EvalContext(resolution=(61, 23))


def _u32(value: int) -> Expr:
    return e.literal(value, Type.U32)


def _is_set(value: Expr, bit: int) -> Expr:
    return e.ne(value & _u32(1 << bit), _u32(0))


def _of_hash(define: Callable[[Expr], Expr]) -> tuple[list[int], list[Lookup]]:
    """Return the tables and look-ups of a function of a hash."""
    function = Function(
        name="chosen",
        parameters=(Parameter("x", Type.U32),),
        returns=Type.F32,
        define=lambda x: define(x * _u32(0x7FEB352D)),
    )
    found = Tables()
    found.rewritten(function)
    return found.words, list(found.lookups.values())


def _floats(words: list[int]) -> list[float]:
    return [float(value) for value in np.array(words, np.uint32).view(np.float32)]


@pytest.fixture(scope="module")
def gpu() -> Iterator[OpenClBackend]:
    backend = open_device(list_devices()[0], as_gpu=True)
    yield backend
    backend.close()


def test_a_choice_by_neighbouring_bits_is_a_table_of_what_is_chosen() -> None:
    words, (lookup,) = _of_hash(
        lambda h: e.select(_is_set(h, 30), e.select(_is_set(h, 29), 4.0, 3.0), e.select(_is_set(h, 29), 2.0, 1.0))
    )
    assert [1.0, 2.0, 3.0, 4.0] == _floats(words)
    assert Lookup(first=0, shift=29, mask=3) == lookup


def test_a_sign_from_a_shifted_bit_is_part_of_the_table() -> None:
    def signed(h: Expr) -> Expr:
        size = e.select(_is_set(h, 5), 8.0, 0.5)
        return e.bitcast_f32(e.bitcast_u32(size) ^ ((h << 25) & _u32(0x80000000)))

    words, (lookup,) = _of_hash(signed)
    assert [0.5, 8.0, -0.5, -8.0] == _floats(words)
    assert Lookup(first=0, shift=5, mask=3) == lookup


@pytest.mark.parametrize(
    "define",
    [
        lambda h: e.select(_is_set(h, 0), e.select(_is_set(h, MAX_BITS), 4.0, 3.0), e.select(_is_set(h, 1), 2.0, 1.0)),
        lambda h: e.select(_is_set(h, 3), 2.0, 1.0),
        lambda h: e.select(e.eq(e.bitcast_f32(h & _u32(3 << 30)), -0.0), e.select(_is_set(h, 30), 3.0, 2.0), 1.0),
        lambda h: e.to_f32(h & _u32(15)) * 2.0 + e.to_f32(h & _u32(15)),
    ],
    ids=["bits far apart", "hardly anything saved", "floats are compared", "arithmetic"],
)
def test_anything_else_is_computed(define: Callable[[Expr], Expr]) -> None:
    assert ([], []) == _of_hash(define)


def test_perlin_noise_looks_up_its_sixteen_directions(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Tables()
    monkeypatch.setattr(source, "Tables", lambda: found)
    other = open_device(list_devices()[0], as_gpu=True)
    other.compile(make_job(Perlin(scale=3.0, octaves=2), (), CTX).task)
    other.close()
    x, y = np.array(found.words, np.uint32).view(np.float32).reshape(2, 16)
    angles = np.sort(np.degrees(np.arctan2(y, x)) % 360)
    np.testing.assert_allclose(np.arange(16) * 22.5 + 11.25, angles, atol=1e-4)
    np.testing.assert_allclose(np.hypot(x, y), 1.438097, rtol=1e-6)


NODES: list[Node] = [
    Perlin(scale=5.0, octaves=3, seed=4),
    Perlin(scale=700.0, octaves=1, seed=-1),
    Simplex(scale=5.0, octaves=3, seed=9),
    DomainWarp(scale=5.0),
]


@pytest.mark.parametrize("node", NODES, ids=["perlin", "perlin-fine", "simplex", "called-twice"])
def test_noise_by_tables_has_the_bits_of_the_definition(gpu: OpenClBackend, node: Node) -> None:
    job = make_job(node, (), CTX)
    (expected,), (found,) = definition(job), run_job(gpu, job)
    np.testing.assert_array_equal(np.asarray(expected).view(np.uint32), np.asarray(found).view(np.uint32))


def test_a_wrong_entry_is_seen(gpu: OpenClBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    right = tables._entries

    def wrong(*arguments: object, **named: object) -> object:
        entries = right(*arguments, **named)  # type: ignore[arg-type]  # what is handed on
        entries[3] ^= 1
        return entries

    monkeypatch.setattr(tables, "_entries", wrong)
    other = open_device(list_devices()[0], as_gpu=True)
    job = make_job(NODES[0], (), CTX)
    (expected,), (found,) = definition(job), run_job(other, job)
    other.close()
    assert not np.array_equal(np.asarray(expected), np.asarray(found))
