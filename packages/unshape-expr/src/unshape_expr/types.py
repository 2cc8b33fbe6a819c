"""The types of expressions."""

from __future__ import annotations

from enum import StrEnum


class Type(StrEnum):
    """Type of an expression: four scalars, and vectors of two to four float32."""

    F32 = "f32"
    U32 = "u32"
    I32 = "i32"
    BOOL = "bool"
    VEC2 = "vec2"
    VEC3 = "vec3"
    VEC4 = "vec4"

    @property
    def components(self) -> int:
        """Number of components, 1 for a scalar."""
        return _COMPONENTS.get(self, 1)

    @property
    def is_vector(self) -> bool:
        """Whether this is one of the vector types."""
        return self in _COMPONENTS

    @property
    def is_float(self) -> bool:
        """Whether components are float32."""
        return self is Type.F32 or self in _COMPONENTS

    @property
    def is_integer(self) -> bool:
        """Whether this is I32 or U32."""
        return self is Type.I32 or self is Type.U32

    @property
    def scalar(self) -> Type:
        """Type of one component."""
        return Type.F32 if self in _COMPONENTS else self


_COMPONENTS = {Type.VEC2: 2, Type.VEC3: 3, Type.VEC4: 4}


def float_type(components: int) -> Type:
    """Return the float type of 1 to 4 components."""
    return (Type.F32, Type.VEC2, Type.VEC3, Type.VEC4)[components - 1]
