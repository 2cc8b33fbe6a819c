"""Which values of a kernel have to be made opaque, so that no compiler merges them with what uses them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from unshape_expr.kernel import Instruction
from unshape_expr.ops import Op
from unshape_expr.types import Type
from unshape_gpu.arithmetic import Shielding

_SAFE_USERS = frozenset(
    {
        Op.MUL,
        Op.DIV,
        Op.SQRT,
        Op.FLOOR,
        Op.CEIL,
        Op.TRUNC,
        Op.ROUND,
        Op.EQ,
        Op.NE,
        Op.LT,
        Op.LE,
        Op.TO_I32,
        Op.TO_U32,
        Op.BITCAST_U32,
    }
)
"""Operations that a product or sum can be handed to as it is: no compiler makes one operation of the two."""

_SHIELDED = {
    Shielding.PRODUCTS: frozenset({Op.MUL}),
    Shielding.SUMS: frozenset({Op.MUL, Op.ADD, Op.SUB}),
}

_COMPUTED = frozenset(
    {
        Op.ADD,
        Op.SUB,
        Op.MUL,
        Op.DIV,
        Op.MOD,
        Op.NEG,
        Op.ABS,
        Op.MIN,
        Op.MAX,
        Op.FLOOR,
        Op.CEIL,
        Op.TRUNC,
        Op.ROUND,
        Op.SQRT,
        Op.SELECT,
        Op.TO_F32,
    }
)


def shielded_values(
    body: Sequence[Instruction], types: Sequence[Type], shielding: Shielding, *, returned: Iterable[int] = ()
) -> frozenset[int]:
    """Return the numbers of the values that pass through ``k_ex``.

    Parameters
    ----------
    body : sequence of Instruction
        A kernel's, or a function's.
    types : sequence of Type
        Type of each value.
    shielding : Shielding
        How much.
    returned : iterable of int
        Values that a function hands to its callers, who may do anything with them.
    """
    match shielding:
        case Shielding.NONE:
            return frozenset()
        case Shielding.ALL:
            return frozenset(s.result for s in _all(body) if s.op in _COMPUTED and types[s.result].is_float)
        case Shielding.PRODUCTS | Shielding.SUMS:
            shielded = _SHIELDED[shielding]
            exposed = set(returned)
            for step in _all(body):
                if step.op not in _SAFE_USERS:
                    exposed.update(step.args)
                if step.loop is not None:
                    exposed.update(step.loop.next_states)
            found = {s.result for s in _all(body) if s.op in shielded and types[s.result].is_float}
            return frozenset(found & exposed)


def _all(body: Sequence[Instruction]) -> Iterable[Instruction]:
    for step in body:
        yield step
        if step.loop is not None:
            yield from _all(step.loop.body)
