"""What does not fit together is refused in one sentence, before C reads it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from unshape_backend.task import Rejection, RejectionCode
from unshape_core.context import EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.window import Window
from unshape_expr import build as e
from unshape_expr.lower import lower
from unshape_image.nodes import GaussianBlur, MapPixels
from unshape_simd_cffi.backend import SimdBackend
from unshape_simd_cffi.filters import Filters
from unshape_simd_cffi.isa import Isa, usable_isas
from unshape_simd_cffi.program import Program
from unshape_testing.tasks import make_job

BEST = usable_isas()[-1]
CTX = EvalContext(resolution=(8, 8))
PIXELS = np.ones((8, 8, 1), np.float32)
ALL = np.arange(8)
WEIGHTS = np.ones((1, 1), np.float32)
TAPS: dict[str, Any] = {
    "columns": ALL[None],
    "rows": ALL[None],
    "column_weights": np.ones((1, 8), np.float32),
    "row_weights": np.ones((1, 8), np.float32),
}
SPARSE: Any = np.array([[0] * 8, [2] * 8])


def dense(filters: Filters, pixels: Any = PIXELS, weights: Any = WEIGHTS, columns: Any = ALL, rows: Any = ALL) -> Any:
    return filters.dense(pixels, weights, columns=columns, rows=rows, ctx=CTX)


def taps(filters: Filters, pixels: Any = PIXELS, **changed: Any) -> Any:
    return filters.taps(pixels, ctx=CTX, **{**TAPS, **changed})


def box(filters: Filters, radius_px: int, places: int) -> Any:
    indices = np.zeros(places, np.intp)
    return filters.box(PIXELS, radius_px, columns=indices, rows=indices, ctx=CTX)


REFUSED: dict[str, tuple[str, Callable[[Filters], Any]]] = {
    "double precision": ("float64", lambda f: dense(f, PIXELS.astype(np.float64))),
    "whole numbers": ("int32", lambda f: dense(f, PIXELS.astype(np.int32))),
    "no channels": (r"float32\[8, 8\]", lambda f: dense(f, PIXELS[..., 0])),
    "five channels": (r"float32\[8, 8, 5\]", lambda f: dense(f, np.ones((8, 8, 5), np.float32))),
    "weights without a middle": ("odd", lambda f: dense(f, weights=np.ones((2, 2), np.float32))),
    "too many rows of weights": ("63 rows", lambda f: dense(f, weights=np.ones((65, 1), np.float32))),
    "no weights": ("odd", lambda f: dense(f, weights=np.ones((0, 0), np.float32))),
    "fewer places than weights": ("at least 10", lambda f: dense(f, weights=np.ones((1, 11), np.float32))),
    "a column beyond": (r"in \[-1, 8\), got 1 to 8", lambda f: dense(f, columns=ALL + 1)),
    "a row before": (r"in \[-1, 8\), got -2 to 5", lambda f: dense(f, rows=ALL - 2)),
    "columns as a table": (r"indices\[1, 8\]", lambda f: dense(f, columns=ALL[None])),
    "halves of columns": ("whole numbers, got float64", lambda f: dense(f, columns=ALL / 2)),
    "no weight for the middle": (
        "radius",
        lambda f: f.symmetric(PIXELS, np.ones(0, np.float32), columns=ALL, rows=ALL, ctx=CTX),
    ),
    "a negative radius": ("radius", lambda f: box(f, -1, 8)),
    "a radius without levels": ("65535", lambda f: box(f, 65536, 8 + 2 * 65536)),
    "taps that are zeros": (r"\[0, 8\)", lambda f: taps(f, columns=ALL[None] - 1)),
    "fewer weights than taps": (
        r"got weights\[1, 2\]",
        lambda f: taps(f, column_weights=TAPS["column_weights"][:, :2]),
    ),
    "no taps": (r"\[tap, n\]", lambda f: taps(f, columns=np.zeros((0, 8), int), column_weights=np.zeros((0, 8)))),
    "taps as a list": (r"\[tap, n\]", lambda f: taps(f, rows=ALL)),
    "rows apart": ("within 2 rows, got 3", lambda f: taps(f, rows=SPARSE, row_weights=np.ones((2, 8), np.float32))),
}


@pytest.mark.parametrize("case", REFUSED)
def test_filters_refuse(case: str) -> None:
    expected, call = REFUSED[case]
    with pytest.raises(InvalidArgumentError, match=f"^filter: expected .*{expected}|^filter: .*{expected}"):
        call(SimdBackend(BEST).filters)


def test_what_fits_is_computed() -> None:
    filters = SimdBackend(BEST).filters
    for result in (dense(filters), taps(filters), box(filters, 0, 8)):
        assert (result == 1.0).all()
    assert box(filters, 65535, 8 + 2 * 65535).shape == (8, 8, 1)


@pytest.mark.parametrize(
    "output",
    [
        np.zeros((3, 8, 1), np.float32),
        np.zeros((3, 9, 1), np.float64),
        np.zeros((9, 3, 1), np.float32).transpose(1, 0, 2),
        np.broadcast_to(np.float32(0), (3, 9, 1)),
        np.zeros((3, 9, 1), ">f4"),
    ],
    ids=["size", "type", "order", "read-only", "byte order"],
)
def test_programs_refuse_an_output(output: Any) -> None:
    lowering = lower([e.u()])
    with pytest.raises(InvalidArgumentError, match=r"^output: expected a writable float32\[3, 9, 1\] in C order, got"):
        Program(lowering.kernel).run(
            lowering.slot_values,
            {},
            [output],
            window=Window(0, 0, 9, 3),
            width_px=9,
            height_px=3,
            uniforms={},
            isa=BEST,
        )


def test_a_backend_refuses_instructions_that_the_machine_lacks() -> None:
    with pytest.raises(InvalidArgumentError, match=f"expected one of .*{BEST.name}, got"):
        SimdBackend(Isa("mmx", 77))
    with pytest.raises(InvalidArgumentError, match="expected one of"):
        SimdBackend(replace(BEST, number=BEST.number + 1))


@pytest.mark.parametrize("threads", [-1, 2**40])
def test_a_backend_refuses_a_number_of_threads_that_is_none(threads: int) -> None:
    with pytest.raises(InvalidArgumentError, match="threads, got"):
        SimdBackend(BEST, threads=threads)


@pytest.mark.parametrize("node", [MapPixels("color + 0.5"), GaussianBlur(1.0)])
@pytest.mark.parametrize("shape", [(1, 2**31 + 9, 1), (2**31 + 9, 1, 1)])
def test_a_side_that_c_cannot_count_is_left_to_the_definition(node: Any, shape: tuple[int, int, int]) -> None:
    picture = np.broadcast_to(np.float32(1.5), shape)
    window = Window(shape[1] - 1, shape[0] - 1, 1, 1)
    rejection = SimdBackend(BEST).supports(make_job(node, (picture,), CTX, window=window).task)
    assert isinstance(rejection, Rejection)
    if node.type_name == MapPixels.type_name:
        assert rejection.code is RejectionCode.LIMIT
