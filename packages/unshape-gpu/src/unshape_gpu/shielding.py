"""Which values of a kernel are made opaque one by one, where compilers rewrite anything they see."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from unshape_expr.kernel import Instruction
from unshape_expr.ops import Op
from unshape_expr.types import Type
from unshape_gpu.arithmetic import Shielding

_COMPUTED = frozenset(
    {
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
"""Operations that give a float32; products, sums and differences are opaque by themselves."""


def shielded_values(body: Sequence[Instruction], types: Sequence[Type], shielding: Shielding) -> frozenset[int]:
    """Return the numbers of the values that pass through ``k_ex``.

    Parameters
    ----------
    body : sequence of Instruction
        A kernel's, or a function's.
    types : sequence of Type
        Type of each value.
    shielding : Shielding
        How much; only ``ALL`` asks for any.
    """
    if shielding is not Shielding.ALL:
        return frozenset()
    return frozenset(step.result for step in _all(body) if step.op in _COMPUTED and types[step.result].is_float)


def _all(body: Sequence[Instruction]) -> Iterable[Instruction]:
    for step in body:
        yield step
        if step.loop is not None:
            yield from _all(step.loop.body)
