"""Long work in C ends soon after it is asked to: counted in what it still does, not in time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from unshape_backend.kernel_library import KernelLibrary
from unshape_core.cancellation import CancellationToken
from unshape_core.context import EvalContext
from unshape_core.errors import Cancelled
from unshape_core.protocols import Node
from unshape_image.nodes import BoxBlur, Convolve, GaussianBlur, RemapUv, Resize
from unshape_image.resize_table import ResizeMethod
from unshape_noise.nodes import Perlin
from unshape_simd_cffi.backend import SimdBackend
from unshape_simd_cffi.isa import usable_isas
from unshape_testing.tasks import make_job

F32Array = npt.NDArray[np.float32]

SIDE_PX = 2048
UNTOUCHED = np.float32(-12345.0)
FLAG_ROW, FLAG_COLUMN = 40, 9
NODES: dict[str, Node] = {
    "box blur": BoxBlur(8),
    "wide box blur": BoxBlur(200),
    "convolution": Convolve(((0.1,) * 7,) * 7),
    "Gaussian blur": GaussianBlur(8.0),
    "half the size": Resize(SIDE_PX // 2, SIDE_PX // 2, ResizeMethod.AREA),
    "larger": Resize(SIDE_PX + 600, SIDE_PX, ResizeMethod.BICUBIC),
    "warp": RemapUv("vec2(v, u)"),
    "noise": Perlin(octaves=8, scale=50.0),
}


class _LateToken(CancellationToken):
    """A token whose flag is seen in C only: the first question in Python is answered with no."""

    __slots__ = ("questions",)

    def __init__(self) -> None:
        super().__init__()
        self.questions = 0

    def raise_if_cancelled(self) -> None:
        self.questions += 1
        if self.questions > 1:
            self.cancel()
            super().raise_if_cancelled()


class _Bench:
    """A backend whose outputs are filled with :data:`UNTOUCHED` first."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, threads: int) -> None:
        self.backend = SimdBackend(usable_isas()[-1], threads=threads)
        KernelLibrary().give(self.backend, "simd")
        self.output = np.empty(0, np.float32)
        self.flagged: CancellationToken | None = None
        monkeypatch.setattr(type(self.backend.buffers), "empty", lambda _pool, shape: self._empty(shape))

    def _empty(self, shape: Sequence[int]) -> F32Array:
        self.output = np.full(tuple(shape), UNTOUCHED)
        if self.flagged is not None:
            pixel = self.output[FLAG_ROW, FLAG_COLUMN, :1]
            pixel[:] = 0.0
            self.flagged.flag = pixel.view(np.uint8).data  # type: ignore[assignment]  # memory is all that C asks for
        return self.output

    @property
    def touched(self) -> float:
        """The part of the output that was written, by every 16th pixel of every row."""
        return float(np.mean(self.output[:, ::16, 0] != UNTOUCHED))

    @property
    def touched_rows(self) -> int:
        """How many rows were written to."""
        return int(np.count_nonzero((self.output[:, ::16, 0] != UNTOUCHED).any(axis=1)))

    def run(self, node: Node, token: CancellationToken | None) -> None:
        picture = _picture()
        inputs = (picture,) if node.inputs else ()
        job = make_job(node, inputs, EvalContext(resolution=(SIDE_PX, SIDE_PX), cancellation=token))
        self.backend.compile(job.task)(job.task.nodes, inputs, job.ctx)


def _picture() -> F32Array:
    return np.ones((SIDE_PX, SIDE_PX, 4), np.float32)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", NODES)
def test_nothing_is_computed_once_the_flag_is_set(monkeypatch: pytest.MonkeyPatch, name: str, threads: int) -> None:
    bench, token = _Bench(monkeypatch, threads=threads), _LateToken()
    token.cancel()
    with pytest.raises(Cancelled):
        bench.run(NODES[name], token)
    assert bench.touched == 0.0


@pytest.mark.parametrize("name", NODES)
def test_everything_is_computed_without_a_flag(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    bench = _Bench(monkeypatch, threads=2)
    bench.run(NODES[name], CancellationToken())
    assert bench.touched == 1.0, "expected this way of counting to see what is computed"


@pytest.mark.parametrize("name", NODES)
def test_few_rows_follow_the_one_in_which_the_flag_is_set(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    bench, token = _Bench(monkeypatch, threads=1), _LateToken()
    bench.flagged = token  # the flag lies in the output: what is computed sets it
    with pytest.raises(Cancelled):
        bench.run(NODES[name], token)
    assert FLAG_ROW < bench.touched_rows <= FLAG_ROW + 32


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="counts resident pages as Linux does")
def test_a_cancelled_mean_of_a_wide_square_has_not_filled_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    bench, token = _Bench(monkeypatch, threads=1), _LateToken()
    node = BoxBlur(4096)
    token.cancel()
    with pytest.raises(Cancelled):
        bench.run(BoxBlur(1), token)  # what anything costs
    before, token.questions = _resident_bytes(), 0
    with pytest.raises(Cancelled):
        bench.run(node, token)
    assert _resident_bytes() - before < 200 * 2**20, "expected pages of pictures, not of rows for a whole square"


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096
