"""PNG files, 8 and 16 bits."""

from __future__ import annotations

import io
import logging
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageFile, PngImagePlugin

from unshape_image.files.errors import ImageFileError
from unshape_image.files.png_deep import decode_deep_png, encode_deep_png
from unshape_image.files.png_header import read_png_header
from unshape_image.files.size_limit import check_size

_logger = logging.getLogger("unshape_image")
_DEEP_GRAY = 0


def read_png(path: Path, max_bytes: int) -> npt.NDArray[np.uint8] | npt.NDArray[np.uint16]:
    """Return the codes of a PNG file, ``[height, width, channel]``.

    Palettes, and gray below 8 bits, become 8 bits; a transparent colour becomes an alpha channel. Gamma and colour
    profile are not applied; a profile other than sRGB is warned of.
    """
    data = path.read_bytes()
    header = read_png_header(path, data)
    check_size(path, (header.height_px, header.width_px, header.channels), max_bytes)
    if header.bit_depth == 16 and (header.color_type != _DEEP_GRAY or header.has_transparency):
        return decode_deep_png(path, data)
    try:
        # Not Image.open: its bound on the size is a global of the library.
        image = PngImagePlugin.PngImageFile(io.BytesIO(data))
        return plain_codes(image, path)
    except (OSError, SyntaxError, ValueError) as error:
        raise ImageFileError(path, f"the PNG data are damaged: {error}") from error


def plain_codes(image: ImageFile.ImageFile, path: Path) -> npt.NDArray[Any]:
    """Return the codes of an image that Pillow has opened, ``[height, width, channel]``."""
    profile = image.info.get("icc_profile", b"")
    if isinstance(profile, bytes) and profile and b"sRGB" not in profile:
        _logger.warning("%s: its colour profile is not applied; colours are taken as sRGB", path)
    picture: Image.Image = image
    has_transparency = "transparency" in image.info
    match image.mode:
        case "1" | "L":
            picture = image.convert("LA" if has_transparency else "L")
        case "P" | "PA" | "RGB":
            picture = image.convert("RGBA" if has_transparency or image.mode == "PA" else "RGB")
        case "LA" | "RGBA" | "I;16":
            image.load()
        case mode:
            reason = f"expected gray or RGB with or without alpha, got colours of kind {mode!r}; convert it to RGB"
            raise ImageFileError(path, reason)
    codes = np.asarray(picture)
    return codes.reshape(picture.height, picture.width, -1)


def encode_png(codes: npt.NDArray[np.uint8] | npt.NDArray[np.uint16]) -> bytes:
    """Return a PNG file of codes ``[height, width, channel]``."""
    channels = codes.shape[2]
    if codes.dtype == np.uint16 and channels > 1:
        return encode_deep_png(codes.astype(np.uint16, copy=False))
    file = io.BytesIO()
    Image.fromarray(codes[..., 0] if channels == 1 else codes).save(file, format="PNG")
    return file.getvalue()
