"""OpenEXR files. All that is foreign and untyped about the library stays here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from unshape_image.files.errors import ImageFileError, MissingExtraError
from unshape_image.files.size_limit import check_size
from unshape_image.held_picture import F32Array

_NAMES = {1: ("Y",), 2: ("Y", "A"), 3: ("R", "G", "B"), 4: ("R", "G", "B", "A")}
_ORDERS = (("R", "G", "B", "A"), ("R", "G", "B"), ("Y", "A"), ("Y",))


def read_exr(path: Path, max_bytes: int) -> F32Array:
    """Return the numbers of an OpenEXR file as they are, ``float32[height, width, channel]``.

    The data window of the first part is read: R, G, B and A; Y and A; or its only channel. Half floats are widened.
    """
    library = _library()
    try:
        header = library.File(str(path), separate_channels=True, header_only=True).parts[0]
        low, high = header.header["dataWindow"]
        names = _order(path, [channel.name for channel in header.header["channels"]])
        shape = (int(high[1]) - int(low[1]) + 1, int(high[0]) - int(low[0]) + 1, len(names))
        check_size(path, shape, max_bytes)
        channels = library.File(str(path), separate_channels=True).parts[0].channels
        picture = np.empty(shape, np.float32)
        for index, name in enumerate(names):
            pixels = channels[name].pixels
            if pixels.dtype.kind != "f" or pixels.shape != shape[:2]:
                reason = f"channel {name!r}: expected floats for every pixel, got {pixels.dtype}{list(pixels.shape)}"
                raise ImageFileError(path, reason)
            picture[..., index] = pixels
    except (RuntimeError, ValueError, TypeError, KeyError, IndexError, OSError) as error:
        if isinstance(error, ImageFileError):
            raise
        raise ImageFileError(path, f"the OpenEXR data are damaged: {error}") from error
    return picture


def write_exr(path: Path, picture: F32Array) -> None:
    """Write numbers as they are, as 32 bit floats with lossless compression."""
    library = _library()
    header = {"compression": library.ZIP_COMPRESSION, "type": library.scanlineimage}
    names = _NAMES[picture.shape[2]]
    channels = {name: np.ascontiguousarray(picture[..., index]) for index, name in enumerate(names)}
    library.File(header, channels).write(str(path))


def _order(path: Path, names: list[str]) -> tuple[str, ...]:
    for order in _ORDERS:
        if set(order) <= set(names):
            return order
    if len(names) == 1:
        return (names[0],)
    reason = f"expected channels R, G, B (A), or Y (A), or a single one, got {', '.join(names) or 'none'}"
    raise ImageFileError(path, reason)


def _library() -> Any:
    try:
        import OpenEXR
    except ImportError as error:
        what = "the OpenEXR format (.exr)"
        raise MissingExtraError(what, "exr") from error
    return OpenEXR
