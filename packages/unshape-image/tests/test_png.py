"""PNG files, exactly: against OpenCV and Pillow, and files made byte by byte."""

from __future__ import annotations

import logging
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image
from png_bytes import chunk, header, png
from references import Array

from unshape_image import ImageFileError, read_image, write_image

RNG = np.random.default_rng(13)
LARGEST = {np.uint8: 255, np.uint16: 65535}


def codes(dtype: type[np.uint8] | type[np.uint16], channels: int) -> Array:
    """Return a picture in which every code of 8 bits, and both ends of 16 bits, occur."""
    values = RNG.integers(0, LARGEST[dtype] + 1, (33, 65, channels)).astype(dtype)
    values[:4, :64] = np.arange(256, dtype=dtype).reshape(4, 64, 1)
    values[5, :4] = np.array([0, 1, LARGEST[dtype] - 1, LARGEST[dtype]], dtype)[:, None]
    return values


def in_opencv_order(picture: Array) -> Array:
    """Swap red and blue, as OpenCV has them."""
    order = {1: [0], 3: [2, 1, 0], 4: [2, 1, 0, 3]}[picture.shape[2]]
    return np.ascontiguousarray(picture[..., order])


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_every_code_that_opencv_writes_is_read(
    tmp_path: Path, dtype: type[np.uint8] | type[np.uint16], channels: int
) -> None:
    stored = codes(dtype, channels)
    assert cv2.imwrite(str(tmp_path / "a.png"), in_opencv_order(stored))
    read = read_image(tmp_path / "a.png")
    np.testing.assert_array_equal(read, stored.astype(np.float32) / np.float32(LARGEST[dtype]), strict=True)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_every_code_that_is_written_is_read_by_opencv(
    tmp_path: Path, dtype: type[np.uint8] | type[np.uint16], channels: int
) -> None:
    stored = codes(dtype, channels)
    picture = (stored / LARGEST[dtype]).astype(np.float32)
    write_image(tmp_path / "a.png", picture, bit_depth=8 if dtype is np.uint8 else 16)
    read = cv2.imread(str(tmp_path / "a.png"), cv2.IMREAD_UNCHANGED)
    assert read is not None
    np.testing.assert_array_equal(in_opencv_order(read.reshape(stored.shape)), stored, strict=True)


@pytest.mark.parametrize("bit_depth", [8, 16])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_what_is_written_is_read_again(tmp_path: Path, bit_depth: int, channels: int) -> None:
    picture = (RNG.integers(0, 2**bit_depth, (7, 5, channels)) / (2**bit_depth - 1)).astype(np.float32)
    write_image(tmp_path / "a.png", picture, bit_depth=8 if bit_depth == 8 else 16)
    np.testing.assert_array_equal(read_image(tmp_path / "a.png"), picture, strict=True)


def test_pillow_reads_sixteen_bits_of_colour_as_eight_and_we_do_not(tmp_path: Path) -> None:
    picture = np.full((2, 2, 3), 257.0 / 65535.0 + 1.0 / 65535.0, np.float32)
    write_image(tmp_path / "a.png", picture, bit_depth=16)
    assert np.asarray(Image.open(tmp_path / "a.png")).dtype == np.uint8
    assert read_image(tmp_path / "a.png")[0, 0, 0] * 65535 == pytest.approx(258.0, abs=0.01)


@pytest.mark.parametrize("filter_type", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("interlace", [0, 1])
def test_filters_and_interlacing_of_sixteen_bits_are_undone(tmp_path: Path, filter_type: int, interlace: int) -> None:
    stored = codes(np.uint16, 3)
    data = filtered_png(stored, filter_type, interlace=interlace)
    (tmp_path / "a.png").write_bytes(data)
    theirs = cv2.imread(str(tmp_path / "a.png"), cv2.IMREAD_UNCHANGED)
    assert theirs is not None
    np.testing.assert_array_equal(theirs, in_opencv_order(stored))
    np.testing.assert_array_equal(np.rint(read_image(tmp_path / "a.png") * 65535.0), stored)


def filtered_png(stored: Array, filter_type: int, *, interlace: int) -> bytes:
    """Return a 16 bit RGB file by the PNG specification, sections 8 and 9."""
    parts = [stored]
    if interlace:
        passes = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
        parts = [stored[y::dy, x::dx] for y, x, dy, dx in passes]
    rows = b""
    for part in parts:
        above = np.zeros(part.shape[1] * 6, np.int64)
        for row in part.astype(">u2"):
            line = np.frombuffer(row.tobytes(), np.uint8).astype(np.int64)
            left = np.concatenate([np.zeros(6, np.int64), line[:-6]])
            corner = np.concatenate([np.zeros(6, np.int64), above[:-6]])
            guess = left + above - corner
            a, b, c = np.abs(guess - left), np.abs(guess - above), np.abs(guess - corner)
            paeth = np.where((a <= b) & (a <= c), left, np.where(b <= c, above, corner))
            predicted = [np.zeros_like(line), left, above, (left + above) // 2, paeth][filter_type]
            rows += bytes([filter_type]) + ((line - predicted) % 256).astype(np.uint8).tobytes()
            above = line
    return png(header(stored.shape[1], stored.shape[0], 16, 2, interlace), rows)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (png(header(2, 1, 1, 0), b"\0\x40"), [[0.0], [1.0]]),
        (png(header(2, 1, 2, 0), b"\0\x60"), [[1 / 3], [2 / 3]]),
        (png(header(2, 1, 4, 0), b"\0\x3f"), [[0.2], [1.0]]),
        (png(header(1, 1, 8, 3), b"\0\1", chunk(b"PLTE", bytes([0, 0, 0, 255, 51, 0]))), [[1.0, 0.2, 0.0]]),
        (
            png(header(2, 1, 8, 3), b"\0\0\1", chunk(b"PLTE", bytes([0, 0, 0, 255, 51, 0])), chunk(b"tRNS", b"\0")),
            [[0.0, 0.0, 0.0, 0.0], [1.0, 0.2, 0.0, 1.0]],
        ),
        (png(header(2, 1, 8, 0), b"\0\x33\xff", chunk(b"tRNS", b"\0\x33")), [[0.2, 0.0], [1.0, 1.0]]),
        (
            png(header(2, 1, 8, 2), b"\0\x33\0\0\xff\0\0", chunk(b"tRNS", b"\0\x33\0\0\0\0")),
            [[0.2, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 1.0]],
        ),
        (png(header(2, 1, 16, 0), b"\0\x33\x33\xff\xff", chunk(b"tRNS", b"\x33\x33")), [[0.2, 0.0], [1.0, 1.0]]),
        (
            png(header(1, 1, 16, 2), b"\0\x33\x33\0\0\0\1", chunk(b"tRNS", b"\x33\x33\0\0\0\1")),
            [[0.2, 0.0, 1 / 65535, 0.0]],
        ),
        (png(header(1, 1, 16, 4), b"\0\x33\x33\x66\x66"), [[0.2, 0.4]]),
    ],
    ids=["1", "2", "4", "palette", "palette-a", "gray-t", "rgb-t", "gray16-t", "rgb16-t", "gray16-a"],
)
def test_every_kind_of_png_is_read(tmp_path: Path, data: bytes, expected: list[list[float]]) -> None:
    (tmp_path / "a.png").write_bytes(data)
    np.testing.assert_allclose(read_image(tmp_path / "a.png"), [expected], rtol=1e-7)


