"""The tool that counts windows finds none with other bits where there is none, and every one of a wrong node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from tools.check_windows import check_case, main
from unshape_backend.case import Case, Picture
from unshape_backend.cpu.backend import CpuBackend
from unshape_core.context import EvalContext
from unshape_core.value import Value
from unshape_image import GaussianBlur

PICTURE = Picture(width_px=9, height_px=5, channels=1)


@dataclass(frozen=True, slots=True)
class BlurOfTheWindow:
    """A blur that takes the window's edge for the picture's."""

    type_name: ClassVar[str] = "test::BlurOfTheWindow"
    op_class = GaussianBlur.op_class
    context_fields = GaussianBlur.context_fields
    inputs = GaussianBlur.inputs
    outputs = GaussianBlur.outputs
    infer = GaussianBlur.infer
    input_windows = GaussianBlur.input_windows
    sigma_px: ClassVar[float] = 1.7
    border = GaussianBlur().border

    def execute(self, inputs: Sequence[Value], ctx: EvalContext) -> tuple[Value, ...]:
        assert ctx.region is not None
        held = ctx.region.inputs[0]
        assert held is not None
        rows, columns = ctx.region.output.slices_in(held)
        return GaussianBlur(self.sigma_px).execute((np.asarray(inputs[0])[rows, columns],), EvalContext())


def test_windows_of_a_blur_have_the_bits_of_the_whole() -> None:
    counts = check_case(CpuBackend(), Case(name="blur", node=GaussianBlur(1.7), inputs=(PICTURE,)))
    # 3 x 2 tiles, 5 rows, 9 columns and 9 pixels, of which the first is a tile as well; each computed in two ways.
    assert dict(counts) == {"cases": 1, "checked": 2 * (6 + 5 + 9 + 9 - 1), "differing": 0}


def test_a_blur_that_takes_the_window_for_the_picture_is_counted() -> None:
    counts = check_case(CpuBackend(), Case(name="wrong", node=BlurOfTheWindow(), inputs=(PICTURE,)))
    assert counts["differing"] > counts["checked"] // 2


def test_it_says_how_many_and_names_a_backend_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--node", "image::UvGradient"]) == 0
    assert "cpu: 1 cases, 234 combinations, 0 with other bits" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["--backend", "absent"])
    assert "backend 'absent': not there" in capsys.readouterr().err
