"""Every noise node runs by a kernel for grids or by a function that is one instruction, never by plain arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from unshape_backend.case import Case
from unshape_backend.single_task import make_job
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_core.value import Value
from unshape_expr import build as e
from unshape_expr.body import BodyInputs
from unshape_expr.functions import Function
from unshape_expr.ir import Expr
from unshape_noise import Perlin, Worley, WorleyAt
from unshape_noise.forms import forms
from unshape_noise.kinds import PERLIN, functions_of, noise_functions
from unshape_noise.worley import CellFeature, Metric
from unshape_simd_cffi.backend import SimdBackend
from unshape_simd_cffi.listing import FUNCTION, ON_GRID, listing
from unshape_simd_cffi.program import Program
from unshape_simd_cffi.run_expression import compile_expression
from unshape_testing.laws.numbers import definition
from unshape_testing.tasks import run_job
from unshape_testing.tolerance import assert_same_bits

SIDE_PX = 67
DISTANCES = [(feature, metric) for feature in CellFeature for metric in Metric]
PLAIN = {f.qualified_name for f in noise_functions() if not f.kernel.functions}
"""Noise functions that call no others: fractal sums and warps are loops and sums of these."""
_PERLIN = functions_of(PERLIN, 2)[None, False]
CHANGED = Function(_PERLIN.name, _PERLIN.parameters, _PERLIN.returns, lambda p, seed: _PERLIN.define(p, seed) * 0.5)


@dataclass(frozen=True, slots=True)
class ChangedPerlin(Perlin):
    """A node of a function that has the name of Perlin noise and another definition."""

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        del inputs
        return (CHANGED(e.uv() * 8.0),)


def arithmetic(backend: SimdBackend, node: Node, inputs: Sequence[Value]) -> set[str]:
    """Return the plain noise functions that a node calls without an instruction or a kernel for grids."""
    job = make_job(node, inputs, EvalContext(resolution=(SIDE_PX, SIDE_PX)))
    assert job.task.kernel is not None
    program = Program(job.task.kernel)
    compile_expression(job.task, program, backend)(job.task.nodes, job.inputs, job.ctx)
    (made,) = program.executables
    found = {name.removeprefix(ON_GRID).removeprefix(FUNCTION) for name in listing(made.program)}
    called = {function.qualified_name for function in job.task.kernel.functions} & PLAIN
    assert called
    return called - found


@pytest.mark.parametrize("case", tuple(forms()), ids=lambda case: case.name)
def test_noise_runs_by_a_kernel_for_grids_or_by_an_instruction(backend: SimdBackend, case: Case) -> None:
    assert arithmetic(backend, case.node, case.values()) == set()


def test_a_function_with_another_definition_is_found_to_run_as_arithmetic(backend: SimdBackend) -> None:
    assert arithmetic(backend, ChangedPerlin(), ()) == {_PERLIN.qualified_name}


@pytest.mark.parametrize("jitter", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("scale", [0.4, 5.0, 60.0])
@pytest.mark.parametrize(("feature", "metric"), DISTANCES)
def test_worley_noise_on_grids_has_the_bits_of_the_definition(
    backend: SimdBackend, feature: CellFeature, metric: Metric, scale: float, jitter: float
) -> None:
    node = Worley(scale=scale, octaves=2, offset_x=-3.7, seed=5, feature=feature, metric=metric, jitter=jitter)
    for shaped in (node, replace(node, dimensions=3, z=-0.25), replace(node, scale=round(scale) + 1.0, tileable=True)):
        job = make_job(shaped, (), EvalContext(resolution=(530, 5)))
        assert_same_bits(definition(job), run_job(backend, job), what=f"{shaped} with {backend.isa.name}")


@pytest.mark.parametrize("width_px", [1, 15, 16, 17, 64, 300])
@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize(("feature", "metric"), DISTANCES)
def test_worley_noise_at_positions_has_the_bits_of_the_definition(
    backend: SimdBackend, feature: CellFeature, metric: Metric, dimensions: int, width_px: int
) -> None:
    rng = np.random.default_rng(width_px)
    special = np.array([np.nan, np.inf, -np.inf, -0.0, 1e-40, 2.0**31, -(2.0**31), 2.0**32, -1e-30], np.float32)
    one_cell = rng.uniform(0.0, 1.0, (8, width_px, dimensions))
    few_cells = rng.uniform(-0.7, 0.7, (8, width_px, dimensions))
    many_cells = rng.uniform(-90.0, 90.0, (8, width_px, dimensions))
    edges = rng.integers(-3, 3, (8, width_px, dimensions))
    mixed = np.where(rng.random((8, width_px, dimensions)) < 0.1, rng.choice(special, one_cell.shape), one_cell)
    positions = np.concatenate([one_cell, few_cells, many_cells, edges, mixed]).astype(np.float32)
    node = WorleyAt(scale=1.0, seed=11, feature=feature, metric=metric)
    for shaped in (node, replace(node, jitter=0.3)):
        job = make_job(shaped, (positions,), EvalContext(resolution=(width_px, len(positions))))
        assert_same_bits(definition(job), run_job(backend, job), what=f"{shaped} with {backend.isa.name}")
