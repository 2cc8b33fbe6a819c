"""What a node promises when a slider moves: literals that are read are those that a body would have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from unshape_backend.plan.bodies import body_of, has_body
from unshape_backend.plan.expression_form import ExpressionForm
from unshape_core.errors import UnshapeError
from unshape_core.protocols import Node
from unshape_core.spec import ValueSpec
from unshape_expr.literal_reader import learn_literals


def check_literals_are_read(node: Node, input_specs: Sequence[ValueSpec]) -> int:
    """Check that whatever is read of a node with other numbers is what its body has, and of the same form.

    Parameters
    ----------
    node : Node
        A node with a body.
    input_specs : sequence of ValueSpec
        Specs of its inputs.

    Returns
    -------
    int
        Of how many other nodes literals were read; the rest have to build their bodies.
    """
    body = body_of(node, input_specs)
    if body is None or not has_body(node):
        return 0
    form = ExpressionForm(body.outputs, body.order)
    reader = learn_literals(node, input_specs, literals=body.slot_values, is_of_form=form.is_of)
    if reader is None:
        return 0
    count = 0
    for other in moved(node):
        read = reader.read(other)
        if read is None:
            continue
        built = body_of(other, input_specs)
        assert built is not None
        assert form.is_of(built.outputs, built.order), f"{other}: read as {node}, but its body is of another form"
        assert repr(built.slot_values) == repr(read), f"{other}: expected literals {built.slot_values}, read {read}"
        count += 1
    return count


def moved(node: object) -> Iterator[Node]:
    """Return nodes with one number of a parameter changed, as far as the node accepts it."""
    if not is_dataclass(node) or isinstance(node, type):
        return
    for each in fields(node):
        for value in _others(getattr(node, each.name)):
            try:
                other: Any = replace(node, **{each.name: value})
            except UnshapeError:
                continue
            yield other


def _others(value: object) -> Iterator[object]:
    if type(value) is float:
        yield from (value * 1.25 + 0.0625, value / 3, -value, 0.0, -0.0, 1.0, value + 1.0, 2.0)
    elif type(value) is int:
        yield from (value + 1, value - 1, value * 3, 0, 1, 2, -5)
    elif type(value) is tuple:
        for index, item in enumerate(value):
            for other in _others(item):
                yield (*value[:index], other, *value[index + 1 :])
    elif type(value) is str:
        for before, after in (("5", "75"), ("0.2", "0.3"), ("2", "3"), ("1.", "7.")):
            if before in value:
                yield value.replace(before, after)
