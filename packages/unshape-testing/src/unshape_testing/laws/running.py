"""Evaluating a graph on chosen backends, with a registry that knows no others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import cast

import numpy as np

from unshape_backend.config import Settings
from unshape_backend.executor import BackendNodeExecutor, backend_evaluator
from unshape_backend.identity import BackendId
from unshape_backend.plan.options import PlanOptions
from unshape_backend.plan.plan import Plan
from unshape_backend.policy import AUTO, ExecutionPolicy
from unshape_backend.protocols import ComputeBackend
from unshape_backend.registry import BackendRegistry
from unshape_core.evaluator import LazyEvaluator
from unshape_core.result import EvalResult
from unshape_core.value import Value
from unshape_core.window import Window
from unshape_testing.graphs import GraphCase
from unshape_testing.tolerance import assert_same_bits, assert_within


def registry_of(*backends: ComputeBackend, priorities: Mapping[str, int] | None = None) -> BackendRegistry:
    """Return a registry of the reference and some backends, whatever the environment says.

    Parameters
    ----------
    *backends : ComputeBackend
        Opened ones.
    priorities : mapping of str to int, optional
        By id; what follows from kind and device for others.
    """
    registry = BackendRegistry.with_cpu(settings=Settings())
    for backend in backends:
        registry.register(backend, priority=(priorities or {}).get(backend.id))
    return registry


def evaluator_of(
    registry: BackendRegistry,
    policy: ExecutionPolicy | str = AUTO,
    *,
    options: PlanOptions | None = None,
    is_strict: bool = False,
) -> LazyEvaluator:
    """Return an evaluator on the backends of a registry, with a cache of its own."""
    return backend_evaluator(policy, registry=registry, options=options, strict=is_strict)


def executor_of(evaluator: LazyEvaluator) -> BackendNodeExecutor:
    """Return the executor of an evaluator that :func:`evaluator_of` made."""
    executor = evaluator.executor
    assert isinstance(executor, BackendNodeExecutor)
    return executor


def run_case(evaluator: LazyEvaluator, case: GraphCase, *, window: Window | None = None) -> EvalResult:
    """Evaluate a graph case, with records."""
    ctx = case.ctx if window is None else replace(case.ctx, window=window)
    return evaluator.evaluate(case.graph, case.outputs, ctx, keeps_records=True)


def plan_of(
    registry: BackendRegistry,
    case: GraphCase,
    policy: ExecutionPolicy | str = AUTO,
    *,
    options: PlanOptions | None = None,
) -> Plan:
    """Return the plan of a graph case, without running it."""
    program = evaluator_of(registry, policy, options=options).prepare(case.graph, case.outputs, case.ctx)
    return cast("Plan", program.explanation)


def definition_of(case: GraphCase) -> list[Value]:
    """Return what a graph means: every node by itself, by its definition, on the host."""
    evaluator = evaluator_of(_reference_registry(), options=PlanOptions(is_fusion_enabled=False))
    return values_of(run_case(evaluator, case))


@cache
def _reference_registry() -> BackendRegistry:
    """Return the registry of the reference that results are compared with; it keeps what it prepared."""
    return registry_of()


def values_of(result: EvalResult) -> list[Value]:
    """Return all outputs on the host."""
    return [np.asarray(v) if hasattr(v, "shape") else v for values in result.outputs for v in values]


def assert_means(expected: Sequence[Value], result: EvalResult, *, is_exact: bool = True, what: str) -> None:
    """Assert that a result is what a graph means.

    Parameters
    ----------
    expected : sequence of Value
        From :func:`definition_of`.
    result : EvalResult
        What was computed.
    is_exact : bool
        Whether every backend involved promises bits; else a few ulp are allowed.
    what : str
        Begins the message.
    """
    if is_exact:
        assert_same_bits(expected, values_of(result), what=what)
    else:
        assert_within(expected, values_of(result), ulp=64, absolute=2.0**-16, what=what)


def pins_of(case: GraphCase, nodes: Sequence[int], backend: str) -> PlanOptions:
    """Return options that pin some nodes of a case to a backend."""
    assert set(nodes) <= set(case.graph)
    return PlanOptions(pins={node: BackendId(backend) for node in nodes})
