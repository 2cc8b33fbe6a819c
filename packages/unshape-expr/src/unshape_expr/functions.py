"""Functions: what packages add to the language.

A :class:`Function` is a name, parameters and a definition as an expression over its arguments. The definition is its
meaning on every backend: emitters write it once as a function of the target language. A backend may know a faster
kernel for a function by its name and revision, and the NumPy interpreter may be given one; both must give the same
bits. Literals inside a definition are fixed (they are code, not parameters).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from unshape_expr.calls import call
from unshape_expr.composition import Composition
from unshape_expr.definition import define_once
from unshape_expr.ir import Expr
from unshape_expr.literal import ExprLike
from unshape_expr.types import Type

if TYPE_CHECKING:
    from unshape_expr.kernel import FunctionKernel


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a function.

    Parameters
    ----------
    name : str
        For documentation, keywords in text and emitted code.
    type : Type
        Its type.
    default : bool, int, float or None
        None if it must be given; defaults are trailing.
    is_uniform : bool
        Whether the argument must be equal for all pixels (a count of iterations, for example).
    """

    name: str
    type: Type
    default: bool | int | float | None = None
    is_uniform: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A named function of the expression language.

    Parameters
    ----------
    name : str
        What text writes; several functions of one name and different first parameters are overloads.
    parameters : tuple of Parameter
        In order.
    returns : Type
        Type of the result.
    define : callable
        ``define(*arguments: Expr) -> Expr``; called once.
    is_componentwise : bool
        Whether a scalar function may be called with vectors, component by component. Such a function has F32
        parameters only.
    numpy : callable or None
        A faster implementation for the interpreter with the same bits: takes and returns float32 (or int) arrays that
        broadcast against each other; vectors as tuples of component arrays.
    revision : int
        Raised whenever the bits of the result change.
    doc : str
        One sentence, range and error included.
    result_range : (float, float) or None
        Bounds that every component of the result keeps for finite arguments, without ever being NaN; None if unknown.
    """

    name: str
    parameters: tuple[Parameter, ...]
    returns: Type
    define: Callable[..., Expr]
    is_componentwise: bool = False
    numpy: Callable[..., Any] | None = None
    revision: int = 1
    doc: str = ""
    result_range: tuple[float, float] | None = None
    _definition: Expr | None = field(default=None, init=False, repr=False)
    _kernel: FunctionKernel | None = field(default=None, init=False, repr=False)

    def __call__(self, *arguments: ExprLike, **named: ExprLike) -> Expr:
        """Return a call with those arguments, by position or by name."""
        return call(self, arguments, named)

    def __reduce__(self) -> tuple[object, ...]:
        # The definition travels with the name: a process without the package that brought the function runs it as well.
        parts: _Parts = (
            self.name,
            self.parameters,
            self.returns,
            self.definition,
            self.is_componentwise,
            self.revision,
            self.doc,
            self.result_range,
        )
        return restore_function, (parts,)

    @property
    def qualified_name(self) -> str:
        """Name that is unique among overloads, for emitted code: ``perlin_vec2``."""
        return "_".join((self.name, *(p.type.value for p in self.parameters[:1])))

    @property
    def definition(self) -> Expr:
        """The definition over ``ARGUMENT`` expressions, built on first use."""
        found = self._definition
        if found is None:
            found = define_once(self)
            object.__setattr__(self, "_definition", found)
        return found

    @property
    def is_lowered(self) -> bool:
        """Whether :attr:`kernel` has been made."""
        return self._kernel is not None

    @property
    def kernel(self) -> FunctionKernel:
        """The lowered definition, made on first use."""
        found = self._kernel
        if found is None:
            from unshape_expr.lower import lower_function

            found = lower_function(self)
            object.__setattr__(self, "_kernel", found)
        return found


_Parts: TypeAlias = tuple[str, tuple[Parameter, ...], Type, Expr, bool, int, str, "tuple[float, float] | None"]


def restore_function(parts: _Parts) -> Function:
    """Return the function of a pickle: the registered one if it is the same, else one made of the definition."""
    from unshape_expr.function_table import default_functions

    name, parameters, returns, definition, is_componentwise, revision, doc, result_range = parts
    restored = Function(
        name,
        parameters,
        returns,
        Composition(definition, tuple(p.name for p in parameters)),
        is_componentwise=is_componentwise,
        revision=revision,
        doc=doc,
        result_range=result_range,
    )
    known = default_functions().find_qualified(restored.qualified_name)
    return known if known is not None and known.kernel.key == restored.kernel.key else restored
