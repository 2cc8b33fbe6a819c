"""Cases of the nodes of this package: every kind of node, and expressions over all operations and functions."""

from __future__ import annotations

from random import Random

import numpy as np

from unshape_backend.case import Case, Content, Picture
from unshape_core.context import EvalContext
from unshape_core.value import Vec2
from unshape_core.window import Window
from unshape_expr.function_table import default_functions
from unshape_expr.ir import Border, Filter
from unshape_expr.types import Type
from unshape_testing.nodes import (
    BoxMean,
    ExpressionNode,
    Flip,
    Gain,
    Mean,
    Merge,
    Positive,
    Ramp,
    ScalarMix,
    Scale64,
    Split,
    Wobble,
)
from unshape_testing.random_expressions import Leaves, plain_operations, random_expression

WINDOWS = (Window(0, 0, 1, 1), Window(5, 3, 17, 9), Window(30, 20, 7, 9))
"""Parts of a picture of 37 by 29 pixels: a corner, the middle, the opposite corner."""

SIZE = (37, 29)
LEAVES = Leaves(pictures={"a": Type.VEC3, "b": Type.F32}, scalars={"k": Type.F32, "n": Type.I32, "w": Type.VEC2})
EXPRESSION_COUNT = 40
"""Random expressions; together they use every operation and every function."""


def own_cases() -> tuple[Case, ...]:
    """Return the cases of this package."""
    return (*node_cases(), *(expression_case(seed) for seed in range(EXPRESSION_COUNT)))


def node_cases() -> tuple[Case, ...]:
    """Return at least one case for each node of this package."""
    ctx = EvalContext(resolution=SIZE, time_s=0.75, seed=12345)
    odd = Picture(width_px=SIZE[0], height_px=SIZE[1], channels=3, content=Content.SPECIAL)
    plain = Picture(width_px=SIZE[0], height_px=SIZE[1], channels=4, content=Content.SIGNED, seed=2)
    grey = Picture(width_px=SIZE[0], height_px=SIZE[1], channels=1, content=Content.HDR, seed=3)
    volume = np.arange(60, dtype=np.float64).reshape(3, 4, 5)
    cases = [
        Case(name="Gain", node=Gain(1.75, -0.125), inputs=(plain,), ctx=ctx, windows=WINDOWS),
        Case(name="Gain/special", node=Gain(-0.5, 0.0), inputs=(odd,), ctx=ctx, windows=WINDOWS),
        Case(name="Ramp", node=Ramp(7.0), ctx=ctx, windows=WINDOWS),
        Case(name="Merge/mix", node=Merge(), inputs=(plain, plain, 0.25), ctx=ctx, windows=WINDOWS),
        Case(name="Merge/min", node=Merge(), inputs=(odd, odd, 0.75), ctx=ctx, windows=WINDOWS),
        Case(name="Split", node=Split(), inputs=(plain,), ctx=ctx, windows=WINDOWS),
        Case(name="Split/special", node=Split(), inputs=(odd,), ctx=ctx),
        Case(name="ScalarMix", node=ScalarMix(2.5), inputs=(0.1, -7, Vec2(0.5, -3.0)), ctx=ctx),
        Case(name="BoxMean", node=BoxMean(2), inputs=(grey,), ctx=ctx, windows=WINDOWS),
        Case(name="BoxMean/special", node=BoxMean(1), inputs=(odd,), ctx=ctx, windows=WINDOWS),
        Case(name="Flip", node=Flip(), inputs=(plain,), ctx=ctx),
        Case(name="Mean", node=Mean(), inputs=(grey,), ctx=ctx),
        Case(name="Positive", node=Positive(), inputs=(plain,), ctx=ctx),
        Case(name="Scale64", node=Scale64(), inputs=(volume,), ctx=ctx),
    ]
    for border in Border:
        for filter_ in Filter:
            node = Wobble(0.4, filter_, border)
            cases.append(
                Case(name=f"Wobble/{filter_}-{border}", node=node, inputs=(plain,), ctx=ctx, windows=WINDOWS[1:])
            )
    return tuple(cases)


def expression_case(seed: int) -> Case:
    """Return the case of one random expression; with the same functions installed a seed always gives the same one.

    Parameters
    ----------
    seed : int
        From 0 to ``EXPRESSION_COUNT - 1``: the share of operations and functions that this one has to use; also chooses
        the contents of the pictures.
    """
    rng = Random(seed)
    results = (Type.F32, Type.VEC2, Type.VEC3, Type.VEC4)
    expression = random_expression(
        rng,
        LEAVES,
        size=24,
        result=rng.choice(results),
        operations=plain_operations()[seed::EXPRESSION_COUNT],
        functions=default_functions().functions()[seed::EXPRESSION_COUNT],
        has_structures=seed % 8 == 0,
    )
    contents = (Content.UNIT, Content.SIGNED, Content.HDR, Content.SPECIAL)
    pictures = tuple(
        Picture(width_px=19, height_px=13, channels=type_.components, content=rng.choice(contents), seed=seed)
        for type_ in LEAVES.pictures.values()
    )
    numbers = (rng.choice((0.5, -1.25, 3.0)), rng.choice((2, -3, 100)), Vec2(0.25, -8.0))
    return Case(
        name=f"expression/{seed}",
        node=ExpressionNode(f"random {seed}", (expression,), LEAVES),
        inputs=(*pictures, *numbers),
        ctx=EvalContext(resolution=(19, 13), time_s=1.5, frame=90, seed=seed * 977, preview=bool(seed % 2)),
        windows=(Window(4, 5, 9, 3),) if seed % 3 == 0 else (),
    )
