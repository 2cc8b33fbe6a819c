"""The gallery shows every node and mode, and its pages say what its tiles are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tools import write_gallery
from tools.gallery.drawing import draw
from tools.gallery.tiles import Sheet, Tile, call_of
from unshape_image import Blend, BlendMode, Levels
from unshape_noise import Perlin


def test_pages_are_current_and_show_every_mode() -> None:
    assert write_gallery.main(["--check"]) == 0


def test_a_mode_without_a_tile_is_found(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(write_gallery, "PAGES", [p for p in write_gallery.PAGES if p.name != "blend-modes"])
    assert write_gallery.main(["--check"]) == 1
    assert "image::Blend: no tile shows it with mode='screen'" in capsys.readouterr().err


def test_a_call_is_python_that_makes_the_node() -> None:
    for page in write_gallery.PAGES:
        for tile in (tile for sheet in page.sheets for tile in sheet.tiles):
            names = {type(tile.node).__name__: type(tile.node)}
            assert eval(call_of(tile.node), names) == tile.node
    assert call_of(Blend(BlendMode.SCREEN)) == "Blend(mode='screen')"
    assert call_of(Levels()) == "Levels()"


def test_a_sheet_is_drawn_alike_every_time(tmp_path: Path) -> None:
    tiles = tuple(Tile(label=f"{seed}", node=Perlin(seed=seed)) for seed in range(3))
    sheet = Sheet(name="three", title="Three", text="", columns=2, size_px=(24, 16), tiles=tiles)
    paths = [tmp_path / "a.png", tmp_path / "b.png"]
    for path in paths:
        draw(sheet, path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_the_gallery_is_small() -> None:
    sizes = [path.stat().st_size for path in write_gallery.FOLDER.glob("*.png")]
    assert np.sum(sizes) < 3_200_000
