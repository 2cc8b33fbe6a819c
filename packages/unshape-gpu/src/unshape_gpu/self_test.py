"""The self-test: which of the promised bits a device gives, and how shaders have to be written for it.

Expressions that come out otherwise where a compiler contracts, reassociates, folds or divides loosely are run on
ordinary and special numbers and compared with the reference, for one way of writing after the other until one gives
every bit.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unshape_core.window import Window
from unshape_expr import build, math_functions
from unshape_expr.functions import Function, Parameter
from unshape_expr.interpret import Interpreter
from unshape_expr.ir import Expr
from unshape_expr.leaves import input_pixel
from unshape_expr.lower import lower
from unshape_expr.picture_input import PictureInput
from unshape_expr.types import Type
from unshape_gpu.arithmetic import LEVELS, Arithmetic, Shielding
from unshape_gpu.parameters import flat_values, head_of, packed
from unshape_gpu.program import expression_program
from unshape_gpu.single_run import run_on_arrays

if TYPE_CHECKING:
    from unshape_gpu.device import GpuContext

_SIDE_PX = 64
_SMALLEST_NORMAL = float(np.finfo(np.float32).tiny)

Pictures = dict[str, npt.NDArray[np.float32]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfTest:
    """What the self-test found.

    Parameters
    ----------
    arithmetic : Arithmetic or None
        The cheapest way of writing that gives every bit; None if no way does.
    nearest : Arithmetic
        The most careful way, used if none is exact.
    keeps_denormals : bool
        Whether subnormal numbers survive.
    detail : str
        What was seen, for explanations.
    """

    arithmetic: Arithmetic | None
    nearest: Arithmetic
    keeps_denormals: bool
    detail: str


def run_self_test(context: GpuContext, levels: Sequence[Shielding] = LEVELS) -> SelfTest:
    """Test a device.

    Parameters
    ----------
    context : GpuContext
        The device.
    levels : sequence of Shielding
        What to try, cheapest first.

    Raises
    ------
    Exception
        If even a plain copy does not come back; the device is of no use then.
    """
    pictures = _pictures()
    plain = Arithmetic(shielding=Shielding.SUMS, corrects_division=False, corrects_root=False)
    normal = {name: _without_subnormals(array) for name, array in pictures.items()}
    (quotients,) = _differing(context, (_a() / _b(),), normal, plain)
    (roots,) = _differing(context, (build.sqrt(_a()),), normal, plain)
    tiny = {**pictures, "a": _subnormals()}
    keeps_denormals = _differing(context, (build.mul(_a(), 3.0),), tiny, plain) == [0]
    seen = f"division off in {quotients}, square root in {roots} of {_SIDE_PX**2 * 4}"
    # A device that flushes subnormal numbers says so; the bits of all others are promised all the same.
    probed = pictures if keeps_denormals else {name: _far_from_subnormal(array) for name, array in pictures.items()}
    nearest = plain
    probes = _probes()
    for shielding in levels:
        nearest = Arithmetic(shielding=shielding, corrects_division=quotients > 0, corrects_root=roots > 0)
        differing = _differing(context, tuple(probes.values()), probed, nearest)
        if not any(differing):
            detail = f"{seen}; exact when {nearest.key}"
            return SelfTest(arithmetic=nearest, nearest=nearest, keeps_denormals=keeps_denormals, detail=detail)
        wrong = ", ".join(f"{name}: {count}" for name, count in zip(probes, differing, strict=True) if count)
        seen += f"; differing when {nearest.key}: {wrong}"
    return SelfTest(arithmetic=None, nearest=nearest, keeps_denormals=keeps_denormals, detail=seen)


def _a() -> Expr:
    return input_pixel("a", Type.VEC4)


def _b() -> Expr:
    return input_pixel("b", Type.VEC4)


def _probes() -> dict[str, Expr]:
    """Return expressions that some compiler is known to rewrite, by the names under which they are reported."""
    a, b = _a(), _b()
    x, y, z, w = a.x, a.y, b.x, b.y
    chosen = build.vec4(
        build.select(x < y, x, y),
        build.select(~(x < y), z, w),
        build.select(build.eq(x, x), y, z),
        build.select(build.is_nan(y), 0.0, y) * 0.0,
    )
    return {
        "products and sums": build.vec4(x * y + z, x * y - z, z - x * y, x * y + z * w),
        "regrouped": build.vec4((x + y) - x, (x - y) + y, x * z + y * z, (x * y) * z),
        "whole numbers": build.vec4(x - build.floor(x), build.round(x), build.ceil(x), build.trunc(x)),
        "smallest and largest": build.min(a, b) + build.max(a, b),
        "selected": chosen,
        "a / b": a / b,
        "sqrt(a)": build.sqrt(a),
        "a % b": a % b,
        "a / literal": build.vec4(*map(_by_literal, (x, y, z)), _of_literal(w)),
        "curve": build.vec2(_curve(build.abs(x)), _curve(build.abs(y))),
        "-(a - b)": -(a - b),
        "a*0 + b": a * 0.0 + b,
        "a - a": a - a,
        "a / a": a / a,
        "b + -b": b + -b,
        "functions": build.vec3(
            math_functions.sin(x), math_functions.log(build.abs(y)), math_functions.exp(build.clamp(z, -80.0, 80.0))
        ),
    }


def _function(name: str, define: Callable[[Expr], Expr]) -> Function:
    return Function(name, (Parameter("x", Type.F32),), Type.F32, define)


# Literals are code in the definition of a function; compilers make products of quotients by them.
_by_literal = _function("by_literal", lambda x: (x / 1.055 + x / 12.92) + (x / 6.0) % 1.0)
_of_literal = _function("of_literal", lambda x: 1.0 / x + 116.0 / x)
_curve = _function("curve", lambda x: math_functions.pow((x + 0.055) / 1.055, 2.4))


def _pictures() -> Pictures:
    rng = np.random.default_rng(11)
    f32 = np.finfo(np.float32)
    special: list[float] = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan]
    special += [float(f32.max), -float(f32.max), _SMALLEST_NORMAL]
    special += [2.0**-149, -(2.0**-149), 2.0**23, 2.0**24 - 1, 2.0**31, 3.0, 1e-30, -1e30]
    shape = (_SIDE_PX, _SIDE_PX, 4)
    pictures = {}
    for name in "ab":
        ordinary = np.where(rng.random(shape) < 0.5, rng.uniform(0.5, 2.0, shape), rng.normal(0.0, 100.0, shape))
        wide = np.ldexp(rng.uniform(-1.0, 1.0, shape), rng.integers(-140, 128, shape))
        mixed = np.where(rng.random(shape) < 0.7, ordinary, wide)
        pictures[name] = np.where(rng.random(shape) < 0.8, mixed, rng.choice(special, shape)).astype(np.float32)
    return pictures


def _without_subnormals(array: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    is_safe = np.isfinite(array) & (np.abs(array) > 1e-15) & (np.abs(array) < 1e15)
    return np.where(is_safe, np.abs(array), np.float32(1.25))


def _far_from_subnormal(array: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Replace numbers so small or large that a result of the probes could be subnormal on the way."""
    magnitude = np.abs(array)
    is_far = ((magnitude > 1e-9) & (magnitude < 1e9)) | (array == 0) | ~np.isfinite(array)
    return np.where(is_far, array, np.float32(1.25)).astype(np.float32)


