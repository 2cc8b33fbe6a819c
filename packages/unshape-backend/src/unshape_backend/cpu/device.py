"""Facts about the processor, as far as NumPy's use of it is concerned."""

from __future__ import annotations

import hashlib
import platform
from pathlib import Path

import numpy as np

from unshape_backend.capabilities import DeviceInfo, Throughput
from unshape_backend.cpu.host_memory import host_memory

NUMPY_THROUGHPUT = Throughput(flops_per_ns=2.0, bytes_per_ns=5.0, launch_ns=10_000)
"""Prior, for one core: expressions of the image and noise nodes on 64 to 1024 pixels squared ran at 0.4 to 9 flops/ns,
those limited by memory at 2 to 4 bytes/ns, and the smallest took some tens of microseconds."""


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
