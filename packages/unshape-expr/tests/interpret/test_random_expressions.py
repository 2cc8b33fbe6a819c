"""Random expressions over all operations, against an evaluator that shares no code with the interpreter."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from unshape_expr import build as b
from unshape_expr import math_functions as mf
from unshape_expr.interpret import program, steps
from unshape_expr.interpret.lanes import Lane, LaneOp
from unshape_expr.interpret.steps import Registers, Step, Tile
from unshape_expr.ir import Expr
from unshape_expr.types import Type
from unshape_testing.picture_evaluator import PictureCase, same_bits

SPECIAL = np.array(
    [0, -0.0, 1, -1, 0.5, np.inf, -np.inf, np.nan, 1e-40, -1e-45, 3e38, -3e38, 2.0**31, -(2.0**31), 2.0**32, 2.5, -2.5],
    np.float32,
)


def random_picture(rng: np.random.Generator, height: int, width: int, channels: int) -> Any:
    scale = rng.choice([1, 100, 1e5])
    array = (rng.standard_normal((height, width, channels)) * scale).astype(np.float32)
    chosen = rng.random(array.shape) < 0.3
    array[chosen] = rng.choice(SPECIAL, int(chosen.sum()))
    return array


class Pools:
    """Expressions by type, each new one made of older ones."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.f32 = [
            b.input_pixel("gray", Type.F32),
            b.literal(self.r.choice([0.0, -0.0, 1.5, -2.0, 0.3])),
            b.to_f32(b.pixel_x()),
            b.to_f32(b.pixel_y()),
            b.u(),
            b.input_scalar("gain", Type.F32),
            b.uniform("time_s", Type.F32),
            b.literal(float("nan")),
        ]
        self.i32 = [
            b.pixel_x(),
            b.pixel_y(),
            b.width(),
            b.literal(self.r.choice([0, 1, -1, 7, -(2**31)]), Type.I32),
        ]
        self.u32 = [b.to_u32(b.pixel_x()), b.literal(0x9E3779B9, Type.U32), b.uniform("seed", Type.U32)]
        self.bool = [b.lt(b.pixel_x(), 5), b.lt(self.f32[0], 0.0), b.lt(self.f32[5], 0.0)]
        self.vec4 = [
            b.input_pixel("p", Type.VEC4),
            b.input_pixel("q", Type.VEC4),
            b.splat(self.f32[0], Type.VEC4),
            b.input_scalar("k", Type.VEC4),
            b.vec4(self.f32[0], 1.0, self.f32[4], self.f32[2]),
            b.vec4(b.u(), b.u(), 1.0, b.v()),
        ]

    def pick(self, pool: Any) -> Any:
        return self.r.choice(pool)

    def grow(self, steps: int) -> None:
        makers = [
            self.arithmetic,
            self.arithmetic,
            self.vectors,
            self.vectors,
            self.rounding,
            self.apart,
            self.choices,
            self.integers,
            self.comparisons,
            self.conversions,
            self.functions,
            self.loops,
        ]
        for _ in range(steps):
            self.pick(makers)()

    def arithmetic(self) -> None:
        op = self.pick([b.add, b.sub, b.mul, b.div, b.mod, b.min, b.max])
        self.f32.append(op(self.pick(self.f32), self.pick(self.f32)))

    def vectors(self) -> None:
        op = self.pick([b.add, b.sub, b.mul, b.div, b.mod, b.min, b.max])
        self.vec4.append(op(self.pick(self.vec4), self.pick(self.vec4 + self.f32)))
        self.vec4.append(self.pick([b.neg, b.abs, b.floor, b.sqrt, b.round])(self.pick(self.vec4)))

    def rounding(self) -> None:
        op = self.pick([b.neg, b.abs, b.floor, b.ceil, b.trunc, b.round, b.sqrt])
        self.f32.append(op(self.pick(self.f32)))

    def apart(self) -> None:
        self.f32.append(b.component(self.pick(self.vec4), self.r.randrange(4)))
        self.vec4.append(b.vec4(*[self.pick(self.f32) for _ in range(4)]))

    def choices(self) -> None:
        for pool in (self.f32, self.i32, self.u32, self.bool, self.vec4):
            pool.append(b.select(self.pick(self.bool), self.pick(pool), self.pick(pool)))

    def integers(self) -> None:
        ops = [b.add, b.sub, b.mul, b.floordiv, b.mod, b.min, b.max, b.bit_and, b.bit_or, b.bit_xor, b.shl, b.shr]
        for pool in (self.i32, self.u32):
            pool.append(self.pick(ops)(self.pick(pool), self.pick(pool)))
            pool.append(self.pick([b.neg, b.bit_not, b.abs])(self.pick(pool)))

    def comparisons(self) -> None:
        for pool in (self.f32, self.i32, self.u32):
            self.bool.append(self.pick([b.eq, b.ne, b.lt, b.le])(self.pick(pool), self.pick(pool)))
        self.bool.append(self.pick([b.logical_and, b.logical_or])(self.pick(self.bool), self.pick(self.bool)))
        self.bool.append(b.logical_not(self.pick(self.bool)))

    def conversions(self) -> None:
        self.i32 += [b.to_i32(self.pick(p)) for p in (self.f32, self.u32, self.bool)]
        self.u32 += [b.to_u32(self.pick(p)) for p in (self.f32, self.i32, self.bool)]
        self.f32 += [b.to_f32(self.pick(p)) for p in (self.u32, self.i32, self.bool)]

    def functions(self) -> None:
        self.f32.append(self.pick([mf.exp2, mf.log2, mf.sin, mf.cbrt, mf.tanh])(self.pick(self.f32)))
        self.vec4.append(self.pick([mf.exp, mf.log, mf.cos])(self.pick(self.vec4)))
        self.f32.append(mf.pow(self.pick(self.f32), self.pick(self.f32)))
        self.vec4.append(mf.atan2(self.pick(self.vec4), self.pick(self.vec4)))

    def loops(self) -> None:
        count = self.pick([b.literal(3, Type.I32), b.to_i32(self.f32[5]), b.literal(0, Type.I32)])
        x, y, test, vector = self.pick(self.f32), self.pick(self.f32), self.pick(self.bool), self.pick(self.vec4)
        results = b.loop(
            count,
            [x, vector, 0.0, self.pick(self.f32)],
            lambda i, s, t, o, w: (w + b.to_f32(i), b.select(test, t * s, t + vector), o * 0.5 + y + b.sqrt(s), s),
            max_count=5,
        )
        self.f32 += [results[0], results[2], results[3]]
        self.vec4.append(results[1])
        other = self.pick(self.f32)
        self.f32.append(
            b.loop(
                2,
                [self.pick(self.f32)],
                lambda i, s: b.loop(i + 1, [s], lambda j, q: b.abs(q - other) + b.to_f32(j), max_count=4)[0],
                max_count=3,
            )[0]
        )

    def outputs(self) -> list[Expr]:
        pick = self.pick
        numbers = [b.to_f32(pick(self.i32)), b.to_f32(pick(self.u32)), b.to_f32(pick(self.bool))]
        return [self.f32[-1], self.vec4[-1], pick(self.f32), pick(self.vec4), *numbers]


