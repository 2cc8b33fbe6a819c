"""Several operations as one instruction, with the bits that they have apart."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
import pytest

from unshape_backend.single_task import make_job
from unshape_core.context import EvalContext
from unshape_expr.interpret.lanes import Lane, LaneOp
from unshape_expr.kernel import Varies
from unshape_expr.ops import Op
from unshape_expr.types import Type
from unshape_image import MapPixels
from unshape_noise import Simplex, Value, Worley
from unshape_noise.worley import CellFeature
from unshape_simd_cffi import native
from unshape_simd_cffi.backend import SimdBackend
from unshape_simd_cffi.runs import Lanes, in_order_of_use, plan_run
from unshape_testing.laws.numbers import definition
from unshape_testing.tasks import run_job
from unshape_testing.tolerance import assert_same_bits

LANES = (Lane(Type.F32, Varies.BOTH),) * 8
SAME = Lanes({})
PRODUCT = LaneOp(Op.MUL, (3,), (0, 1))


def plan(ops: Sequence[LaneOp], *, needed_later: Collection[int] = (), lanes: Lanes = SAME) -> list[tuple[str, ...]]:
    planned = plan_run(ops, LANES, lanes, names=native.instructions().steps, needed_later=needed_later, outputs={})
    return [(step.name, *map(str, step.operands)) for step in planned]


def test_a_product_and_a_sum_are_one_step() -> None:
    ops = (PRODUCT, LaneOp(Op.ADD, (4,), (2, 3)))
    assert plan(ops, needed_later={4}) == [("read", "0"), ("mul_add_f", "1", "2"), ("store", "4")]


def test_what_is_subtracted_from_keeps_its_place() -> None:
    ops = (PRODUCT, LaneOp(Op.SUB, (4,), (2, 3)))
    assert plan(ops, needed_later={4}) == [("read", "0"), ("mul_rsub_f", "1", "2"), ("store", "4")]


def mix(weight: int, first: int, second: int, by: int) -> tuple[LaneOp, ...]:
    """Return first + (second - first)*by as lane 7, and what it takes, beside a product that is lane `weight`."""
    return (
        LaneOp(Op.MUL, (weight,), (0, 1)),
        LaneOp(Op.SUB, (5,), (second, first)),
        LaneOp(Op.MUL, (6,), (by, 5)),
        LaneOp(Op.ADD, (7,), (first, 6)),
    )


@pytest.mark.parametrize(
    ("ops", "step"),
    [
        (mix(4, 4, 2, 3), ("mix_first_f", "2", "3")),
        (mix(4, 2, 4, 3), ("mix_second_f", "2", "3")),
        (mix(4, 2, 3, 4), ("mix_third_f", "2", "3")),
    ],
)
def test_a_mixture_is_one_step_whichever_of_its_arguments_is_in_the_processor(
    ops: tuple[LaneOp, ...], step: tuple[str, ...]
) -> None:
    assert plan(ops, needed_later={7}) == [("read", "0"), ("mul_f", "1"), step, ("store", "7")]


def test_a_mixture_whose_difference_is_needed_again_is_not_one_step() -> None:
    names = [name for name, *_ in plan(mix(4, 4, 2, 3), needed_later={5, 7})]
    assert names == ["read", "mul_f", "store", "rsub_f", "store", "mul_add_f", "store"]


def test_easing_in_and_out_is_one_step() -> None:
    ops = (
        PRODUCT,
        LaneOp(Op.MUL, (4,), (3, 0)),
        LaneOp(Op.SUB, (5,), (1, 4)),
        LaneOp(Op.MUL, (6,), (3, 3)),
        LaneOp(Op.MUL, (7,), (6, 5)),
    )
    assert plan(ops, needed_later={7}) == [("read", "0"), ("mul_f", "1"), ("ease_f", "0", "1"), ("store", "7")]


def test_a_value_that_is_needed_again_is_stored() -> None:
    ops = (PRODUCT, LaneOp(Op.ADD, (4,), (2, 3)), LaneOp(Op.SUB, (5,), (4, 3)))
    expected = [("read", "0"), ("mul_f", "1"), ("store", "3"), ("add_f", "2"), ("sub_f", "3"), ("store", "5")]
    assert plan(ops, needed_later={5}) == expected


def test_the_second_argument_of_a_minimum_stays_the_second_one() -> None:
    # min(-0, 0) and min(0, -0) have different bits
    ops = (PRODUCT, LaneOp(Op.MIN, (4,), (2, 3)))
    assert plan(ops, needed_later={4}) == [("read", "0"), ("mul_f", "1"), ("rmin_f", "2"), ("store", "4")]


def test_the_bits_of_a_value_as_another_type_are_that_value() -> None:
    ops = (PRODUCT, LaneOp(Op.NEG, (5,), (4,)))
    assert plan(ops, needed_later={5}, lanes=Lanes({4: 3})) == [
        ("read", "0"),
        ("mul_f", "1"),
        ("neg_f",),
        ("store", "5"),
    ]


def test_what_one_operation_gives_is_what_the_next_one_needs_also_among_components() -> None:
    # (a*b + a) and (c*d + c) as planes come one operation after the other
    ops = (
        LaneOp(Op.MUL, (4,), (0, 1)),
        LaneOp(Op.MUL, (5,), (2, 3)),
        LaneOp(Op.ADD, (6,), (4, 0)),
        LaneOp(Op.ADD, (7,), (5, 2)),
    )
    assert [op.results[0] for op in in_order_of_use(ops, SAME)] == [4, 6, 5, 7]


@pytest.mark.parametrize("specials", [0, 1, 500])
def test_powers_have_the_bits_of_the_definition_among_ordinary_and_special_ones(
    backend: SimdBackend, specials: int
) -> None:
    rng = np.random.default_rng(specials)
    picture = rng.uniform(0.01, 3.0, (9, 117, 2)).astype(np.float32)
    bits = rng.integers(0, 2**32, specials, np.uint32).view(np.float32)
    picture.reshape(-1)[rng.choice(picture.size, specials, replace=False)] = bits
    job = make_job(MapPixels("pow(color.r, color.g*8.0)"), (picture,), EvalContext(resolution=(117, 9)))
    assert_same_bits(definition(job), run_job(backend, job), what=backend.isa.name)


@pytest.mark.parametrize("exponent", ["2.2", "-2.2", "0.0", "1.0/0.0", "-1.0/0.0", "0.0/0.0", "3.0"])
@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_powers_of_zero_among_others_have_the_bits_of_the_definition(
    backend: SimdBackend, zero: float, exponent: str
) -> None:
    picture = np.linspace(0.1, 2.0, 3 * 200, dtype=np.float32).reshape(3, 200, 1)
    picture[:, ::7] = zero
    job = make_job(MapPixels(f"pow(color.r, {exponent})"), (picture,), EvalContext(resolution=(200, 3)))
    assert_same_bits(definition(job), run_job(backend, job), what=backend.isa.name)


@pytest.mark.parametrize("bound", ["0.0", "-0.0", "0.5", "0.0/0.0", "color.g"])
@pytest.mark.parametrize("function", ["min", "max"])
def test_bounds_of_every_kind_have_the_bits_of_the_definition(backend: SimdBackend, function: str, bound: str) -> None:
    numbers = np.array([0.0, -0.0, 0.5, -0.5, 1.0, np.nan, np.inf, -np.inf], np.float32)
    picture = np.stack(np.meshgrid(numbers, numbers), axis=-1).reshape(4, 16, 2)
    for text in (f"{function}(color.r, {bound})", f"{function}({bound}, color.r)"):
        job = make_job(MapPixels(text), (picture,), EvalContext(resolution=(16, 4)))
        assert_same_bits(definition(job), run_job(backend, job), what=f"{text} with {backend.isa.name}")


@pytest.mark.parametrize(
    "text",
    [
        "mix(color.r, color.g, color.b)",
        "mix(color, color*color.a, 0.3)",
        "mix(color*2.0, vec4(0.1, 0.2, 0.3, 0.4), color.a)",
        "mix(color.rgb, color.brg, color.r*0.5)",
        "color.r*color.r*(3.0 - 2.0*color.r)",
        "color*color*(color.a - color.r*color)",
        "smoothstep(-1.0, 1.0, color)",
    ],
)
def test_what_one_step_needs_twice_has_the_bits_of_the_definition(backend: SimdBackend, text: str) -> None:
    numbers = np.array([0.0, -0.0, 0.5, -1.5, 3e38, 1e-42, np.nan, np.inf, -np.inf], np.float32)
    picture = np.random.default_rng(4).choice(numbers, (5, 203, 4))
    job = make_job(MapPixels(text), (picture,), EvalContext(resolution=(203, 5)))
    assert_same_bits(definition(job), run_job(backend, job), what=f"{text} with {backend.isa.name}")


@pytest.mark.parametrize(
    "text",
    [
        "color*2.0 + 0.1",
        "pow(abs(color), vec4(0.7))",
        "vec4(color.rgb*color.a, sin(color.a))",
        "vec3(color.gr, 0.5)*color.a",
        "color.ar*color.g",
    ],
)
@pytest.mark.parametrize(("width_px", "height_px"), [(3, 700_001), (1025, 1027)])
def test_large_results_have_the_bits_of_the_definition(
    backend: SimdBackend, width_px: int, height_px: int, text: str
) -> None:
    rng = np.random.default_rng(1)
    picture = rng.uniform(-1.0, 1.0, (height_px, width_px, 4)).astype(np.float32)
    job = make_job(MapPixels(text), (picture,), EvalContext(resolution=(width_px, height_px)))
    assert_same_bits(definition(job), run_job(backend, job), what=f"{text} with {backend.isa.name}")


@pytest.mark.parametrize("width_px", [1, 2, 3, 15, 23])
@pytest.mark.parametrize(
    "text",
    [
        "color*uv.x + uv.y",
        "vec4(sin(uv.x*9.0)*uv.y, uv, 1.0)*color.a",
        "sample(image, uv.yx)*color",
        "vec4(perlin(uv*7.0))+color",
    ],
)
def test_narrow_pictures_have_the_bits_of_the_definition(backend: SimdBackend, text: str, width_px: int) -> None:
    height_px = 20_000 // width_px
    picture = np.random.default_rng(2).uniform(-1.0, 1.0, (height_px, width_px, 4)).astype(np.float32)
    job = make_job(MapPixels(text), (picture,), EvalContext(resolution=(width_px, height_px)))
    assert_same_bits(definition(job), run_job(backend, job), what=f"{text} with {backend.isa.name}")


on_grids = pytest.mark.parametrize(
    "node",
    [Value(seed=3), Simplex(seed=3), *(Worley(seed=3, feature=feature) for feature in CellFeature)],
    ids=lambda node: getattr(node, "feature", node.type_name),
)


@pytest.mark.parametrize("scale", [0.3, 7.9, 300.0, 3000.0])
@on_grids
def test_noise_on_grids_has_the_bits_of_the_definition_at_every_scale(
    backend: SimdBackend, node: Value | Simplex | Worley, scale: float
) -> None:
    scaled = replace(node, scale=scale, octaves=2, offset_x=-3.7)
    job = make_job(scaled, (), EvalContext(resolution=(1100, 7)))
    assert_same_bits(definition(job), run_job(backend, job), what=f"{scale} with {backend.isa.name}")


@pytest.mark.parametrize(("scale", "width_px"), [(0.02, 257), (3.3, 1040), (3.3, 333), (40.0, 333), (9.0, 15)])
@on_grids
def test_noise_on_grids_has_the_bits_of_the_definition_in_every_row(
    backend: SimdBackend, node: Value | Simplex | Worley, scale: float, width_px: int
) -> None:
    # what is kept of a lattice row serves the rows of pixels below it, and no other
    scaled = replace(node, scale=scale, offset_y=-1.3)
    job = make_job(scaled, (), EvalContext(resolution=(width_px, 150)))
    assert_same_bits(definition(job), run_job(backend, job), what=f"{scale} with {backend.isa.name}")
