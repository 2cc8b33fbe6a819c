"""Codes and floats: rounding, cutting off, sRGB."""

from __future__ import annotations

import logging
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from color_science import decoded, encoded
from references import Array

from unshape_core.errors import InvalidArgumentError
from unshape_image import ImageFileError, TransferFunction, read_image, write_image
from unshape_image.files.transfer_function import codes_to_floats, floats_to_codes

DEPTHS: list[type[np.uint8] | type[np.uint16]] = [np.uint8, np.uint16]


def every_code(dtype: type[np.uint8] | type[np.uint16]) -> Array:
    return np.arange(int(np.iinfo(dtype).max) + 1).astype(dtype)[None, :, None]


@pytest.mark.parametrize("dtype", DEPTHS)
@pytest.mark.parametrize("transfer", list(TransferFunction))
def test_every_code_survives_the_way_to_floats_and_back(
    dtype: type[np.uint8] | type[np.uint16], transfer: TransferFunction
) -> None:
    stored = every_code(dtype)
    np.testing.assert_array_equal(
        floats_to_codes(codes_to_floats(stored, transfer), dtype, transfer), stored, strict=True
    )


@pytest.mark.parametrize("dtype", DEPTHS)
def test_a_code_is_the_float_nearest_to_its_fraction(dtype: type[np.uint8] | type[np.uint16]) -> None:
    largest = int(np.iinfo(dtype).max)
    floats = codes_to_floats(every_code(dtype), TransferFunction.NONE)[0, :, 0]
    for code in [*range(256), largest - 1, largest]:
        exact = Fraction(code, largest)
        candidates = [np.nextafter(floats[code], np.float32(x)) for x in (-1.0, 2.0)]
        error = abs(Fraction(float(floats[code])) - exact)
        assert all(error <= abs(Fraction(float(c)) - exact) for c in candidates)


def test_halves_are_rounded_to_the_even_code() -> None:
    halves = (np.arange(255) + 0.5) / 255.0
    exact = [x for x in halves if float(np.float32(np.float32(x) * np.float32(255.0))) % 1.0 == 0.5]
    assert len(exact) > 50
    found = floats_to_codes(np.array(exact, np.float32)[None, :, None], np.uint8, TransferFunction.NONE)
    assert not np.any(found % 2)


def test_numbers_are_cut_off_and_nan_is_zero_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    numbers = np.array([-np.inf, -1.0, 0.0, 1.0, 7.0, np.inf, np.nan], np.float32)[None, :, None]
    before = numbers.copy()
    with caplog.at_level(logging.WARNING, "unshape_image"):
        found = floats_to_codes(numbers, np.uint8, TransferFunction.NONE)
    assert found.ravel().tolist() == [0, 0, 0, 255, 255, 255, 0]
    assert "1 numbers are NaN and become 0" in caplog.text
    np.testing.assert_array_equal(numbers, before)


@pytest.mark.parametrize("dtype", DEPTHS)
def test_decoding_is_that_of_colour_science(dtype: type[np.uint8] | type[np.uint16]) -> None:
    stored = every_code(dtype)
    expected = decoded(stored / np.iinfo(dtype).max)
    np.testing.assert_allclose(codes_to_floats(stored, TransferFunction.SRGB), expected, rtol=1e-7, atol=1e-9)


def test_encoding_is_that_of_colour_science() -> None:
    linear = np.linspace(0.0, 1.0, 5001, dtype=np.float32)[None, :, None]
    expected = np.rint(encoded(linear) * 255.0)
    found = floats_to_codes(linear, np.uint8, TransferFunction.SRGB)
    assert np.abs(found - expected).max() <= 1
    assert np.count_nonzero(found != expected) <= 2


@pytest.mark.parametrize("channels", [2, 4])
def test_alpha_is_never_encoded(tmp_path: Path, channels: int) -> None:
    picture = np.full((2, 2, channels), 0.2, np.float32)
    write_image(tmp_path / "a.png", picture, transfer="srgb")
    expected = [float(encoded(picture)[0, 0, 0])] * (channels - 1) + [0.2]
    assert read_image(tmp_path / "a.png")[0, 0].tolist() == pytest.approx(expected, abs=2e-3)
    assert read_image(tmp_path / "a.png", transfer="srgb")[0, 0].tolist() == pytest.approx([0.2] * channels, abs=5e-3)


def test_an_unknown_transfer_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="transfer: expected one of 'none', 'srgb', got 'linear'"):
        write_image(tmp_path / "a.png", np.zeros((1, 1, 3), np.float32), transfer="linear")


def test_floats_have_no_code_to_decode(tmp_path: Path) -> None:
    write_image(tmp_path / "a.npy", np.zeros((1, 1, 3), np.float32))
    with pytest.raises(ImageFileError, match="expected integers to decode from sRGB, got floats"):
        read_image(tmp_path / "a.npy", transfer="srgb")
