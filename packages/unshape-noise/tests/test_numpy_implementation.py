"""The NumPy implementations give the bits of the definitions, on grids, at any positions, and for special values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from noise_runner import Picture, at_positions, by_definition, on_grid, same_bits, u32, warp_by_definition

from unshape_expr import build as e
from unshape_expr.functions import Function
from unshape_expr.ir import Expr
from unshape_expr.types import Type
from unshape_noise.families import Kind
from unshape_noise.fractal import Fractal
from unshape_noise.kinds import FRACTAL_KINDS, KINDS, PERLIN, VALUE, WORLEY, domain_warp, functions_of
from unshape_noise.worley import CellFeature, Metric

MODES: list[Fractal | None] = [None, *Fractal]
ORDINARY = (0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1e-30, -1e-30, -1e-45)
FAR = (2.0**22 + 0.5, 2.0**23, -(2.0**23), 2.0**31, -(2.0**31), 2.0**31 - 128.0, 3e9, -3e9, 1e12, 1e38, -1e38, 3.4e38)
SPECIAL = np.array([*ORDINARY, *FAR, np.nan, np.inf, -np.inf], np.float32)


def arguments_of(kind: Kind, mode: Fractal | None, dimensions: int, *, tiled: bool, octaves: int = 3) -> list[Expr]:
    found = [e.literal(n, Type.I32) for n in (7, 5, 3)[:dimensions]] if tiled else []
    if mode is not None:
        found += [e.literal(octaves, Type.I32), e.literal(2.17), e.literal(0.61)]
    found.append(u32(12345))
    return found + ([e.literal(0.83)] if kind in WORLEY.values() else [])


def cases() -> list[tuple[Kind, Fractal | None]]:
    """Every kind plain, and every mode of three of them: Worley noise has nine kinds that differ in distance only."""
    with_modes = (PERLIN, VALUE, WORLEY[CellFeature.F2_F1, Metric.MANHATTAN])
    return [(k, m) for k in KINDS for m in MODES if m is None or (k in FRACTAL_KINDS and k in with_modes)]


def special_positions(dimensions: int) -> Picture:
    """Every special coordinate beside every other, ordinary ones among them."""
    rng = np.random.default_rng(7)
    values = np.concatenate([SPECIAL, rng.normal(0.0, 5.0, 24).astype(np.float32)])
    found = [values[rng.permutation(values.size)] for _ in range(dimensions - 1)]
    x, y = np.meshgrid(values, found[0])
    return np.stack([x, y, np.broadcast_to(found[-1][:, None], x.shape)][:dimensions], axis=-1).astype(np.float32)


@pytest.mark.parametrize("tiled", [False, True], ids=["plain", "tiled"])
@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize(("kind", "mode"), cases(), ids=lambda value: getattr(value, "name", str(value)))
def test_positions_give_the_bits_of_the_definition(
    kind: Kind, mode: Fractal | None, dimensions: int, tiled: bool
) -> None:
    arguments = arguments_of(kind, mode, dimensions, tiled=tiled)
    at = special_positions(dimensions)
    fast = at_positions(functions_of(kind, dimensions)[mode, tiled], at, *arguments)
    assert same_bits(fast, at_positions(by_definition(kind, mode, dimensions, tiled=tiled), at, *arguments))


def grid_position(dimensions: int, scale: float, offset: float) -> Expr:
    """Positions whose x depends on the column, y on the row, and z on the row or on nothing."""
    x, y = e.u() * scale + offset, e.v() * (scale * 0.7) - offset
    return e.vector(*[x, y, y * 0.37 if scale > 5.0 else e.literal(0.3)][:dimensions])


@pytest.mark.parametrize("scale", [3.0, 40.0, 900.0])
@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize(("kind", "mode"), cases(), ids=lambda value: getattr(value, "name", str(value)))
def test_grids_give_the_bits_of_the_definition(kind: Kind, mode: Fractal | None, dimensions: int, scale: float) -> None:
    arguments = arguments_of(kind, mode, dimensions, tiled=False)
    at = grid_position(dimensions, scale, offset=-1.7)
    fast = functions_of(kind, dimensions)[mode, False](at, *arguments)
    plain = by_definition(kind, mode, dimensions, tiled=False)(at, *arguments)
    assert same_bits(on_grid(fast, width_px=131, height_px=37), on_grid(plain, width_px=131, height_px=37))


@pytest.mark.parametrize("count", [-1, 0, 1, 30, 31, 2**31 - 1])
@pytest.mark.parametrize("factors", [(2.0, 0.5), (8.0, 1.0), (1e30, -1.0), (-3.0, 9.0), (float("nan"), 0.5)])
def test_octaves_and_factors_out_of_range_give_the_bits_of_the_definition(
    count: int, factors: tuple[float, float]
) -> None:
    at = special_positions(2)
    arguments = (e.literal(count, Type.I32), *factors, u32(1))
    fast = at_positions(functions_of(PERLIN, 2)[Fractal.RIDGED, False], at, *arguments)
    assert same_bits(fast, at_positions(by_definition(PERLIN, Fractal.RIDGED, 2, tiled=False), at, *arguments))


@pytest.mark.parametrize("dimensions", [2, 3])
def test_domain_warp_gives_the_bits_of_the_definition(dimensions: int) -> None:
    at = special_positions(dimensions)
    arguments = (0.7, e.literal(4, Type.I32), 2.0, 0.5, u32(5))
    fast = at_positions(domain_warp(dimensions), at, *arguments)
    assert same_bits(fast, at_positions(warp_by_definition(PERLIN, dimensions), at, *arguments))


def test_one_bit_of_difference_is_found() -> None:
    function = functions_of(PERLIN, 2)[None, False]

    def sabotaged(*arguments: object) -> Picture:
        assert function.numpy is not None
        result: Picture = function.numpy(*arguments)
        result.view(np.uint32)[0, 0] ^= 1
        return result

    at = np.random.default_rng(2).normal(0.0, 5.0, (6, 9, 2)).astype(np.float32)
    wrong: Function = replace(function, numpy=sabotaged)
    assert not same_bits(at_positions(wrong, at, u32(0)), at_positions(replace(function, numpy=None), at, u32(0)))
