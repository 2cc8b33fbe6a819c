"""Which instruction of the engine computes an operation."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from unshape_expr.functions import Function
from unshape_expr.interpret.lanes import Lane, LaneOp
from unshape_expr.kernel import Varies
from unshape_expr.ops import Op
from unshape_expr.types import Type

_LETTERS = {Type.F32: "f", Type.I32: "i", Type.U32: "u", Type.BOOL: "i"}
_BITS = {
    Op.AND: "and",
    Op.OR: "or",
    Op.NOT: "not",
    Op.BIT_AND: "and",
    Op.BIT_OR: "or",
    Op.BIT_XOR: "xor",
    Op.BIT_NOT: "not",
    Op.SHL: "shl",
    Op.SELECT: "select",
    Op.PIXEL_X: "pixel_x",
    Op.PIXEL_Y: "pixel_y",
}
_SAME_FOR_UNSIGNED = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.NEG, Op.EQ, Op.NE})


@dataclass(frozen=True, slots=True)
class Instructions:
    """What the engine knows, by numbers.

    Parameters
    ----------
    opcodes : mapping of str to int
        Instructions without functions.
    functions : mapping of bytes to int
        Instructions of functions, by the digest of the definition.
    steps : mapping of str to int
        Steps of runs.
    max_steps : int
        How many of them a run may have.
    """

    opcodes: Mapping[str, int]
    functions: Mapping[bytes, int]
    steps: Mapping[str, int]
    max_steps: int

    def call(self, function: Function, size: int, results: Sequence[int], args: Sequence[int]) -> tuple[int, ...]:
        """Return the words of a call."""
        return (self.functions[function.kernel.key], 3 + len(results) + len(args), size, *results, *args)


def find_same(ops: Iterable[LaneOp], lanes: Sequence[Lane]) -> dict[int, int]:
    """Return the lanes that have the bits of another lane, each with that one; those inside of loops included."""
    found: dict[int, int] = {}
    for op in ops:
        if op.loop is not None:
            found.update((lane, found.get(of, of)) for lane, of in find_same(op.loop.body, lanes).items())
        elif _is_same(op, lanes):
            (arg,) = op.args
            found[op.results[0]] = found.get(arg, arg)
    return found


def _is_same(op: LaneOp, lanes: Sequence[Lane]) -> bool:
    if op.op in {Op.TO_I32, Op.TO_U32}:
        return lanes[op.args[0]].kind in {Type.I32, Type.U32}
    return op.op in {Op.BITCAST_F32, Op.BITCAST_U32} or (op.op is Op.ABS and lanes[op.args[0]].kind is Type.U32)


def is_step(op: LaneOp, lanes: Sequence[Lane], steps: Collection[str]) -> bool:
    """Return whether an operation is computed by a step of a run."""
    if op.loop is not None or not op.args or op.op in _NO_STEPS or _is_same(op, lanes):
        return False
    return instruction_name(op, lanes) in steps


def has_position(ops: Iterable[LaneOp]) -> bool:
    """Return whether anything depends on where its pixel is."""
    return any(op.op in {Op.PIXEL_X, Op.PIXEL_Y} or (op.loop is not None and has_position(op.loop.body)) for op in ops)


def used_whole(ops: Iterable[LaneOp]) -> set[int]:
    """Return the lanes that something else needs than an operation on each component by itself."""
    found: set[int] = set()
    for op in ops:
        if op.loop is not None:
            found.update(op.args, op.loop.next_states, used_whole(op.loop.body))
        elif op.op in _REARRANGING or (
            isinstance(op.attr, Function) and any(parameter.is_uniform for parameter in op.attr.parameters)
        ):
            found.update(op.args)
    return found


_NO_STEPS = frozenset({Op.CALL, Op.VEC, Op.COMPONENT, Op.SAMPLE, Op.FETCH})
_REARRANGING = frozenset({Op.VEC, Op.COMPONENT, Op.SAMPLE, Op.FETCH, Op.BITCAST_F32, Op.BITCAST_U32})

_GRID_NOISES = {
    name: number
    for number, names in enumerate(
        (
            ("perlin_vec2", "perlin_tiled_vec2"),
            ("value_vec2", "value_tiled_vec2"),
            ("simplex_vec2",),
            ("worley_f1_vec2", "worley_f1_tiled_vec2"),
            ("worley_f2_vec2", "worley_f2_tiled_vec2"),
            ("worley_f2_f1_vec2", "worley_f2_f1_tiled_vec2"),
        )
    )
    for name in names
}
"""Noise with kernels for grids, by the number that ``csrc/kernels/lattice_row.inc`` has for it."""


def noise_on_grid(op: LaneOp, lanes: Sequence[Lane]) -> int | None:
    """Return which lattice noise an operation is, at an x that varies along rows only and a y that does not."""
    if op.op is not Op.CALL or not isinstance(op.attr, Function) or op.attr.qualified_name not in _GRID_NOISES:
        return None
    x, y = (lanes[a].varies for a in op.args[:2])
    return _GRID_NOISES[op.attr.qualified_name] if x is Varies.X and Varies.X not in y else None


def instruction_name(op: LaneOp, lanes: Sequence[Lane]) -> str:
    """Return the name of the instruction for an operation on numbers or conditions."""
    if op.op in _BITS:
        return _BITS[op.op]
    kind = lanes[op.args[0]].kind
    match op.op:
        case Op.TO_F32:
            return {Type.I32: "to_f_i", Type.U32: "to_f_u"}.get(kind, "to_f_b")
        case Op.TO_I32 if kind is Type.F32:
            return "to_i_f"
        case Op.TO_U32 if kind is Type.F32:
            return "to_u_f"
        case Op.TO_I32 | Op.TO_U32:
            return "to_i_b"
        case _:
            letter = "i" if kind is Type.U32 and op.op in _SAME_FOR_UNSIGNED else _LETTERS[kind]
            return f"{op.op.value}_{letter}"