GOOD = png(header(2, 2, 8, 0), b"\0\1\2\0\3\4")
DEEP = png(header(1, 1, 16, 2), b"\0" + bytes(6))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "expected a PNG file, got other content"),
        (b"GIF89a" * 10, "expected a PNG file, got other content"),
        (GOOD[:20], "cut off"),
        (GOOD[:-12], "cut off"),
        (GOOD.replace(b"IDAT", b"IDOT"), "cut off"),
        (GOOD.replace(b"IHDR", b"IHDX"), "header is damaged"),
        (png(header(2, 0, 8, 0), b""), "header is damaged"),
        (png(header(2, 2, 8, 5), b"\0\1\2\0\3\4"), "header is damaged"),
        (png(header(2, 2, 8, 0), b"\0\1\2"), "its header announces 6: the file is cut off"),
        (png(header(2, 2, 8, 0), b"\0\1\2\7\3\4"), "damaged"),
        (png(header(1, 1, 16, 2), b"\7" + bytes(6)), "damaged"),
        (DEEP.replace(b"\0\0\0\1\0\0\0\1\x10", b"\0\0\0\1\0\0\0\1\x03"), "damaged"),
        (png(header(1, 1, 16, 4), bytes(5), b"\0\0\0\xffabcd"), "cut off"),
    ],
)
def test_a_damaged_file_is_refused_with_the_reason(tmp_path: Path, data: bytes, reason: str) -> None:
    (tmp_path / "a.png").write_bytes(data)
    with pytest.raises(ImageFileError, match=reason) as caught:
        read_image(tmp_path / "a.png")
    assert caught.value.path == tmp_path / "a.png"
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("color_type", [0, 2])
def test_data_that_would_decompress_to_more_than_announced_are_refused(tmp_path: Path, color_type: int) -> None:
    bomb = png(header(1, 1, 16, color_type), bytes(50_000_000))
    assert len(bomb) < 100_000
    (tmp_path / "a.png").write_bytes(bomb)
    with pytest.raises(ImageFileError, match=r"holds more than the . bytes of pixels that its header announces"):
        read_image(tmp_path / "a.png")


def test_a_picture_larger_than_allowed_is_refused_before_its_memory_is_taken(tmp_path: Path) -> None:
    write_image(tmp_path / "a.png", np.zeros((10, 10, 3), np.float32))
    with pytest.raises(ImageFileError, match=r"at most 1199 bytes as float32, got 1200 bytes \(10 x 10 x 3\)"):
        read_image(tmp_path / "a.png", max_bytes=1199)
    assert read_image(tmp_path / "a.png", max_bytes=1200).shape == (10, 10, 3)


def test_a_huge_header_without_data_takes_no_memory(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png(header(2**31 - 1, 2**31 - 1, 16, 6), b""))
    with pytest.raises(ImageFileError, match=r"cut off|at most"):
        read_image(tmp_path / "a.png")


def test_pictures_larger_than_the_bound_of_pillow_are_read_without_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_image(tmp_path / "a.png", np.zeros((30, 30, 3), np.float32))
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 10)
    assert read_image(tmp_path / "a.png").shape == (30, 30, 3)


def test_a_colour_profile_is_warned_of_unless_it_is_srgb(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    image = Image.new("RGB", (2, 2))
    image.save(tmp_path / "srgb.png", icc_profile=b"... sRGB IEC61966-2.1 ...")
    image.save(tmp_path / "other.png", icc_profile=b"... Display P3 ...")
    with caplog.at_level(logging.WARNING, "unshape_image"):
        read_image(tmp_path / "srgb.png")
        assert caplog.records == []
        read_image(tmp_path / "other.png")
    assert "its colour profile is not applied" in caplog.text
