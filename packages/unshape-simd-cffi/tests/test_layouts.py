"""Inputs of any layout: the same bits, and what had to be copied is counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from unshape_backend.kernel_library import KernelLibrary
from unshape_backend.single_task import make_job
from unshape_core.context import EvalContext
from unshape_core.notes import StepNotes, start_notes
from unshape_image import GaussianBlur, MapPixels
from unshape_simd_cffi import pixels
from unshape_simd_cffi.backend import SimdBackend
from unshape_testing.laws.numbers import definition
from unshape_testing.tolerance import assert_same_bits

PICTURE = np.random.default_rng(0).uniform(-1.0, 2.0, (14, 46, 3)).astype(np.float32)
TAKEN: dict[str, Callable[[Any], Any]] = {
    "C order": lambda a: a,
    "rows and columns left out": lambda a: np.repeat(np.repeat(a, 2, 0), 2, 1)[::2, ::2],
    "upside down": lambda a: a[::-1],
    "mirrored": lambda a: a[:, ::-1],
    "transposed": lambda a: np.ascontiguousarray(a.transpose(1, 0, 2)).transpose(1, 0, 2),
    "one row for all": lambda a: np.broadcast_to(a[:1], a.shape),
}


def _at_odd_address(array: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    memory = np.empty(array.nbytes + 1, np.uint8)
    moved = memory[1:].view(np.float32).reshape(array.shape)
    moved[...] = array
    return moved


COPIED: dict[str, Callable[[Any], Any]] = {
    "Fortran order": np.asfortranarray,
    "channels the other way round": lambda a: a[:, :, ::-1],
    "planes": lambda a: np.moveaxis(np.ascontiguousarray(np.moveaxis(a, 2, 0)), 0, 2),
    "big-endian": lambda a: a.astype(">f4"),
    "not at a multiple of four": _at_odd_address,
}


def copied_bytes(backend: SimdBackend, node: Any, picture: npt.NDArray[Any]) -> int:
    """Return how much a step says that it copied; its result is that of the definition."""
    job = make_job(node, (picture,), EvalContext(resolution=(picture.shape[1], picture.shape[0])))
    KernelLibrary().give(backend, "simd")
    run = backend.compile(job.task)
    notes = StepNotes()
    start_notes(notes)
    try:
        got = run(job.task.nodes, (picture,), job.ctx)
    finally:
        start_notes(None)
    assert_same_bits(definition(job), got, what=backend.isa.name)
    return notes.copied_bytes


@pytest.mark.parametrize("node", [MapPixels("color.bgr*color.r"), MapPixels("color + 0.5"), GaussianBlur(sigma_px=1.0)])
@pytest.mark.parametrize("layout", TAKEN)
def test_layouts_that_kernels_take_are_not_copied(backend: SimdBackend, node: Any, layout: str) -> None:
    assert copied_bytes(backend, node, TAKEN[layout](PICTURE)) == 0


@pytest.mark.parametrize("node", [MapPixels("color.bgr*color.r"), MapPixels("color + 0.5"), GaussianBlur(sigma_px=1.0)])
@pytest.mark.parametrize("layout", COPIED)
def test_layouts_that_kernels_do_not_take_are_copied_and_counted(backend: SimdBackend, node: Any, layout: str) -> None:
    assert copied_bytes(backend, node, COPIED[layout](PICTURE)) == PICTURE.nbytes


@pytest.mark.parametrize("width_px", [1, 3, 4, 5, 15, 16, 17, 33, 63, 64, 65, 1090])
@pytest.mark.parametrize("channels", [(0, 2), (0, 3), (1, 4), (2, 4), (0, 4)])
def test_pixels_become_planes_and_pixels_again_at_every_width(
    backend: SimdBackend, channels: tuple[int, int], width_px: int
) -> None:
    first, stop = channels
    names = "rgba"[: stop - first]
    picture = np.random.default_rng(width_px).uniform(-1.0, 1.0, (3, width_px, 4)).astype(np.float32)
    for view in (picture[..., first:stop], np.ascontiguousarray(picture[..., first:stop])):
        for text in (f"color.{names[::-1]}*color.g", "vec3(color.g, 0.5, color.r)", "vec2(color.g, uv.x)"):
            assert copied_bytes(backend, MapPixels(text), view) == 0


def test_a_copy_that_is_not_counted_is_noticed(backend: SimdBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pixels, "note_copy", lambda _nbytes: None)
    with pytest.raises(AssertionError):
        test_layouts_that_kernels_do_not_take_are_copied_and_counted(backend, MapPixels("color + 0.5"), "Fortran order")
