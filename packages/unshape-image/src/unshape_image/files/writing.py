"""Writing picture files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from unshape_core.atomic_file import replacing
from unshape_core.errors import InvalidArgumentError
from unshape_image.files.errors import ImageFileError
from unshape_image.files.transfer_function import TransferFunction, as_transfer_function, floats_to_codes
from unshape_image.held_picture import F32Array

FORMATS = (".png", ".exr", ".npy", ".zarr")
"""Endings of the formats that are written."""


def write_image(
    path: str | os.PathLike[str],
    picture: npt.ArrayLike,
    *,
    bit_depth: Literal[8, 16] = 8,
    transfer: TransferFunction | str = TransferFunction.NONE,
    attributes: Mapping[str, object] | None = None,
) -> None:
    """Write a texture to a picture file, whole or not at all.

    Parameters
    ----------
    path : path
        A name that ends in .png, .exr, .npy or .zarr; what is there is replaced.
    picture : float[height_px, width_px, channel], or [height_px, width_px]
        1 to 4 channels, as ``read_image`` gives them; also a picture on a device. Alpha is stored as it is.
    bit_depth : {8, 16}
        Of .png. Numbers are cut off at 0 and 1, NaN becomes 0, and rounding is to the nearest code, halves to even.
    transfer : {"none", "srgb"}
        Of .png: "none" stores the numbers as fractions of the largest code; "srgb" takes them as linear light and
        encodes it. Floats (.exr, .npy, .zarr) are stored as they are, without loss.
    attributes : mapping of str to JSON
        Stored with .zarr; other formats cannot hold them.

    Raises
    ------
    InvalidArgumentError
        If the array is no picture, or the format cannot hold what was asked for.
    ImageFileError
        If the file cannot be written.
    MissingExtraError
        If the format's library is not installed.
    """
    place = Path(path)
    chosen = as_transfer_function(transfer)
    check_request(place, bit_depth=bit_depth, transfer=chosen, attributes=attributes)
    pixels = _as_picture(place, picture)
    dtype = np.uint8 if bit_depth == 8 else np.uint16
    write = _writer(place, pixels, dtype=dtype, transfer=chosen, attributes=attributes or {})
    try:
        with replacing(place) as temporary:
            write(temporary)
    except OSError as error:
        raise ImageFileError(place, f"cannot be written: {error.strerror or error}") from error


def _writer(
    place: Path,
    pixels: F32Array,
    *,
    dtype: type[np.uint8] | type[np.uint16],
    transfer: TransferFunction,
    attributes: Mapping[str, object],
) -> Callable[[Path], object]:
    """Return what writes the picture to a path; what can fail before anything is written fails here."""
    match place.suffix.lower():
        case ".png":
            from unshape_image.files.png_files import encode_png

            _check_not_empty(place, pixels)
            data = encode_png(floats_to_codes(pixels, dtype, transfer))
            return lambda path: path.write_bytes(data)
        case ".exr":
            from unshape_image.files.exr_files import write_exr

            _check_not_empty(place, pixels)
            return lambda path: write_exr(path, pixels)
        case ".npy":
            from unshape_image.files.npy_files import write_npy

            return lambda path: write_npy(path, pixels)
        case _:
            from unshape_image.files.zarr_files import is_zarr_store, write_zarr

            if place.is_dir() and not is_zarr_store(place):
                raise ImageFileError(place, "is a folder but no Zarr store; remove it or choose another name")
            return lambda path: write_zarr(path, pixels, attributes)


def check_request(
    path: str | os.PathLike[str],
    *,
    bit_depth: int = 8,
    transfer: TransferFunction | str = TransferFunction.NONE,
    attributes: Mapping[str, object] | None = None,
) -> None:
    """Refuse what :func:`write_image` could not write, before anything is computed.

    Raises
    ------
    InvalidArgumentError
        If the format cannot hold what was asked for.
    """
    place = Path(path)
    suffix = place.suffix.lower()
    if suffix not in FORMATS:
        msg = f"{place}: expected a name that ends in {', '.join(FORMATS)}, got {suffix or 'no ending'!r}"
        raise InvalidArgumentError(msg)
    if bit_depth not in {8, 16}:
        msg = f"{place}: bit_depth: expected 8 or 16, got {bit_depth!r}"
        raise InvalidArgumentError(msg)
    if as_transfer_function(transfer) is not TransferFunction.NONE and suffix != ".png":
        msg = f"{place}: transfer: {suffix} holds numbers as they are; put image::Convert before it to encode them"
        raise InvalidArgumentError(msg)
    if attributes and suffix != ".zarr":
        msg = f"{place}: attributes: {suffix} cannot hold them; use .zarr"
        raise InvalidArgumentError(msg)


def _as_picture(place: Path, picture: npt.ArrayLike) -> F32Array:
    array: npt.NDArray[Any] = np.asarray(picture)
    shape = (*array.shape, 1) if array.ndim == 2 else array.shape
    if len(shape) != 3 or not 1 <= shape[2] <= 4 or array.dtype.kind != "f":
        msg = (
            f"{place}: expected a picture float32[height, width, channel] of 1 to 4 channels, got "
            f"{array.dtype}{list(array.shape)}"
        )
        raise InvalidArgumentError(msg)
    return np.ascontiguousarray(array, np.float32).reshape(shape)


def _check_not_empty(place: Path, pixels: F32Array) -> None:
    if pixels.size == 0:
        msg = f"{place}: expected at least one pixel, got {pixels.shape[1]} x {pixels.shape[0]}; use .npy"
        raise InvalidArgumentError(msg)
