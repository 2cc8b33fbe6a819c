"""Facts about the processor, as far as NumPy's use of it is concerned."""

from __future__ import annotations

import hashlib
import platform
from pathlib import Path

import numpy as np

from unshape_backend.capabilities import DeviceInfo, Throughput
from unshape_backend.cpu.host_memory import host_memory

NUMPY_THROUGHPUT = Throughput(flops_per_ns=5.0, bytes_per_ns=5.0, launch_ns=20_000)
"""Prior, for one core: expressions of the image and noise nodes on 1024 pixels squared ran at 2 to 23 flops/ns, filters
at 6, those limited by memory at 3 to 14 bytes/ns."""

NUMPY_CALL_NS = 1_200
"""Prior: what each array operation of an expression costs however small the picture is."""

NUMPY_DEFINITION_NS = 40_000
"""Prior: the same for a node that is defined by NumPy code, all of its calls together."""


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
