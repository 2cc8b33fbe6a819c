"""The WGSL texts of this package."""

from __future__ import annotations

from functools import cache
from importlib import resources

from unshape_gpu.arithmetic import Arithmetic, Shielding

_SHIELDS = ("params[0].x", "params[0].w")
_OPEN = "0u"
_REASSOCIATED = frozenset({Shielding.SUMS, Shielding.ALL})


@cache
def source(name: str) -> str:
    """Return one of the files in ``wgsl/``, without its ending."""
    return (resources.files("unshape_gpu") / "wgsl" / f"{name}.wgsl").read_text(encoding="utf-8")


@cache
def prelude(arithmetic: Arithmetic, *, params_words: int) -> str:
    """Return what every shader begins with: the parameter block at binding 0, and the exact operations.

    Parameters
    ----------
    arithmetic : Arithmetic
        How float32 operations are written.
    params_words : int
        Length of the parameter block in words.
    """
    blocks = -(-params_words // 4)
    opaque = source("opaque")
    if arithmetic.shielding is Shielding.NONE:
        for shield in _SHIELDS:
            opaque = opaque.replace(shield, _OPEN)
    opaque = opaque.replace("K_SUM", "params[0].w" if arithmetic.shielding in _REASSOCIATED else _OPEN)
    parts = [
        f"@group(0) @binding(0) var<uniform> params: array<vec4<u32>, {blocks}>;",
        opaque,
        *map(source, ("divide_corrected", "divide_bitwise") if arithmetic.corrects_division else ("divide_plain",)),
        source("root_corrected" if arithmetic.corrects_root else "root_plain"),
        source("floats"),
        source("integers"),
        source("borders"),
    ]
    return "\n".join(parts)
