"""The parameter block of a shader: everything that may change between runs without anything being compiled.

A block is a row of 32-bit words in a uniform buffer. Words 0, 2 and 3 are the run-time zero, sign and one of
``wgsl/opaque.wgsl``, word 1 is the number of work items; what follows is given by the shader's kind.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from unshape_core.errors import InvalidArgumentError
from unshape_core.value import Vec2, Vec3, Vec4
from unshape_core.window import Window
from unshape_expr.kernel import InputUse, Kernel
from unshape_expr.literal import round_to_f32
from unshape_expr.types import Type

WORD_BYTES = 4
OUTPUT_WORD = 4
"""First word about the output: column and row of its window, width and height of the whole picture."""
WIDTH_WORD = 8
"""Width of the output window in pixels."""
_FIRST_INPUT = 9
_WORDS_PER_INPUT = 6

_CODES = {Type.F32: "f", Type.I32: "i", Type.U32: "I", Type.BOOL: "I"}


def word(index: int) -> str:
    """Return the WGSL text of a word of the block."""
    return f"params[{index // 4}].{'xyzw'[index % 4]}"


def typed_word(index: int, type_: Type) -> str:
    """Return the WGSL text of a word as a scalar."""
    match type_:
        case Type.U32:
            return word(index)
        case Type.BOOL:
            return f"({word(index)} != 0u)"
        case Type.I32:
            return f"bitcast<i32>({word(index)})"
        case _:
            return f"bitcast<f32>({word(index)})"


@dataclass(frozen=True, slots=True)
class ParameterLayout:
    """Where a kernel finds its parameters.

    Parameters
    ----------
    pictures : tuple of InputUse
        The picture inputs in the order of their bindings; word ``picture_word(k)`` begins the k-th one's six: column
        and row where what is at hand begins, its width and height, width and height of the whole picture.
    slots, uniforms, scalars : dict
        First word of each literal slot (by number), uniform and scalar input (by name).
    format : str
        For ``struct``: everything behind the words of the pictures.
    words : int
        Length of the block.
    """

    pictures: tuple[InputUse, ...]
    slots: dict[int, int]
    uniforms: dict[str, int]
    scalars: dict[str, int]
    format: str
    words: int

    @classmethod
    def of(cls, kernel: Kernel) -> ParameterLayout:
        """Return the layout of a kernel's block."""
        pictures = tuple(use for use in kernel.inputs if not use.is_scalar)
        place = _FIRST_INPUT + _WORDS_PER_INPUT * len(pictures)
        slots: dict[int, int] = {}
        uniforms: dict[str, int] = {}
        scalars: dict[str, int] = {}
        codes: list[str] = []
        for number, type_ in enumerate(kernel.slots):
            slots[number] = place
            codes.append(_CODES[type_])
            place += 1
        named = [(uniforms, name, type_) for name, type_ in kernel.uniforms]
        named += [(scalars, use.port, use.type) for use in kernel.inputs if use.is_scalar]
        for table, name, type_ in named:
            table[name] = place
            codes += [_CODES[type_.scalar]] * type_.components
            place += type_.components
        return cls(pictures, slots, uniforms, scalars, "<" + "".join(codes), place)

    def picture_word(self, port: str) -> int:
        """Return the first word about a picture input."""
        return _FIRST_INPUT + _WORDS_PER_INPUT * [use.port for use in self.pictures].index(port)


def head_of(
    *, items: int, output: Window, size_px: tuple[int, int], pictures: Sequence[tuple[Window, tuple[int, int]]]
) -> bytes:
    """Return the words that depend on sizes only.

    Parameters
    ----------
    items : int
        Number of work items.
    output : Window
        What is computed.
    size_px : (int, int)
        Width and height of the whole output.
    pictures : sequence of (Window, (int, int))
        For each picture input what is at hand, and width and height of the whole.
    """
    words = [output.x_px, output.y_px, *size_px, output.width_px]
    for window, (width_px, height_px) in pictures:
        words += [window.x_px, window.y_px, window.width_px, window.height_px, width_px, height_px]
    return opaque_words(items) + struct.pack(f"<{len(words)}i", *words)


def opaque_words(items: int) -> bytes:
    """Return the four words that every block begins with, for a number of work items."""
    return struct.pack("<IIIf", 0, items, 0x80000000, 1.0)


def flat_values(values: Sequence[bool | int | float | Vec2 | Vec3 | Vec4]) -> list[bool | int | float]:
    """Return scalars and the components of vectors in a row."""
    flat: list[bool | int | float] = []
    for value in values:
        if isinstance(value, Vec2 | Vec3 | Vec4):
            flat.extend(value)
        else:
            flat.append(value)
    return flat


def packed(packer: struct.Struct, values: Sequence[bool | int | float]) -> bytes:
    """Return values as words; a number beyond float32 becomes an infinity.

    Raises
    ------
    InvalidArgumentError
        If an integer does not fit into 32 bits, or a value is no number.
    """
    try:
        return packer.pack(*values)
    except OverflowError:
        return packer.pack(*[round_to_f32(value) if isinstance(value, float) else value for value in values])
    except struct.error as error:
        msg = f"parameters {list(values)!r:.80}: expected numbers that fit into 32 bits ({error})"
        raise InvalidArgumentError(msg) from error
