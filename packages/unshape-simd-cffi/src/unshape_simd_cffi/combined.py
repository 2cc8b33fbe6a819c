"""Operations that one step of a run computes together, each rounded as it would be apart.

What a value is needed for twice would go through memory between the steps; the shapes here keep it in the processor:
``a + (b - a)*t``, which mixes, and ``(x*x)*(c - x*k)``, which eases in and out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from unshape_expr.interpret.lanes import Lane, LaneOp
from unshape_expr.types import Type
from unshape_simd_cffi.instructions import instruction_name

_MIXES = ("mix_first_f", "mix_second_f", "mix_third_f")


class _Lanes(Protocol):
    def args(self, op: LaneOp) -> tuple[int, ...]: ...


@dataclass(frozen=True, slots=True)
class Combined:
    """Operations as one.

    Parameters
    ----------
    names : tuple of str
        The steps that find the first, the second ... argument in the processor.
    args : tuple of int
        The arguments; those beyond the names lie in memory.
    result : int
        The lane of the result.
    """

    names: tuple[str, ...]
    args: tuple[int, ...]
    result: int


def combine(
    ops: Sequence[LaneOp], infos: Sequence[Lane], lanes: _Lanes, *, kept: Collection[int]
) -> list[LaneOp | Combined]:
    """Return operations with those that one step can do as one; lanes in ``kept`` are all computed."""
    return _Combiner(ops, infos, lanes, kept).combined()


class _Combiner:
    def __init__(self, ops: Sequence[LaneOp], infos: Sequence[Lane], lanes: _Lanes, kept: Collection[int]) -> None:
        self._ops = ops
        self._infos = infos
        self._lanes = lanes
        uses = Counter(a for op in ops for a in lanes.args(op))
        self._inner = {op.results[0]: op for op in ops if op.results[0] not in kept and uses[op.results[0]] == 1}

    def combined(self) -> list[LaneOp | Combined]:
        found: dict[int, Combined] = {}
        gone: set[int] = set()
        for op in self._ops:
            for one, parts in (*self._mixes(op), *self._easings(op)):
                if gone.isdisjoint(parts) and not any(p in found for p in parts):
                    found[op.results[0]] = one
                    gone.update(parts)
                    break
        return [found.get(op.results[0], op) for op in self._ops if op.results[0] not in gone]

    def _mixes(self, op: LaneOp) -> Iterator[tuple[Combined, tuple[int, ...]]]:
        for first, product in self._either_way(op, "add_f"):
            for t, difference in self._either_way(self._part(product), "mul_f"):
                minus = self._part(difference)
                if minus is None or self._name(minus) != "sub_f":
                    continue
                second, again = self._lanes.args(minus)
                if again == first:
                    yield Combined(_MIXES, (first, second, t), op.results[0]), (product, difference)

    def _easings(self, op: LaneOp) -> Iterator[tuple[Combined, tuple[int, ...]]]:
        for square, difference in self._either_way(op, "mul_f"):
            squared, minus = self._part(square), self._part(difference)
            if squared is None or minus is None or self._name(squared) != "mul_f" or self._name(minus) != "sub_f":
                continue
            x, same = self._lanes.args(squared)
            c, product = self._lanes.args(minus)
            if x != same:
                continue
            for k, factor in self._either_way(self._part(product), "mul_f"):
                if factor == x:
                    yield Combined(("ease_f",), (x, k, c), op.results[0]), (square, difference, product)

    def _either_way(self, op: LaneOp | None, name: str) -> Iterator[tuple[int, int]]:
        if op is not None and self._name(op) == name:
            a, b = self._lanes.args(op)
            yield a, b
            if a != b:
                yield b, a

    def _part(self, lane: int) -> LaneOp | None:
        """Return the operation that computes a lane if nothing else needs it."""
        return self._inner.get(lane)

    def _name(self, op: LaneOp) -> str:
        if op.loop is not None or not op.args or self._infos[op.args[0]].kind is not Type.F32:
            return ""
        return instruction_name(op, self._infos)
