"""The seam to wgpu for buffers and bind groups, which are made often.

wgpu's own methods look at every argument, keep account of every object and convert every field by name, which takes
longer than the library itself. So these go to the library directly. Under the lock of a
:class:`~unshape_gpu.device.GpuContext`, as everything in :mod:`~unshape_gpu.native`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from unshape_gpu.native import BindGroupLayout, Device, Texture, checked_library, library

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Buffer:
    """Memory of a device.

    Attributes
    ----------
    size : int
        Its bytes.
    """

    __slots__ = ("_internal", "_release", "size")

    def __init__(self, internal: Any, release: Any, size: int) -> None:
        self._internal = internal
        self._release = release
        self.size = size

    def destroy(self) -> None:
        """Give the memory back when work that was handed over is done; nothing new may use it."""
        library()[0].wgpuBufferDestroy(self._internal)

    def __del__(self) -> None:
        self._release(self._internal)


class BindGroup:
    """What is bound for a dispatch."""

    __slots__ = ("_internal", "_release")

    def __init__(self, internal: Any, release: Any) -> None:
        self._internal = internal
        self._release = release

    def __del__(self) -> None:
        self._release(self._internal)


def create_buffer(device: Device, nbytes: int, usage: int, *, is_mapped: bool = False) -> Buffer:
    """Return memory whose bytes are zero.

    Parameters
    ----------
    device : wgpu device
        Where.
    nbytes : int
        How much.
    usage : int
        One of :class:`~unshape_gpu.native.Usages`.
    is_mapped : bool
        Whether the host may write it at once, until it is unmapped.
    """
    lib, ffi = library()
    description = ffi.new("WGPUBufferDescriptor *")
    description.usage = usage
    description.size = nbytes
    description.mappedAtCreation = is_mapped
    internal = checked_library().wgpuDeviceCreateBuffer(device._internal, description)
    return Buffer(internal, lib.wgpuBufferRelease, nbytes)


def write_buffer(device: Device, buffer: Buffer, data: bytes | bytearray | npt.NDArray[np.uint8]) -> None:
    """Write the first bytes of a buffer, before everything that is handed over later; a multiple of 4.

    The bytes are copied at once and may be changed afterwards.
    """
    _, ffi = library()
    content = ffi.from_buffer(data)
    checked_library().wgpuQueueWriteBuffer(device.queue._internal, buffer._internal, 0, content, len(data))


def bind(
    device: Device,
    layout: BindGroupLayout,
    bindings: Sequence[tuple[Buffer, int]],
    *,
    texture: Texture | None = None,
) -> BindGroup:
    """Return a bind group of the beginnings of buffers, each with the bytes that are bound, and of a texture."""
    lib, ffi = library()
    entries = [
        {"binding": number, "buffer": buffer._internal, "size": size} for number, (buffer, size) in enumerate(bindings)
    ]
    view = None if texture is None else texture.create_view()
    if view is not None:
        entries.append({"binding": len(entries), "textureView": view._internal})
    memory = ffi.new("WGPUBindGroupEntry[]", entries)
    description = ffi.new("WGPUBindGroupDescriptor *")
    description.layout = layout._internal
    description.entryCount = len(entries)
    description.entries = memory
    internal = checked_library().wgpuDeviceCreateBindGroup(device._internal, description)
    return BindGroup(internal, lib.wgpuBindGroupRelease)
