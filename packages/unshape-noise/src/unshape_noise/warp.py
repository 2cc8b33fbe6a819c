"""Domain warp: positions displaced by noise.

Component ``k`` of the result is ``p_k + amount*n_k``, where ``n_k`` is the fractal sum of Perlin noise at ``p`` with
the seed ``seed + (k + 1)*0x85EBCA6B`` (modulo 2**32). See I. Quilez, "Domain warping", 2002
(https://iquilezles.org/articles/warp/).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from unshape_expr import build as e
from unshape_expr.functions import Function, Parameter
from unshape_expr.ir import Expr
from unshape_expr.types import Type
from unshape_expr.vectors import components
from unshape_noise.fast.arrays import F32Array, as_f32
from unshape_noise.lattice import u32
from unshape_noise.signatures import LACUNARITY, OCTAVES, PERSISTENCE, POSITIONS, SEED

COMPONENT_SEED_STEP = 0x85EBCA6B


def warp_function(fbm: Function) -> Function:
    """Return ``domain_warp(p, amount, octaves, lacunarity, persistence, seed)`` by a fractal sum."""
    dimensions = fbm.parameters[0].type.components
    position = POSITIONS[dimensions]

    def define(p: Expr, amount: Expr, *rest: Expr) -> Expr:
        *shape, seed = rest
        parts = [
            c + amount * fbm(p, *shape, seed + u32((k + 1) * COMPONENT_SEED_STEP & 0xFFFFFFFF))
            for k, c in enumerate(components(p))
        ]
        return e.vector(*parts)

    def compute(at: Sequence[npt.ArrayLike], amount: npt.ArrayLike, *rest: float) -> tuple[F32Array, ...]:
        *shape, seed = rest
        assert fbm.numpy is not None
        result = []
        with np.errstate(all="ignore"):
            for k, c in enumerate(as_f32(at)):
                noise = fbm.numpy(at, *shape, (int(seed) + (k + 1) * COMPONENT_SEED_STEP) & 0xFFFFFFFF)
                # The amount may vary where the position does not, so the noise may be too small to be written into.
                result.append(np.add(c, np.asarray(amount, np.float32) * noise))
        return tuple(result)

    return Function(
        "domain_warp",
        (position, Parameter("amount", Type.F32), OCTAVES, LACUNARITY, PERSISTENCE, SEED),
        position.type,
        define,
        numpy=compute,
        doc="``p`` displaced by ``amount`` times a fractal sum of Perlin noise in each component.",
    )
