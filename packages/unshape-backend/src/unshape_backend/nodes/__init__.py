"""Nodes of no particular domain: arithmetic on scalars, vectors and arrays, and transfers."""

from unshape_backend.nodes.arrays import (
    AddArrays,
    ArrayMaximum,
    ArrayMinimum,
    MatrixProduct,
    Mean,
    ScaleArray,
    Sum,
)
from unshape_backend.nodes.binary import Add, Divide, Maximum, Minimum, Modulo, Multiply, Power, Subtract
from unshape_backend.nodes.ternary import Clamp, Compare, Comparison, Mix, Select
from unshape_backend.nodes.transfer import Transfer, TransferToCpu, TransferToGpu
from unshape_backend.nodes.unary import (
    Absolute,
    Ceiling,
    Floor,
    Fraction,
    Negate,
    Round,
    SquareRoot,
    Truncate,
)
from unshape_backend.nodes.vectors import DotProduct, Length, MakeVector, SplitVector

__all__ = [
    "Absolute",
    "Add",
    "AddArrays",
    "ArrayMaximum",
    "ArrayMinimum",
    "Ceiling",
    "Clamp",
    "Compare",
    "Comparison",
    "Divide",
    "DotProduct",
    "Floor",
    "Fraction",
    "Length",
    "MakeVector",
    "MatrixProduct",
    "Maximum",
    "Mean",
    "Minimum",
    "Mix",
    "Modulo",
    "Multiply",
    "Negate",
    "Power",
    "Round",
    "ScaleArray",
    "Select",
    "SplitVector",
    "SquareRoot",
    "Subtract",
    "Sum",
    "Transfer",
    "TransferToCpu",
    "TransferToGpu",
    "Truncate",
]
