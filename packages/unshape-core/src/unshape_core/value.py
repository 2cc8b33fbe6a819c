"""What flows on a wire.

Values are immutable once they are on a wire. ``F32`` scalars are Python floats that a float32 can hold; the vectors
round their components to float32 when they are made, so that two vectors that compare equal are the same bits apart
from the sign of zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from unshape_core.errors import InvalidArgumentError
from unshape_core.protocols import GraphValue


def round_to_f32(value: float) -> float:
    """Return the float32 nearest to a number, as a Python float; infinity beyond the largest float32."""
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def _component(owner: str, name: str, value: object) -> float:
    if isinstance(value, bool | np.bool_) or not isinstance(value, float | int | np.floating | np.integer):
        msg = f"{owner}.{name}: expected a number, got {value!r} of type {type(value).__name__}"
        raise InvalidArgumentError(msg)
    return round_to_f32(float(value))


@dataclass(frozen=True, slots=True)
class Vec2:
    """Two float32 components; iterable, and an array of shape ``(2,)`` to NumPy."""

    x: float
    y: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "x", _component("Vec2", "x", self.x))
        object.__setattr__(self, "y", _component("Vec2", "y", self.y))

    def __iter__(self) -> Iterator[float]:
        yield self.x
        yield self.y

    def __array__(self, dtype: npt.DTypeLike | None = None, *, copy: bool | None = None) -> npt.NDArray[Any]:
        return _as_array(self, dtype, copy=copy)


@dataclass(frozen=True, slots=True)
class Vec3:
    """Three float32 components; iterable, and an array of shape ``(3,)`` to NumPy."""

    x: float
    y: float
    z: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "x", _component("Vec3", "x", self.x))
        object.__setattr__(self, "y", _component("Vec3", "y", self.y))
        object.__setattr__(self, "z", _component("Vec3", "z", self.z))

    def __iter__(self) -> Iterator[float]:
        yield self.x
        yield self.y
        yield self.z

    def __array__(self, dtype: npt.DTypeLike | None = None, *, copy: bool | None = None) -> npt.NDArray[Any]:
        return _as_array(self, dtype, copy=copy)


@dataclass(frozen=True, slots=True)
class Vec4:
    """Four float32 components; iterable, and an array of shape ``(4,)`` to NumPy."""

    x: float
    y: float
    z: float
    w: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "x", _component("Vec4", "x", self.x))
        object.__setattr__(self, "y", _component("Vec4", "y", self.y))
        object.__setattr__(self, "z", _component("Vec4", "z", self.z))
        object.__setattr__(self, "w", _component("Vec4", "w", self.w))

    def __iter__(self) -> Iterator[float]:
        yield self.x
        yield self.y
        yield self.z
        yield self.w

    def __array__(self, dtype: npt.DTypeLike | None = None, *, copy: bool | None = None) -> npt.NDArray[Any]:
        return _as_array(self, dtype, copy=copy)


def _as_array(vector: Vec2 | Vec3 | Vec4, dtype: npt.DTypeLike | None, *, copy: bool | None) -> npt.NDArray[Any]:
    if copy is False:
        msg = f"{type(vector).__name__}: an array of it is always a copy; leave out copy=False"
        raise ValueError(msg)
    return np.array(tuple(vector), dtype="float32" if dtype is None else dtype)


Vector: TypeAlias = Vec2 | Vec3 | Vec4
HostArray: TypeAlias = npt.NDArray[np.generic]
Value: TypeAlias = bool | int | float | Vec2 | Vec3 | Vec4 | npt.NDArray[Any] | GraphValue
