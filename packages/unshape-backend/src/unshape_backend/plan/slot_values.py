"""Values of a fused kernel's literal slots, for nodes that may have other parameters by now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from unshape_backend.plan.bodies import NodeBody, RecentLiterals, SlotValues
from unshape_core.protocols import Node
from unshape_core.spec import ValueSpec
from unshape_expr.ir import Expr
from unshape_expr.ops import Op
from unshape_expr.traverse import postorder


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelSlots:
    """Finds the literals of a kernel in the nodes that it was made of.

    Fusing keeps every literal of every node one object, so each slot is one literal of one node; a changed node's
    literals alone are asked for.

    Parameters
    ----------
    members : tuple of (Node, tuple of ValueSpec, NodeBody)
        The nodes the kernel was made of, in the task's order.
    sources : tuple of (int, int)
        For each slot the member and the number of the literal in its body.
    recent : RecentLiterals
        Literals of changed nodes, shared with whoever looks at them too.
    """

    members: tuple[tuple[Node, tuple[ValueSpec, ...], NodeBody], ...]
    sources: tuple[tuple[int, int], ...]
    recent: RecentLiterals = field(default_factory=RecentLiterals, repr=False)
    _last: list[tuple[tuple[Node, ...], tuple[SlotValues, ...], SlotValues]] = field(default_factory=list, repr=False)

    def __call__(self, nodes: tuple[Node, ...]) -> SlotValues:
        """Return the values of the slots for those nodes."""
        # What was found last is replaced at once, so two threads compute the same twice at most.
        last = self._last
        if not last:
            of_members = tuple([body.slot_values for _, _, body in self.members])
            last.append((tuple([node for node, _, _ in self.members]), of_members, self._pick(of_members)))
        before, known, values = last[0]
        if before is nodes:
            return values
        found = list(known)
        for index, (now, then) in enumerate(zip(nodes, before, strict=True)):
            if now is not then:
                found[index] = self.recent.of(now, self.members[index][1])
        values = self._pick(found)
        last[0] = (nodes, tuple(found), values)
        return values

    def _pick(self, of_members: Sequence[SlotValues]) -> SlotValues:
        return tuple([of_members[member][number] for member, number in self.sources])


def slot_sources(outputs: Sequence[Expr], bodies: Sequence[NodeBody]) -> tuple[tuple[int, int], ...]:
    """Return for each literal of fused expressions which member and which of its literals it is."""
    known = {
        id(literal): (member, number)
        for member, body in enumerate(bodies)
        for number, literal in enumerate(body.literals)
    }
    return tuple([known[id(expr)] for expr in postorder(outputs) if expr.op is Op.CONST])
