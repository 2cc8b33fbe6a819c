"""What wgpu tells of a device, in the words of unshape-backend."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping

from unshape_backend.capabilities import DeviceInfo, DeviceLimits, Feature
from unshape_gpu import native
from unshape_gpu.adapters import Candidate
from unshape_gpu.arithmetic import Arithmetic

_TIMESTAMPS = "timestamp-query"
_TIMESTAMPS_IN_PASSES = "timestamp-query-inside-passes"
_FEATURES = (_TIMESTAMPS, _TIMESTAMPS_IN_PASSES, "float32-filterable", "subgroup")

_LIMITS = (
    "max-buffer-size",
    "max-storage-buffer-binding-size",
    "max-storage-buffers-per-shader-stage",
    "max-uniform-buffer-binding-size",
    "max-compute-workgroup-storage-size",
    "max-compute-invocations-per-workgroup",
    "max-compute-workgroup-size-x",
    "max-compute-workgroup-size-y",
    "max-compute-workgroup-size-z",
    "max-compute-workgroups-per-dimension",
    "max-texture-dimension-2d",
    "min-uniform-buffer-offset-alignment",
    "min-storage-buffer-offset-alignment",
)
"""Limits that are asked for as high as the adapter has them; the defaults are much lower."""


def wanted_features(offered: Collection[str]) -> list[str]:
    """Return the features to ask for: those that are used and offered."""
    return [name for name in _FEATURES if name in offered]


def wanted_limits(offered: Mapping[str, int]) -> dict[str, int]:
    """Return the limits to ask for: everything that the adapter has."""
    return {name: offered[name] for name in _LIMITS if name in offered}


def device_limits(limits: Mapping[str, int], adapter: native.Adapter) -> DeviceLimits:
    """Return the limits of a device."""
    info = dict(adapter.info)
    widths = {int(info.get(key, 0) or 0) for key in ("subgroup_min_size", "subgroup_max_size")} - {0}
    return DeviceLimits(
        max_workgroup_size=limits["max-compute-invocations-per-workgroup"],
        max_workgroup_shape=(
            limits["max-compute-workgroup-size-x"],
            limits["max-compute-workgroup-size-y"],
            limits["max-compute-workgroup-size-z"],
        ),
        max_groups_per_axis=limits["max-compute-workgroups-per-dimension"],
        shared_memory_bytes=limits["max-compute-workgroup-storage-size"],
        subgroup_widths=tuple(sorted(widths)),
        max_buffer_bytes=limits["max-buffer-size"],
        max_binding_bytes=limits["max-storage-buffer-binding-size"],
        max_bindings=limits["max-storage-buffers-per-shader-stage"],
        max_texture_side_px=limits["max-texture-dimension-2d"],
        alignment_bytes=limits["min-storage-buffer-offset-alignment"],
        access_granularity_bytes=4,
    )


def identifying_facts(candidate: Candidate) -> tuple[str, ...]:
    """Return what tells a device, its driver and the library between from others."""
    return (candidate.name, candidate.vendor, candidate.driver, candidate.api, native.load().__version__)


def device_info(candidate: Candidate, arithmetic: Arithmetic) -> DeviceInfo:
    """Return what is known of a device.

    The way in which shaders are written is part of the fingerprint: it decides how fast they are.
    """
    facts = (*identifying_facts(candidate), arithmetic.key)
    return DeviceInfo(
        name=candidate.name,
        api=candidate.api,
        vendor=candidate.vendor,
        driver=candidate.driver,
        fingerprint=f"wgpu-{hashlib.sha256('|'.join(facts).encode()).hexdigest()[:16]}",
        is_software=candidate.is_software,
    )


def features_of(device: native.Device, *, is_exact: bool, keeps_denormals: bool) -> frozenset[Feature]:
    """Return the features of a device.

    Parameters
    ----------
    device : wgpu device
        Tells what was granted.
    is_exact, keeps_denormals : bool
        What the self-test saw.
    """
    granted = device.features
    found = set()
    if is_exact:
        found.add(Feature.EXACT_F32)
    if keeps_denormals:
        found.add(Feature.DENORMALS)
    if _TIMESTAMPS in granted and _TIMESTAMPS_IN_PASSES in granted:
        found.add(Feature.TIMESTAMPS)
    return frozenset(found)
