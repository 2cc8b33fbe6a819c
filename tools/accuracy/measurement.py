"""Running a node, and its largest difference from a reference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

import unshape as us
from unshape_core.protocols import Node

Array: TypeAlias = npt.NDArray[Any]
Pairs: TypeAlias = Iterable[tuple[Array, Array]]
"""What a node gave, and what the reference says, one pair for each case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A node, or some of its modes, beside a reference.

    Parameters
    ----------
    type_name : str
        The node's type.
    what : str
        Which modes, and on what.
    reference : str
        What it is compared with.
    pairs : callable
        Computes the cases.
    """

    type_name: str
    what: str
    reference: str
    pairs: Callable[[], Pairs]

    @property
    def heading(self) -> str:
        """The cells of the table that are known without measuring."""
        return f"| `{self.type_name}` | {self.what} | {self.reference} |"


def run(node: Node, *pictures: Array, resolution: tuple[int, int] = (37, 29)) -> tuple[Array, ...]:
    """Return the outputs of a node."""
    graph = us.Graph()
    made = graph.add_node(node)
    names = [port.name for port in node.inputs]
    for name in names:
        graph.connect(graph.add_node(us.GraphInput(name, us.TEXTURE)), 0, made, name)
    inputs = dict(zip(names, (p.astype(np.float32) for p in pictures), strict=True))
    result = us.evaluate(graph, [made], resolution=resolution, inputs=inputs, policy="named:cpu")
    return tuple(np.asarray(value) for value in result.outputs[0])


def one(node: Node, *pictures: Array, resolution: tuple[int, int] = (37, 29)) -> Array:
    """Return the first output of a node."""
    return run(node, *pictures, resolution=resolution)[0]


def random_picture(channels: int = 3, *, seed: int = 0, width_px: int = 37, height_px: int = 29) -> Array:
    """Return numbers in [0, 1)."""
    return np.random.default_rng(seed).random((height_px, width_px, channels), np.float32)


def measured(pairs: Pairs) -> tuple[int, int, float]:
    """Return the cases, the values and the largest difference.

    Raises
    ------
    ValueError
        If shapes differ, or a value is NaN on one side only.
    """
    cases, values, largest = 0, 0, 0.0
    for found, expected in pairs:
        if found.shape != expected.shape or not np.array_equal(np.isnan(found), np.isnan(expected)):
            msg = f"comparison: expected {expected.shape} and the same NaN, got {found.shape}"
            raise ValueError(msg)
        cases, values = cases + 1, values + found.size
        difference = np.abs(found.astype(np.float64) - expected)
        largest = max(largest, float(np.nanmax(difference, initial=0.0)))
    return cases, values, largest


def wide(*pictures: Array) -> Iterator[Array]:
    """Yield float64 copies."""
    return (p.astype(np.float64) for p in pictures)
