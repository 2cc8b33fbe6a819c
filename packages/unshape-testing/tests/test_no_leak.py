"""What counts as a leak."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from unshape_testing.laws.expect import WARM_UP_RUNS, assert_no_leak

UNIT_BYTES = 50_000


class _Work:
    """Keeps so many bytes in each run that ``keeps`` says so of, counted without those that warm up."""

    def __init__(self, keeps: Callable[[int], bool], nbytes: int = UNIT_BYTES) -> None:
        self.runs = -WARM_UP_RUNS
        self.kept: list[bytearray] = []
        self._keeps, self._nbytes = keeps, nbytes

    def __call__(self) -> None:
        if self._keeps(self.runs):
            self.kept.append(bytearray(self._nbytes))
        self.runs += 1


def _check(work: Callable[[], None], runs: int = 100) -> None:
    assert_no_leak(work, runs=runs, unit_bytes=UNIT_BYTES, held=lambda: 0)


@pytest.mark.parametrize("run", [0, 7, 50, 99])
def test_a_table_that_grows_once_is_no_leak(run: int) -> None:
    work = _Work(lambda k: k == run, nbytes=20 * 2**20)
    _check(work)
    assert len(work.kept) == 1


@pytest.mark.parametrize("every", [1, 2, 5])
@pytest.mark.parametrize("runs", [20, 100])
def test_what_is_kept_again_and_again_is_a_leak(every: int, runs: int) -> None:
    with pytest.raises(AssertionError, match="the host grew by"):
        _check(_Work(lambda k: k % every == 0), runs=runs)


def test_a_device_that_holds_more_is_a_leak() -> None:
    work = _Work(lambda _: True, nbytes=1)
    with pytest.raises(AssertionError, match="the device held 3 bytes before 100 runs and 103 after"):
        assert_no_leak(work, runs=100, unit_bytes=UNIT_BYTES, held=lambda: len(work.kept))
