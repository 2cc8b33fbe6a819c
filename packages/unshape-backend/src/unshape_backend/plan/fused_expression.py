"""The expression of a cluster: its nodes' bodies, put into each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unshape_backend.plan.bodies import NodeBody
from unshape_backend.plan.infer import LiveNode
from unshape_backend.plan.wiring import ValueId
from unshape_expr.ir import Expr, Fetching, Sampling
from unshape_expr.ops import Op
from unshape_expr.rewrite import rebuilt, rewrite
from unshape_expr.simplify import simplify


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
        ports: dict[str, Expr | str] = {}
        for port, value in zip(each.inputs, wiring[each.id], strict=True):
            inside = made.get(value)
            ports[port.name] = names.setdefault(value, f"i{len(names)}") if inside is None else inside
        outputs = _put_in(body, ports)
        made.update({ValueId(each.id, port): output for port, output in enumerate(outputs)})
    return FusedExpression(outputs=simplify([made[value] for value in stored]), inputs=names)


def _put_in(body: NodeBody, ports: Mapping[str, Expr | str]) -> tuple[Expr, ...]:
    """Return a body with its inputs under other names, or with expressions in their place.

    What is replaced is a number, or a picture of the result's size that is read at the very pixel; fusion has made sure
    of it, so that nothing is checked here again.
    """

    def rule(expr: Expr, args: tuple[Expr, ...]) -> Expr:
        attr = expr.attr
        if expr.op not in _READING:
            return rebuilt(expr, args)
        if isinstance(attr, Sampling):
            name = ports[attr.port]
            assert isinstance(name, str)  # only what is read at the very pixel is fused
            return Expr(expr.op, expr.type, args, Sampling(name, attr.filter, attr.border))
        if isinstance(attr, Fetching):
            name = ports[attr.port]
            assert isinstance(name, str)  # only what is read at the very pixel is fused
            return Expr(expr.op, expr.type, args, Fetching(name, attr.border))
        source = ports[str(attr)]
        if isinstance(source, str):
            return Expr(expr.op, expr.type, args, source)
        return Expr(_SIZES[expr.op], expr.type) if expr.op in _SIZES else source

    if any(expr.op is Op.LOOP for expr in body.order):
        return rewrite(body.outputs, rule, order=body.order)
    made: dict[Expr, Expr] = {}
    for expr in body.order:  # what rewrite does where there are no loops, for most nodes of most graphs
        if expr.op in _READING:
            made[expr] = rule(expr, tuple([made[arg] for arg in expr.args]))
        elif expr.args:
            made[expr] = rebuilt(expr, tuple([made[arg] for arg in expr.args]))
        else:
            made[expr] = expr
    return tuple([made[output] for output in body.outputs])


_SIZES = {Op.TEXTURE_WIDTH: Op.WIDTH, Op.TEXTURE_HEIGHT: Op.HEIGHT}
_READING = frozenset({Op.INPUT, Op.SCALAR_INPUT, Op.SAMPLE, Op.FETCH, *_SIZES})
