"""Textures for display and interop."""

from __future__ import annotations

import numpy as np
import pytest

from unshape_core.errors import InvalidArgumentError
from unshape_gpu.backend import GpuComputeBackend
from unshape_gpu.texture import TextureFormat, from_texture, to_texture


@pytest.mark.parametrize("size", [(1, 1), (3, 5), (17, 65), (64, 33)])
def test_a_float_texture_keeps_every_bit(gpu: GpuComputeBackend, size: tuple[int, int]) -> None:
    picture = np.random.default_rng(1).normal(0, 100, (*size, 4)).astype(np.float32)
    texture = to_texture(gpu, gpu.upload(picture), format=TextureFormat.RGBA32FLOAT)
    assert picture.tobytes() == gpu.download(from_texture(gpu, texture)).tobytes()


def test_a_gray_float_texture_keeps_the_first_channel(gpu: GpuComputeBackend) -> None:
    picture = np.random.default_rng(2).random((9, 7, 1), np.float32)
    texture = to_texture(gpu, gpu.upload(picture), format=TextureFormat.R32FLOAT)
    assert picture.tobytes() == gpu.download(from_texture(gpu, texture)).tobytes()


def test_eight_bits_are_the_nearest_level_within_the_range(gpu: GpuComputeBackend) -> None:
    picture = np.array([[[-1.0], [0.0], [0.2], [0.5], [1.0], [7.0]]], np.float32)
    texels = gpu.download(from_texture(gpu, to_texture(gpu, gpu.upload(picture))))
    levels = np.clip(picture[..., 0], 0, 1) * 255
    assert np.all(np.abs(texels[..., 0] * 255 - levels) <= 0.5 + 1e-3)
    assert np.all(texels[..., 3] == 1.0)
    assert np.array_equal(texels[..., 0], texels[..., 2])


def test_half_floats_are_the_nearest_ones(gpu: GpuComputeBackend) -> None:
    picture = np.random.default_rng(3).random((8, 8, 3), np.float32)
    texels = gpu.download(from_texture(gpu, to_texture(gpu, gpu.upload(picture), format=TextureFormat.RGBA16FLOAT)))
    assert np.all(np.abs(texels[..., :3] - picture) <= np.spacing(picture.astype(np.float16)))


def test_what_is_no_picture_is_refused_by_name(gpu: GpuComputeBackend) -> None:
    for array in (np.zeros((4, 4), np.float32), np.zeros((4, 4, 5), np.float32), np.zeros((0, 4, 1), np.float32)):
        with pytest.raises(InvalidArgumentError, match="to_texture on 'gpu'"):
            to_texture(gpu, gpu.upload(array))
