"""What the GPU kernel of Perlin noise prepares on the host: octaves, and room for the cells that pixels share."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unshape_noise import Perlin
from unshape_noise.kernels.gpu.perlin import octaves_of

OCTAVE = struct.Struct("<4f4I")
TILE_PX = 256


def rows_of(node: Perlin, width_px: int, *, seed: int = 0) -> list[tuple[float, ...]]:
    words = octaves_of(node, seed, width_px).words
    return [OCTAVE.unpack_from(words, k * OCTAVE.size) for k in range(node.octaves)]


def test_octaves_double_and_halve_exactly() -> None:
    octaves = octaves_of(Perlin(octaves=6, lacunarity=2.0, persistence=0.5), 0, 1024)
    rows = rows_of(Perlin(octaves=6, lacunarity=2.0, persistence=0.5), 1024)
    assert [2.0**k for k in range(6)] == [row[0] for row in rows]
    assert [2.0**-k for k in range(6)] == [row[1] for row in rows]
    assert octaves.reciprocal == pytest.approx(1.0 / (2.0 - 2.0**-5), rel=2.0**-24)


def test_seeds_of_node_and_evaluation_are_added() -> None:
    assert [row[4] for row in rows_of(Perlin(octaves=3, seed=7), 64, seed=5)] == [
        row[4] for row in rows_of(Perlin(octaves=3, seed=12), 64)
    ]
    assert len({row[4] for row in rows_of(Perlin(octaves=30), 64)}) == 30


@given(
    scale=st.floats(2.0**-7, 2000.0, width=32),
    octaves=st.integers(1, 30),
    lacunarity=st.floats(1.0, 8.0, width=32),
    width_px=st.integers(1, 20_000),
    offset=st.floats(-1000.0, 1000.0, width=32),
)
def test_pixels_of_a_tile_never_meet_more_cells_than_there_is_room_for(
    scale: float, octaves: int, lacunarity: float, width_px: int, offset: float
) -> None:
    node = Perlin(scale=scale, octaves=octaves, lacunarity=lacunarity, offset_x=offset)
    rows = rows_of(node, width_px)
    first = 0
    for left in (0, max(0, width_px - TILE_PX), width_px // 2):
        pixel = np.arange(left, left + TILE_PX, dtype=np.float32)
        position = (pixel + np.float32(0.5)) / np.float32(width_px) * np.float32(scale) + np.float32(offset)
        for frequency, _, shift, _, _, _, cells, _ in rows:
            if cells:
                column = np.floor(position * np.float32(frequency) + np.float32(shift))
                assert column.max() - column.min() + 1 <= cells
    for row in rows:
        if row[6]:
            assert row[5] == first
            first += int(row[6])
    assert first <= TILE_PX


def test_octaves_whose_cells_are_smaller_than_two_pixels_share_nothing() -> None:
    cells = [row[6] for row in rows_of(Perlin(scale=8.0, octaves=8), 1024)]
    assert all(cells[:6])
    assert cells[7:] == [0]
