"""The seam to wgpu: the only module that imports it, and the only one that speaks of ``Any``.

Everything here is called under the lock of a :class:`~unshape_gpu.device.GpuContext`, or concerns objects of one
thread. Errors of wgpu become ours in :mod:`~unshape_gpu.errors`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from unshape_gpu.native_types import read_types

Adapter: TypeAlias = Any
Device: TypeAlias = Any
BindGroupLayout: TypeAlias = Any
Pipeline: TypeAlias = Any
Encoder: TypeAlias = Any
Texture: TypeAlias = Any
QuerySet: TypeAlias = Any

_instance_lock = threading.Lock()
_DESKTOP = ("DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR")
_NO_DEVICE_SELECTION = "NODEVICE_SELECT"
"""Turns off VkLayer_MESA_device_select."""


@dataclass(frozen=True, slots=True)
class Usages:
    """What a buffer is for."""

    storage: int
    uniform: int
    staging_up: int
    staging_down: int
    queries: int


@cache
def load() -> Any:
    """Return wgpu with its native backend.

    Raises
    ------
    ImportError
        If it is not installed or its library does not load.
    """
    import wgpu
    import wgpu.backends.wgpu_native
    from wgpu.backends.wgpu_native._ffi import ffi

    read_types(ffi)
    return wgpu


@cache
def usages() -> Usages:
    """Return the usage flags of the kinds of buffers."""
    use = load().BufferUsage
    return Usages(
        storage=use.STORAGE | use.COPY_SRC | use.COPY_DST,
        uniform=use.UNIFORM | use.COPY_DST,
        staging_up=use.MAP_WRITE | use.COPY_SRC,
        staging_down=use.MAP_READ | use.COPY_DST,
        queries=use.QUERY_RESOLVE | use.COPY_SRC,
    )


def enumerate_adapters(apis: Sequence[str]) -> list[Adapter]:
    """Return the adapters of some APIs; ``("Vulkan",)`` unless the caller knows better.

    The choice of APIs is made once for each process: wgpu keeps it.
    """
    wgpu = load()
    from wgpu.backends.wgpu_native import extras

    with _instance_lock, _asking_no_desktop():
        if not _is_chosen():
            extras.set_instance_extras(backends=tuple(apis))
        return list(wgpu.gpu.enumerate_adapters_sync())


@contextmanager
def _asking_no_desktop() -> Iterator[None]:
    """Where there is no desktop, keep Mesa from asking it for its device, which ends in messages on stderr."""
    is_desktop = any(os.environ.get(name) for name in _DESKTOP)
    if is_desktop or _NO_DEVICE_SELECTION in os.environ:
        yield
        return
    os.environ[_NO_DEVICE_SELECTION] = "1"
    try:
        yield
    finally:
        del os.environ[_NO_DEVICE_SELECTION]


def _is_chosen() -> bool:
    from wgpu.backends.wgpu_native import _helpers

    return _helpers._the_instance is not None


def request_device(adapter: Adapter, *, features: Sequence[str], limits: Mapping[str, int]) -> Device:
    """Return a device of an adapter."""
    with _instance_lock:
        return adapter.request_device_sync(required_features=list(features), required_limits=dict(limits))


def adapter_facts(adapter: Adapter) -> dict[str, str]:
    """Return what an adapter says of itself."""
    return {key: str(value) for key, value in dict(adapter.info).items()}


def storage_layout(device: Device, *, reads: int, writes: int, params_bytes: int) -> BindGroupLayout:
    """Return the layout of a parameter block with a dynamic offset, arrays that are read, and arrays written."""
    stage = load().ShaderStage.COMPUTE
    block = {"type": "uniform", "has_dynamic_offset": True, "min_binding_size": params_bytes}
    entries = [{"binding": 0, "visibility": stage, "buffer": block}]
    kinds = ["read-only-storage"] * reads + ["storage"] * writes
    entries += [{"binding": 1 + k, "visibility": stage, "buffer": {"type": kind}} for k, kind in enumerate(kinds)]
    return device.create_bind_group_layout(entries=entries)


def compile_pipeline(device: Device, *, text: str, layout: BindGroupLayout, label: str) -> Pipeline:
    """Compile a shader and return its pipeline; its entry point is ``main``."""
    module = device.create_shader_module(code=text, label=label)
    return device.create_compute_pipeline(
        label=label,
        layout=device.create_pipeline_layout(bind_group_layouts=[layout]),
        compute={"module": module, "entry_point": "main"},
    )


@cache
def library() -> tuple[Any, Any]:
    """Return the library itself, and what makes its structures."""
    from wgpu.backends.wgpu_native._ffi import ffi, lib

    return lib, ffi


@cache
def checked_library() -> Any:
    """Return the library with functions that raise what goes wrong in them."""
    from wgpu.backends.wgpu_native._api import libf

    return libf


def is_wgpu_error(error: BaseException) -> bool:
    """Return whether an exception comes from wgpu."""
    return type(error).__module__.startswith("wgpu")


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether wgpu says that memory is used up."""
    return is_wgpu_error(error) and isinstance(error, MemoryError)


def timestamp_query_set(device: Device, count: int) -> QuerySet:
    """Return a set of timestamps."""
    return device.create_query_set(type="timestamp", count=count)


def write_timestamp(running: Encoder, queries: QuerySet, index: int) -> None:
    """Record that a timestamp is written within a pass."""
    library()[0].wgpuComputePassEncoderWriteTimestamp(running, queries._internal, index)


def timestamp_period_ns(device: Device) -> float:
    """Return how many nanoseconds one tick of a timestamp is."""
    from wgpu.backends.wgpu_native import lib

    return float(lib.wgpuQueueGetTimestampPeriod(device.queue._internal))


def answers(device: Device) -> bool:
    """Return whether a device still makes buffers."""
    try:
        device.create_buffer(size=16, usage=usages().storage).destroy()
    except Exception:  # whatever it says: it is of no use
        return False
    return True


def storage_texture(device: Device, *, width: int, height: int, format: str) -> Texture:  # noqa: A002
    """Return a texture that shaders write and others sample or copy."""
    use = load().TextureUsage
    usage = use.STORAGE_BINDING | use.TEXTURE_BINDING | use.COPY_SRC | use.COPY_DST
    return device.create_texture(size=(width, height, 1), format=format, usage=usage)


def pipeline_of(device: Device, *, text: str, label: str) -> Pipeline:
    """Compile a shader whose bindings follow from its text; its entry point is ``main``."""
    module = device.create_shader_module(code=text, label=label)
    return device.create_compute_pipeline(label=label, layout="auto", compute={"module": module, "entry_point": "main"})
