"""The types of ports and wires.

A :data:`ValueType` is one of the seven scalar types, an :class:`ArrayType`, or a :class:`CustomType` for anything a
package brings itself. Equality is identity of meaning: a wire may join two ports only if their types are equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class ScalarType(StrEnum):
    """A value of fixed, small size. ``F32`` and the vectors hold float32, ``F64`` float64."""

    F32 = "f32"
    F64 = "f64"
    I32 = "i32"
    BOOL = "bool"
    VEC2 = "vec2"
    VEC3 = "vec3"
    VEC4 = "vec4"


@dataclass(frozen=True, slots=True)
class ArrayType:
    """Bulk data: a dtype and named axes.

    Parameters
    ----------
    dtype : str
        NumPy's name of the element type, native byte order, for example ``"float32"``.
    axes : tuple of str
        The axes from the slowest to the fastest, for example ``("height", "width", "channel")``.
    """

    dtype: str
    axes: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(self.axes)}]"


@dataclass(frozen=True, slots=True)
class CustomType:
    """A Python class that only some package knows."""

    cls: type

    def __str__(self) -> str:
        return f"{self.cls.__module__}.{self.cls.__qualname__}"


ValueType: TypeAlias = ScalarType | ArrayType | CustomType

F32 = ScalarType.F32
F64 = ScalarType.F64
I32 = ScalarType.I32
BOOL = ScalarType.BOOL
VEC2 = ScalarType.VEC2
VEC3 = ScalarType.VEC3
VEC4 = ScalarType.VEC4

TEXTURE = ArrayType("float32", ("height", "width", "channel"))
"""A picture: ``float32[height_px, width_px, channel]`` with 1 to 4 channels, rows first, C order."""
