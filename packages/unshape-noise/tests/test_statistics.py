"""Statistics of noise: mean, variance, spectrum, evenness of directions, no period, octaves out of step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest
from noise_runner import Picture

from unshape_noise.families import Kind
from unshape_noise.fast.fractal import fractal
from unshape_noise.fractal import Fractal
from unshape_noise.kinds import PERLIN, SIMPLEX, VALUE, WHITE

SIDE = 1024
CELLS = 128
Spectrum = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]


def picture(kind: Kind, seed: int, *, z: float | None = None, cells: float = CELLS) -> Picture:
    along = ((np.arange(SIDE) + 0.5) * (cells / SIDE)).astype(np.float32)
    position: list[npt.ArrayLike] = [along[None, :], along[:, None]]
    if z is not None:
        position.append(np.float32(z))
    return kind.compute(position, seed, None)


def fade(t: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return t**3 * (t * (t * 6.0 - 15.0) + 10.0)


def mean_over_cell(values: npt.NDArray[np.float64]) -> float:
    return float(values.mean())


def expected_variance(kind: Kind, dimensions: int) -> float:
    """Closed form: the weights' squares, averaged over the cell, times the variance of one lattice point."""
    t = (np.arange(2000) + 0.5) / 2000
    low = 1.0 - fade(t)
    squares = 2.0 * mean_over_cell(low**2)
    if kind is VALUE:
        return (squares**dimensions) / 3.0
    # Unit gradients in random directions: E[(g . d)**2] = |d|**2/n, and a corner's d_k**2 goes with its own weight.
    own = 2.0 * mean_over_cell(low**2 * t**2)
    largest = {2: 0.6953527, 3: 0.8315482}[dimensions]
    return own * squares ** (dimensions - 1) / largest**2


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("kind", [PERLIN, VALUE], ids=lambda kind: kind.name)
def test_mean_and_variance_are_those_of_the_definition(kind: Kind, dimensions: int) -> None:
    pictures = [picture(kind, seed, z=None if dimensions == 2 else seed * 0.31 + 0.155) for seed in range(12)]
    if dimensions == 3:
        pictures = [picture(kind, seed, z=(seed + 0.5) / 24) for seed in range(24)]
    assert np.mean(pictures, dtype=np.float64) == pytest.approx(0.0, abs=0.01)
    assert np.var(pictures, dtype=np.float64) == pytest.approx(expected_variance(kind, dimensions), rel=0.02)


def test_white_noise_is_uniform() -> None:
    values = np.sort(picture(WHITE, 3, cells=SIDE).ravel())
    expected = (np.arange(values.size) + 0.5) / values.size * 2.0 - 1.0
    # Kolmogorov-Smirnov: 2.2/sqrt(n) is exceeded with a probability of 1e-4.
    assert np.abs(values - expected).max() / 2.0 < 2.2 / np.sqrt(values.size)
    flat = np.abs(np.fft.fft2(picture(WHITE, 3, cells=SIDE)))[1:, 1:] ** 2
    assert flat[:100, :100].mean() == pytest.approx(flat[200:500, 200:500].mean(), rel=0.05)


def spectrum(pictures: Sequence[Picture]) -> Spectrum:
    """Mean power by frequency (cycles a cell) and by direction (12 sectors of the half turn, in the main band)."""
    frequency = np.fft.fftfreq(SIDE) * SIDE / CELLS
    fx, fy = np.meshgrid(frequency, frequency)
    radius, angle = np.hypot(fx, fy), np.arctan2(fy, fx) % np.pi
    power = np.mean([np.abs(np.fft.fft2(p - p.mean())) ** 2 for p in pictures], axis=0)
    rings = np.minimum((radius / 0.25).astype(int), 16)
    by_frequency = np.bincount(rings.ravel(), power.ravel()) / np.bincount(rings.ravel())
    band = (radius > 0.3) & (radius < 1.5)
    sectors = (angle[band] / (np.pi / 12)).astype(int) % 12
    by_direction = np.bincount(sectors, power[band], minlength=12) / np.bincount(sectors, minlength=12)
    return by_frequency / by_frequency.max(), by_direction / by_direction.mean()


