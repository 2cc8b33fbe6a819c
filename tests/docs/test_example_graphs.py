"""The example graphs draw pictures, change with the seed and the time as they say, and are listed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import unshape as us
from tools.members import ROOT

EXAMPLES = ROOT / "examples"
GRAPHS = sorted(EXAMPLES.glob("*.json"))
Picture = npt.NDArray[np.float32]


def draw(path: Path, *, seed: int = 0, time_s: float = 0.0, resolution: tuple[int, int] = (48, 48)) -> Picture:
    """Return the picture of an example."""
    graph = us.read_graph(path)
    inputs = {"photo": us.image.read_image(EXAMPLES / "photo.png")} if path.stem == "photo" else {}
    result = us.evaluate(
        graph, ["picture"], resolution=resolution, inputs=inputs, seed=seed, time_s=time_s, policy="named:cpu"
    )
    return np.asarray(result.outputs[0][0])


@pytest.mark.parametrize("path", GRAPHS, ids=lambda path: path.stem)
def test_a_picture_is_finite_coloured_and_not_flat(path: Path) -> None:
    picture = draw(path)
    assert np.isfinite(picture).all()
    assert picture.shape[2] == 3
    assert picture.std() > 0.05
    assert np.abs(picture[..., 0] - picture[..., 2]).max() > 0.05


@pytest.mark.parametrize("name", ["clouds", "erosion", "island", "marble", "wood"])
def test_another_seed_gives_another_picture(name: str) -> None:
    first, second = (draw(EXAMPLES / f"{name}.json", seed=seed) for seed in (0, 1))
    assert np.abs(first - second).mean() > 0.02


def test_clouds_move_and_are_back_after_eight_seconds() -> None:
    first, moved, again = (draw(EXAMPLES / "clouds.json", time_s=time_s) for time_s in (0.0, 2.0, 8.0))
    assert np.abs(first - moved).mean() > 0.05
    np.testing.assert_allclose(again, first, atol=1 / 255)


def seams(picture: Picture) -> tuple[float, ...]:
    """Return the mean step across the upper and the left edge, in mean steps between neighbours."""
    return tuple(
        float(
            np.abs(picture.take(0, axis) - picture.take(-1, axis)).mean() / np.abs(np.diff(picture, axis=axis)).mean()
        )
        for axis in (0, 1)
    )


def test_clouds_continue_across_all_edges() -> None:
    picture = draw(EXAMPLES / "clouds.json", resolution=(128, 128))
    assert max(seams(picture)) < 2.0
    assert min(seams(picture[:75, :75])) > 4.0  # a part of it does not


def test_the_readme_lists_every_graph() -> None:
    text = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in GRAPHS if f"| `{path.name}` |" not in text] == []
