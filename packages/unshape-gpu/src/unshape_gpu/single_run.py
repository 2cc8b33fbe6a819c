"""Runs of one shader and reads of one buffer outside of any queue: for the self-test, textures and timestamps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from unshape_gpu import native_waiting
from unshape_gpu.native import BindGroupLayout, Device, Pipeline, Texture, usages
from unshape_gpu.native_encoding import Encoding
from unshape_gpu.native_objects import Buffer, bind, create_buffer, write_buffer

if TYPE_CHECKING:
    import numpy.typing as npt


def run_on_arrays(
    device: Device,
    *,
    pipeline: Pipeline,
    layout: BindGroupLayout,
    params: bytes,
    inputs: Sequence[npt.NDArray[Any]],
    output_bytes: Sequence[int],
    groups: int,
) -> list[bytes]:
    """Run a shader once on arrays of the host and wait for what it writes; buffers are made for it and dropped.

    Parameters
    ----------
    device : wgpu device
        Where.
    pipeline, layout : wgpu objects
        The shader, and what it binds: a parameter block with a dynamic offset, what it reads, what it writes.
    params : bytes
        The parameter block.
    inputs : sequence of array
        C-contiguous, with a multiple of 4 bytes.
    output_bytes : sequence of int
        How many bytes it writes into each output.
    groups : int
        Number of workgroups.
    """
    use = usages()
    filled = [_filled(device, params, use.uniform)]
    filled += [_filled(device, array.reshape(-1).view(np.uint8), use.storage) for array in inputs]
    results = [create_buffer(device, size, use.storage) for size in output_bytes]
    total = create_buffer(device, sum(output_bytes), use.staging_down)
    group = bind(device, layout, [(each, each.size) for each in (*filled, *results)])
    starts = [sum(output_bytes[:number]) for number in range(len(results))]
    with Encoding(device) as encoding:
        encoding.run_alone(pipeline, group, (groups, 1, 1), offsets=(0,))
        for result, start in zip(results, starts, strict=True):
            encoding.copy(result, 0, total, start, result.size)
        content = _content(device, total, encoding.submit())
    for buffer in (*filled, *results):
        buffer.destroy()
    return [content[start : start + size] for start, size in zip(starts, output_bytes, strict=True)]


def read_buffer(device: Device, buffer: Buffer) -> bytes:
    """Wait for everything that was handed over and return the bytes of a buffer."""
    staging = create_buffer(device, buffer.size, usages().staging_down)
    with Encoding(device) as encoding:
        encoding.copy(buffer, 0, staging, 0, buffer.size)
        return _content(device, staging, encoding.submit())


def run_with_texture(
    device: Device,
    *,
    pipeline: Pipeline,
    buffer: Buffer,
    nbytes: int,
    texture: Texture,
    params: bytes,
    groups: tuple[int, int],
) -> None:
    """Hand over a shader with a parameter block at binding 0, a buffer behind it, and a texture last; does not wait."""
    block = _filled(device, params, usages().uniform)
    layout = pipeline.get_bind_group_layout(0)
    group = bind(device, layout, [(block, block.size), (buffer, nbytes)], texture=texture)
    with Encoding(device) as encoding:
        encoding.run_alone(pipeline, group, (*groups, 1))
        encoding.submit()


def _content(device: Device, staging: Buffer, submission: int) -> bytes:
    signal = native_waiting.begin_map(staging, staging.size, for_writing=False)
    native_waiting.wait(device, signal, submission)
    content = native_waiting.mapped(staging, staging.size, for_writing=False).tobytes()
    staging.destroy()
    return content


def _filled(device: Device, content: bytes | npt.NDArray[np.uint8], usage: int) -> Buffer:
    buffer = create_buffer(device, len(content), usage)
    write_buffer(device, buffer, content)
    return buffer
