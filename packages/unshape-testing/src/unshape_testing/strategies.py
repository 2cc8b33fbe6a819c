"""Hypothesis strategies: awkward arrays, awkward shapes, special values, random expressions and random graphs."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from unshape_expr.ir import Expr
from unshape_expr.types import Type
from unshape_testing.graphs import GraphCase, random_graph
from unshape_testing.random_expressions import Leaves, random_expression

PRIMES = (2, 3, 5, 7, 11, 13, 31, 127)
EDGES = (1, 4, 8, 16, 32, 64)
"""Usual widths of vectors, workgroups and tiles; one below, at and above each is drawn."""

SPECIAL_VALUES = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1.5,
    2.5,
    -0.5,
    float(np.finfo(np.float32).smallest_subnormal),
    -float(np.finfo(np.float32).smallest_subnormal),
    float(np.finfo(np.float32).tiny),
    float(np.finfo(np.float32).max),
    float(np.finfo(np.float32).min),
    2.0**23,
    2.0**24 + 2,
    2.0**31,
    -(2.0**31),
    float("inf"),
    float("-inf"),
    float("nan"),
)


class Layout(StrEnum):
    """How the elements of an array lie in memory."""

    PLAIN = "plain"
    STRIDED = "strided"
    TRANSPOSED = "transposed"
    REVERSED = "reversed"
    BROADCAST = "broadcast"
    READ_ONLY = "read-only"
    BIG_ENDIAN = "big-endian"
    FORTRAN = "fortran"
    OFFSET = "offset"


def laid_out(array: npt.NDArray[Any], layout: Layout) -> npt.NDArray[Any]:
    """Return an array of equal elements and another layout; a broadcast one repeats its first row.

    Parameters
    ----------
    array : numpy.ndarray
        At least one axis.
    layout : Layout
        How the result lies in memory.
    """
    match layout:
        case Layout.PLAIN:
            return array.copy()
        case Layout.STRIDED:
            wide = np.full(tuple(2 * side + 1 for side in array.shape), 77, array.dtype)
            view = wide[tuple(slice(1, None, 2) for _ in array.shape)]
            view[...] = array
            return view
        case Layout.TRANSPOSED:
            return np.ascontiguousarray(array.T).T
        case Layout.REVERSED:
            return np.ascontiguousarray(array[::-1])[::-1]
        case Layout.BROADCAST:
            return np.broadcast_to(array[:1].copy(), array.shape)
        case Layout.READ_ONLY:
            copy = array.copy()
            copy.flags.writeable = False
            return copy
        case Layout.BIG_ENDIAN:
            return array.astype(array.dtype.newbyteorder(">"))
        case Layout.FORTRAN:
            return np.asfortranarray(array)
        case Layout.OFFSET:
            raw = np.zeros(array.nbytes + 1, np.uint8)
            view = raw[1:].view(array.dtype).reshape(array.shape)
            view[...] = array
            return view


def sides(*, max_side: int = 70) -> st.SearchStrategy[int]:
    """Return sides at which vector widths, workgroups and tiles begin and end."""
    near = {edge + step for edge in EDGES for step in (-1, 0, 1)} | set(PRIMES)
    return st.sampled_from(sorted(side for side in near if 1 <= side <= max_side))


def picture_shapes(*, max_side: int = 70) -> st.SearchStrategy[tuple[int, int, int]]:
    """Return shapes of pictures, thin ones among them."""
    channels = st.integers(1, 4)
    return st.one_of(
        st.tuples(sides(max_side=max_side), sides(max_side=max_side), channels),
        st.tuples(st.just(1), sides(max_side=max_side), channels),
        st.tuples(sides(max_side=max_side), st.just(1), channels),
    )


def special_floats() -> st.SearchStrategy[float]:
    """Return float32 values at which arithmetic is prone to go wrong, among ordinary ones."""
    return st.one_of(st.sampled_from(SPECIAL_VALUES), st.floats(width=32), st.floats(-4, 4, width=32))


@st.composite
def pictures(
    draw: st.DrawFn,
    *,
    shape: tuple[int, int, int] | None = None,
    layouts: tuple[Layout, ...] = tuple(Layout),
) -> npt.NDArray[np.float32]:
    """Return float32 pictures of awkward shape, layout and content.

    Parameters
    ----------
    draw : callable
        Given by Hypothesis.
    shape : tuple of int or None
        Their shape; drawn if None.
    layouts : tuple of Layout
        From which the layout is drawn.
    """
    size = draw(picture_shapes()) if shape is None else shape
    palette = np.array(draw(st.lists(special_floats(), min_size=1, max_size=8)), np.float32)
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    chosen = rng.choice(palette, size)
    picture = np.where(rng.random(size) < 0.5, chosen, rng.normal(0, 2, size)).astype(np.float32)
    return laid_out(picture, draw(st.sampled_from(layouts)))


@st.composite
def expressions(draw: st.DrawFn, *, leaves: Leaves, max_size: int = 24, result: Type | None = None) -> Expr:
    """Return random typed expressions, which shrink.

    Parameters
    ----------
    draw : callable
        Given by Hypothesis.
    leaves : Leaves
        What they may read.
    max_size : int
        Most operations to try.
    result : Type or None
        Their type; drawn if None.
    """
    rng = draw(st.randoms(use_true_random=False))
    types = (Type.F32, Type.VEC2, Type.VEC3, Type.VEC4)
    return random_expression(
        rng,
        leaves,
        size=draw(st.integers(0, max_size)),
        result=draw(st.sampled_from(types)) if result is None else result,
    )


@st.composite
def graph_cases(draw: st.DrawFn, *, max_nodes: int = 8) -> GraphCase:
    """Return random graphs of the nodes of this package, which shrink.

    Parameters
    ----------
    draw : callable
        Given by Hypothesis.
    max_nodes : int
        Most nodes.
    """
    return random_graph(draw(st.randoms(use_true_random=False)), size=draw(st.integers(1, max_nodes)))
