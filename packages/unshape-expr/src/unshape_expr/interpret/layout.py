"""Which vectors are held with their components side by side, and which as one plane for each component.

Arithmetic on whole pixels is fastest on the memory order of pictures; taking vectors apart and putting them together is
fastest on planes. Vectors that are connected by arithmetic are held alike, in the way whose conversions cost less.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from unshape_expr.functions import Function
from unshape_expr.interpret.flat import FlatOp, FlatProgram, FlatValue
from unshape_expr.kernel import Varies
from unshape_expr.ops import Op

_APART = frozenset({Op.COMPONENT, Op.VEC})
_READS = frozenset({Op.INPUT, Op.SAMPLE, Op.FETCH})


def wide_values(program: FlatProgram) -> frozenset[int]:
    """Return the numbers of the vectors to hold with their components side by side."""
    groups = _Groups(program.values)
    groups.connect(program.ops)
    costs: dict[int, int] = defaultdict(int)
    groups.add_costs(program.ops, costs)
    for number in program.outputs:
        if groups.is_candidate(number):
            costs[groups.find(number)] += program.values[number].width
    return frozenset(
        n for n in range(len(program.values)) if groups.is_candidate(n) and costs.get(groups.find(n), 0) > 0
    )


class _Groups:
    """Vectors connected by arithmetic, as a union-find forest."""

    def __init__(self, values: Sequence[FlatValue]) -> None:
        self._values = values
        self._parents = list(range(len(values)))

    def is_candidate(self, number: int) -> bool:
        value = self._values[number]
        return value.width > 1 and value.varies is Varies.BOTH

    def find(self, number: int) -> int:
        root = number
        while self._parents[root] != root:
            root = self._parents[root]
        while self._parents[number] != root:
            self._parents[number], number = root, self._parents[number]
        return root

    def _join(self, numbers: Sequence[int]) -> None:
        candidates = [n for n in numbers if self.is_candidate(n)]
        for other in candidates[1:]:
            self._parents[self.find(other)] = self.find(candidates[0])

    def connect(self, ops: Sequence[FlatOp]) -> None:
        for op in ops:
            if op.loop is not None:
                self.connect(op.loop.body)
                loop = op.loop
                for chain in zip(op.args[1:], loop.states, loop.next_states, loop.results, strict=True):
                    self._join(chain)
            elif op.op not in _APART and not _takes_planes(op):
                self._join((op.result, *op.args))

    def add_costs(self, ops: Sequence[FlatOp], costs: dict[int, int]) -> None:
        """Add to each group what planes would cost it, less what wide lanes would, in copies of a plane."""
        for op in ops:
            if op.loop is not None:
                self.add_costs(op.loop.body, costs)
                continue
            for number in (op.result, *op.args):
                if self.is_candidate(number):
                    costs[self.find(number)] += self._cost(op, number)

    def _cost(self, op: FlatOp, number: int) -> int:
        width = self._values[number].width
        if op.op in _READS and number == op.result:
            return width
        if op.op is Op.COMPONENT:
            return -1
        if op.op is Op.VEC and all(self._values[a].varies is not Varies.BOTH for a in op.args):
            return -4 * width  # components that vary along one axis each are computed once for all rows or columns
        if op.op is Op.VEC or _takes_planes(op):
            return -width
        if number == op.result:
            return -width * sum(self._needs_copies(a) for a in op.args)
        return 0

    def _needs_copies(self, number: int) -> bool:
        value = self._values[number]
        return (
            Varies.Y in value.varies
            and not self.is_candidate(number)
            and (value.varies is Varies.BOTH or value.width > 1)
        )


def _takes_planes(op: FlatOp) -> bool:
    return op.op is Op.CALL and isinstance(op.attr, Function) and not op.attr.is_componentwise
