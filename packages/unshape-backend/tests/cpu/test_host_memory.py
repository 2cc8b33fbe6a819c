from __future__ import annotations

import os
from pathlib import Path

import pytest

from unshape_backend.cpu.host_memory import host_memory
from unshape_backend.protocols import MemoryInfo

_MEMINFO = "MemTotal:       1000 kB\nMemFree:         100 kB\nMemAvailable:    400 kB\n"


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    (tmp_path / "meminfo").write_text(_MEMINFO)
    (tmp_path / "groups").mkdir()
    (tmp_path / "cgroup").write_text("0::/\n")
    return tmp_path


def _ask(machine: Path) -> MemoryInfo:
    return host_memory(meminfo=machine / "meminfo", group_of_process=machine / "cgroup", groups=machine / "groups")


def _limit(folder: Path, limit: str, used: int, *, version: int = 2) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    names = ("memory.max", "memory.current") if version == 2 else ("memory.limit_in_bytes", "memory.usage_in_bytes")
    (folder / names[0]).write_text(f"{limit}\n")
    (folder / names[1]).write_text(f"{used}\n")


def test_without_a_control_group_the_machine_counts(machine: Path) -> None:
    assert _ask(machine) == MemoryInfo(total_bytes=1_024_000, used_bytes=614_400, available_bytes=409_600)


def test_a_control_group_without_a_limit_changes_nothing(machine: Path) -> None:
    _limit(machine / "groups", "max", 1)
    assert _ask(machine).total_bytes == 1_024_000


@pytest.mark.parametrize("version", [1, 2])
def test_the_limit_of_a_control_group_counts_where_it_is_smaller(machine: Path, version: int) -> None:
    root = machine / "groups" / "memory" if version == 1 else machine / "groups"
    (machine / "cgroup").write_text("5:cpu,memory:/job\n" if version == 1 else "0::/job\n")
    _limit(root / "job", "5000", 2000, version=version)
    assert _ask(machine) == MemoryInfo(total_bytes=5000, used_bytes=2000, available_bytes=3000)


def test_the_limit_of_an_outer_group_counts_too(machine: Path) -> None:
    (machine / "cgroup").write_text("0::/outer/inner\n")
    _limit(machine / "groups" / "outer" / "inner", "6000", 100)
    _limit(machine / "groups" / "outer", "5000", 4900)
    assert _ask(machine) == MemoryInfo(total_bytes=5000, used_bytes=4900, available_bytes=100)


def test_a_path_that_a_container_cannot_see_leaves_the_root_group(machine: Path) -> None:
    (machine / "cgroup").write_text("0::/docker/0123\n")
    _limit(machine / "groups", "7000", 0)
    assert _ask(machine).total_bytes == 7000


def test_what_the_system_does_not_tell_is_unknown_and_never_zero(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_sysconf(name: str) -> int:
        raise ValueError(name)

    monkeypatch.setattr(os, "sysconf", no_sysconf)
    info = _ask(tmp_path)
    assert (info.total_bytes, info.available_bytes) == (None, None)


def test_this_machine_has_memory() -> None:
    total = host_memory().total_bytes
    assert total is None or total > 2**20
