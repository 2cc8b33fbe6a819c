"""The twins of laws 1 to 19: for each check of a backend, one that it must fail on.

A twin names its law, its fault and the check; what the check gets is a right backend that was spoilt in that one place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from unshape_backend.case import Case
from unshape_backend.protocols import ComputeBackend
from unshape_core.context import EvalContext
from unshape_testing.laws import capabilities, lifecycle, memory, numbers, timing
from unshape_testing.laws.expect import picture
from unshape_testing.nodes import Gain
from unshape_testing.own_cases import node_cases
from unshape_testing.sabotage import lifecycle_faults as opening
from unshape_testing.sabotage import memory_faults as moving
from unshape_testing.sabotage import number_faults as wrong
from unshape_testing.special_cases import size_cases, special_cases
from unshape_testing.strategies import Layout

Open = Callable[[], ComputeBackend]
Spoil = Callable[[ComputeBackend], ComputeBackend]


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin:
    """A fault that a check must notice.

    Parameters
    ----------
    law : int
        The law that is broken.
    spoil : callable
        Returns a wrong backend, given a right one.
    check : callable
        Must pass for a function that opens right backends, and fail for one that opens spoilt ones.
    backend : str
        What is spoilt: ``"loopback"`` or ``"cpu"``, where a fault needs host memory to show.
    """

    law: int
    spoil: Spoil
    check: Callable[[Open], None]
    backend: str = "loopback"

    @property
    def name(self) -> str:
        """Law and fault, for reports."""
        return f"{self.law:02d}-{getattr(self.spoil, '__name__', 'fault')}-on-{self.backend}"


def _on(check: Callable[[ComputeBackend], None]) -> Callable[[Open], None]:
    """Return a check of one backend as a check of whoever opens one."""
    return lambda open_backend: check(open_backend())


def _of_cases(check: Callable[[ComputeBackend, Case], None], *names: str) -> Callable[[Open], None]:
    """Return a check of cases that begin with one of some names as a check of whoever opens a backend."""
    cases = [c for c in (*node_cases(), *special_cases(), *size_cases()) if c.name.startswith(names)]
    assert cases

    def run(open_backend: Open) -> None:
        backend = open_backend()
        for case in cases:
            check(backend, case)

    return run


def _parameters(backend: ComputeBackend) -> None:
    ctx = EvalContext(resolution=(5, 4))
    numbers.check_parameters_are_not_compiled_in(backend, Gain(2.0), Gain(3.0), (picture(4, 5, 3),), ctx)


def _leaks_when_opened(open_backend: Open) -> None:
    lifecycle.check_leaks_nothing_when_opened_often(open_backend, runs=20)


TWINS: tuple[Twin, ...] = (
    Twin(law=1, spoil=opening.OpensWithoutWorking, check=lifecycle.check_opens_and_runs),
    Twin(law=1, spoil=opening.ClosesTheOther, check=lifecycle.check_opens_twice),
    Twin(law=1, spoil=opening.NeverCloses, check=lifecycle.check_is_closed_after_close),
    Twin(law=2, spoil=opening.FabricatesValues, check=_on(lifecycle.check_refuses_foreign_values)),
    Twin(law=2, spoil=opening.IgnoresSizes, check=_on(lifecycle.check_refuses_wrong_inputs)),
    Twin(law=3, spoil=opening.TakesMemoryForNothing, check=_on(lifecycle.check_does_nothing_for_zero_elements)),
    Twin(law=4, spoil=opening.Leaks, check=_on(lifecycle.check_leaks_nothing_in_runs)),
    Twin(law=4, spoil=opening.Leaks, check=_on(lifecycle.check_leaks_nothing_in_runs), backend="cpu"),
    Twin(law=4, spoil=opening.LeaksWhenFailing, check=_on(lifecycle.check_leaks_nothing_in_failing_runs)),
    Twin(law=4, spoil=opening.LeaksWhenOpened, check=_leaks_when_opened),
    Twin(law=4, spoil=moving.ForgetsItsMemory, check=_on(memory.check_memory_follows_use)),
    Twin(law=5, spoil=opening.ClaimsEverything, check=_on(capabilities.check_refuses_a_node_without_meaning)),
    Twin(law=6, spoil=opening.Contracts, check=_on(capabilities.check_exact_arithmetic)),
    Twin(law=6, spoil=opening.FlushesDenormals, check=_on(capabilities.check_denormals)),
    Twin(law=6, spoil=opening.ComputesFloat64InFloat32, check=_on(capabilities.check_float64)),
    Twin(law=6, spoil=opening.TellsWrongTimes, check=_on(timing.check_device_times)),
    Twin(law=6, spoil=opening.TellsNoTimes, check=_on(timing.check_device_times), backend="cpu"),
    Twin(law=6, spoil=opening.TellsTimesWithoutClaim, check=_on(timing.check_device_times), backend="cpu"),
    Twin(law=8, spoil=wrong.OneUlpOff, check=_of_cases(numbers.check_equals_definition, "Gain")),
    Twin(law=8, spoil=wrong.ForgetsAnOutput, check=_of_cases(numbers.check_equals_definition, "Split")),
    Twin(law=8, spoil=opening.OpensWithoutWorking, check=_of_cases(numbers.check_fast_is_within_its_bound, "Gain")),
    Twin(law=8, spoil=wrong.KeepsParameters, check=_on(_parameters)),
    Twin(law=9, spoil=wrong.LosesNaN, check=_of_cases(numbers.check_equals_definition, "special/min")),
    Twin(law=9, spoil=wrong.LosesTheSignOfZero, check=_of_cases(numbers.check_equals_definition, "special/neg")),
    Twin(law=9, spoil=opening.FlushesDenormals, check=_of_cases(numbers.check_equals_definition, "special/abs")),
    Twin(law=9, spoil=wrong.FlushesTooMuch, check=_of_cases(numbers.check_equals_definition, "special/abs")),
    Twin(law=10, spoil=wrong.WrongAtTheEdge, check=_of_cases(numbers.check_equals_definition, "size/")),
    Twin(law=11, spoil=wrong.IgnoresStrides, check=_on(lambda b: memory.check_layout(b, Layout.STRIDED))),
    Twin(law=11, spoil=wrong.IgnoresByteOrder, check=_on(lambda b: memory.check_layout(b, Layout.BIG_ENDIAN))),
    Twin(law=11, spoil=moving.ReturnsTheUpload, check=_on(lambda b: memory.check_layout(b, Layout.PLAIN))),
    Twin(law=11, spoil=wrong.ChangesItsInput, check=_of_cases(numbers.check_layouts, "Gain"), backend="cpu"),
    Twin(law=11, spoil=wrong.ReturnsItsInput, check=_of_cases(numbers.check_layouts, "Merge/mix"), backend="cpu"),
    Twin(law=11, spoil=wrong.ChangesItsInput, check=_of_cases(numbers.check_outputs_are_values_of_their_own, "Gain")),
    Twin(law=11, spoil=wrong.ReusesItsOutput, check=_of_cases(numbers.check_outputs_are_values_of_their_own, "Gain")),
    Twin(law=12, spoil=wrong.StaleOnceInAWhile, check=_of_cases(numbers.check_repeatable, "Gain")),
    Twin(law=12, spoil=wrong.SharesScratchBetweenThreads, check=_of_cases(numbers.check_repeatable, "Gain")),
    Twin(law=13, spoil=wrong.CountsPixelsFromTheWindow, check=_of_cases(numbers.check_windows, "Ramp")),
    Twin(law=15, spoil=moving.LosesTheTail, check=_on(lambda b: memory.check_round_trip(b, "uint8"))),
    Twin(law=15, spoil=moving.NarrowsNumbers, check=_on(lambda b: memory.check_round_trip(b, "float64"))),
    Twin(law=16, spoil=wrong.TakesHostArrays, check=_on(memory.check_sharing)),
    Twin(law=17, spoil=moving.UploadsLate, check=_on(memory.check_upload_is_a_copy)),
    Twin(law=17, spoil=moving.WritesPastTheEnd, check=_on(memory.check_stays_within_its_buffers)),
    Twin(law=19, spoil=moving.ReadsUnknownMemoryAsZero, check=_on(memory.check_memory_answers)),
)
