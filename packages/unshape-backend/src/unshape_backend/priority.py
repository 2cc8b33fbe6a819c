"""Priorities of backends whose registration names none."""

from __future__ import annotations

from unshape_backend.capabilities import BackendCapabilities
from unshape_backend.identity import CPU, CPU_SIMD, GPU

_PRIORITIES = {CPU: 0, CPU_SIMD: 100, GPU: 200}
_OTHER_PRIORITY = 150
_SOFTWARE_PRIORITY = -100


def default_priority(facts: BackendCapabilities) -> int:
    """Return the priority that follows from kind and device; a device played by the CPU comes after the CPU itself."""
    if facts.device.is_software:
        return _SOFTWARE_PRIORITY
    return _PRIORITIES.get(facts.kind, _OTHER_PRIORITY)
