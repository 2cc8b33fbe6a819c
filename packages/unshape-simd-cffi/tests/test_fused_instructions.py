"""Several operations as one instruction: found where nothing else needs what lies in between, with the same bits."""

from __future__ import annotations

from collections import Counter
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
from unshape_simd_cffi.backend import SimdBackend
from unshape_simd_cffi.pairs import Pair, count_uses, find_pairs
from unshape_testing.laws.numbers import definition
from unshape_testing.tasks import run_job
from unshape_testing.tolerance import assert_same_bits

LANES = (Lane(Type.F32, Varies.BOTH),) * 6
PRODUCT = LaneOp(Op.MUL, (3,), (0, 1))


def test_a_product_and_a_sum_are_one_instruction() -> None:
    ops = (PRODUCT, LaneOp(Op.ADD, (4,), (2, 3)))
    assert find_pairs(ops, LANES, count_uses(ops), taken=()) == {0: None, 1: Pair("mul_add_f", (0, 1, 2))}


def test_what_is_subtracted_from_keeps_its_place() -> None:
    ops = (PRODUCT, LaneOp(Op.SUB, (4,), (2, 3)))
    assert find_pairs(ops, LANES, count_uses(ops), taken=()) == {0: None, 1: Pair("mul_rsub_f", (0, 1, 2))}


def test_a_value_that_is_needed_again_is_computed_by_itself() -> None:
    ops = (PRODUCT, LaneOp(Op.ADD, (4,), (2, 3)), LaneOp(Op.NEG, (5,), (3,)))
    assert find_pairs(ops, LANES, count_uses(ops), taken=()) == {}


def test_a_value_that_is_an_output_as_well_is_computed_by_itself() -> None:
    ops = (PRODUCT, LaneOp(Op.ADD, (4,), (2, 3)))
    assert find_pairs(ops, LANES, count_uses(ops) + Counter((3,)), taken=()) == {}


def test_the_second_argument_of_a_minimum_stays_the_second_one() -> None:
    # min(-0, 0) and min(0, -0) have different bits
    ops = (PRODUCT, LaneOp(Op.MIN, (4,), (2, 3)))
    assert find_pairs(ops, LANES, count_uses(ops), taken=()) == {}


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


@pytest.mark.parametrize("scale", [0.3, 7.9, 300.0, 3000.0])
@pytest.mark.parametrize(
    "node",
    [Value(seed=3), Simplex(seed=3), *(Worley(seed=3, feature=feature) for feature in CellFeature)],
    ids=lambda node: getattr(node, "feature", node.type_name),
)
def test_noise_on_grids_has_the_bits_of_the_definition_at_every_scale(
    backend: SimdBackend, node: Value | Simplex | Worley, scale: float
) -> None:
    scaled = replace(node, scale=scale, octaves=2, offset_x=-3.7)
    job = make_job(scaled, (), EvalContext(resolution=(1100, 7)))
    assert_same_bits(definition(job), run_job(backend, job), what=f"{scale} with {backend.isa.name}")
