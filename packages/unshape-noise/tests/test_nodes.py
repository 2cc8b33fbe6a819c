"""Noise nodes: parameters, seeds, context fields, and what their pictures are."""

from __future__ import annotations

import dataclasses
import pickle
import re
from typing import Any

import noise_reference as reference
import numpy as np
import pytest
from noise_runner import run_node, same_bits

from unshape_core.context import ContextField, EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.spec import ValueSpec
from unshape_core.value_type import TEXTURE
from unshape_noise import (
    CellFeature,
    DomainWarp,
    DomainWarpAt,
    Fractal,
    Metric,
    Perlin,
    PerlinAt,
    Simplex,
    SimplexAt,
    Value,
    ValueAt,
    White,
    WhiteAt,
    Worley,
    WorleyAt,
)
from unshape_noise.node_types import NODES

GENERATORS = (Perlin, Value, Simplex, Worley)
DRIVEN = (PerlinAt, ValueAt, SimplexAt, WorleyAt)


def test_a_pixel_is_the_noise_at_its_centre_times_scale() -> None:
    picture = run_node(Perlin(scale=5.0, seed=3, offset_x=1.25, offset_y=-2.5), resolution=(16, 8))
    for row, column in [(0, 0), (3, 11), (7, 15)]:
        at = [(column + 0.5) / 16 * 5.0 + 1.25, (row + 0.5) / 8 * 5.0 - 2.5]
        assert picture[row, column, 0] == pytest.approx(reference.perlin(at, 3), abs=2.0**-15)


def test_time_moves_the_third_coordinate() -> None:
    moving = run_node(Perlin(dimensions=3, z=0.25, speed=0.5), time_s=3.0)
    still = run_node(Perlin(dimensions=3, z=1.75))
    assert same_bits(still, moving)


@pytest.mark.parametrize("kind", [*GENERATORS, White])
def test_the_seeds_of_node_and_evaluation_are_added_modulo_2_to_the_32(kind: type[Perlin]) -> None:
    expected = run_node(kind(seed=10))
    for node_seed, context_seed in [(0, 10), (-5, 15), (2**32 + 7, 3), (10 - 2**40, 0), (2**31, 2**31 + 10)]:
        assert same_bits(expected, run_node(kind(seed=node_seed), seed=context_seed))
    assert not same_bits(expected, run_node(kind(seed=11)))


@pytest.mark.parametrize("kind", GENERATORS)
def test_seeds_give_unrelated_pictures(kind: type[Perlin]) -> None:
    seeds = [0, 1, 500, 10000, 2**31 - 1, -1]
    pictures = [run_node(kind(scale=40.0, seed=s), resolution=(128, 128)).ravel() for s in seeds]
    correlation = np.abs(np.corrcoef(pictures) - np.eye(len(seeds)))
    # 1600 cells: the correlation of independent pictures has a standard deviation of about 1/40.
    assert correlation.max() < 0.15


@pytest.mark.parametrize(("driven", "generator"), list(zip(DRIVEN, GENERATORS, strict=True)))
def test_driven_noise_at_uv_is_the_generated_noise(driven: type[PerlinAt], generator: type[Perlin]) -> None:
    width, height = 24, 18
    u, v = np.meshgrid((np.arange(width) + 0.5) / width, (np.arange(height) + 0.5) / height)
    uv = np.stack([u, v], axis=-1).astype(np.float32)
    generated = run_node(generator(scale=6.0, octaves=3, seed=2), resolution=(width, height))
    assert same_bits(generated, run_node(driven(scale=6.0, octaves=3, seed=2), [uv]))


def test_white_noise_is_one_value_for_a_pixel() -> None:
    picture = run_node(White(seed=4), resolution=(9, 5))
    assert picture[2, 7, 0] == reference.white([7, 2], 4)
    frame = run_node(White(seed=4, animated=True), resolution=(9, 5), frame=3)
    assert frame[2, 7, 0] == reference.white([7, 2, 3], 4)
    assert run_node(WhiteAt(scale=2.0), [np.full((1, 1, 2), 0.75, np.float32)])[0, 0, 0] == reference.white([1, 1], 0)


