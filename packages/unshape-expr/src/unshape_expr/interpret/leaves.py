"""Values from outside: inputs that are numbers, uniforms, sizes, and texels read at a position equal for all pixels."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from unshape_core.errors import InvalidArgumentError
from unshape_core.value import Vec2, Vec3, Vec4
from unshape_expr.interpret.scalar_code import Leaf, Number, ReadPicture, ScalarCode
from unshape_expr.ir import Fetching, Sampling
from unshape_expr.kernel import Kernel
from unshape_expr.literal import round_to_f32
from unshape_expr.ops import Op
from unshape_expr.picture_input import PictureInput
from unshape_expr.sampling import fetch, sample
from unshape_expr.types import Type

if TYPE_CHECKING:
    from unshape_expr.interpret.program import Program

Given: TypeAlias = "PictureInput | bool | int | float | Vec2 | Vec3 | Vec4"


@dataclass(frozen=True, slots=True)
class Outside:
    """What a kernel is run with.

    Parameters
    ----------
    kernel : Kernel
        Names the types of inputs and uniforms.
    inputs, uniforms : mapping of str to value
        Their values.
    width_px, height_px : int
        Size of the whole picture.
    """

    kernel: Kernel
    inputs: Mapping[str, Given]
    uniforms: Mapping[str, Given]
    width_px: int = 0
    height_px: int = 0

    def values(self, code: ScalarCode) -> list[Number]:
        """Return what compiled scalars need from outside, in order."""
        if not code.leaves:
            return []
        input_types = {use.port: use.type for use in self.kernel.inputs}
        uniform_types = dict(self.kernel.uniforms)
        return [self._leaf(leaf, input_types, uniform_types) for leaf in code.leaves]

    def _leaf(self, leaf: Leaf, input_types: Mapping[str, Type], uniform_types: Mapping[str, Type]) -> Number:
        op, name, index = leaf
        match op:
            case Op.WIDTH:
                return self.width_px
            case Op.HEIGHT:
                return self.height_px
            case Op.TEXTURE_WIDTH | Op.TEXTURE_HEIGHT:
                picture = self.inputs[name]
                assert isinstance(picture, PictureInput)
                return picture.width_px if op is Op.TEXTURE_WIDTH else picture.height_px
            case Op.UNIFORM:
                if name not in self.uniforms:
                    msg = f"uniform {name!r} is missing; give it in uniforms"
                    raise InvalidArgumentError(msg)
                return as_number(self.uniforms[name], uniform_types[name], index, where=f"uniform {name!r}")
            case _:
                return as_number(self.inputs[name], input_types[name], index, where=f"input {name!r}")


def as_number(value: Given, type_: Type, index: int, *, where: str) -> Number:
    """Return one component of a number or vector as the type says: float32 rounded, integers wrapped."""
    if isinstance(value, Vec2 | Vec3 | Vec4):
        if type_.is_vector and len(dataclasses.fields(value)) == type_.components:
            return round_to_f32(getattr(value, "xyzw"[index]))
    elif not isinstance(value, PictureInput):
        match type_:
            case Type.F32:
                return round_to_f32(float(value))
            case Type.I32:
                return (int(value) + 2**31) % 2**32 - 2**31
            case Type.U32:
                return int(value) % 2**32
            case Type.BOOL:
                return bool(value)
            case Type.VEC2 | Type.VEC3 | Type.VEC4:
                pass
    got = "a picture" if isinstance(value, PictureInput) else repr(value)
    msg = f"{where}: expected {type_.value}, got {got}"
    raise InvalidArgumentError(msg)


def reader(code: ScalarCode, pictures: Mapping[str, PictureInput]) -> ReadPicture | None:
    """Return what reads pictures for compiled scalars."""
    if not code.reads:
        return None

    def read(index: int, position: Sequence[Number]) -> Sequence[float]:
        op = code.reads[index]
        if isinstance(op.attr, Sampling):
            u, v = (np.full((1, 1), p, np.float32) for p in position)
            texel = sample(pictures[op.attr.port], op.attr, u, v)
        else:
            assert isinstance(op.attr, Fetching)
            x, y = (np.full((1, 1), p, np.int32) for p in position)
            texel = fetch(pictures[op.attr.port], op.attr, x, y)
        values: list[float] = texel[0, 0].tolist()
        return values

    return read


def count_values(
    program: Program, slot_values: Sequence[Number], outside: Outside, pictures: Mapping[str, PictureInput]
) -> tuple[int, ...]:
    """Return the numbers of iterations of the loops that may be unrolled."""
    code = program.counts
    if code is None:
        return ()
    found = code.run(slot_values, outside.values(code), reader(code, pictures))
    return tuple(int(v) for v in found)
