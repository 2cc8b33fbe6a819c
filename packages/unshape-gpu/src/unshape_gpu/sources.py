"""The WGSL texts of this package."""

from __future__ import annotations

from functools import cache
from importlib import resources

from unshape_gpu.arithmetic import Arithmetic, Shielding

_ZEROS = ("params[0].x", "(params[0].z & 0x7fffffffu)")
_SIGN = "params[0].z"


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
    is_exact = arithmetic.shielding is not Shielding.NONE
    opaque = source("opaque")
    if not is_exact:
        for zero in _ZEROS:
            opaque = opaque.replace(zero, "0u")
    parts = [
        f"@group(0) @binding(0) var<uniform> params: array<vec4<u32>, {blocks}>;",
        opaque,
        source(f"rounded_{arithmetic.shielding}"),
        *map(source, ("divide_corrected", "divide_bitwise") if arithmetic.corrects_division else ("divide_plain",)),
        source("root_corrected" if arithmetic.corrects_root else "root_plain"),
        source("floats").replace("K_SIGN", _SIGN if is_exact else "0x80000000u"),
        source("integers"),
        source("borders"),
    ]
    return "\n".join(parts)
