"""Facts about a backend: probed, immutable, stored once. Unknown is None, never zero."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from unshape_backend.identity import BackendId, BackendKind
from unshape_core.errors import InvalidArgumentError
from unshape_core.memory_space import MemorySpace
from unshape_core.workload import WorkloadHint


class Feature(StrEnum):
    """What a device can do; claimed only if a probe that uses it ran."""

    EXACT_F32 = "exact-f32"
    F16 = "f16"
    BF16 = "bf16"
    F8 = "f8"
    F64 = "f64"
    MATRIX_UNITS = "matrix-units"
    UNIFIED_MEMORY = "unified-memory"
    PEER_ACCESS = "peer-access"
    SUBGROUPS = "subgroups"
    CLUSTER_LAUNCH = "cluster-launch"
    ASYNC_COPY = "async-copy"
    TIMESTAMPS = "timestamps"
    DENORMALS = "denormals"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceInfo:
    """Which device a backend runs on.

    Parameters
    ----------
    name, api, vendor, driver : str
        As the driver reports them; ``api`` is "native", "opencl", "vulkan" ...
    total_memory_bytes : int or None
        Memory of the device.
    is_software : bool
        Whether a CPU plays the device (lavapipe, PoCL); never preferred as a GPU.
    fingerprint : str
        Changes whenever measurements or compiled code of this device become stale: device, driver, library versions.
    """

    name: str
    api: str
    vendor: str
    driver: str
    fingerprint: str
    total_memory_bytes: int | None = None
    is_software: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceLimits:
    """What a device cannot exceed; None means that no limit is known or none applies.

    Every limit has a consumer that respects it. ``dataclasses.replace`` lowers one for a test.
    """

    max_workgroup_size: int | None = None
    max_workgroup_shape: tuple[int, int, int] | None = None
    max_groups_per_axis: int | None = None
    shared_memory_bytes: int | None = None
    subgroup_widths: tuple[int, ...] = ()
    max_buffer_bytes: int | None = None
    max_binding_bytes: int | None = None
    max_bindings: int | None = None
    max_texture_side_px: int | None = None
    alignment_bytes: int = 1
    access_granularity_bytes: int = 1
    memory_budget_bytes: int | None = None

    def __post_init__(self) -> None:
        for name in _POSITIVE_LIMITS:
            value = getattr(self, name)
            if value is not None and value < 1:
                msg = f"device limits: expected {name} of at least 1, got {value}; None stands for no limit"
                raise InvalidArgumentError(msg)


_POSITIVE_LIMITS = (
    "max_workgroup_size",
    "max_groups_per_axis",
    "shared_memory_bytes",
    "max_buffer_bytes",
    "max_binding_bytes",
    "max_bindings",
    "max_texture_side_px",
    "alignment_bytes",
    "access_granularity_bytes",
    "memory_budget_bytes",
)


class FigureSource(StrEnum):
    """Where a figure comes from."""

    MEASURED = "measured"
    PRIOR = "prior"


@dataclass(frozen=True, slots=True, kw_only=True)
class Throughput:
    """How fast a device is, for the roofline.

    Parameters
    ----------
    flops_per_ns, bytes_per_ns : float
        Arithmetic rate and memory bandwidth.
    launch_ns : int
        Time of an empty kernel, from the call until its result could be used.
    source : FigureSource
        Whether the figures were measured on this device.
    """

    flops_per_ns: float
    bytes_per_ns: float
    launch_ns: int
    source: FigureSource = FigureSource.PRIOR

    def __post_init__(self) -> None:
        if self.flops_per_ns <= 0 or self.bytes_per_ns <= 0 or self.launch_ns < 0:
            msg = (
                "throughput: expected positive rates and a launch time of at least 0, got "
                f"{self.flops_per_ns} flops/ns, {self.bytes_per_ns} bytes/ns, {self.launch_ns} ns; "
                "an unknown throughput is None"
            )
            raise InvalidArgumentError(msg)


class TransferPath(StrEnum):
    """How a value gets from one space to another, from cheapest to dearest."""

    SAME_DEVICE = "same-device"
    PEER = "peer"
    SHARED_MEMORY = "shared-memory"
    DEVICE_COPY = "device-copy"
    HOST_STAGING = "host-staging"


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A way from one memory space to another, in one direction.

    Parameters
    ----------
    source, target : MemorySpace
        From where to where.
    path : TransferPath
        How.
    latency_ns : int
        Time of an empty transfer.
    bytes_per_ns : float
        Bandwidth.
    figures : FigureSource
        Whether the two were measured.
    """

    source: MemorySpace
    target: MemorySpace
    path: TransferPath
    latency_ns: int
    bytes_per_ns: float
    figures: FigureSource = FigureSource.PRIOR

    def __post_init__(self) -> None:
        if self.latency_ns < 0 or self.bytes_per_ns <= 0:
            msg = (
                f"link {self.source} -> {self.target}: expected a latency of at least 0 and a positive bandwidth, got "
                f"{self.latency_ns} ns and {self.bytes_per_ns} bytes/ns; leave out a link that is unknown"
            )
            raise InvalidArgumentError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendCapabilities:
    """Everything that is known of a backend.

    Which node it can run is asked of the kernel table, never stored here.
    """

    id: BackendId
    kind: BackendKind
    space: MemorySpace
    device: DeviceInfo
    limits: DeviceLimits = field(default_factory=DeviceLimits)
    features: frozenset[Feature] = frozenset()
    throughput: Throughput | None = None
    links: tuple[Link, ...] = ()

    @property
    def bulk_efficient(self) -> bool | None:
        """Whether starting is a small part (a tenth) of running a megapixel picture; None if nothing is known."""
        if self.throughput is None:
            return None
        moved = _MEGAPIXEL.bytes_read or 0
        return self.throughput.launch_ns * 10 <= 2 * moved / self.throughput.bytes_per_ns

    @property
    def streaming_efficient(self) -> bool | None:
        """Whether a single scalar can be computed within ten microseconds; None if nothing is known."""
        return None if self.throughput is None else self.throughput.launch_ns <= 10_000


_MEGAPIXEL = WorkloadHint.texture(width_px=1024, height_px=1024)
