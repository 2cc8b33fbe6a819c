"""What has been learnt of how the literals of a plan's nodes follow from their parameters.

Learning costs about as much as building a body twice, and is worth nothing if the next change does not keep to what was
learnt. So after each miss it is tried again later.
"""

from __future__ import annotations

from dataclasses import dataclass

from unshape_backend.plan.bodies import NodeBody, SlotValues, has_body
from unshape_backend.plan.expression_form import ExpressionForm
from unshape_backend.plan.infer import LiveNode
from unshape_core.protocols import Node
from unshape_expr.literal_reader import LiteralReader, learn_literals

_LONGEST_WAIT = 64


@dataclass(slots=True)
class _Learnt:
    """What is known of one node, and after how many changes to look again if nothing is."""

    reader: LiteralReader | None = None
    misses: int = 0
    wait: int = 0


class LiteralReaders:
    """Reads the literals of changed nodes of one plan."""

    __slots__ = ("_learnt",)

    def __init__(self) -> None:
        self._learnt: dict[int, _Learnt] = {}

    def read(self, node_id: int, node: Node) -> SlotValues | None:
        """Return the literals of a node's body, which is of the plan's form; None if that is not known."""
        learnt = self._learnt.get(node_id)
        if learnt is None or learnt.reader is None:
            return None
        values = learnt.reader.read(node)
        if values is None:
            learnt.reader = None
            learnt.misses += 1
            learnt.wait = min(2**learnt.misses, _LONGEST_WAIT) - 1
        else:
            learnt.misses = 0
        return values

    def learn(self, now: LiveNode, body: NodeBody, form: ExpressionForm) -> None:
        """Learn from a node whose body, of that form, had to be built."""
        learnt = self._learnt.setdefault(now.id, _Learnt())
        if learnt.wait > 0:
            learnt.wait -= 1
        elif has_body(now.node):
            learnt.reader = learn_literals(now.node, now.input_specs, literals=body.slot_values, is_of_form=form.is_of)