@pytest.mark.parametrize(
    ("kind", "evenness"), [(PERLIN, 0.12), (SIMPLEX, 0.04), (VALUE, 0.12)], ids=lambda value: getattr(value, "name", "")
)
def test_no_direction_has_more_power(kind: Kind, evenness: float) -> None:
    """Perlin and value noise have the square lattice's four axes; triangles hide theirs."""
    _, by_direction = spectrum([picture(kind, seed) for seed in range(6)])
    assert np.abs(by_direction - 1.0).max() < evenness


@pytest.mark.parametrize("kind", [PERLIN, SIMPLEX], ids=lambda kind: kind.name)
def test_gradient_noise_is_band_limited(kind: Kind) -> None:
    by_frequency, _ = spectrum([picture(kind, seed) for seed in range(3)])
    peak = int(by_frequency.argmax())
    assert 0.25 <= peak * 0.25 <= 1.25  # cycles a cell
    assert by_frequency[0] < 0.35  # little below
    assert by_frequency[-2] < 1e-3  # next to nothing far above


def structure(p: Picture) -> npt.NDArray[np.float64]:
    """The mean structure tensor, scaled to a trace of 2: the unit matrix if no direction is preferred."""
    dy, dx = np.gradient(p.astype(np.float64))
    tensor = np.array([[np.mean(dx * dx), np.mean(dx * dy)], [np.mean(dx * dy), np.mean(dy * dy)]])
    result: npt.NDArray[np.float64] = tensor * 2.0 / np.trace(tensor)
    return result


@pytest.mark.parametrize("kind", [PERLIN, SIMPLEX, VALUE], ids=lambda kind: kind.name)
def test_slopes_point_in_all_directions_alike(kind: Kind) -> None:
    tensors = [structure(picture(kind, seed)) for seed in range(4)]
    np.testing.assert_allclose(np.mean(tensors, axis=0), np.eye(2), atol=0.02)


def test_slopes_of_a_stretched_picture_do_not() -> None:
    stretched = picture(PERLIN, 0)[::2].repeat(2, axis=0)
    assert np.abs(structure(stretched.repeat(2, axis=0)) - np.eye(2)).max() > 0.1


@pytest.mark.parametrize("kind", [PERLIN, SIMPLEX, VALUE], ids=lambda kind: kind.name)
def test_no_shift_of_a_picture_onto_itself_correlates(kind: Kind) -> None:
    """A repeated pattern would be a peak of autocorrelation away from the origin."""
    p = picture(kind, 9).astype(np.float64)
    power = np.abs(np.fft.fft2(p - p.mean())) ** 2
    correlation = np.fft.ifft2(power).real
    correlation /= correlation[0, 0]
    reach = 3 * SIDE // CELLS
    correlation[:reach, :reach] = correlation[-reach:, :reach] = 0.0
    correlation[:reach, -reach:] = correlation[-reach:, -reach:] = 0.0
    # 128 x 128 cells: chance gives a standard deviation of about 1/128.
    assert np.abs(correlation).max() < 6.0 / CELLS


def repeated(p: Picture) -> Picture:
    half: Picture = np.tile(p[:, : SIDE // 2], (1, 2))
    return half


def test_a_repeated_picture_correlates() -> None:
    p = repeated(picture(PERLIN, 9)).astype(np.float64)
    correlation = np.fft.ifft2(np.abs(np.fft.fft2(p - p.mean())) ** 2).real
    assert correlation[0, SIDE // 2] / correlation[0, 0] > 0.99


def test_octaves_are_out_of_step_with_each_other() -> None:
    """At whole coordinates the first octave is 0; the others must not be, or the lattice would show."""

    def base(at: Sequence[Picture], seed: int, _frequency: np.float32) -> Picture:
        result: Picture = PERLIN.compute(at, seed, None)
        return result

    whole = np.arange(200, dtype=np.float32)

    def at(offset: float) -> Picture:
        along = whole + np.float32(offset)
        position = (along[None, :], along[:, None])
        return fractal(Fractal.FBM, base, position, octaves=4, lacunarity=2.0, persistence=0.5, seed=0)

    assert at(0.0).std() > 0.4 * at(0.5).std()