def test_domain_warp_displaces_by_two_independent_noises() -> None:
    node = DomainWarp(strength=0.25, scale=3.0, seed=8)
    picture = run_node(node, resolution=(10, 10))
    u, v = 4.5 / 10, 7.5 / 10
    at = [u * 3.0, v * 3.0]
    for channel, own in ((0, u), (1, v)):
        noise = reference.perlin(at, (8 + (channel + 1) * 0x85EBCA6B) & 0xFFFFFFFF)
        assert picture[7, 4, channel] == pytest.approx(own + 0.25 * noise, abs=2.0**-14)
    chained = run_node(DomainWarpAt(strength=0.25, scale=3.0, seed=9), [picture])
    assert chained.shape == picture.shape
    assert not np.array_equal(chained, picture)


@pytest.mark.parametrize("kind", GENERATORS)
def test_a_tileable_picture_continues_across_its_edges(kind: type[Perlin]) -> None:
    node = kind(scale=4.0, octaves=3, tileable=True, seed=6)
    shifted = kind(scale=4.0, octaves=3, tileable=True, seed=6, offset_x=4.0, offset_y=-8.0)
    a, b = (run_node(n, resolution=(64, 64)) for n in (node, shifted))
    np.testing.assert_allclose(a, b, atol=2e-5)
    plain, moved = (run_node(kind(scale=4.0, octaves=3, seed=6, offset_x=x)) for x in (0.0, 4.0))
    assert np.abs(plain - moved).max() > 0.1


def test_only_what_a_node_depends_on_is_declared() -> None:
    base = {ContextField.RESOLUTION, ContextField.SEED}
    assert base == Perlin().context_fields
    assert base == Perlin(dimensions=3, z=2.0).context_fields
    assert base | {ContextField.TIME} == Perlin(dimensions=3, speed=1.0).context_fields
    assert base | {ContextField.FRAME} == White(animated=True).context_fields
    assert {ContextField.SEED} == PerlinAt().context_fields


@pytest.mark.parametrize("kind", NODES)
def test_a_node_is_hashable_pickles_and_says_what_it_is(kind: type[Any]) -> None:
    node = kind()
    assert node == pickle.loads(pickle.dumps(node))
    assert hash(node) == hash(kind())
    assert kind.type_name == f"noise::{kind.__name__}"
    assert "Parameters" in (kind.__doc__ or "")
    fields = re.findall(r"^    ([a-z_, ]+) : ", kind.__doc__ or "", re.MULTILINE)
    assert {name for group in fields for name in group.split(", ")} == {f.name for f in dataclasses.fields(kind)}


def test_modes_given_as_text_are_members_of_their_sets() -> None:
    node = Worley(mode="ridged", feature="f2", metric="manhattan")  # type: ignore[arg-type]
    assert (node.mode, node.feature, node.metric) == (Fractal.RIDGED, CellFeature.F2, Metric.MANHATTAN)


