"""JPEG files; they are read, not written."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import ImageOps, JpegImagePlugin

from unshape_image.files.errors import ImageFileError
from unshape_image.files.png_files import plain_codes
from unshape_image.files.size_limit import check_size


def read_jpeg(path: Path, max_bytes: int) -> npt.NDArray[np.uint8]:
    """Return the codes of a JPEG file, ``[height, width, channel]``, turned as its EXIF data say."""
    data = path.read_bytes()
    try:
        image = JpegImagePlugin.JpegImageFile(io.BytesIO(data))
        check_size(path, (image.height, image.width, len(image.getbands())), max_bytes)
        ImageOps.exif_transpose(image, in_place=True)
        return plain_codes(image, path)
    except (OSError, SyntaxError, ValueError) as error:
        if isinstance(error, ImageFileError):
            raise
        raise ImageFileError(path, f"the JPEG data are damaged: {error}") from error
