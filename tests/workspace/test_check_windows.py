"""The tool that counts windows finds none with other bits where there is none, and every one of a wrong node."""

from __future__ import annotations

import pytest

from tools.check_windows import check_case, main
from unshape_backend.case import Case, Picture
from unshape_backend.cpu.backend import CpuBackend
from unshape_image import GaussianBlur
from unshape_testing.sabotage.node_faults import WindowForPicture

PICTURE = Picture(width_px=9, height_px=5, channels=1)


def test_windows_of_a_blur_have_the_bits_of_the_whole() -> None:
    counts = check_case(CpuBackend(), Case(name="blur", node=GaussianBlur(1.7), inputs=(PICTURE,)))
    # 3 x 2 tiles, 5 rows, 9 columns and 9 pixels, of which the first is a tile as well; each computed in two ways.
    assert dict(counts) == {"cases": 1, "checked": 2 * (6 + 5 + 9 + 9 - 1), "differing": 0}


def test_a_blur_that_takes_the_window_for_the_picture_is_counted() -> None:
    counts = check_case(CpuBackend(), Case(name="wrong", node=WindowForPicture(GaussianBlur(1.7)), inputs=(PICTURE,)))
    assert counts["differing"] > counts["checked"] // 2


def test_it_says_how_many_and_names_a_backend_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--node", "image::UvGradient"]) == 0
    assert "cpu: 1 cases, 234 combinations, 0 with other bits" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["--backend", "absent"])
    assert "backend 'absent': not there" in capsys.readouterr().err
