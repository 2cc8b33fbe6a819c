"""Small graphs that have everything a planner has to deal with: chains, diamonds, several outputs, numbers, windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from unshape_backend.case import Content, Picture
from unshape_core.context import EvalContext
from unshape_core.graph import Graph
from unshape_core.nodes import Constant, GraphInput, GraphOutput
from unshape_core.protocols import Node
from unshape_core.value import Value
from unshape_core.value_type import F32, TEXTURE
from unshape_expr.ir import Border, Filter
from unshape_testing.nodes import BoxMean, Flip, Gain, Mean, Merge, Ramp, ScalarMix, Split, Wobble

SIZE = (23, 17)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphCase:
    """A graph and what is asked of it.

    Parameters
    ----------
    name : str
        For reports.
    graph : Graph
        The graph.
    outputs : tuple of int
        The nodes asked for.
    ctx : EvalContext
        The circumstances.
    """

    name: str
    graph: Graph
    outputs: tuple[int, ...]
    ctx: EvalContext


def chain(nodes: Sequence[Node], *, name: str = "chain", ctx: EvalContext | None = None) -> GraphCase:
    """Return nodes in a row, first output to first input.

    Parameters
    ----------
    nodes : sequence of Node
        The first one needs no input.
    name : str
        Of the case.
    ctx : EvalContext or None
        The circumstances.
    """
    graph = Graph()
    ids = [graph.add_node(node) for node in nodes]
    for before, after in pairwise(ids):
        graph.connect(before, 0, after, 0)
    return GraphCase(name=name, graph=graph, outputs=(ids[-1],), ctx=ctx or EvalContext(resolution=SIZE, seed=3))


def given_picture(*, seed: int = 11, channels: int = 3) -> Value:
    """Return the picture that graph cases with an input are given."""
    return Picture(width_px=SIZE[0], height_px=SIZE[1], channels=channels, content=Content.SIGNED, seed=seed).make()


def shared_input(nodes: Sequence[Node] = (BoxMean(1), BoxMean(2), Wobble(0.2), Gain(0.5))) -> GraphCase:
    """Return one input that several nodes read, whose results are merged.

    Parameters
    ----------
    nodes : sequence of Node
        The readers.
    """
    graph = Graph()
    source = graph.add_node(GraphInput("picture", TEXTURE))
    readers = [graph.add_node(node) for node in nodes]
    total = readers[0]
    for reader in readers:
        graph.connect(source, 0, reader, 0)
    for reader in readers[1:]:
        merge = graph.add_node(Merge())
        graph.connect(total, 0, merge, 0)
        graph.connect(reader, 0, merge, 1)
        total = merge
    ctx = EvalContext(resolution=SIZE, inputs={"picture": given_picture()})
    return GraphCase(name="shared-input", graph=graph, outputs=(total,), ctx=ctx)


def diamond(levels: int = 4) -> GraphCase:
    """Return diamonds on top of each other: every value is read twice."""
    graph = Graph()
    node = graph.add_node(Ramp(5.0))
    for level in range(levels):
        left, right, merge = graph.add_node(Gain(0.5 + level)), graph.add_node(BoxMean(1)), graph.add_node(Merge())
        graph.connect(node, 0, left, 0)
        graph.connect(node, 0, right, 0)
        graph.connect(left, 0, merge, 0)
        graph.connect(right, 0, merge, 1)
        node = merge
    return GraphCase(name="diamond", graph=graph, outputs=(node,), ctx=EvalContext(resolution=SIZE, time_s=2.0))


def numbers_and_pictures() -> GraphCase:
    """Return numbers that steer pictures, and pictures that become numbers."""
    graph = Graph()
    x = graph.add_node(GraphInput("x", F32, 0.125))
    scalars, ramp, split = graph.add_node(ScalarMix(0.5)), graph.add_node(Ramp(2.0)), graph.add_node(Split())
    mean, gain, merge = graph.add_node(Mean()), graph.add_node(Gain(3.0, 0.25)), graph.add_node(Merge())
    named = graph.add_node(GraphOutput("picture", TEXTURE))
    graph.connect(x, 0, scalars, "x")
    graph.connect(ramp, 0, gain, 0)
    graph.connect(gain, 0, split, 0)
    graph.connect(split, "fraction", mean, 0)
    graph.connect(split, "whole", merge, "a")
    graph.connect(gain, 0, merge, "b")
    graph.connect(scalars, "x", merge, "amount")
    graph.connect(merge, 0, named, 0)
    return GraphCase(
        name="numbers-and-pictures",
        graph=graph,
        outputs=(named, mean, scalars, split),
        ctx=EvalContext(resolution=SIZE, seed=77),
    )


def whole_inputs() -> GraphCase:
    """Return a node that knows nothing of windows between two that do."""
    nodes = (Ramp(3.0), Gain(1.5), Flip(), BoxMean(2), Wobble(0.3, Filter.NEAREST, Border.REPEAT))
    return chain(nodes, name="whole-inputs")


def with_constant() -> GraphCase:
    """Return a constant picture that is read at the pixel and around it."""
    graph = Graph()
    constant, blurred, merge = (
        graph.add_node(Constant(given_picture())),
        graph.add_node(BoxMean(1)),
        graph.add_node(Merge()),
    )
    graph.connect(constant, 0, blurred, 0)
    graph.connect(constant, 0, merge, 0)
    graph.connect(blurred, 0, merge, 1)
    return GraphCase(name="constant", graph=graph, outputs=(merge, blurred), ctx=EvalContext(resolution=SIZE))


def random_graph(rng: Random, *, size: int, name: str = "random") -> GraphCase:
    """Return a random graph of pictures of three channels.

    Parameters
    ----------
    rng : Random
        A seeded one always gives the same graph.
    size : int
        Number of nodes.
    name : str
        Of the case.
    """
    graph = Graph()
    ids: list[int] = []
    ports: dict[int, int] = {}
    for _ in range(size):
        node = _random_node(rng, is_first=not ids)
        node_id = graph.add_node(node)
        for port, each in enumerate(node.inputs):
            if each.value_type == TEXTURE:
                source = rng.choice(ids[-4:])
                graph.connect(source, ports[source], node_id, port)
        ids.append(node_id)
        ports[node_id] = 0
    outputs = tuple(dict.fromkeys((ids[-1], rng.choice(ids))))
    return GraphCase(name=name, graph=graph, outputs=outputs, ctx=EvalContext(resolution=SIZE, seed=rng.randrange(99)))


def _random_node(rng: Random, *, is_first: bool) -> Node:
    if is_first:
        return Ramp(rng.uniform(1, 9))
    makers = (
        lambda: Ramp(rng.uniform(1, 9)),
        lambda: Gain(rng.uniform(-2, 2), rng.uniform(-1, 1)),
        lambda: Gain(rng.uniform(-2, 2)),
        Merge,
        Merge,
        Split,
        lambda: BoxMean(rng.randint(1, 3)),
        lambda: Wobble(rng.uniform(0, 0.5), rng.choice(list(Filter)), rng.choice(list(Border))),
        Flip,
    )
    return rng.choice(makers)()


RANDOM_GRAPHS = 8


def graph_cases() -> tuple[GraphCase, ...]:
    """Return every graph that the suites go through; new ones each time, so that a test may change them."""
    pointwise: tuple[Node, ...] = (Ramp(4.0), *(Gain(0.9 + 0.01 * k, 0.01 * k) for k in range(12)))
    return (
        chain(pointwise, name="pointwise-chain"),
        chain((Ramp(4.0), BoxMean(1), Gain(2.0), BoxMean(2), Gain(-1.0, 0.5)), name="mixed-chain"),
        shared_input(),
        diamond(),
        numbers_and_pictures(),
        whole_inputs(),
        with_constant(),
        *(random_graph(Random(seed), size=2 + 2 * seed, name=f"random-{seed}") for seed in range(RANDOM_GRAPHS)),
    )
