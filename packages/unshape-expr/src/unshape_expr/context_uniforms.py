"""The uniforms that every evaluation has."""

from __future__ import annotations

from unshape_core.context import EvalContext
from unshape_expr.literal import round_to_f32


def context_uniforms(ctx: EvalContext) -> dict[str, bool | int | float]:
    """Return the values of the uniforms ``time_s``, ``frame``, ``dt_s``, ``seed`` and ``preview``.

    Times are rounded to float32; the frame wraps as an i32 and the seed is taken modulo 2**32.
    """
    frame = ctx.frame & 0xFFFFFFFF
    return {
        "time_s": round_to_f32(ctx.time_s),
        "frame": frame - 2**32 if frame >= 2**31 else frame,
        "dt_s": round_to_f32(ctx.dt_s),
        "seed": ctx.seed & 0xFFFFFFFF,
        "preview": ctx.preview,
    }
