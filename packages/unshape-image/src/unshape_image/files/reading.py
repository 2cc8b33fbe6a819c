"""Reading picture files."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy.typing as npt

from unshape_image.files.errors import ImageFileError
from unshape_image.files.size_limit import DEFAULT_MAX_BYTES
from unshape_image.files.transfer_function import TransferFunction, as_transfer_function, codes_to_floats
from unshape_image.held_picture import F32Array


def read_image(
    path: str | os.PathLike[str],
    *,
    transfer: TransferFunction | str = TransferFunction.NONE,
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> F32Array:
    """Return a picture file as a texture.

    Parameters
    ----------
    path : path
        A file whose name ends in .png (1 to 16 bits), .jpg, .jpeg, .exr or .npy, or a folder that ends in .zarr.
    transfer : {"none", "srgb"}
        For files of integers (.png, .jpg): "none" gives the codes as fractions of the largest one, as they are; "srgb"
        takes them as sRGB and gives linear light. Files of floats hold numbers, which are given as they are; by
        convention those of .exr are linear.
    max_bytes : int
        Largest picture, as float32, that is read; checked before the memory is taken.

    Returns
    -------
    float32[height_px, width_px, channel]
        1 channel is gray, 2 gray and alpha, 3 red, green and blue, 4 these and alpha. Alpha is as in the file: straight
        in .png; by convention associated in .exr (put ``Unpremultiply`` behind it).

    Raises
    ------
    ImageFileError
        If the file is damaged, too large, or of a format that is not read.
    MissingExtraError
        If the format's library is not installed.
    OSError
        If the file does not exist or must not be read.
    """
    place = Path(path)
    chosen = as_transfer_function(transfer)
    suffix = place.suffix.lower()
    reader = _READERS.get(suffix)
    if reader is None:
        raise ImageFileError(
            place, f"expected a name that ends in {', '.join(_READERS)}, got {suffix or 'no ending'!r}"
        )
    if not place.exists():
        raise FileNotFoundError(f"{place}: no such file")
    stored = reader(place, max_bytes)
    if stored.dtype.kind == "u":
        return codes_to_floats(stored, chosen)
    if chosen is not TransferFunction.NONE:
        raise ImageFileError(place, "expected integers to decode from sRGB, got floats; use transfer='none'")
    return stored


def _png(path: Path, max_bytes: int) -> npt.NDArray[Any]:
    from unshape_image.files.png_files import read_png

    return read_png(path, max_bytes)


def _jpeg(path: Path, max_bytes: int) -> npt.NDArray[Any]:
    from unshape_image.files.jpeg_files import read_jpeg

    return read_jpeg(path, max_bytes)


def _exr(path: Path, max_bytes: int) -> npt.NDArray[Any]:
    from unshape_image.files.exr_files import read_exr

    return read_exr(path, max_bytes)


def _npy(path: Path, max_bytes: int) -> npt.NDArray[Any]:
    from unshape_image.files.npy_files import read_npy

    return read_npy(path, max_bytes)


def _zarr(path: Path, max_bytes: int) -> npt.NDArray[Any]:
    from unshape_image.files.zarr_files import read_zarr

    return read_zarr(path, max_bytes)


_READERS: dict[str, Callable[[Path, int], npt.NDArray[Any]]] = {
    ".png": _png,
    ".jpg": _jpeg,
    ".jpeg": _jpeg,
    ".exr": _exr,
    ".npy": _npy,
    ".zarr": _zarr,
}
