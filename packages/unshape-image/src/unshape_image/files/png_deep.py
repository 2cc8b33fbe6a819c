"""PNG files of 16 bits and several channels, through pypng.

Pillow reads them as 8 bits without a word, so it is not asked. All that is foreign and untyped about pypng stays here.
"""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import numpy.typing as npt
import png

from unshape_image.files.errors import ImageFileError


def decode_deep_png(path: Path, data: bytes) -> npt.NDArray[np.uint16]:
    """Return the samples of a 16 bit PNG file, ``[height, width, channel]``."""
    try:
        width, height, rows, info = png.Reader(bytes=data).read()
        samples = np.empty((height, width, info["planes"]), np.uint16)
        for target, row in zip(samples, rows, strict=True):
            target[...] = np.asarray(row, np.uint16).reshape(width, -1)
    except (png.Error, ValueError) as error:
        raise ImageFileError(path, f"the PNG data are damaged: {error}") from error
    if "transparent" not in info:
        return samples
    is_opaque = np.any(samples != np.asarray(info["transparent"], np.uint16), axis=2, keepdims=True)
    return np.concatenate([samples, np.where(is_opaque, np.uint16(65535), np.uint16(0))], axis=2)


def encode_deep_png(samples: npt.NDArray[np.uint16]) -> bytes:
    """Return a 16 bit PNG file of samples ``[height, width, channel]``."""
    height, width, channels = samples.shape
    writer = png.Writer(width, height, greyscale=channels <= 2, alpha=channels in {2, 4}, bitdepth=16, compression=6)
    file = io.BytesIO()
    writer.write_packed(file, (row.tobytes() for row in samples.astype(">u2")))
    return file.getvalue()
