"""The NumPy interpreter of expressions.

The stages, in order: ``flatten`` (calls replaced, vectors with widths), ``unroll`` (loops of known count), ``layout``
and ``scalarize`` (vectors become arrays), ``stages`` (what is computed once, for all rows, for all columns, for each
pixel), ``scalar_code`` (the first of these, in Python numbers), ``buffers`` and ``steps`` (the rest, in NumPy), ``run``
(tiles).
"""

from unshape_expr.interpret.run import Interpreter

__all__ = ["Interpreter"]
