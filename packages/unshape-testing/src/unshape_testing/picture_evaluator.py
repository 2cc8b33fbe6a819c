"""An evaluator of expressions over whole pictures that shares no code with the interpreter.

One NumPy call an operation; integers are computed in 64 bits and wrapped; nothing is tiled, reused or reordered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from unshape_core.value import Vec2, Vec3, Vec4
from unshape_core.window import Window
from unshape_expr.functions import Function
from unshape_expr.interpret import Interpreter
from unshape_expr.ir import Expr, LoopScope, LoopState
from unshape_expr.lower import lower
from unshape_expr.ops import Op
from unshape_expr.picture_input import PictureInput
from unshape_expr.traverse import postorder
from unshape_expr.types import Type

DTYPES = {Type.F32: np.float32, Type.I32: np.int32, Type.U32: np.uint32, Type.BOOL: np.bool_}


def _saturate(x: Any, low: int, high: int, dtype: Any) -> Any:
    whole = np.trunc(np.asarray(x, np.float64))
    return np.where(np.isnan(whole), 0, np.clip(whole, low, high)).astype(np.int64).astype(dtype)


class DirectEvaluator:
    """Evaluates over pictures; vectors have their components in the last axis, scalars have none."""

    def __init__(self, env: Mapping[str, Any], width: int, height: int) -> None:
        self.env = env
        self.width, self.height = width, height

    def __call__(self, roots: Sequence[Expr], arguments: Mapping[str, Any] | None = None) -> list[Any]:
        """Return the values of expressions, over the arguments inside of a function."""
        values: dict[Expr, Any] = {}
        with np.errstate(all="ignore"):
            self._evaluate(roots, values, arguments or {}, {})
        return [values[r] for r in roots]

    def _evaluate(self, roots: Any, values: dict[Expr, Any], arguments: Mapping[str, Any], states: Any) -> None:
        for e in postorder(roots):
            if e not in values and all(c in values for c in e.args):
                try:
                    values[e] = self._one(e, [values[a] for a in e.args], arguments, states, values)
                except KeyError:
                    continue  # inside of a loop: evaluated with its states

    def _one(self, e: Expr, a: list[Any], arguments: Any, states: Any, values: Any) -> Any:
        result = self._apply(e, a, arguments, states, values)
        if e.op is Op.LOOP:
            return result
        assert np.asarray(result).dtype == DTYPES[e.type.scalar], (e.op, np.asarray(result).dtype, e.type)
        return result

    def _apply(self, e: Expr, a: list[Any], arguments: Any, states: Any, values: Any) -> Any:
        t = e.type
        is_float = t.is_float
        if t.is_vector and e.op not in {Op.VEC, Op.SPLAT, Op.INPUT, Op.UNIFORM, Op.SCALAR_INPUT, Op.CALL}:
            a = [x[..., None] if x_.type is Type.BOOL else x for x, x_ in zip(a, e.args, strict=True)]
        match e.op:
            case Op.CONST:
                return DTYPES[t](e.attr)
            case Op.ARGUMENT:
                return arguments[str(e.attr)]
            case Op.UNIFORM | Op.INPUT | Op.SCALAR_INPUT:
                value = self.env[str(e.attr)]
                return value if t.is_vector or np.ndim(value) < 3 else value[..., 0]
            case Op.PIXEL_X:
                return np.broadcast_to(np.arange(self.width, dtype=np.int32), (self.height, self.width))
            case Op.PIXEL_Y:
                return np.broadcast_to(np.arange(self.height, dtype=np.int32)[:, None], (self.height, self.width))
            case Op.WIDTH:
                return np.int32(self.width)
            case Op.HEIGHT:
                return np.int32(self.height)
            case Op.LOOP_INDEX:
                return states[e.attr]
            case Op.LOOP_STATE:
                assert isinstance(e.attr, LoopState)
                return states[e.attr.scope, e.attr.index]
            case Op.ADD:
                return a[0] + a[1]
            case Op.SUB:
                return a[0] - a[1]
            case Op.MUL:
                return a[0] * a[1]
            case Op.DIV:
                if is_float:
                    return a[0] / a[1]
                wide = np.where(a[1] == 0, 0, np.int64(a[0]) // np.where(a[1] == 0, 1, np.int64(a[1])))
                return wide.astype(DTYPES[t])
            case Op.MOD:
                if is_float:
                    return a[0] - a[1] * np.floor(a[0] / a[1])
                wide = np.where(a[1] == 0, 0, np.int64(a[0]) % np.where(a[1] == 0, 1, np.int64(a[1])))
                return wide.astype(DTYPES[t])
            case Op.NEG:
                return (0 - np.int64(a[0])).astype(DTYPES[t]) if not is_float else -a[0]
            case Op.ABS:
                return np.abs(a[0]) if is_float else np.abs(np.int64(a[0])).astype(DTYPES[t])
            case Op.MIN:
                return np.where((a[0] < a[1]) | (a[0] != a[0]), a[0], a[1])
            case Op.MAX:
                return np.where((a[0] > a[1]) | (a[0] != a[0]), a[0], a[1])
            case Op.FLOOR:
                return np.floor(a[0])
            case Op.CEIL:
                return np.ceil(a[0])
            case Op.TRUNC:
                return np.trunc(a[0])
            case Op.ROUND:
                return np.rint(a[0])
            case Op.SQRT:
                return np.sqrt(a[0])
            case Op.EQ:
                return np.asarray(a[0] == a[1])
            case Op.NE:
                return np.asarray(a[0] != a[1])
            case Op.LT:
                return np.asarray(a[0] < a[1])
            case Op.LE:
                return np.asarray(a[0] <= a[1])
            case Op.AND | Op.BIT_AND:
                return a[0] & a[1]
            case Op.OR | Op.BIT_OR:
                return a[0] | a[1]
            case Op.BIT_XOR:
                return a[0] ^ a[1]
            case Op.NOT | Op.BIT_NOT:
                return ~a[0]
            case Op.SHL:
                return (np.int64(a[0]) << np.int64(a[1] & np.uint32(31))).astype(DTYPES[t])
            case Op.SHR:
                return (np.int64(a[0]) >> np.int64(a[1] & np.uint32(31))).astype(DTYPES[t])
            case Op.SELECT:
                return np.where(a[0], a[1], a[2])
            case Op.TO_F32:
                return np.asarray(np.asarray(a[0], np.float64), np.float32)
            case Op.TO_I32 | Op.TO_U32:
                x = np.asarray(a[0])
                if x.dtype == np.float32:
                    low, high = (-(2**31), 2**31 - 1) if e.op is Op.TO_I32 else (0, 2**32 - 1)
                    return _saturate(x, low, high, DTYPES[t])
                return x.astype(DTYPES[t])
            case Op.BITCAST_F32:
                return np.asarray(a[0]).view(np.float32)
            case Op.BITCAST_U32:
                return np.asarray(a[0]).view(np.uint32)
            case Op.VEC:
                return np.stack(np.broadcast_arrays(*a), axis=-1)
            case Op.SPLAT:
                return np.repeat(np.asarray(a[0])[..., None], t.components, axis=-1)
            case Op.COMPONENT:
                return a[0][..., e.attr]
            case Op.CALL:
                return self._call(e, a)
            case Op.LOOP:
                return self._loop(e, a, arguments, states, values)
            case Op.LOOP_RESULT:
                return a[0][e.attr]
            case _:
                raise NotImplementedError(e.op)

    def _call(self, e: Expr, a: list[Any]) -> Any:
        function = e.attr
        assert isinstance(function, Function)
        arguments = {p.name: value for p, value in zip(function.parameters, a, strict=True)}
        (result,) = self([function.definition], arguments)
        return result

    def _loop(self, e: Expr, a: list[Any], arguments: Any, states: Any, values: Any) -> Any:
        scope = e.attr
        assert isinstance(scope, LoopScope)
        current = a[1:]
        for iteration in range(min(int(a[0]), scope.max_count)):
            inside = dict(states)
            inside[scope] = np.int32(iteration)
            inside.update({(scope, k): value for k, value in enumerate(current)})
            local = dict(values)
            self._evaluate(scope.results, local, arguments, inside)
            current = [local[r] for r in scope.results]
        return current


def _bits(x: Any) -> Any:
    return np.where(np.isnan(x), np.float32(np.nan), x).view(np.uint32)


def same_bits(a: Any, b: Any) -> bool:
    """Return whether float32 arrays are equal bit for bit, one NaN being as good as another."""
    return a.shape == b.shape and a.dtype == b.dtype == np.float32 and bool(np.array_equal(_bits(a), _bits(b)))


class PictureCase:
    """Expressions run over given pictures, by the interpreter and directly.

    Parameters
    ----------
    env : mapping of str to array or NumPy scalar
        Inputs and uniforms: pictures of three axes, vectors of one, numbers of none.
    width, height : int
        Size of the picture.
    """

    def __init__(self, env: Mapping[str, Any], *, width: int, height: int) -> None:
        self.env, self.width, self.height = env, width, height

    def inputs(self) -> dict[str, Any]:
        """Return the inputs as the interpreter takes them."""
        vectors = {2: Vec2, 3: Vec3, 4: Vec4}
        found: dict[str, Any] = {}
        for name, value in self.env.items():
            if np.ndim(value) == 3:
                found[name] = PictureInput.whole(value)
            else:
                found[name] = vectors[len(value)](*map(float, value)) if np.ndim(value) else value.item()
        return found

    def run(self, outputs: Sequence[Expr], *, window: Window | None = None, tile_px: int | None = None) -> list[Any]:
        """Return the pictures that the interpreter computes."""
        lowering = lower(outputs)
        whole = Window.whole(width_px=self.width, height_px=self.height)
        return list(
            Interpreter(tile_px=tile_px).run(
                lowering.kernel,
                lowering.slot_values,
                self.inputs(),
                window=window or whole,
                width_px=self.width,
                height_px=self.height,
                uniforms=self.inputs(),
            )
        )

    def directly(self, outputs: Sequence[Expr]) -> list[Any]:
        """Return the pictures that the direct evaluation gives."""
        found = DirectEvaluator(self.env, self.width, self.height)(outputs)
        results = []
        for value, e in zip(found, outputs, strict=True):
            c = e.type.components
            shaped = value if e.type.is_vector else np.asarray(value)[..., None]
            results.append(np.ascontiguousarray(np.broadcast_to(shaped, (self.height, self.width, c))))
        return results
