"""Text to expression: ``vec2(u + 0.05*sin(v*25.1), v)``.

A hand-written precedence parser: it knows at each point what it expected, and so says what is wrong, with column and
caret. The text is untrusted: its length and nesting are bounded, and all that it can become is an expression.

From the loosest to the tightest binding: ``c ? a : b``; ``||`` or ``or``; ``&&`` or ``and``; ``not``; comparisons,
which do not chain; ``|``; ``^``; ``&``; ``<< >>``; ``+ -``; ``* / // %``; the signs ``- + ~ !``; ``**``, from right
to left; components and calls.
Before the result, names may be given to parts: ``t = u*2; vec2(t, t*t)``. Loops are written
``loop(i, count, max_count, s = 0.0, ...) { next_s, ... }``; ``[k]`` chooses a carried value, the first one if left out.
"""

from __future__ import annotations

from unshape_expr.errors import ExpressionSyntaxError
from unshape_expr.function_table import FunctionTable, default_functions
from unshape_expr.ir import Expr
from unshape_expr.literal import lift
from unshape_expr.parser import Parser
from unshape_expr.scope import Scope
from unshape_expr.types import Type


def parse(
    text: str,
    *,
    scope: Scope | None = None,
    expected: Type | None = None,
    functions: FunctionTable | None = None,
) -> Expr:
    """Return the expression that a text stands for.

    Parameters
    ----------
    text : str
        At most 65536 characters, nested at most 100 deep.
    scope : Scope or None
        The names of inputs.
    expected : Type or None
        Type of the result; an f32 is spread over a vector. None takes any.
    functions : FunctionTable or None
        What can be called; the default table if None.

    Raises
    ------
    ExpressionSyntaxError
        If the text is no expression, with the column and a caret.

    Examples
    --------
    >>> from unshape_expr.parse import parse
    >>> parse("vec2(u + 0.05*sin(v*25.1), v)").type.value
    'vec2'
    """
    table = functions if functions is not None else default_functions()
    parser = Parser(text, scope=scope if scope is not None else Scope(), functions=table)
    result = parser.parse_all()
    if expected is None or result.type is expected:
        return result
    if expected.is_vector and result.type is Type.F32:
        return lift(result, expected, where="result")
    msg = f"expected an expression of type {expected.value}, got {result.type.value}"
    raise ExpressionSyntaxError(msg, text=text, column=1, width=len(text))
