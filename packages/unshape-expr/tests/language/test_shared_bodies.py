"""Bodies that ``infer`` built are given to the next who asks, once."""

from __future__ import annotations

from collections.abc import Sequence

from unshape_core.context import EvalContext
from unshape_core.spec import ValueSpec
from unshape_core.value_type import TEXTURE
from unshape_expr.body import Body, BodyInputs, build_body, infer_body
from unshape_expr.ir import Expr
from unshape_expr.shared_bodies import shared_bodies
from unshape_testing.nodes import Gain

CTX = EvalContext(resolution=(4, 3))
SPECS = (ValueSpec(TEXTURE, (3, 4, 1)),)


def _literals(body: Body) -> set[int]:
    return {id(expr) for expr in body.order}


def test_what_infer_built_is_given_away_once() -> None:
    node = Gain(2.0)
    with shared_bodies():
        infer_body(node, SPECS, CTX)
        first, second = build_body(node, SPECS), build_body(node, SPECS)
    assert not _literals(first) & _literals(second), "two bodies share literals, which are slots by identity"


def test_infer_builds_once_for_the_same_node() -> None:
    built: list[object] = []

    class Counting(Gain):
        def body(self, inputs: BodyInputs) -> Sequence[Expr]:
            built.append(inputs)
            return super().body(inputs)

    node = Counting(2.0)
    with shared_bodies():
        infer_body(node, SPECS, CTX)
        infer_body(node, SPECS, CTX)
        build_body(node, SPECS)
    assert len(built) == 1
    infer_body(node, SPECS, CTX)
    build_body(node, SPECS)
    assert len(built) == 3, "nothing is kept outside of the block"


def test_a_body_of_other_specs_or_of_an_equal_node_is_not_given() -> None:
    node, equal = Gain(2.0), Gain(2.0)
    with shared_bodies():
        infer_body(node, SPECS, CTX)
        other = build_body(equal, SPECS)
        wider = build_body(node, (ValueSpec(TEXTURE, (3, 4, 3)),))
        own = build_body(node, SPECS)
    assert not _literals(other) & _literals(own)
    assert wider.outputs[0].type.components == 3
    assert own.outputs[0].type.components == 1
