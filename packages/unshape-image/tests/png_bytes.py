"""PNG files made chunk by chunk, also wrong ones."""

from __future__ import annotations

import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(kind: bytes, body: bytes) -> bytes:
    """Return one chunk."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def header(width: int, height: int, bit_depth: int, color_type: int, interlace: int = 0) -> bytes:
    """Return the first chunk."""
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bit_depth, color_type, 0, 0, interlace))


def png(first: bytes, rows: bytes, *others: bytes) -> bytes:
    """Return a file of a header, further chunks, and rows that begin with their filter."""
    return SIGNATURE + first + b"".join(others) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
