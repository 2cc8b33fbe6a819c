"""Faults of fusion and of measured choices: whatever was measured, the numbers are the definition's."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from random import Random
from types import MappingProxyType

import numpy as np
import pytest

from unshape_backend.config import Settings
from unshape_backend.measurement import Cell, CellKey, Measurements
from unshape_backend.measurement_store import save_measurements, store_path
from unshape_backend.plan.options import PlanOptions
from unshape_backend.registry import BackendRegistry
from unshape_core import EvalContext, GraphInput
from unshape_core.value_type import TEXTURE
from unshape_testing.fake import FakeBackend
from unshape_testing.graphs import GraphCase, chain
from unshape_testing.laws.running import definition_of, evaluator_of, plan_of, registry_of, run_case, values_of
from unshape_testing.nodes import BoxMean, Flip, Gain, Ramp, Wobble
from unshape_testing.tolerance import assert_same_bits


def random_chain(seed: int) -> GraphCase:
    random = Random(seed)
    makers = (lambda: Gain(random.choice([0.5, 3.0]), 0.1), lambda: BoxMean(1), Flip, lambda: Wobble(0.1))
    nodes = [Ramp(1.0), *(random.choice(makers)() for _ in range(random.randint(1, 7)))]
    return chain(nodes, ctx=EvalContext(resolution=(13, 7)))


def measured(registry: BackendRegistry, case: GraphCase, options: PlanOptions, *, winner: str) -> Measurements:
    """Return times of which the winner's are the least for everything in the plan."""
    cells = {}
    for step in plan_of(registry, case, options=options).tasks:
        task = step.wired.task
        for entry in registry.snapshot().entries:
            key = CellKey.of(task, entry.capabilities.device.fingerprint)
            cells[key] = Cell(elements=task.workload.elements, ns=1 if entry.id == winner else 10**9)
    return Measurements(cells=MappingProxyType(cells))


@pytest.mark.parametrize("seed", range(12))
def test_fused_and_tuned_together_give_the_definition_cold_and_warm(seed: int) -> None:
    case = random_chain(seed)
    expected = definition_of(case)
    for is_fused in (False, True):
        options = PlanOptions(is_fusion_enabled=is_fused)
        for winner in (None, "cpu", "gpu"):
            registry = registry_of(FakeBackend("gpu", cost=20_000, link_ns=1))
            if winner is not None:
                registry.set_measurements(measured(registry, case, options, winner=winner))
            evaluator = evaluator_of(registry, options=options)
            for temperature in ("cold", "warm"):
                what = f"fused={is_fused} winner={winner} {temperature}"
                assert_same_bits(expected, values_of(run_case(evaluator, case)), what=what)


def test_a_winner_of_one_layout_runs_another_of_its_size_class_right() -> None:
    case = chain([Ramp(1.0)])
    graph = case.graph
    source, blur = graph.add_node(GraphInput("photo", TEXTURE)), graph.add_node(BoxMean(1))
    graph.connect(source, 0, blur, 0)
    base = np.random.default_rng(0).random((40, 60, 1), np.float32)
    square = base[:20, :20]
    layouts = [base[::2, ::3], square.swapaxes(0, 1), square[::-1], np.broadcast_to(square[:1], (20, 20, 1))]
    options = PlanOptions()
    for index, layout in enumerate(layouts):
        at = GraphCase(
            name=f"layout {index}",
            graph=graph,
            outputs=(blur,),
            ctx=EvalContext(resolution=(20, 20), inputs={"photo": layout}),
        )
        plain = replace(at, ctx=replace(at.ctx, inputs={"photo": np.array(layout, order="C")}))
        registry = registry_of(FakeBackend("gpu", cost=20_000, link_ns=1))
        registry.set_measurements(measured(registry, plain, options, winner="gpu"))
        assert_same_bits(definition_of(plain), values_of(run_case(evaluator_of(registry), at)), what=at.name)


def test_a_first_small_evaluation_measures_nothing(tmp_path: Path) -> None:
    fake = FakeBackend("gpu", cost=200_000)
    registry = BackendRegistry.with_cpu(settings=Settings(cache_dir=tmp_path / "cache"))
    registry.register(fake)
    case = chain([Ramp(1.0), Gain(2.0)], ctx=EvalContext(resolution=(8, 8)))
    run_case(evaluator_of(registry), case)
    assert 0 == fake.count("run") == fake.count("compile") == fake.count("upload")
    assert not (tmp_path / "cache").exists()


def test_a_measurement_of_another_driver_or_a_damaged_file_changes_no_result(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = Settings(cache_dir=tmp_path, backends=("cpu",))
    case = chain([Ramp(1.0), BoxMean(1), Gain(2.0)])
    expected = definition_of(case)

    def fresh() -> BackendRegistry:
        registry = BackendRegistry.with_defaults(settings=settings)
        registry.register(FakeBackend("fake", cost=20_000))
        return registry

    first = fresh()
    kept = measured(first, case, PlanOptions(), winner="fake")
    aged = {replace(key, fingerprint=key.fingerprint + " of an older driver"): cell for key, cell in kept.cells.items()}
    save_measurements(Measurements(cells=MappingProxyType(aged)), settings)
    registry = fresh()
    assert_same_bits(expected, values_of(run_case(evaluator_of(registry), case)))
    assert {"cpu"} == {step.backend for step in plan_of(registry, case).tasks}
    file = store_path(settings)
    file.write_bytes(file.read_bytes()[:-20])
    with caplog.at_level(logging.WARNING):
        registry = fresh()
        for _ in range(3):
            assert_same_bits(expected, values_of(run_case(evaluator_of(registry), case)))
    assert 1 == len([record for record in caplog.records if str(file) in record.getMessage()])
