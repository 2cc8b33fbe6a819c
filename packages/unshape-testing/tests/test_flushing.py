"""Arithmetic without subnormal numbers: that of the processor, and what a device that has none is held to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeGuard

import numpy as np
import numpy.typing as npt
import pytest

from unshape_backend.capabilities import BackendCapabilities, Feature
from unshape_backend.case import Case
from unshape_backend.cpu.backend import CpuBackend
from unshape_backend.protocols import CompiledTask
from unshape_backend.task import Task
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_core.value import Value
from unshape_testing.flushing import WAYS, Flushing, can_flush, each_way, flushing
from unshape_testing.laws.numbers import check_equals_definition
from unshape_testing.sabotage.wrapped import WrappedBackend
from unshape_testing.special_cases import special_cases

pytestmark = pytest.mark.skipif(not can_flush(), reason="the processor cannot be asked to flush here")

CASES = list(special_cases())
TINY = np.full(33, 2.0**-130, np.float32)
SMALL = np.full(33, 2.0**-70, np.float32)
LARGE = np.float32(2.0**20)


class Flushes(WrappedBackend):
    """A device without subnormal numbers, and that says so."""

    how = WAYS[-1]

    @property
    def capabilities(self) -> BackendCapabilities:
        facts = self.inner.capabilities
        return replace(facts, features=facts.features - {Feature.DENORMALS})

    def run(
        self, task: Task, compiled: CompiledTask, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext
    ) -> tuple[Value, ...]:
        with flushing(self.how):
            return super().run(task, compiled, nodes, inputs, ctx)


class FlushesWithOtherNans(Flushes):
    """The same device, whose NaN have other bits than this processor's."""

    def run(
        self, task: Task, compiled: CompiledTask, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext
    ) -> tuple[Value, ...]:
        outputs = super().run(task, compiled, nodes, inputs, ctx)
        other = np.array(0x7FFFFFFF, np.uint32).view(np.float32)
        return tuple(np.where(np.isnan(each), other, each) if is_picture(each) else each for each in outputs)


def is_picture(value: Value) -> TypeGuard[npt.NDArray[np.float32]]:
    return isinstance(value, np.ndarray) and value.dtype == np.float32


class FlushesSilently(Flushes):
    """The same device, that claims DENORMALS all the same."""

    @property
    def capabilities(self) -> BackendCapabilities:
        return self.inner.capabilities


@pytest.mark.parametrize(
    ("how", "of_operand", "of_result"),
    [
        (Flushing(False, True), 2.0**-110, 0.0),
        (Flushing(True, False), 0.0, 2.0**-140),
        (Flushing(True, True), 0.0, 0.0),
    ],
)
def test_operands_and_results_are_flushed_as_asked(how: Flushing, of_operand: float, of_result: float) -> None:
    with flushing(how):
        operand, result = TINY * LARGE, SMALL * SMALL
    assert (of_operand, of_result) == (operand[0], result[0])


def test_numbers_are_as_before_afterwards() -> None:
    each_way(lambda: TINY * LARGE)
    assert (TINY * LARGE)[0] == 2.0**-110


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("device", [Flushes, FlushesWithOtherNans])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_device_without_subnormal_numbers_keeps_the_laws(case: Case, device: type[Flushes], how: Flushing) -> None:
    backend = device(CpuBackend())
    backend.how = how
    check_equals_definition(backend, case)


def test_there_are_cases_that_subnormal_numbers_change() -> None:
    """The twin: the same device is found out where it claims to have them."""

    def is_found_out(case: Case) -> bool:
        try:
            check_equals_definition(FlushesSilently(CpuBackend()), case)
        except AssertionError:
            return True
        return False

    assert sum(map(is_found_out, CASES)) > len(CASES) // 4
