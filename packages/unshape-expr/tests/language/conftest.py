"""What the tests of the language share."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Any, TypeAlias

import numpy as np
import pytest

from unshape_expr.blocks import assign_blocks
from unshape_expr.function_table import FunctionTable
from unshape_expr.ir import Expr
from unshape_expr.ops import Op
from unshape_expr.scope import Scope
from unshape_expr.traverse import postorder
from unshape_expr.types import Type
from unshape_testing.pixel_evaluator import Pixel, evaluate_all
from unshape_testing.random_expressions import Leaves, random_expression

Bits: TypeAlias = tuple[str, ...]

PIXELS = tuple(
    Pixel(
        x=x,
        y=y,
        width=17,
        height=9,
        values={
            "k": (np.float32(k),),
            "n": (n,),
            "color": (np.float32(k), np.float32(-0.5), np.float32(2.5)),
            "time_s": (np.float32(1.5),),
            "dt_s": (np.float32(0.1),),
            "frame": (3,),
            "seed": (0x80000001,),
            "preview": (True,),
        },
    )
    for x, y, k, n in [(0, 0, 0.0, 0), (3, 5, 0.7, 4), (16, 8, -1e30, -2), (7, 1, float("nan"), 9)]
)


def bits_of(components: Sequence[Any]) -> Bits:
    """Return components so that equal texts mean equal bits; every NaN is the same."""
    return tuple(
        ("nan" if np.isnan(v) else struct.pack("<f", v).hex()) if isinstance(v, np.float32) else repr(v)
        for v in components
    )


@pytest.fixture(scope="session")
def pixels() -> tuple[Pixel, ...]:
    """A few pixels of one picture: corners, inside, with ordinary and special inputs."""
    return PIXELS


@pytest.fixture(scope="session")
def bits() -> Callable[[Sequence[Expr]], list[list[Bits]]]:
    """Values of expressions at a few pixels, by an evaluation that shares nothing with the code under test."""
    return lambda exprs: [[bits_of(value) for value in evaluate_all(exprs, pixel)] for pixel in PIXELS]


@pytest.fixture(scope="session")
def number() -> Callable[[Expr], Any]:
    """The value of a scalar expression at one pixel."""
    return lambda expr: evaluate_all((expr,), PIXELS[1])[0][0]


@pytest.fixture
def scope() -> Scope:
    """A scope of one picture and two numbers."""
    return Scope.of(pictures={"color": Type.VEC3}, numbers={"k": Type.F32, "n": Type.I32})


@pytest.fixture
def table() -> FunctionTable:
    """A table of its own, without the functions of other packages."""
    return FunctionTable(plugins=list)


@pytest.fixture(scope="session")
def random_parts() -> Callable[[int], list[tuple[Expr, ...]]]:
    """Random expressions with all their parts as outputs, the same in every run.

    A whole expression hides most of its parts, since sums of random numbers are NaN sooner or later.
    """

    @cache
    def make(count: int) -> list[tuple[Expr, ...]]:
        leaves = Leaves(pictures={}, scalars={"k": Type.F32, "n": Type.I32})
        results = [Type.F32, Type.VEC2, Type.VEC3, Type.VEC4]
        whole = [random_expression(Random(s), leaves, size=25, result=results[s % 4]) for s in range(count)]
        return [tuple(x for x in assign_blocks(postorder([w]))[None] if x.op is not Op.LOOP) for w in whole]

    return make
