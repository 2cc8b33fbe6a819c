"""Reading the literals of a node's body from its parameters, without building the body.

A slider moves a parameter, and of the expression only the values of literals change. How they follow from parameters is
learnt by building the body once from numbers that write down what is done with them (``traced_number.py``). What is
learnt holds under conditions: the comparisons that the body makes turn out the same, and everything about the node that
is no such number is equal. Where they do not hold, or the body asks more of its numbers than can be written down, the
body has to be built.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from types import NoneType
from typing import Any, TypeAlias

from unshape_core.spec import ValueSpec
from unshape_expr.body import SupportsBody
from unshape_expr.body_inputs import SpecInputs
from unshape_expr.errors import ExpressionError
from unshape_expr.ir import Expr
from unshape_expr.literal import checked_value
from unshape_expr.ops import Op
from unshape_expr.traced_number import Recipe, Trace, TracedNumber
from unshape_expr.traced_text import TracedText
from unshape_expr.traverse import postorder
from unshape_expr.types import Type

Literals: TypeAlias = "tuple[bool | int | float, ...]"
_PLAIN = (str, bool, NoneType, Enum)
_REFUSALS = (ArithmeticError, AttributeError, ExpressionError, TypeError, ValueError)


class LiteralReader:
    """Reads the literals of the bodies of nodes that differ from one node in parameters only.

    Parameters
    ----------
    parameters : sequence of (str, object)
        The parameters of that node.
    texts : mapping of int to TracedText
        Which of them are texts.
    trace : Trace
        What was written down.
    literals : sequence of Expr
        The literals of the body, in the order in which they are met.
    """

    __slots__ = ("_conditions", "_literals", "_parameters", "_texts")

    def __init__(
        self,
        *,
        parameters: Sequence[tuple[str, object]],
        texts: Mapping[int, TracedText],
        trace: Trace,
        literals: Sequence[Expr],
    ) -> None:
        self._parameters, self._texts, self._conditions = tuple(parameters), texts, tuple(trace.conditions)
        self._literals: tuple[tuple[Recipe, Type] | bool | int | float, ...] = tuple(
            [trace.literals.get(literal) or literal.attr for literal in literals]  # type: ignore[misc]  # its value
        )

    def read(self, node: object) -> Literals | None:
        """Return the literals of a node of the same type, None if its body has to be built."""
        leaves: list[Any] = []
        try:
            for index, (name, then) in enumerate(self._parameters):
                value, text = getattr(node, name), self._texts.get(index)
                if text is None:
                    if not _take(value, then, leaves):
                        return None
                else:
                    numbers = text.leaf(value)
                    if numbers is None:
                        return None
                    leaves.append(numbers)
            for holds in self._conditions:
                if not holds(leaves):
                    return None
            return tuple(
                [
                    checked_value(made[0](leaves), made[1], where="literal") if isinstance(made, tuple) else made
                    for made in self._literals
                ]
            )
        except _REFUSALS:
            return None


def learn_literals(
    node: SupportsBody,
    input_specs: Sequence[ValueSpec],
    *,
    literals: Literals,
    is_of_form: Callable[[Sequence[Expr], Sequence[Expr]], bool],
) -> LiteralReader | None:
    """Return what reads the literals of a node's body, None if that cannot be learnt.

    Parameters
    ----------
    node : SupportsBody
        The node.
    input_specs : sequence of ValueSpec
        Specs of the whole inputs.
    literals : tuple of bool, int or float
        The literals of its body.
    is_of_form : callable
        Whether outputs and their operations in order are the body but for the values of literals. What was built to
        learn from is compared with the body, not trusted.
    """
    parameters = _parameters(node)
    if parameters is None:
        return None
    trace = Trace()
    probe = object.__new__(type(node))
    texts: dict[int, TracedText] = {}
    place = 0
    for index, (name, value) in enumerate(parameters):
        if type(value) is str:
            texts[index] = TracedText(trace, value, place)
        traced, place = (texts[index], place + 1) if index in texts else _traced(value, trace, place)
        object.__setattr__(probe, name, traced)
    try:
        outputs = tuple(probe.body(SpecInputs(node.type_name, node.inputs, input_specs)))
    except Exception:  # the node's own: it takes a traced number for something else
        return None
    order = postorder(outputs)
    found = [expr for expr in order if expr.op is Op.CONST]
    if not is_of_form(outputs, order) or repr(tuple([literal.attr for literal in found])) != repr(literals):
        return None
    return LiteralReader(parameters=parameters, texts=texts, trace=trace, literals=found)


def _parameters(node: object) -> list[tuple[str, object]] | None:
    return [(each.name, getattr(node, each.name)) for each in fields(node)] if is_dataclass(node) else None


def _traced(value: object, trace: Trace, place: int) -> tuple[object, int]:
    """Return a parameter with its numbers traced, and the place of the next leaf."""
    if type(value) is int or type(value) is float:
        return TracedNumber(trace, value, lambda leaves: leaves[place]), place + 1
    if type(value) is tuple:
        items: list[object] = []
        for each in value:
            item, place = _traced(each, trace, place)
            items.append(item)
        return tuple(items), place
    return value, place


def _take(value: object, then: object, leaves: list[Any]) -> bool:
    """Add the numbers of a parameter to the leaves, as :func:`_traced` does; return whether all else is as it was."""
    kind = type(then)
    if type(value) is not kind:
        return False
    if kind is float or kind is int:
        leaves.append(value)
        return True
    if isinstance(value, tuple) and isinstance(then, tuple) and kind is tuple:
        return len(value) == len(then) and all(_take(v, t, leaves) for v, t in zip(value, then, strict=True))
    return value is then or (isinstance(value, _PLAIN) and value == then)
