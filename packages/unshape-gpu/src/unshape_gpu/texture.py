"""Textures: pictures in the form in which other users of the device display or sample them.

Work is done on buffers, which have any size and are read exactly; a texture is made of one for a window, a renderer
or another library on the same device, and a buffer of a texture. Numbers are stored as the format says:
``rgba8unorm`` cuts off at 0 and 1 and rounds to 8 bits, ``rgba16float`` rounds to 16-bit floats, the others keep all.
"""

from __future__ import annotations

import struct
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from unshape_core.errors import InvalidArgumentError
from unshape_gpu import native
from unshape_gpu.single_run import run_with_texture

if TYPE_CHECKING:
    from unshape_gpu.backend import GpuComputeBackend
    from unshape_gpu.buffer import GpuBuffer

_GROUP_PX = (16, 16)


class TextureFormat(StrEnum):
    """How a texel is stored."""

    R32FLOAT = "r32float"
    RGBA8UNORM = "rgba8unorm"
    RGBA16FLOAT = "rgba16float"
    RGBA32FLOAT = "rgba32float"


class GpuTexture:
    """A picture as a texture of the device.

    Parameters
    ----------
    texture : wgpu texture
        The object; it may be sampled, copied from, and bound for storage.
    width_px, height_px : int
        Its size.
    format : TextureFormat
        How texels are stored.
    """

    __slots__ = ("format", "height_px", "texture", "width_px")

    def __init__(self, texture: native.Texture, *, width_px: int, height_px: int, format: TextureFormat) -> None:  # noqa: A002
        self.texture = texture
        self.width_px = width_px
        self.height_px = height_px
        self.format = format

    def __repr__(self) -> str:
        return f"<GpuTexture: {self.width_px} x {self.height_px} {self.format}>"


def to_texture(
    backend: GpuComputeBackend,
    picture: GpuBuffer,
    *,
    format: TextureFormat = TextureFormat.RGBA8UNORM,  # noqa: A002
) -> GpuTexture:
    """Return a picture as a texture; of a gray one all colours are equal, missing alpha is 1.

    Parameters
    ----------
    backend : GpuComputeBackend
        Where the picture is.
    picture : GpuBuffer
        float32[height_px, width_px, channel], not empty.
    format : TextureFormat
        How to store it; ``R32FLOAT`` keeps the first channel.

    Raises
    ------
    InvalidArgumentError
        If it is no picture, empty, or larger than a texture can be.
    """
    backend.check_usable("to_texture")
    picture = backend.own(picture, "to_texture")
    height, width, channels = _checked_shape(backend, picture)
    block = picture.block(where="to_texture")
    assert block is not None  # it is not empty
    context = backend.context
    with context.lock:
        backend.queue.submit()
        texture = native.storage_texture(context.device, width=width, height=height, format=format.value)
        pipeline = context.cached(
            ("to texture", format), lambda: native.pipeline_of(context.device, text=_writer(format), label="to_texture")
        )
        run_with_texture(
            context.device,
            pipeline=pipeline,
            buffer=block.buffer,
            nbytes=-(-picture.nbytes // 16) * 16,
            texture=texture,
            params=struct.pack("<4I", width, height, channels, 0),
            groups=(-(-width // _GROUP_PX[0]), -(-height // _GROUP_PX[1])),
        )
    return GpuTexture(texture, width_px=width, height_px=height, format=format)


def from_texture(backend: GpuComputeBackend, texture: GpuTexture) -> GpuBuffer:
    """Return a texture as a picture: of one channel from ``R32FLOAT``, else of four."""
    backend.check_usable("from_texture")
    channels = 1 if texture.format is TextureFormat.R32FLOAT else 4
    context = backend.context
    picture = backend.empty((texture.height_px, texture.width_px, channels), np.dtype(np.float32))
    block = picture.block(where="from_texture")
    assert block is not None  # a texture is not empty
    with context.lock:
        backend.queue.submit()
        pipeline = context.cached(
            ("from texture", channels),
            lambda: native.pipeline_of(context.device, text=_reader(channels), label="from_texture"),
        )
        run_with_texture(
            context.device,
            pipeline=pipeline,
            buffer=block.buffer,
            nbytes=-(-picture.nbytes // 16) * 16,
            texture=texture.texture,
            params=struct.pack("<4I", texture.width_px, texture.height_px, channels, 0),
            groups=(-(-texture.width_px // _GROUP_PX[0]), -(-texture.height_px // _GROUP_PX[1])),
        )
    return picture


def _checked_shape(backend: GpuComputeBackend, picture: GpuBuffer) -> tuple[int, int, int]:
    side = backend.capabilities.limits.max_texture_side_px
    shape = picture.shape
    is_picture = len(shape) == 3 and 1 <= shape[2] <= 4 and picture.dtype == np.float32 and picture.nbytes > 0
    if not is_picture or (side is not None and max(shape[:2]) > side):
        msg = (
            f"to_texture on '{backend.id}': expected float32[height, width, 1 to 4] with sides of 1 to {side}, got "
            f"{picture.dtype}{list(shape)}; crop or resize it first"
        )
        raise InvalidArgumentError(msg)
    height, width, channels = shape
    return height, width, channels


_HEAD = """
@group(0) @binding(0) var<uniform> size: vec4<u32>;
@group(0) @binding(1) var<storage, {access}> picture: array<f32>;
@group(0) @binding(2) var texels: {texture};

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
    if (id.x >= size.x || id.y >= size.y) {{
        return;
    }}
    let first = (id.y * size.x + id.x) * size.z;
"""


def _writer(format_: TextureFormat) -> str:
    head = _HEAD.format(access="read", texture=f"texture_storage_2d<{format_.value}, write>")
    return (
        head
        + """
    let x = picture[first];
    var texel = vec4<f32>(x, x, x, 1.0f);
    if (size.z == 2u) {
        texel.w = picture[first + 1u];
    }
    if (size.z >= 3u) {
        texel = vec4<f32>(x, picture[first + 1u], picture[first + 2u], 1.0f);
    }
    if (size.z == 4u) {
        texel.w = picture[first + 3u];
    }
    textureStore(texels, vec2<i32>(id.xy), texel);
}
"""
    )


def _reader(channels: int) -> str:
    head = _HEAD.format(access="read_write", texture="texture_2d<f32>")
    stores = "\n".join(f"    picture[first + {k}u] = texel.{'xyzw'[k]};" for k in range(channels))
    return f"{head}    let texel = textureLoad(texels, vec2<i32>(id.xy), 0);\n{stores}\n}}\n"
