"""Values of a fused kernel's literal slots, for nodes that may have other parameters by now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from unshape_backend.plan.bodies import NodeBody, SlotValues, body_of
from unshape_core.protocols import Node
from unshape_core.spec import ValueSpec
from unshape_expr.ir import Expr
from unshape_expr.ops import Op
from unshape_expr.traverse import postorder


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelSlots:
    """Finds the literals of a kernel in the nodes that it was made of.

    Fusing keeps every literal of every node one object, so each slot is one literal of one node; a changed node's
    literals are read from its body alone.

    Parameters
    ----------
    members : tuple of (Node, tuple of ValueSpec, NodeBody)
        The nodes the kernel was made of, in the task's order.
    sources : tuple of (int, int)
        For each slot the member and the number of the literal in its body.
    """

    members: tuple[tuple[Node, tuple[ValueSpec, ...], NodeBody], ...]
    sources: tuple[tuple[int, int], ...]
    _last: list[tuple[tuple[Node, ...], SlotValues]] = field(default_factory=list, repr=False)

    def __call__(self, nodes: tuple[Node, ...]) -> SlotValues:
        """Return the values of the slots for those nodes."""
        # One assignment, so that two threads at most compute the same twice.
        for last_nodes, values in self._last:
            if last_nodes is nodes:
                return values
        of_member: list[SlotValues] = []
        for now, (then, specs, body) in zip(nodes, self.members, strict=True):
            current = body if now is then else body_of(now, specs)
            assert current is not None  # a node that differs in parameters only has a body as well
            of_member.append(current.slot_values)
        values = tuple([of_member[member][number] for member, number in self.sources])
        self._last[:] = [(nodes, values)]
        return values


def slot_sources(outputs: Sequence[Expr], bodies: Sequence[NodeBody]) -> tuple[tuple[int, int], ...]:
    """Return for each literal of fused expressions which member and which of its literals it is."""
    known = {
        id(literal): (member, number)
        for member, body in enumerate(bodies)
        for number, literal in enumerate(body.literals)
    }
    return tuple([known[id(expr)] for expr in postorder(outputs) if expr.op is Op.CONST])
