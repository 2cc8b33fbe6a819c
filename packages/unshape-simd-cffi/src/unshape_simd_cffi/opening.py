"""Opening the backend "simd": the entry point of the group ``unshape.backends``."""

from __future__ import annotations

import numpy as np

from unshape_backend.availability import Unavailable, UnavailableReason
from unshape_backend.errors import BackendUnavailableError
from unshape_core.errors import InvalidArgumentError
from unshape_core.window import Window
from unshape_expr import build as e
from unshape_expr.interpret import Interpreter
from unshape_expr.lower import lower
from unshape_simd_cffi import isa, native, threads
from unshape_simd_cffi.backend import SIMD, SimdBackend
from unshape_simd_cffi.program import Program

_REMEDY = "install a C compiler (Debian: apt-get install gcc), then: pip install --force-reinstall unshape-simd-cffi"


def open_backend() -> SimdBackend:
    """Open the backend for the instruction set that ``UNSHAPE_SIMD_ISA`` names, else for the machine's best.

    Raises
    ------
    BackendUnavailableError
        If the C library was not built or gives other bits than the definition.
    InvalidArgumentError
        If an environment variable holds what it cannot.
    """
    try:
        native.load()
    except ImportError as error:
        why = Unavailable(
            reason=UnavailableReason.NOT_BUILT,
            detail=f"the C library was not built when the package was installed ({error})",
            remedy=_REMEDY,
        )
        raise BackendUnavailableError(backend=SIMD, availability=why) from error
    try:
        threads.apply_setting()
        chosen = isa.chosen_isa()
    except InvalidArgumentError as error:
        why = Unavailable(
            reason=UnavailableReason.FAILED_TO_OPEN, detail=str(error), remedy="set it to another value or unset it"
        )
        raise BackendUnavailableError(backend=SIMD, availability=why) from error
    _self_test(chosen)
    return SimdBackend(chosen)


def _self_test(chosen: isa.Isa) -> None:
    """Compare a small picture with the definition: rounding, division, roots, integers and a power."""
    x, y = e.to_f32(e.pixel_x()), e.to_f32(e.pixel_y())
    value = e.pow(x * 0.37 + 0.1, y * 0.21) + e.sqrt(x) / (y * 3.0 + 0.7)
    lowering = lower([e.vec2(value, e.to_f32(e.pixel_x() // 3))])
    width_px, height_px = 19, 3
    window = Window.whole(width_px=width_px, height_px=height_px)
    (expected,) = Interpreter().run(
        lowering.kernel, lowering.slot_values, {}, window=window, width_px=width_px, height_px=height_px
    )
    got = np.zeros_like(expected)
    Program(lowering.kernel).run(
        lowering.slot_values,
        {},
        [got],
        window=window,
        width_px=width_px,
        height_px=height_px,
        uniforms={},
        isa=chosen,
        threads=1,
    )
    if got.tobytes() != expected.tobytes():
        why = Unavailable(
            reason=UnavailableReason.FAILED_SELF_TEST,
            detail=f"the C library gives other bits than the definition with '{chosen.name}'",
            remedy=f"set {isa.VARIABLE} to another of {', '.join(each.name for each in isa.usable_isas())}",
        )
        raise BackendUnavailableError(backend=SIMD, availability=why)
