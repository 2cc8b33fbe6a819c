"""Typed expressions: one intermediate form for every backend.

``unshape_expr.build`` has what expressions are built with; the interpreter is ``unshape_expr.interpret``.
"""

from unshape_expr.body import Body, BodyInputs, SupportsBody, build_body, infer_body
from unshape_expr.body_windows import input_windows_of_body
from unshape_expr.check import check
from unshape_expr.errors import ExpressionError, ExpressionFileError, ExpressionSyntaxError, ExpressionTypeError
from unshape_expr.function_table import FunctionTable, default_functions
from unshape_expr.functions import Function, Parameter
from unshape_expr.ir import Border, Expr, Filter
from unshape_expr.json_form import from_json, to_json
from unshape_expr.kernel import FunctionKernel, InputUse, Instruction, Kernel, Loop, Lowering
from unshape_expr.kernel_text import kernel_to_text
from unshape_expr.lower import lower
from unshape_expr.ops import Op
from unshape_expr.parse import parse
from unshape_expr.printing import to_text
from unshape_expr.scope import Scope
from unshape_expr.simplify import simplify
from unshape_expr.structure import is_same_expression, structure_key
from unshape_expr.substitute import rename_ports, substitute
from unshape_expr.text_functions import define_function
from unshape_expr.types import Type
from unshape_expr.work import Work, work_of

__all__ = [
    "Body",
    "BodyInputs",
    "Border",
    "Expr",
    "ExpressionError",
    "ExpressionFileError",
    "ExpressionSyntaxError",
    "ExpressionTypeError",
    "Filter",
    "Function",
    "FunctionKernel",
    "FunctionTable",
    "InputUse",
    "Instruction",
    "Kernel",
    "Loop",
    "Lowering",
    "Op",
    "Parameter",
    "Scope",
    "SupportsBody",
    "Type",
    "Work",
    "build_body",
    "check",
    "default_functions",
    "define_function",
    "from_json",
    "infer_body",
    "input_windows_of_body",
    "is_same_expression",
    "kernel_to_text",
    "lower",
    "parse",
    "rename_ports",
    "simplify",
    "structure_key",
    "substitute",
    "to_json",
    "to_text",
    "work_of",
]
