"""The seam to wgpu for recording commands and handing them over.

wgpu's own methods look at each argument and catch errors of each call. Of a pass all errors are told at its end, and of
commands when they are finished, so the calls in between go to the library directly, which is several times faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from unshape_gpu.native import Device, Pipeline, QuerySet, checked_library, library

if TYPE_CHECKING:
    from unshape_gpu.native_objects import BindGroup, Buffer
    from unshape_gpu.queue import Dispatch
    from unshape_gpu.timing import PassTimes


class Encoding:
    """Commands that are handed to a device together, in the order in which they are recorded.

    A context manager: what was not handed over at its end is dropped.

    Parameters
    ----------
    device : wgpu device
        The device.
    """

    __slots__ = ("_device", "_encoder")

    def __init__(self, device: Device) -> None:
        self._device = device
        self._encoder = checked_library().wgpuDeviceCreateCommandEncoder(device._internal, _descriptions()[0])

    def __enter__(self) -> Encoding:
        return self

    def __exit__(self, *_: object) -> None:
        library()[0].wgpuCommandEncoderRelease(self._encoder)

    def run(self, dispatches: Sequence[Dispatch], times: PassTimes | None) -> None:
        """Record kernels as one compute pass."""
        lib, ffi = library()
        set_pipeline, set_bind_group = lib.wgpuComputePassEncoderSetPipeline, lib.wgpuComputePassEncoderSetBindGroup
        dispatch = lib.wgpuComputePassEncoderDispatchWorkgroups
        offsets = ffi.new("uint32_t[]", [each.offset for each in dispatches])
        running = lib.wgpuCommandEncoderBeginComputePass(self._encoder, _descriptions()[1])
        try:
            pipeline: Pipeline = None
            for number, each in enumerate(dispatches):
                if each.program.pipeline is not pipeline:
                    pipeline = each.program.pipeline
                    set_pipeline(running, pipeline._internal)
                set_bind_group(running, 0, each.bind_group._internal, 1, offsets + number)
                timer = each.timer
                if times is not None and timer is not None:
                    times.begin(running, timer.number)
                    dispatch(running, *each.groups)
                    times.end(running, timer.number)
                else:
                    dispatch(running, *each.groups)
            checked_library().wgpuComputePassEncoderEnd(running)
        finally:
            lib.wgpuComputePassEncoderRelease(running)

    def run_alone(
        self, pipeline: Pipeline, bind_group: BindGroup, groups: tuple[int, int, int], *, offsets: Sequence[int] = ()
    ) -> None:
        """Record one kernel as a compute pass, with the dynamic offsets of its bind group."""
        lib, ffi = library()
        running = lib.wgpuCommandEncoderBeginComputePass(self._encoder, _descriptions()[1])
        try:
            lib.wgpuComputePassEncoderSetPipeline(running, pipeline._internal)
            memory = ffi.new("uint32_t[]", offsets)
            lib.wgpuComputePassEncoderSetBindGroup(running, 0, bind_group._internal, len(offsets), memory)
            lib.wgpuComputePassEncoderDispatchWorkgroups(running, *groups)
            checked_library().wgpuComputePassEncoderEnd(running)
        finally:
            lib.wgpuComputePassEncoderRelease(running)

    def copy(self, source: Buffer, source_offset: int, target: Buffer, target_offset: int, nbytes: int) -> None:
        """Record a copy of bytes; offsets and length are multiples of 4."""
        library()[0].wgpuCommandEncoderCopyBufferToBuffer(
            self._encoder, source._internal, source_offset, target._internal, target_offset, nbytes
        )

    def resolve(self, queries: QuerySet, count: int, target: Buffer) -> None:
        """Record that timestamps become numbers of 8 bytes."""
        library()[0].wgpuCommandEncoderResolveQuerySet(self._encoder, queries._internal, 0, count, target._internal, 0)

    def submit(self) -> int:
        """Hand everything over and return the number of the submission.

        A device that is gone by now is an error of finishing. One that goes between finishing and handing over ends the
        process: the library takes any error of handing over for a fault of the program.
        """
        lib, ffi = library()
        checked = checked_library()
        commands = checked.wgpuCommandEncoderFinish(self._encoder, _descriptions()[2])
        try:
            pointer = ffi.new("WGPUCommandBuffer *", commands)
            return int(checked.wgpuQueueSubmitForIndex(self._device.queue._internal, 1, pointer))
        finally:
            lib.wgpuCommandBufferRelease(commands)


@cache
def _descriptions() -> tuple[Any, Any, Any]:
    """Return descriptions of an encoder, a pass and a command buffer without any wishes."""
    _, ffi = library()
    kinds = ("WGPUCommandEncoderDescriptor *", "WGPUComputePassDescriptor *", "WGPUCommandBufferDescriptor *")
    encoder, passing, commands = map(ffi.new, kinds)
    return encoder, passing, commands
