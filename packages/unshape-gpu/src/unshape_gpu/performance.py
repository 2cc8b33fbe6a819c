"""How fast a device is taken to be before anything is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unshape_backend.capabilities import Link, Throughput, TransferPath
from unshape_core.memory_space import HOST

if TYPE_CHECKING:
    from unshape_gpu.device import GpuContext

_SOFTWARE = Throughput(flops_per_ns=4.0, bytes_per_ns=4.0, launch_ns=300_000)
_HARDWARE = Throughput(flops_per_ns=2_000.0, bytes_per_ns=200.0, launch_ns=90_000)
"""A small discrete GPU; launching an empty kernel and waiting for it took about 100 us on the one that was measured."""


def throughput_of(context: GpuContext) -> Throughput:
    """Return the prior of a device."""
    return _SOFTWARE if context.info.is_software else _HARDWARE


def links_of(context: GpuContext) -> tuple[Link, ...]:
    """Return the ways from and to host memory; both go through staging memory."""
    latency_ns, up, down = (200_000, 2.0, 2.0) if context.info.is_software else (100_000, 10.0, 8.0)
    return (
        Link(source=HOST, target=context.space, path=TransferPath.HOST_STAGING, latency_ns=latency_ns, bytes_per_ns=up),
        Link(
            source=context.space, target=HOST, path=TransferPath.HOST_STAGING, latency_ns=latency_ns, bytes_per_ns=down
        ),
    )
