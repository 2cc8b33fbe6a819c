"""The layout of a kernel's parameters: small values in one row of 32-bit words.

First what every launch needs, then a description of each picture, then the literals, the uniforms and the inputs that
are numbers. They are passed by value where the device takes that many bytes, else in a buffer.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from unshape_core.value import Value, Vec2, Vec3, Vec4
from unshape_core.window import Window
from unshape_expr.kernel import Kernel
from unshape_expr.literal import round_to_f32
from unshape_expr.types import Type

HEAD = ("begin", "top", "across", "down", "width", "height", "segments", "units", "share")
"""The window to compute, the size of the whole picture, and how the pixels are shared out."""
PICTURE_WORDS = 6

_CODES = {Type.F32: "f", Type.I32: "i", Type.U32: "I", Type.BOOL: "I"}
"""How the module struct calls a word of each type."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where each parameter stands.

    Parameters
    ----------
    pictures : tuple of str
        Picture inputs in the order of their arrays.
    picture_start, slot_start : int
        First words of the pictures' descriptions and of the literals.
    slot_types : tuple of Type
        Type of each literal.
    uniforms : tuple of (str, Type, int)
        Name, type and word of each uniform.
    scalars : tuple of (str, Type, int)
        The same of each input that is a number or vector.
    size : int
        Number of words.
    """

    pictures: tuple[str, ...]
    picture_start: int
    slot_start: int
    slot_types: tuple[Type, ...]
    uniforms: tuple[tuple[str, Type, int], ...]
    scalars: tuple[tuple[str, Type, int], ...]
    size: int

    @classmethod
    def of(cls, kernel: Kernel) -> Layout:
        """Return the layout for a kernel."""
        pictures = tuple(use.port for use in kernel.inputs if not use.is_scalar)
        slot_start = len(HEAD) + PICTURE_WORDS * len(pictures)
        position = slot_start + len(kernel.slots)
        uniforms = []
        for name, type_ in kernel.uniforms:
            uniforms.append((name, type_, position))
            position += 1
        scalars = []
        for use in kernel.inputs:
            if use.is_scalar:
                scalars.append((use.port, use.type, position))
                position += use.type.components
        return cls(pictures, len(HEAD), slot_start, kernel.slots, tuple(uniforms), tuple(scalars), position)

    def picture_word(self, number: int) -> int:
        """Return the first word of a picture's description."""
        return self.picture_start + PICTURE_WORDS * number


class Packer:
    """Writes the row of words for one run after another; what is the same in all of them is written once.

    Parameters
    ----------
    layout : Layout
        Where everything goes.
    head : sequence of int
        What every launch needs, in the order of ``HEAD``.
    pictures : sequence of (Window, (int, int))
        What is at hand of each picture, and its whole size.
    """

    __slots__ = ("_last", "_numbers", "_slots", "_start")

    def __init__(self, layout: Layout, head: Sequence[int], pictures: Sequence[tuple[Window, tuple[int, int]]]) -> None:
        fixed = [*head]
        for window, size_px in pictures:
            fixed += (window.x_px, window.y_px, window.width_px, window.height_px, *size_px)
        self._start = struct.pack(f"<{len(fixed)}i", *fixed)
        self._slots = struct.Struct("<" + "".join(_CODES[type_] for type_ in layout.slot_types))
        types = [type_ for _, type_, _ in (*layout.uniforms, *layout.scalars)]
        self._numbers = struct.Struct("<" + "".join(_CODES[type_.scalar] * type_.components for type_ in types))
        self._last: tuple[object, bytes] = (None, b"")

    def words(self, slots: Sequence[bool | int | float], numbers: Sequence[Value]) -> bytes:
        """Return the words.

        Parameters
        ----------
        slots : sequence of bool, int or float
            The literals; the same object as before is not looked at again.
        numbers : sequence of bool, int, float or vector
            Uniforms, then inputs that are no pictures.
        """
        known, start = self._last
        if known is not slots:
            start = self._start + self._slots.pack(*slots)
            self._last = (slots, start)
        if not numbers:
            return start
        parts: list[Any] = []
        for number in numbers:
            if isinstance(number, Vec2 | Vec3 | Vec4):
                parts += number
            else:
                parts.append(round_to_f32(number) if isinstance(number, float) else number)
        return start + self._numbers.pack(*parts)
