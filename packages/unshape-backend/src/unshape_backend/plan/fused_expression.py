"""The expression of a cluster: its nodes' bodies, put into each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unshape_backend.plan.bodies import NodeBody
from unshape_backend.plan.infer import LiveNode
from unshape_backend.plan.wiring import ValueId
from unshape_expr.ir import Expr
from unshape_expr.simplify import simplify
from unshape_expr.substitute import rename_ports, substitute


@dataclass(frozen=True, slots=True, kw_only=True)
class FusedExpression:
    """What a cluster computes.

    Parameters
    ----------
    outputs : tuple of Expr
        One for each value that is stored.
    inputs : mapping of ValueId to str
        The values that may be read, under which name.
    """

    outputs: tuple[Expr, ...]
    inputs: Mapping[ValueId, str]


def fuse_expressions(
    members: Sequence[LiveNode],
    bodies: Sequence[NodeBody],
    wiring: Mapping[int, Sequence[ValueId]],
    stored: Sequence[ValueId],
) -> FusedExpression:
    """Return the expressions of the stored values over the values that come from outside.

    Inputs are named in the order in which they are met, so that clusters of one form have one kernel.
    """
    made: dict[ValueId, Expr] = {}
    names: dict[ValueId, str] = {}
    for each, body in zip(members, bodies, strict=True):
        replacements: dict[str, Expr] = {}
        renamed: dict[str, str] = {}
        # All at once, so that no new name can be taken for a port that is still to be renamed.
        for port, value in zip(each.inputs, wiring[each.id], strict=True):
            if value in made:
                renamed[port.name] = f"fused{port.name}"
                replacements[renamed[port.name]] = made[value]
            else:
                renamed[port.name] = names.setdefault(value, f"i{len(names)}")
        outputs = rename_ports(body.outputs, renamed)
        if replacements:
            outputs = substitute(outputs, replacements)
        made.update({ValueId(each.id, port): output for port, output in enumerate(outputs)})
    return FusedExpression(outputs=simplify([made[value] for value in stored]), inputs=names)
