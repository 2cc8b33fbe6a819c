"""Zarr stores, version 3: one array in a folder."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import numpy as np

from unshape_image.files.errors import ImageFileError, MissingExtraError
from unshape_image.files.size_limit import check_channels, check_size
from unshape_image.held_picture import F32Array

_CHUNK_PX = 512
AXES = ("height", "width", "channel")


def read_zarr(path: Path, max_bytes: int) -> F32Array:
    """Return the numbers of the array at the root of a store, ``float32[height, width, channel]``."""
    library = _library()
    try:
        array = library.open_array(path, mode="r")
        shape = check_channels(path, array.shape)
        check_size(path, shape, max_bytes)
        if array.dtype.kind != "f":
            reason = f"expected floats, got {array.dtype}; save integers divided by their largest value"
            raise ImageFileError(path, reason)
        return np.array(array[...], np.float32, order="C").reshape(shape)
    except (ValueError, TypeError, KeyError, OSError, RuntimeError) as error:
        if isinstance(error, ImageFileError):
            raise
        raise ImageFileError(path, f"expected a Zarr array at the root of the store: {error}") from error


def write_zarr(path: Path, picture: F32Array, attributes: Mapping[str, object]) -> None:
    """Write the numbers as they are, with attributes, in chunks of 512 x 512 pixels."""
    height, width, channels = picture.shape
    array = _library().create_array(
        path,
        shape=picture.shape,
        dtype="float32",
        chunks=(min(max(height, 1), _CHUNK_PX), min(max(width, 1), _CHUNK_PX), channels),
        dimension_names=AXES,
        attributes=dict(attributes),
        zarr_format=3,
    )
    if picture.size:
        array[...] = picture


def is_zarr_store(path: Path) -> bool:
    """Return whether a folder holds a Zarr store."""
    return any((path / name).is_file() for name in ("zarr.json", ".zarray", ".zgroup"))


def _library() -> ModuleType:
    try:
        return importlib.import_module("zarr")
    except ImportError as error:
        what = "the Zarr format (.zarr)"
        raise MissingExtraError(what, "zarr") from error