def case(seed: int) -> tuple[PictureCase, list[Expr]]:
    pools = Pools(seed)
    rng = np.random.default_rng(seed)
    height, width = pools.pick([(1, 1), (1, 7), (7, 1), (13, 17), (5, 64)])
    env = {
        "gray": random_picture(rng, height, width, 1),
        "p": random_picture(rng, height, width, 4),
        "q": random_picture(rng, height, width, 4)[:, ::-1],
        "gain": np.float32(pools.pick([1.5, -2.0, 3.0, 0.0])),
        "k": np.array([0.1, 0.2, -3, 4], np.float32),
        "time_s": np.float32(1.25),
        "seed": np.uint32(77),
    }
    pools.grow(pools.pick([3, 8, 25]))
    return PictureCase(env, width=width, height=height), pools.outputs()


@pytest.mark.parametrize("seed", range(60))
def test_random_expression_equals_its_direct_evaluation(seed: int) -> None:
    run, outputs = case(seed)
    for expected, got in zip(run.directly(outputs), run.run(outputs), strict=True):
        assert same_bits(expected, got)


@pytest.mark.parametrize("seed", range(60, 90))
def test_loops_that_are_not_unrolled_give_the_same_bits(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    run, outputs = case(seed)
    unrolled = run.run(outputs)
    monkeypatch.setattr("unshape_expr.interpret.unroll.MAX_UNROLLED_OPS", -1)
    for expected, got in zip(unrolled, run.run(outputs), strict=True):
        assert same_bits(expected, got)
    for expected, got in zip(run.directly(outputs), unrolled, strict=True):
        assert same_bits(expected, got)


@pytest.mark.parametrize("tile_px", [1, 3, 10, 50])
@pytest.mark.parametrize("seed", range(90, 96))
def test_tiles_of_any_size_give_the_same_bits(seed: int, tile_px: int) -> None:
    run, outputs = case(seed)
    for expected, got in zip(run.run(outputs), run.run(outputs, tile_px=tile_px), strict=True):
        assert same_bits(expected, got)


def test_comparison_with_the_direct_evaluation_sees_a_wrong_operation(monkeypatch: pytest.MonkeyPatch) -> None:
    run = PictureCase({"gray": np.full((3, 3, 1), 0.3, np.float32)}, width=3, height=3)
    output = b.input_pixel("gray", Type.F32) * 3.0

    def wrong(op: LaneOp, lanes: tuple[Lane, ...], *, has_array: bool) -> Step:
        step = steps.make_step(op, lanes, has_array=has_array)

        def spoilt(registers: Registers, tile: Tile) -> None:
            step(registers, tile)
            if op.op.value == "mul":
                registers[op.results[0]][...] *= np.float32(1.0000001)

        return spoilt

    monkeypatch.setattr(program, "make_step", wrong)
    assert not same_bits(run.directly([output])[0], run.run([output])[0])