def _subnormals() -> npt.NDArray[np.float32]:
    step = np.finfo(np.float32).smallest_subnormal
    return (step * np.arange(_SIDE_PX**2 * 4, dtype=np.float32)).reshape(_SIDE_PX, _SIDE_PX, 4)


def _differing(context: GpuContext, outputs: Sequence[Expr], pictures: Pictures, arithmetic: Arithmetic) -> list[int]:
    """Return for each output how many elements differ from the reference; NaN equals NaN."""
    lowering = lower(outputs)
    kernel, window = lowering.kernel, Window.whole(width_px=_SIDE_PX, height_px=_SIDE_PX)
    given: dict[str, Any] = {name: PictureInput.whole(array) for name, array in pictures.items()}
    used = {use.port: given[use.port] for use in kernel.inputs}
    size_px = (_SIDE_PX, _SIDE_PX)
    expected = Interpreter().run(
        kernel, lowering.slot_values, used, window=window, width_px=_SIDE_PX, height_px=_SIDE_PX, uniforms=None
    )
    ready = expression_program(context, kernel, frozenset(pictures), arithmetic, label="self-test")
    layout = ready.shader.layout
    head = head_of(
        items=-(-(_SIDE_PX**2) // ready.shader.pixels_per_item),
        output=window,
        size_px=size_px,
        pictures=[(window, size_px) for _ in layout.pictures],
    )
    block = head + packed(struct.Struct(layout.format), flat_values(lowering.slot_values))
    actual = run_on_arrays(
        context.device,
        pipeline=ready.program.pipeline,
        layout=ready.program.layout,
        params=block.ljust(ready.program.params_bytes, b"\0"),
        inputs=[pictures[use.port] for use in layout.pictures],
        output_bytes=[array.nbytes for array in expected],
        groups=-(-(_SIDE_PX**2) // 256),
    )
    return [
        _count_differing(left, np.frombuffer(right, np.float32).reshape(left.shape))
        for left, right in zip(expected, actual, strict=True)
    ]


def _count_differing(left: npt.NDArray[Any], right: npt.NDArray[np.float32]) -> int:
    is_equal = (left.view(np.uint32) == right.view(np.uint32)) | (np.isnan(left) & np.isnan(right))
    return int(np.count_nonzero(~is_equal))
