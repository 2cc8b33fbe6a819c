"""Facts about the processor, as far as NumPy's use of it is concerned."""

from __future__ import annotations

import hashlib
import platform
from pathlib import Path

import numpy as np

from unshape_backend.capabilities import DeviceInfo, Throughput
from unshape_backend.cpu.host_memory import host_memory

NUMPY_THROUGHPUT = Throughput(flops_per_ns=1.0, bytes_per_ns=8.0, launch_ns=2_000)
"""Prior: one core, vectorised one operation at a time over tiles in cache, a few calls of a microsecond each."""


def cpu_device() -> DeviceInfo:
    """Return what can be told of the processor without any library."""
    name, vendor = _cpuinfo(Path("/proc/cpuinfo"))
    driver = f"NumPy {np.__version__}"
    facts = "|".join((name, vendor, platform.machine(), platform.system(), driver, platform.python_version()))
    return DeviceInfo(
        name=name,
        api="native",
        vendor=vendor,
        driver=driver,
        fingerprint=f"cpu-{hashlib.sha256(facts.encode()).hexdigest()[:16]}",
        total_memory_bytes=host_memory().total_bytes,
    )


def _cpuinfo(file: Path) -> tuple[str, str]:
    fallback = platform.processor() or platform.machine() or "unknown processor"
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return fallback, "unknown"
    figures: dict[str, str] = {}
    for line in text.splitlines():
        name, _, value = line.partition(":")
        figures.setdefault(name.strip(), value.strip())
    return figures.get("model name", fallback), figures.get("vendor_id", "unknown")
