"""The layout of a kernel's parameters: small values in one row of 32-bit words.

First what every launch needs, then a description of each picture, then the literals, the uniforms and the inputs that
are numbers. They are passed by value where the device takes that many bytes, else in a buffer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unshape_core.value import Value, Vec2, Vec3, Vec4
from unshape_core.window import Window
from unshape_expr.kernel import Kernel
from unshape_expr.types import Type

HEAD = ("begin", "top", "across", "down", "width", "height", "segments", "units", "share")
"""The window to compute, the size of the whole picture, and how the pixels are shared out."""
PICTURE_WORDS = 6

Words = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where each parameter stands.

    Parameters
    ----------
    pictures : tuple of str
        Picture inputs in the order of their arrays.
    picture_start, slot_start : int
        First words of the pictures' descriptions and of the literals.
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
    """Writes values into the row of words.

    Parameters
    ----------
    layout : Layout
        Where they go.
    """

    __slots__ = ("_floats", "_layout", "_signed", "words")

    def __init__(self, layout: Layout, template: Words | None = None) -> None:
        self._layout = layout
        self.words: Words = np.zeros(layout.size, np.uint32) if template is None else template.copy()
        self._signed = self.words.view(np.int32)
        self._floats = self.words.view(np.float32)

    def put_head(self, head: Sequence[int]) -> None:
        """Write what every launch needs, in the order of ``HEAD``."""
        self._signed[: len(HEAD)] = head

    def put_picture(self, number: int, window: Window, size_px: tuple[int, int]) -> None:
        """Write what is at hand of a picture, and its whole size."""
        start = self._layout.picture_word(number)
        self._signed[start : start + PICTURE_WORDS] = (
            window.x_px,
            window.y_px,
            window.width_px,
            window.height_px,
            *size_px,
        )

    def put_slots(self, values: Sequence[bool | int | float]) -> None:
        """Write the literals."""
        for position, (type_, value) in enumerate(
            zip(self._layout.slot_types, values, strict=True), self._layout.slot_start
        ):
            self._put(position, type_, value)

    def put(self, position: int, type_: Type, value: Value) -> None:
        """Write a number or vector."""
        if isinstance(value, Vec2 | Vec3 | Vec4):
            parts = tuple(value)
            self._floats[position : position + len(parts)] = parts
        else:
            self._put(position, type_, value)  # type: ignore[arg-type]  # inputs were checked

    def _put(self, position: int, type_: Type, value: bool | int | float) -> None:  # noqa: FBT001
        match type_:
            case Type.F32:
                self._floats[position] = value
            case Type.I32:
                self._signed[position] = value
            case _:
                self.words[position] = value
