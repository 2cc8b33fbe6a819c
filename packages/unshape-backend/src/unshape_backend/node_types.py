"""The node types of this package: what the entry point ``unshape.nodes`` names."""

from __future__ import annotations

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
from unshape_backend.nodes.ternary import Clamp, Compare, Mix, Select
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

NODES = (
    Absolute,
    Add,
    AddArrays,
    ArrayMaximum,
    ArrayMinimum,
    Ceiling,
    Clamp,
    Compare,
    Divide,
    DotProduct,
    Floor,
    Fraction,
    Length,
    MakeVector,
    MatrixProduct,
    Maximum,
    Mean,
    Minimum,
    Mix,
    Modulo,
    Multiply,
    Negate,
    Power,
    Round,
    ScaleArray,
    Select,
    SplitVector,
    SquareRoot,
    Subtract,
    Sum,
    Transfer,
    TransferToCpu,
    TransferToGpu,
    Truncate,
)
