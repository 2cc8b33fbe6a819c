"""Parameters that the functions of all kinds of noise share."""

from __future__ import annotations

from unshape_expr.functions import Parameter
from unshape_expr.types import Type

POSITION_2D = Parameter("p", Type.VEC2)
POSITION_3D = Parameter("p", Type.VEC3)
SEED = Parameter("seed", Type.U32, 0, is_uniform=True)
OCTAVES = Parameter("octaves", Type.I32, 5, is_uniform=True)
LACUNARITY = Parameter("lacunarity", Type.F32, 2.0, is_uniform=True)
PERSISTENCE = Parameter("persistence", Type.F32, 0.5, is_uniform=True)

POSITIONS = {2: POSITION_2D, 3: POSITION_3D}


def periods(dimensions: int) -> tuple[Parameter, ...]:
    """Return the parameters for the number of cells after which a lattice repeats along each axis."""
    return tuple(Parameter(f"period_{axis}", Type.I32, is_uniform=True) for axis in "xyz"[:dimensions])
