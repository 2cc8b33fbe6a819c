"""Every kernel at sizes around the width of vectors and on awkward numbers, and on what Hypothesis draws."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unshape_backend.kernel_library import KernelLibrary
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_core.window import Window
from unshape_expr.ir import Border, Filter
from unshape_image.nodes import BoxBlur, Convolve, GaussianBlur, RemapUv, Resize
from unshape_image.resize_table import ResizeMethod
from unshape_noise.fractal import Fractal
from unshape_noise.nodes import Perlin, PerlinAt, Simplex, SimplexAt, Value, ValueAt, White, WhiteAt, Worley, WorleyAt
from unshape_noise.worley import CellFeature, Metric
from unshape_simd_cffi.backend import SimdBackend
from unshape_simd_cffi.isa import usable_isas
from unshape_testing.laws.numbers import definition
from unshape_testing.strategies import SPECIAL_VALUES, pictures, sides
from unshape_testing.tasks import make_job, run_job
from unshape_testing.tolerance import assert_same_bits

WIDTHS = (0, 1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 129, 1031)
"""Around 4, 8 and 16 lanes, and beyond a block of the engine."""
EDGES = ((0.5, -1.0, 0.25), (3.0, 0.125, -2.0), (0.1, 0.7, -0.3))
NODES: dict[str, Node] = {
    "mean": BoxBlur(2),
    "wide mean": BoxBlur(40, Border.MIRROR),
    "convolution": Convolve(EDGES, Border.ZERO),
    "large convolution": Convolve((tuple(np.linspace(-1, 1, 7)),) * 5, Border.REPEAT),
    "Gaussian": GaussianBlur(1.7),
    **{f"resize {method}": Resize(13, 7, method) for method in ResizeMethod},
    **{
        f"remap {mode} {border}": RemapUv("vec2(v*1.3 - 0.1, 1.2 - u)", filter=mode, border=border)
        for mode in Filter
        for border in Border
    },
    "Perlin": Perlin(scale=5.3, octaves=3, offset_x=-2.1),
    "Perlin in 3-D": Perlin(scale=3.0, dimensions=3, z=0.3),
    "Value": Value(scale=5.3, octaves=3, mode=Fractal.RIDGED),
    "Simplex": Simplex(scale=4.7, octaves=2),
    "white": White(),
    **{f"Worley {f} {m}": Worley(scale=4.1, feature=f, metric=m) for f in CellFeature for m in Metric},
    **{f"{kind.__name__}": kind(scale=2.3) for kind in (PerlinAt, ValueAt, SimplexAt, WhiteAt, WorleyAt)},
}
LARGE = ("mean", "wide mean", "convolution", "Gaussian", "resize bicubic", "remap bilinear clamp", "Perlin", "Simplex")


@pytest.fixture
def backends() -> list[SimdBackend]:
    """The backend with each instruction set."""
    return _opened()


@cache
def _opened() -> list[SimdBackend]:
    opened = [SimdBackend(isa, threads=2) for isa in usable_isas()]
    for backend in opened:
        KernelLibrary().give(backend, "simd")
    return opened


def awkward(height_px: int, width_px: int, channels: int) -> npt.NDArray[np.float32]:
    """Return special numbers among ordinary ones."""
    rng = np.random.default_rng(width_px)
    pixels = rng.normal(0.0, 3.0, (height_px, width_px, channels)).astype(np.float32)
    chosen = rng.random(pixels.shape) < 0.1
    pixels[chosen] = rng.choice(np.array(SPECIAL_VALUES, np.float32), int(chosen.sum()))
    return pixels


def check(
    backends: list[SimdBackend], node: Node, inputs: tuple[Any, ...], size_px: tuple[int, int], window: Window | None
) -> None:
    ctx = EvalContext(resolution=size_px)
    with np.errstate(all="ignore"):
        job = make_job(node, inputs, ctx, window=window)
        expected = definition(job)
    for backend in backends:
        assert backend.supports(job.task) is None
        assert_same_bits(expected, run_job(backend, job), what=f"{node} at {size_px} with {backend.isa.name}")


@pytest.mark.parametrize("width_px", WIDTHS)
@pytest.mark.parametrize("name", NODES)
def test_every_kernel_at_every_width(backends: list[SimdBackend], name: str, width_px: int) -> None:
    node = NODES[name]
    for height_px in (0, 1, 6):
        if isinstance(node, Resize):  # to that size; there is no picture of none
            to_px = (max(width_px, 1), max(height_px, 1))
            picture = awkward(height_px + 2, width_px // 2 + 3, 1 + width_px % 4)
            check(backends, replace(node, width_px=to_px[0], height_px=to_px[1]), (picture,), to_px, None)
            continue
        channels = 2 if name.endswith("At") else 1 + width_px % 4
        inputs = (awkward(height_px, width_px, channels),) if node.inputs else ()
        check(backends, node, inputs, (width_px, height_px), None)


@pytest.mark.parametrize("name", LARGE)
def test_kernels_on_large_pictures(backends: list[SimdBackend], name: str) -> None:
    node = NODES[name]
    inputs = (awkward(611, 1027, 4),) if node.inputs else ()
    check(backends, node, inputs, (13, 7) if isinstance(node, Resize) else (1027, 611), None)


BORDERS, WEIGHTS = st.sampled_from(list(Border)), st.floats(-4, 4, width=32)
OF_NEIGHBOURS = st.one_of(
    st.builds(BoxBlur, st.integers(0, 70), BORDERS),
    st.builds(GaussianBlur, st.floats(0, 12), BORDERS),
    st.tuples(st.integers(0, 4), st.integers(0, 4)).flatmap(
        lambda reach: st.builds(
            Convolve,
            st.tuples(*[st.tuples(*[WEIGHTS] * (2 * reach[0] + 1))] * (2 * reach[1] + 1)),
            BORDERS,
        )
    ),
    st.builds(Resize, st.integers(1, 70), st.integers(1, 70), st.sampled_from(list(ResizeMethod))),
)
_SEEDS, _OCTAVES, _SCALES = st.integers(0, 2**32 - 1), st.integers(1, 5), st.floats(0.01, 5000)
_PLACES = st.floats(-(2.0**20), 2.0**20)
_MODES = st.sampled_from(list(Fractal))


def _pictures_of(kind: Any, **more: Any) -> st.SearchStrategy[Any]:
    common = {"scale": _SCALES, "octaves": _OCTAVES, "seed": _SEEDS, "mode": _MODES}
    return st.builds(kind, offset_x=_PLACES, offset_y=_PLACES, dimensions=st.sampled_from([2, 3]), **common, **more)


_CELLS = {
    "feature": st.sampled_from(list(CellFeature)),
    "metric": st.sampled_from(list(Metric)),
    "jitter": st.floats(0, 1),
}
ON_GRIDS = st.one_of(*map(_pictures_of, (Perlin, Value, Simplex)), _pictures_of(Worley, **_CELLS))
AT_POSITIONS = st.one_of(
    *(st.builds(kind, scale=_SCALES, octaves=_OCTAVES, seed=_SEEDS, mode=_MODES) for kind in (PerlinAt, ValueAt)),
    st.builds(SimplexAt, scale=_SCALES, octaves=_OCTAVES, seed=_SEEDS),
    st.builds(WorleyAt, scale=_SCALES, seed=_SEEDS, **_CELLS),
)


def _window(data: st.DataObject, width_px: int, height_px: int) -> Window:
    x, y = data.draw(st.integers(0, width_px - 1)), data.draw(st.integers(0, height_px - 1))
    return Window(x, y, data.draw(st.integers(1, width_px - x)), data.draw(st.integers(1, height_px - y)))


def _output_px(node: Any, picture: npt.NDArray[Any]) -> tuple[int, int]:
    return (node.width_px, node.height_px) if node.type_name == Resize.type_name else picture.shape[1::-1]


@settings(max_examples=80, deadline=None)
@given(node=OF_NEIGHBOURS, picture=pictures(), data=st.data())
def test_filters_of_any_kind_on_any_picture(node: Any, picture: Any, data: st.DataObject) -> None:
    size = _output_px(node, picture)
    check(_opened(), node, (picture,), size, _window(data, *size))


@settings(max_examples=40, deadline=None)
@given(
    mode=st.sampled_from(list(Filter)),
    border=BORDERS,
    picture=pictures(),
    warp=pictures(shape=(9, 37, 2)),
    data=st.data(),
)
def test_reads_of_any_picture_at_any_positions(
    mode: Filter, border: Border, picture: Any, warp: Any, data: st.DataObject
) -> None:
    node = RemapUv("warp.xy*0.3 + vec2(u, v)", pictures=("warp",), filter=mode, border=border)
    check(_opened(), node, (picture, warp), (37, 9), _window(data, 37, 9))


@settings(max_examples=60, deadline=None)
@given(node=ON_GRIDS, width_px=sides(), height_px=sides(), data=st.data())
def test_noise_of_any_kind_on_any_grid(node: Any, width_px: int, height_px: int, data: st.DataObject) -> None:
    check(_opened(), node, (), (width_px, height_px), _window(data, width_px, height_px))


@settings(max_examples=60, deadline=None)
@given(node=AT_POSITIONS, positions=pictures(shape=(7, 35, 2)), data=st.data())
def test_noise_of_any_kind_at_any_positions(node: Any, positions: Any, data: st.DataObject) -> None:
    check(_opened(), node, (positions,), (35, 7), _window(data, 35, 7))