BAD: list[tuple[type[Any], dict[str, Any], str]] = [
    (Perlin, {"scale": 0.0}, "noise::Perlin: scale: expected a number above 0 and at most 1048576, got 0.0"),
    (Perlin, {"scale": float("nan")}, "noise::Perlin: scale: expected a number above 0"),
    (Perlin, {"scale": 2.0**21}, "noise::Perlin: scale: expected a number above 0 and at most 1048576, got 2097152.0"),
    (Perlin, {"scale": "4"}, "noise::Perlin: scale: expected a number above 0"),
    (Perlin, {"octaves": 0}, "noise::Perlin: octaves: expected an integer in [1, 30], got 0"),
    (Perlin, {"octaves": 31}, "noise::Perlin: octaves: expected an integer in [1, 30], got 31"),
    (Perlin, {"octaves": True}, "noise::Perlin: octaves: expected an integer in [1, 30], got True"),
    (Perlin, {"octaves": 2.0}, "noise::Perlin: octaves: expected an integer in [1, 30], got 2.0"),
    (Perlin, {"persistence": 1.5}, "noise::Perlin: persistence: expected a finite number in [0, 1], got 1.5"),
    (Perlin, {"lacunarity": 0.5}, "noise::Perlin: lacunarity: expected a finite number in [1, 8], got 0.5"),
    (Perlin, {"lacunarity": float("inf")}, "noise::Perlin: lacunarity: expected a finite number in [1, 8], got inf"),
    (Perlin, {"seed": 1.5}, "noise::Perlin: seed: expected an integer (taken modulo 2**32), got 1.5"),
    (
        Perlin,
        {"mode": "swiss"},
        "noise::Perlin: mode: expected one of 'fbm', 'ridged', 'billow', got 'swiss'",
    ),
    (
        Perlin,
        {"offset_x": 2e6},
        "noise::Perlin: offset_x: expected a finite number in [-1048576, 1048576], got 2000000.0",
    ),
    (Perlin, {"dimensions": 4}, "noise::Perlin: dimensions: expected an integer in [2, 3], got 4"),
    (Perlin, {"z": 1.0}, "noise::Perlin: z and speed: expected 0 with dimensions=2, got 1.0 and 0.0; set dimensions=3"),
    (Perlin, {"tileable": 1}, "noise::Perlin: tileable: expected true or false, got 1"),
    (Perlin, {"tileable": True, "scale": 4.5}, "noise::Perlin: scale: expected a whole number with tileable=True"),
    (Perlin, {"tileable": True, "octaves": 30}, "noise::Perlin: octaves: expected at most 8388608 cells in the last"),
    (Worley, {"jitter": 1.1}, "noise::Worley: jitter: expected a finite number in [0, 1], got 1.1"),
    (
        Worley,
        {"metric": "l2"},
        "noise::Worley: metric: expected one of 'euclidean', 'manhattan', 'chebyshev', got",
    ),
    (WorleyAt, {"feature": "f3"}, "noise::WorleyAt: feature: expected one of 'f1', 'f2', 'f2_f1', got 'f3'"),
    (White, {"animated": None}, "noise::White: animated: expected true or false, got None"),
    (WhiteAt, {"scale": -1}, "noise::WhiteAt: scale: expected a number above 0"),
    (DomainWarp, {"strength": float("nan")}, "noise::DomainWarp: strength: expected a finite number in"),
    (DomainWarpAt, {"octaves": 99}, "noise::DomainWarpAt: octaves: expected an integer in [1, 30], got 99"),
]


@pytest.mark.parametrize(("kind", "parameters", "message"), BAD, ids=[m.split(", got")[0][7:60] for _, _, m in BAD])
def test_a_parameter_outside_its_range_is_refused(kind: type[Any], parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        kind(**parameters)
    assert str(caught.value).startswith(message)
    assert isinstance(caught.value, ValueError)
    assert "\n" not in str(caught.value)


def test_positions_of_a_wrong_number_of_channels_are_refused() -> None:
    spec = ValueSpec(TEXTURE, (4, 4, 4))
    with pytest.raises(InvalidArgumentError, match="'position': expected a picture of 2 or 3 channels, got 4"):
        PerlinAt().infer([spec], EvalContext())


def test_the_size_is_that_of_the_context_or_of_the_positions() -> None:
    ctx = EvalContext(resolution=(40, 30))
    assert Perlin().infer([], ctx) == (ValueSpec(TEXTURE, (30, 40, 1)),)
    assert DomainWarp().infer([], ctx) == (ValueSpec(TEXTURE, (30, 40, 2)),)
    assert WorleyAt().infer([ValueSpec(TEXTURE, (7, 9, 3))], ctx) == (ValueSpec(TEXTURE, (7, 9, 1)),)
