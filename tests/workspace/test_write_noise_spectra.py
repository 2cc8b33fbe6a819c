"""Spectra show power at the frequency and in the direction where it is."""

from __future__ import annotations

import numpy as np

from tools.write_noise_spectra import power_of, spectrum_tile


def test_a_wave_is_a_pair_of_points_at_its_frequency() -> None:
    # 2 cycles a cell along x, of at most 4 that a tile of 128 pixels shows to each side: 32 pixels from its middle.
    columns = np.arange(256)[None, :] / 256 * 32
    wave = np.broadcast_to(np.sin(2.0 * np.pi * 2.0 * columns), (256, 256))
    tile = spectrum_tile(power_of([wave]), cells=32)
    rows, places = np.nonzero(tile > 0.95)
    assert set(rows.tolist()) == {64}
    assert set(places.tolist()) == {32, 96}
    assert (tile[:, 60:68] == 0.0).all()


def test_white_noise_is_level() -> None:
    rng = np.random.default_rng(1)
    tile = spectrum_tile(power_of([rng.normal(size=(512, 512)) for _ in range(4)]), cells=64)
    assert tile.min() > 0.75
