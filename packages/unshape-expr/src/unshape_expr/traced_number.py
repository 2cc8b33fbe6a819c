"""Numbers that write down what is done with them.

A body that is built from such numbers tells how each of its literals follows from the node's parameters. Arithmetic
yields numbers of this kind again. A comparison is answered, and the answer is noted as a condition; whoever needs the
number itself (``math.cos``, ``int()``, ``range()``) gets it, on the condition that it stays the same. No use goes
unnoticed, since this is no float: whoever wants one has to ask for it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from unshape_expr.ir import Expr
    from unshape_expr.types import Type

Leaves: TypeAlias = "Sequence[Any]"
"""The numbers of a node's parameters; for a text, the numbers in it."""
Recipe: TypeAlias = "Callable[[Leaves], Any]"
_Method: TypeAlias = "Callable[..., Any]"


@dataclass(slots=True, eq=False)
class Trace:
    """What was written down while one body was built.

    Parameters
    ----------
    conditions : list of callable
        Each says of other numbers whether the body takes the same course with them.
    literals : dict of Expr to (Recipe, Type)
        What each literal is made of that follows from parameters.
    """

    conditions: list[Callable[[Leaves], bool]] = field(default_factory=list)
    literals: dict[Expr, tuple[Recipe, Type]] = field(default_factory=dict)

    def require_same(self, recipe: Recipe, value: object) -> None:
        """Note that a value was used as it is."""
        text = repr(value)  # tells -0.0 from 0.0, and of NaN that it is one
        self.conditions.append(lambda leaves: repr(recipe(leaves)) == text)


def _operation(apply: Callable[[Any, Any], Any], *, is_reflected: bool = False) -> _Method:
    def method(self: TracedNumber, other: object) -> Any:
        if type(other) is TracedNumber:
            given, theirs = other.value, other.recipe
        elif type(other) is int or type(other) is float:
            given, theirs = other, lambda _: other
        else:
            return NotImplemented  # an expression's own operator takes the number as a literal
        mine = self.recipe
        if is_reflected:
            made, recipe = apply(given, self.value), lambda leaves: apply(theirs(leaves), mine(leaves))
        else:
            made, recipe = apply(self.value, given), lambda leaves: apply(mine(leaves), theirs(leaves))
        return TracedNumber(self.trace, made, recipe)

    return method


def _comparison(apply: Callable[[Any, Any], Any]) -> _Method:
    def method(self: TracedNumber, other: object) -> bool:
        mine = self.recipe
        given, theirs = (other.value, other.recipe) if type(other) is TracedNumber else (other, lambda _: other)
        answer = apply(self.value, given)
        self.trace.conditions.append(lambda leaves: apply(mine(leaves), theirs(leaves)) is answer)
        return bool(answer)

    return method


def _change(apply: Callable[[Any], Any]) -> _Method:
    def method(self: TracedNumber) -> TracedNumber:
        mine = self.recipe
        return TracedNumber(self.trace, apply(self.value), lambda leaves: apply(mine(leaves)))

    return method


def _use(name: str) -> _Method:
    return lambda self, *rest: getattr(self.itself(), name)(*rest)


class TracedNumber:
    """An ``int`` or ``float`` on which a body depends.

    Parameters
    ----------
    trace : Trace
        Where to write.
    value : int or float
        What it is now.
    recipe : Recipe
        What it is made of.
    """

    __slots__ = ("recipe", "trace", "value")
    __hash__ = None  # type: ignore[assignment]  # a table that keeps what it is asked for would keep this object

    def __init__(self, trace: Trace, value: float, recipe: Recipe) -> None:
        self.trace, self.value, self.recipe = trace, value, recipe

    @property  # type: ignore[misc]  # object's may be set as well
    def __class__(self) -> type:  # isinstance() takes it for a number, type() does not
        return type(self.value)

    def literal(self, made: Expr) -> Expr:
        """Return the literal that was made of the number, after noting it."""
        self.trace.literals[made] = (self.recipe, made.type)
        return made

    def itself(self) -> Any:
        """Return the number, on the condition that it stays the same."""
        self.trace.require_same(self.recipe, self.value)
        return self.value

    def __getattr__(self, name: str) -> Any:
        return getattr(self.itself(), name)

    def __bool__(self) -> bool:
        return bool(self != 0)

    __add__, __radd__ = _operation(operator.add), _operation(operator.add, is_reflected=True)
    __sub__, __rsub__ = _operation(operator.sub), _operation(operator.sub, is_reflected=True)
    __mul__, __rmul__ = _operation(operator.mul), _operation(operator.mul, is_reflected=True)
    __truediv__, __rtruediv__ = _operation(operator.truediv), _operation(operator.truediv, is_reflected=True)
    __floordiv__, __rfloordiv__ = _operation(operator.floordiv), _operation(operator.floordiv, is_reflected=True)
    __mod__, __rmod__ = _operation(operator.mod), _operation(operator.mod, is_reflected=True)
    __and__, __rand__ = _operation(operator.and_), _operation(operator.and_, is_reflected=True)
    __or__, __ror__ = _operation(operator.or_), _operation(operator.or_, is_reflected=True)
    __xor__, __rxor__ = _operation(operator.xor), _operation(operator.xor, is_reflected=True)
    __lt__, __le__ = _comparison(operator.lt), _comparison(operator.le)
    __gt__, __ge__ = _comparison(operator.gt), _comparison(operator.ge)
    __eq__, __ne__ = _comparison(operator.eq), _comparison(operator.ne)
    __neg__, __pos__ = _change(operator.neg), _change(operator.pos)
    __abs__, __invert__ = _change(operator.abs), _change(operator.invert)
    # What else there is of numbers, powers for one, may give another kind of number for other ones.
    __pow__, __rpow__, __divmod__, __rdivmod__ = (
        _use("__pow__"),
        _use("__rpow__"),
        _use("__divmod__"),
        _use("__rdivmod__"),
    )
    __float__, __int__, __index__ = _use("__float__"), _use("__int__"), _use("__index__")
    __trunc__, __floor__, __ceil__, __round__ = (
        _use("__trunc__"),
        _use("__floor__"),
        _use("__ceil__"),
        _use("__round__"),
    )
    __str__, __repr__, __format__ = _use("__str__"), _use("__repr__"), _use("__format__")
