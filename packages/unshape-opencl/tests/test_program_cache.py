"""Compiled programs: once for each structure, again after a restart, anew where a file cannot be used."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from unshape_backend.config import Settings
from unshape_core.context import EvalContext
from unshape_opencl import device, opening, program_cache
from unshape_opencl.backend import OpenClBackend
from unshape_opencl.discovery import list_devices, open_device
from unshape_opencl.program_cache import ProgramCache
from unshape_testing.nodes import Gain
from unshape_testing.tasks import make_job, run_job

PICTURE = np.arange(12, dtype=np.float32).reshape(3, 4, 1)


def _run(folder: Path, *, gain: float = 2.0) -> int:
    """Open a backend, run a node, check the result, and return how many programs were compiled."""
    backend = open_device(list_devices()[0], settings=Settings(cache_dir=folder))
    compiled = _use(backend, gain)
    backend.close()
    return compiled


def _use(backend: OpenClBackend, gain: float) -> int:
    job = make_job(Gain(gain, 1.0), (PICTURE,), EvalContext(resolution=(4, 3)))
    (result,) = run_job(backend, job)
    np.testing.assert_array_equal(PICTURE * np.float32(gain) + np.float32(1.0), np.asarray(result))
    return backend.compilations


def test_a_slider_compiles_nothing(tmp_path: Path) -> None:
    backend = open_device(list_devices()[0], settings=Settings(cache_dir=tmp_path))
    once = _use(backend, 2.0)
    assert once == _use(backend, 3.0) == _use(backend, -0.5)
    backend.close()


def test_a_restart_compiles_nothing(tmp_path: Path) -> None:
    assert _run(tmp_path) > 0
    assert 0 == _run(tmp_path)


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-100] ^= 1
    path.write_bytes(bytes(content))


def _foreign(path: Path) -> None:
    path.write_bytes(b"unshape-opencl-program\x002" + path.read_bytes()[24:])


@pytest.mark.parametrize("damage", [_truncate, _empty, _flip, _foreign], ids=lambda damage: damage.__name__[1:])
def test_damaged_files_cost_one_warning_and_are_made_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: Callable[[Path], None]
) -> None:
    compiled = _run(tmp_path)
    files = list(tmp_path.rglob("*.clbin"))
    assert compiled == len(files) >= 2
    for path in files:
        damage(path)
    with caplog.at_level(logging.WARNING, logger="unshape_opencl"):
        assert compiled == _run(tmp_path)
    assert 1 == len(caplog.records), "several damaged files cost one warning"
    assert 0 == _run(tmp_path)


def test_a_file_that_the_driver_does_not_take_is_made_anew(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    _run(tmp_path)
    cache = ProgramCache(tmp_path / "opencl", "any")
    for path in tmp_path.rglob("*.clbin"):
        cache.save(path.name, b"no program at all")
    with caplog.at_level(logging.WARNING, logger="unshape_opencl"):
        assert _run(tmp_path) > 0
    assert 1 == len(caplog.records)


def test_another_driver_finds_nothing_of_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = _run(tmp_path)
    monkeypatch.setattr(opening, "fingerprint", lambda _: "opencl-of-tomorrow")
    monkeypatch.setattr(device, "fingerprint", lambda _: "opencl-of-tomorrow")
    assert compiled == _run(tmp_path)


def test_a_folder_that_cannot_be_made_costs_one_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_bytes(b"")
    with caplog.at_level(logging.WARNING, logger="unshape_opencl"):
        assert _run(tmp_path / "file") > 0
    assert 1 == len(caplog.records)


def _save(folder: Path, names: range) -> set[str]:
    """Save programs of 1000 bytes by a cache of their own, and return the names of those that are left."""
    cache = ProgramCache(folder, "any")
    for number in names:
        cache.save(f"{number}.clbin", bytes([number]) * 1000)
        os.utime(folder / f"{number}.clbin", ns=(number, number))
    return {path.stem for path in folder.glob("*.clbin")}


def test_the_oldest_programs_go_when_a_process_writes_its_first_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_cache, "MAX_BYTES", 2500)
    assert 5 == len(_save(tmp_path, range(5)))
    assert {"4", "5"} == _save(tmp_path, range(5, 6))


def test_a_process_that_writes_many_programs_keeps_the_folder_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_cache, "MAX_BYTES", 5000)
    monkeypatch.setattr(program_cache, "TIDY_BYTES", 2000)
    left = _save(tmp_path, range(100))
    assert "99" in left
    assert len(left) <= 6
