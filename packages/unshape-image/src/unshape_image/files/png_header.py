"""What a PNG file says of itself, and whether its data keep to that; read before any library decodes it."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from unshape_image.files.errors import ImageFileError

SIGNATURE = b"\x89PNG\r\n\x1a\n"

_CHANNELS = {0: 1, 2: 3, 3: 3, 4: 2, 6: 4}
"""Channels by colour type; a palette (3) holds red, green and blue."""
_PALETTE = 3
_INFLATE_AT_ONCE = 1 << 20
# Width and height of the reduced pictures of an interlaced file: origin and step along x and y.
_PASSES = ((0, 8, 0, 8), (4, 8, 0, 8), (0, 4, 4, 8), (2, 4, 0, 4), (0, 2, 2, 4), (1, 2, 0, 2), (0, 1, 1, 2))


@dataclass(frozen=True, slots=True)
class PngHeader:
    """The facts of the first chunk, and whether a transparent colour is named."""

    width_px: int
    height_px: int
    bit_depth: int
    color_type: int
    is_interlaced: bool
    has_transparency: bool

    @property
    def channels(self) -> int:
        """Channels of the decoded picture, alpha included."""
        return _CHANNELS[self.color_type] + self.has_transparency

    @property
    def inflated_bytes(self) -> int:
        """Bytes of the decompressed data that the facts ask for."""
        stored = 1 if self.color_type == _PALETTE else _CHANNELS[self.color_type]
        bits = self.bit_depth * stored
        sizes = [(self.width_px, self.height_px)]
        if self.is_interlaced:
            sizes = [(-(-(self.width_px - x) // dx), -(-(self.height_px - y) // dy)) for x, dx, y, dy in _PASSES]
        return sum((1 + -(-width * bits // 8)) * height for width, height in sizes if width > 0 and height > 0)


def read_png_header(path: Path, data: bytes) -> PngHeader:
    """Return the facts of a PNG file.

    Raises
    ------
    ImageFileError
        If it is no PNG file, or its data would decompress to more than the facts ask for.
    """
    if data[: len(SIGNATURE)] != SIGNATURE:
        raise ImageFileError(path, "expected a PNG file, got other content")
    chunks = list(_chunks(path, data))
    if not chunks or chunks[0][0] != b"IHDR" or len(chunks[0][1]) != 13:
        raise ImageFileError(path, "the PNG header is damaged")
    width, height, depth, color_type, _, _, interlace = struct.unpack(">IIBBBBB", chunks[0][1])
    if not (width and height) or color_type not in _CHANNELS or depth not in {1, 2, 4, 8, 16} or interlace > 1:
        raise ImageFileError(path, "the PNG header is damaged")
    header = PngHeader(width, height, depth, color_type, bool(interlace), any(kind == b"tRNS" for kind, _ in chunks))
    _check_data(path, header, [body for kind, body in chunks if kind == b"IDAT"])
    return header


def _chunks(path: Path, data: bytes) -> Iterator[tuple[bytes, memoryview]]:
    view, place = memoryview(data), len(SIGNATURE)
    while place + 8 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, place)
        if place + 12 + length > len(data):
            raise ImageFileError(path, "the PNG file is cut off")
        yield kind, view[place + 8 : place + 8 + length]
        place += 12 + length
        if kind == b"IEND":
            return
    raise ImageFileError(path, "the PNG file is cut off")


def _check_data(path: Path, header: PngHeader, parts: list[memoryview]) -> None:
    """Decompress without keeping anything: a few bytes may claim to be gigabytes."""
    inflater, total = zlib.decompressobj(), 0
    try:
        for part in parts:
            rest: bytes | memoryview = part
            while rest and not inflater.eof:
                total += len(inflater.decompress(rest, _INFLATE_AT_ONCE))
                rest = inflater.unconsumed_tail
                if total > header.inflated_bytes:
                    reason = f"holds more than the {header.inflated_bytes} bytes of pixels that its header announces"
                    raise ImageFileError(path, reason)
    except zlib.error as error:
        raise ImageFileError(path, f"the PNG data are damaged: {error}") from error
    if total < header.inflated_bytes:
        reason = f"holds {total} bytes of pixels, its header announces {header.inflated_bytes}: the file is cut off"
        raise ImageFileError(path, reason)
