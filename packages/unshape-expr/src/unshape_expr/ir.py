"""The expression: an immutable graph of typed operations.

Sharing is by identity: an :class:`Expr` object used twice is computed once. A literal object is a *slot*: its value may
change between runs without anything being compiled anew, so two literals are one slot only if they are one object.
Types are checked and broadcasting is resolved when an expression is built (``build.py``), so that interpreters and
emitters see only operations whose arguments have the types stated in ``ops.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from unshape_expr.ops import Op
from unshape_expr.types import Type

if TYPE_CHECKING:
    from unshape_expr.functions import Function
    from unshape_expr.literal import ExprLike


class Filter(StrEnum):
    """How a picture is read between pixel centres."""

    NEAREST = "nearest"
    BILINEAR = "bilinear"


class Border(StrEnum):
    """What lies outside a picture."""

    CLAMP = "clamp"  # the nearest edge pixel
    REPEAT = "repeat"  # the picture again
    MIRROR = "mirror"  # the picture mirrored, edge pixels twice: ... b a | a b ...
    ZERO = "zero"  # 0 in every channel


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a picture is sampled at a position: ``uv`` in [0, 1]^2 from the top left corner."""

    port: str
    filter: Filter = Filter.BILINEAR
    border: Border = Border.CLAMP


@dataclass(frozen=True, slots=True)
class Fetching:
    """How one texel is read at whole pixel coordinates."""

    port: str
    border: Border = Border.CLAMP


@dataclass(slots=True, eq=False)
class LoopScope:
    """Identity of one loop; its results are set once, when the body has been built.

    Attributes
    ----------
    max_count : int
        Upper bound of the number of iterations; the count is cut to ``[0, max_count]``.
    results : tuple of Expr
        The carried values at the end of an iteration, of the types of the initial states.
    """

    max_count: int
    results: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class LoopState:
    """The ``index``-th carried value of a loop."""

    scope: LoopScope
    index: int


Attr: TypeAlias = "bool | int | float | str | Sampling | Fetching | LoopScope | LoopState | Function | None"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Expr:
    """One operation and its arguments.

    Built by the functions and operators of ``build.py``, the parser or the JSON reader, never by hand. Python's
    operators build operations, and ``.x``, ``.rgb``, ``.zyx`` ... choose components. Compare with
    ``structure.is_same_expression``; ``==`` is identity, ``unshape_expr.eq`` builds a comparison.
    """

    op: Op
    type: Type
    args: tuple[Expr, ...] = ()
    attr: Attr = None

    def __repr__(self) -> str:
        from unshape_expr.printing import to_text

        return f"<Expr {self.type.value}: {to_text(self, max_length=200)}>"

    def __reduce__(self) -> tuple[object, ...]:
        from unshape_expr.rows import from_rows, to_rows

        return from_rows, (to_rows(self),)

    def __bool__(self) -> bool:
        from unshape_expr.errors import ExpressionTypeError

        msg = "an expression has no truth value; use select(condition, a, b), '&', '|' and '~' on conditions"
        raise ExpressionTypeError(msg)

    def __getattr__(self, name: str) -> Expr:
        from unshape_expr.vectors import is_swizzle, swizzle

        if not is_swizzle(name):
            msg = f"an expression has no attribute {name!r}; components are letters of 'xyzw' or of 'rgba'"
            raise AttributeError(msg)
        return swizzle(self, name)

    def __add__(self, other: ExprLike) -> Expr:
        from unshape_expr.operators import add

        return add(self, other)

    def __radd__(self, other: ExprLike) -> Expr:
        from unshape_expr.operators import add

        return add(other, self)

    def __sub__(self, other: ExprLike) -> Expr:
        from unshape_expr.operators import sub

        return sub(self, other)

    def __rsub__(self, other: ExprLike) -> Expr:
        from unshape_expr.operators import sub

        return sub(other, self)

    def __mul__(self, other: ExprLike) -> Expr:
        from unshape_expr.operators import mul

        return mul(self, other)

    def __rmul__(self, other: ExprLike) -> Expr:
        from unshape_expr.operators import mul

        return mul(other, self)

    def __truediv__(self, other: ExprLike) -> Expr:
        from unshape_expr.operators import div

        return div(self, other)

    def __rtruediv__(self, other: ExprLike) -> Expr:
        from unshape_expr.operators import div

        return div(other, self)

    def __floordiv__(self, other: ExprLike) -> Expr:
        from unshape_expr.operators import floordiv

        return floordiv(self, other)

    def __rfloordiv__(self, other: ExprLike) -> Expr:
        from unshape_expr.operators import floordiv

        return floordiv(other, self)

    def __mod__(self, other: ExprLike) -> Expr:
        from unshape_expr.operators import mod

        return mod(self, other)

    def __rmod__(self, other: ExprLike) -> Expr:
        from unshape_expr.operators import mod

        return mod(other, self)

    def __and__(self, other: ExprLike) -> Expr:
        from unshape_expr.operators import bit_and

        return bit_and(self, other)

    def __rand__(self, other: ExprLike) -> Expr:
        from unshape_expr.operators import bit_and

        return bit_and(other, self)

    def __or__(self, other: ExprLike) -> Expr:
        from unshape_expr.operators import bit_or

        return bit_or(self, other)

    def __ror__(self, other: ExprLike) -> Expr:
        from unshape_expr.operators import bit_or

        return bit_or(other, self)

    def __xor__(self, other: ExprLike) -> Expr:
        from unshape_expr.operators import bit_xor

        return bit_xor(self, other)

    def __rxor__(self, other: ExprLike) -> Expr:
        from unshape_expr.operators import bit_xor

        return bit_xor(other, self)

    def __lshift__(self, other: ExprLike) -> Expr:
        from unshape_expr.operators import shl

        return shl(self, other)

    def __rlshift__(self, other: ExprLike) -> Expr:
        from unshape_expr.operators import shl

        return shl(other, self)

    def __rshift__(self, other: ExprLike) -> Expr:
        from unshape_expr.operators import shr

        return shr(self, other)

    def __rrshift__(self, other: ExprLike) -> Expr:
        from unshape_expr.operators import shr

        return shr(other, self)

    def __pow__(self, other: ExprLike) -> Expr:
        from unshape_expr.powers import power

        return power(self, other)

    def __rpow__(self, other: ExprLike) -> Expr:
        from unshape_expr.powers import power

        return power(other, self)

    def __lt__(self, other: ExprLike) -> Expr:
        from unshape_expr.operators import lt

        return lt(self, other)

    def __le__(self, other: ExprLike) -> Expr:
        from unshape_expr.operators import le

        return le(self, other)

    def __gt__(self, other: ExprLike) -> Expr:
        from unshape_expr.operators import gt

        return gt(self, other)

    def __ge__(self, other: ExprLike) -> Expr:
        from unshape_expr.operators import ge

        return ge(self, other)

    def __neg__(self) -> Expr:
        from unshape_expr import operators

        return operators.neg(self)

    def __abs__(self) -> Expr:
        from unshape_expr import operators

        return operators.abs(self)

    def __invert__(self) -> Expr:
        from unshape_expr import operators

        return operators.bit_not(self)
