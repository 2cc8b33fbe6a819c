"""How much memory this process may use, asked of the operating system.

A control group (a container, a batch job) often allows less than the machine has; the smaller of the two counts.
"""

from __future__ import annotations

import os
from pathlib import Path

from unshape_backend.protocols import MemoryInfo

_MEMINFO = Path("/proc/meminfo")
_GROUP_OF_PROCESS = Path("/proc/self/cgroup")
_GROUPS = Path("/sys/fs/cgroup")


def host_memory(
    *, meminfo: Path = _MEMINFO, group_of_process: Path = _GROUP_OF_PROCESS, groups: Path = _GROUPS
) -> MemoryInfo:
    """Return total, used and available bytes.

    Parameters
    ----------
    meminfo, group_of_process, groups : Path
        Where the kernel tells; other ones for tests.

    Returns
    -------
    MemoryInfo
        With None for what the system does not tell.
    """
    total, available = _machine(meminfo)
    for limit, used in _limits(group_of_process, groups):
        if total is None or limit < total:
            total = limit
        left = max(0, limit - used)
        available = left if available is None else min(available, left)
    used = 0 if total is None or available is None else total - available
    return MemoryInfo(total_bytes=total, used_bytes=max(0, used), available_bytes=available)


def _machine(meminfo: Path) -> tuple[int | None, int | None]:
    try:
        lines = meminfo.read_text(encoding="ascii").splitlines()
    except OSError:
        return _physical_bytes(), None
    figures = {name: rest.split() for name, _, rest in (line.partition(":") for line in lines)}
    return _kibibytes(figures.get("MemTotal")), _kibibytes(figures.get("MemAvailable"))


def _kibibytes(words: list[str] | None) -> int | None:
    return int(words[0]) * 1024 if words and words[0].isdigit() else None


def _physical_bytes() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _limits(group_of_process: Path, groups: Path) -> list[tuple[int, int]]:
    """Return limit and use of every control group that holds this process."""
    try:
        lines = group_of_process.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers == "":
            root, limit, used = groups, "memory.max", "memory.current"
        elif "memory" in controllers.split(","):
            root, limit, used = groups / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
        else:
            continue
        inner = root / path.strip("/")
        # inside a container the path is often that of the host, so only the root of the hierarchy is visible
        for folder in [inner, *inner.parents]:
            pair = _number(folder / limit), _number(folder / used)
            if pair[0] is not None and pair[1] is not None:
                found.append((pair[0], pair[1]))
            if folder == root:
                break
    return found


def _number(file: Path) -> int | None:
    try:
        text = file.read_text(encoding="ascii").strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None
