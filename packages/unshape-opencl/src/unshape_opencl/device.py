"""Facts of an OpenCL device, read from its driver."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from importlib.metadata import version

import pyopencl as cl

from unshape_backend.capabilities import (
    BackendCapabilities,
    DeviceInfo,
    DeviceLimits,
    Feature,
    Link,
    Throughput,
    TransferPath,
)
from unshape_backend.identity import CPU, GPU, BackendId
from unshape_core.memory_space import HOST, MemorySpace

SUBSTRATE = "opencl"
LANES_OF_CPU = 8
LANES_OF_GPU = 1
"""Pixels that a value holds: compilers for CPUs make vectors of eight; GPUs have a work-item for each, if in doubt."""
_BUDGET_OF_SHARED = 0.5
_BUDGET_OF_OWN = 0.95
_LANES_OF_CORE = 128
"""Arithmetic lanes of a compute unit of today's GPUs, for a prior."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What a device showed in its self-test.

    Parameters
    ----------
    is_exact : bool
        Whether arithmetic has the bits of the definition.
    has_denormals : bool
        Whether subnormal numbers survive.
    shares_memory : bool
        Whether a kernel and the host see each other's writes in host memory, without a copy.
    has_timestamps : bool
        Whether the device says when kernels start and end.
    """

    is_exact: bool
    has_denormals: bool
    shares_memory: bool
    has_timestamps: bool


def is_cpu(device: cl.Device) -> bool:
    """Return whether a CPU plays the device."""
    return bool(device.type & cl.device_type.CPU)


def is_correctly_rounded(device: cl.Device) -> bool:
    """Return whether the device can round quotients and square roots correctly."""
    return bool(device.single_fp_config & cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT)


def fingerprint(device: cl.Device) -> str:
    """Return what changes whenever compiled code or measurements become stale."""
    facts = (
        device.platform.name,
        device.platform.version,
        device.vendor,
        device.name,
        device.version,
        device.driver_version,
        version("pyopencl"),
    )
    return f"opencl-{blake2b('|'.join(facts).encode(), digest_size=8).hexdigest()}"


def device_info(device: cl.Device) -> DeviceInfo:
    """Return which device it is."""
    return DeviceInfo(
        name=device.name.strip(),
        api="opencl",
        vendor=device.vendor.strip(),
        driver=f"{device.platform.name.strip()} {device.driver_version.strip()}",
        fingerprint=fingerprint(device),
        total_memory_bytes=device.global_mem_size or None,
        is_software=is_cpu(device),
    )


def device_limits(device: cl.Device) -> DeviceLimits:
    """Return what the device cannot exceed.

    Each array is an argument of 8 bytes, and one argument is needed for parameters.
    """
    share = _BUDGET_OF_SHARED if is_cpu(device) else _BUDGET_OF_OWN
    sizes = [*device.max_work_item_sizes, 1, 1, 1][:3]
    return DeviceLimits(
        max_workgroup_size=device.max_work_group_size,
        max_workgroup_shape=(sizes[0], sizes[1], sizes[2]),
        shared_memory_bytes=device.local_mem_size or None,
        max_buffer_bytes=device.max_mem_alloc_size,
        max_binding_bytes=device.max_mem_alloc_size,
        max_bindings=device.max_parameter_size // 8 - 2,
        alignment_bytes=device.mem_base_addr_align // 8,
        memory_budget_bytes=int(device.global_mem_size * share) or None,
    )


def capabilities(
    device: cl.Device, backend_id: BackendId, *, ordinal: int, traits: Traits, limits: DeviceLimits
) -> BackendCapabilities:
    """Return the facts of a device.

    Parameters
    ----------
    device : pyopencl.Device
        The device.
    backend_id : BackendId
        Name of its backend.
    ordinal : int
        Its number among the devices of this family.
    traits : Traits
        What its self-test showed.
    limits : DeviceLimits
        What it may not exceed.
    """
    space = MemorySpace(SUBSTRATE, ordinal)
    claims = {
        Feature.EXACT_F32: traits.is_exact,
        Feature.DENORMALS: traits.has_denormals,
        Feature.UNIFIED_MEMORY: traits.shares_memory,
        Feature.TIMESTAMPS: traits.has_timestamps,
    }
    return BackendCapabilities(
        id=backend_id,
        kind=CPU if is_cpu(device) else GPU,
        space=space,
        device=device_info(device),
        limits=limits,
        features=frozenset(feature for feature, is_claimed in claims.items() if is_claimed),
        throughput=_throughput(device),
        links=_links(space, shares_memory=traits.shares_memory),
    )


def _throughput(device: cl.Device) -> Throughput:
    """Return a prior; ``unshape calibrate`` measures."""
    cores_ghz = max(device.max_compute_units, 1) * max(device.max_clock_frequency, 1000) / 1000
    if is_cpu(device):
        return Throughput(flops_per_ns=4 * cores_ghz, bytes_per_ns=8.0, launch_ns=60_000)
    return Throughput(flops_per_ns=_LANES_OF_CORE * cores_ghz, bytes_per_ns=400.0, launch_ns=15_000)


def _links(space: MemorySpace, *, shares_memory: bool) -> tuple[Link, Link]:
    if shares_memory:  # up: what will not change any more is used where it lies; down: a copy that may be written
        shared = TransferPath.SHARED_MEMORY
        return (
            Link(source=HOST, target=space, path=shared, latency_ns=10_000, bytes_per_ns=100.0),
            Link(source=space, target=HOST, path=shared, latency_ns=10_000, bytes_per_ns=8.0),
        )
    staged = TransferPath.HOST_STAGING
    return (
        Link(source=HOST, target=space, path=staged, latency_ns=20_000, bytes_per_ns=12.0),
        Link(source=space, target=HOST, path=staged, latency_ns=20_000, bytes_per_ns=12.0),
    )
