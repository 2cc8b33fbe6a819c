"""NumPy files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from unshape_image.files.errors import ImageFileError
from unshape_image.files.size_limit import check_channels, check_size
from unshape_image.held_picture import F32Array


def read_npy(path: Path, max_bytes: int) -> F32Array:
    """Return the numbers of an .npy file, ``float32[height, width, channel]``; wider floats are rounded."""
    try:
        # Mapped, so that the header is checked before anything is read; objects are refused.
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        # The library's own words advise to load objects from the file, which would run what it says.
        raise ImageFileError(path, "expected an .npy file of floats, got other content") from error
    if not isinstance(array, np.ndarray):
        array.close()
        raise ImageFileError(path, "expected one array (.npy), got an archive of arrays")
    shape = check_channels(path, array.shape)
    check_size(path, shape, max_bytes)
    if array.dtype.kind != "f":
        reason = f"expected floats, got {array.dtype}; save integers divided by their largest value"
        raise ImageFileError(path, reason)
    return np.array(array, np.float32, order="C").reshape(shape)


def write_npy(path: Path, picture: F32Array) -> None:
    """Write the numbers as they are."""
    with path.open("wb") as file:
        np.save(file, picture, allow_pickle=False)
