"""Passed self-tests are kept between processes, and what is kept wrongly is not believed."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from unshape_gpu import self_test_store
from unshape_gpu.adapters import find_candidates
from unshape_gpu.arithmetic import Arithmetic, Shielding
from unshape_gpu.backend import GpuComputeBackend
from unshape_gpu.device import GpuContext
from unshape_gpu.self_test import SelfTest
from unshape_gpu.self_test_store import FILE_NAME, MOST_RESULTS, SelfTestStore, key_of

WAY = Arithmetic(shielding=Shielding.SUMS, corrects_division=True, corrects_root=False)
PASSED = SelfTest(arithmetic=WAY, nearest=WAY, keeps_denormals=False, detail="fine")
FAILED = replace(PASSED, arithmetic=None)


def test_what_was_passed_is_known_after_a_restart(tmp_path: Path) -> None:
    SelfTestStore(tmp_path / "new").save("a", PASSED)
    found = SelfTestStore(tmp_path / "new").load("a")
    assert found is not None
    assert replace(found, detail="fine") == PASSED
    assert "earlier opening" in found.detail
    assert SelfTestStore(tmp_path / "new").load("b") is None


def test_what_failed_is_tested_again(tmp_path: Path) -> None:
    SelfTestStore(tmp_path).save("a", FAILED)
    assert SelfTestStore(tmp_path).load("a") is None


def test_the_oldest_results_go(tmp_path: Path) -> None:
    store = SelfTestStore(tmp_path)
    for number in range(MOST_RESULTS + 3):
        store.save(str(number), PASSED)
    kept = json.loads((tmp_path / FILE_NAME).read_text())["passed"]
    assert [str(number) for number in range(3, MOST_RESULTS + 3)] == list(kept)


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def _foreign(path: Path) -> None:
    path.write_text('{"version": 999, "passed": {}}')


def _list(path: Path) -> None:
    path.write_text('{"version": 1, "passed": []}')


def _other_way(path: Path) -> None:
    path.write_text(path.read_text().replace('"sums"', '"unheard of"'))


def _number(path: Path) -> None:
    path.write_text(path.read_text().replace('"keeps_denormals": false', '"keeps_denormals": 1'))


def _huge(path: Path) -> None:
    path.write_bytes(b" " * (1 << 21))


@pytest.mark.parametrize(
    "damage", [_truncate, _foreign, _list, _other_way, _number, _huge], ids=lambda damage: damage.__name__[1:]
)
def test_a_damaged_file_costs_one_warning_and_is_made_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: Callable[[Path], None]
) -> None:
    SelfTestStore(tmp_path).save("a", PASSED)
    damage(tmp_path / FILE_NAME)
    store = SelfTestStore(tmp_path)
    with caplog.at_level(logging.WARNING, logger="unshape_gpu"):
        assert store.load("a") is None
        store.save("a", PASSED)
    assert len(caplog.records) == 1
    assert SelfTestStore(tmp_path).load("a") is not None


def test_a_folder_that_cannot_be_made_costs_one_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    store = SelfTestStore(tmp_path / "file" / "below")
    with caplog.at_level(logging.WARNING, logger="unshape_gpu"):
        assert store.load("a") is None
        store.save("a", PASSED)
    assert len(caplog.records) == 1


def test_another_driver_or_other_sources_are_another_result(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key_of(["card", "driver 1"])
    assert before == key_of(["card", "driver 1"])
    assert before != key_of(["card", "driver 2"])
    monkeypatch.setattr(self_test_store, "_SOURCES", ("unshape_gpu",))
    self_test_store._revision.cache_clear()
    try:
        assert before != key_of(["card", "driver 1"])
    finally:
        self_test_store._revision.cache_clear()


def test_a_second_opening_compiles_nothing_and_claims_the_same(gpu: GpuComputeBackend, unshape_cache_dir: Path) -> None:
    (candidate, *_) = find_candidates()
    first, second = GpuContext(candidate, 0), GpuContext(candidate, 0)
    assert (unshape_cache_dir / FILE_NAME).exists() == first.is_exact
    assert first.compilations > 0
    assert (0 if first.is_exact else first.compilations) == second.compilations
    assert (first.exact, first.features, first.info) == (second.exact, second.features, second.info)
    assert gpu.context.exact == second.exact
