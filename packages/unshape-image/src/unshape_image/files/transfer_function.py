"""Integer codes of picture files as float32 and back.

A code c of n bits is the number ``c/(2**n - 1)``, correctly rounded. Going back, NaN becomes 0, numbers are cut off at
0 and 1, multiplied by ``2**n - 1`` in float32, and rounded to the nearest integer, halves to the even one. There is no
dithering. Every code survives the way to float32 and back.
"""

from __future__ import annotations

import logging
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from unshape_core.errors import InvalidArgumentError
from unshape_image.channels import has_alpha
from unshape_image.held_picture import F32Array

_logger = logging.getLogger("unshape_image")


class TransferFunction(StrEnum):
    """How the numbers of a picture relate to the codes of an 8 or 16 bit file."""

    NONE = "none"  # they are the codes' fractions, as they are: right for data, and for work on encoded colours
    SRGB = "srgb"  # they are linear light, the codes its sRGB encoding; alpha is never encoded


def as_transfer_function(value: TransferFunction | str) -> TransferFunction:
    """Return the transfer function of that name.

    Raises
    ------
    InvalidArgumentError
        If there is none.
    """
    try:
        return TransferFunction(value)
    except ValueError as error:
        msg = f"transfer: expected one of {', '.join(repr(choice.value) for choice in TransferFunction)}, got {value!r}"
        raise InvalidArgumentError(msg) from error


def codes_to_floats(codes: npt.NDArray[Any], transfer: TransferFunction) -> F32Array:
    """Return unsigned integers, ``[height, width, channel]``, as float32."""
    largest = np.iinfo(codes.dtype).max
    if transfer is TransferFunction.NONE:
        return _fractions(codes, largest)
    fractions = np.arange(largest + 1, dtype=np.float64) / largest
    table = _decode_srgb(fractions).astype(np.float32)
    floats: F32Array = table[codes]
    if has_alpha(codes.shape[2]):
        floats[..., -1] = _fractions(codes[..., -1], largest)
    return floats


def floats_to_codes(
    picture: F32Array, dtype: type[np.uint8] | type[np.uint16], transfer: TransferFunction
) -> npt.NDArray[Any]:
    """Return float32, ``[height, width, channel]``, as unsigned integers."""
    is_nan = np.isnan(picture)
    if is_nan.any():
        _logger.warning("picture file: %d numbers are NaN and become 0", int(np.count_nonzero(is_nan)))
        picture = np.where(is_nan, np.float32(0.0), picture)
    numbers = np.clip(picture, np.float32(0.0), np.float32(1.0))
    if transfer is TransferFunction.SRGB:
        colours = numbers.shape[2] - has_alpha(numbers.shape[2])
        numbers[..., :colours] = _encode_srgb(numbers[..., :colours].astype(np.float64))
    numbers *= np.float32(np.iinfo(dtype).max)
    return np.rint(numbers, numbers).astype(dtype)


def _fractions(codes: npt.NDArray[Any], largest: int) -> F32Array:
    fractions: F32Array = codes.astype(np.float32)
    fractions /= np.float32(largest)
    return fractions


def _decode_srgb(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4)


def _encode_srgb(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.where(x <= 0.0031308, x * 12.92, 1.055 * x ** (1.0 / 2.4) - 0.055)
