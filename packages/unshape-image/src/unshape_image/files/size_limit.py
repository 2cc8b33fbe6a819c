"""The bound on what reading a file may take, checked before the memory is asked for."""

from __future__ import annotations

from pathlib import Path

from unshape_image.files.errors import ImageFileError

DEFAULT_MAX_BYTES = 2**32
"""Largest float32 picture that is read unless the caller allows more: 4 GiB, 16384 x 16384 of four channels."""


def check_size(path: Path, shape: tuple[int, ...], max_bytes: int) -> None:
    """Raise if a picture of that shape would take more than the bound as float32.

    Raises
    ------
    ImageFileError
        If it would.
    """
    floats = 1
    for length in shape:
        floats *= length
    if floats * 4 > max_bytes:
        sides = " x ".join(str(length) for length in shape)
        reason = f"expected a picture of at most {max_bytes} bytes as float32, got {floats * 4} bytes ({sides}); "
        raise ImageFileError(path, reason + "pass a larger max_bytes if you trust the file")


def check_channels(path: Path, shape: tuple[int, ...]) -> tuple[int, int, int]:
    """Return a shape as height, width and 1 to 4 channels; two axes are one channel.

    Raises
    ------
    ImageFileError
        If it is not that of a picture.
    """
    full = (*shape, 1) if len(shape) == 2 else shape
    if len(full) != 3 or not 1 <= full[2] <= 4:
        expected = "[height, width] or [height, width, channel] with 1 to 4 channels"
        raise ImageFileError(path, f"expected an array {expected}, got shape {list(shape)}")
    return full[0], full[1], full[2]
