"""The table of accuracy lists every node, and its measurement tells a difference."""

from __future__ import annotations

import numpy as np
import pytest

from tools import image_accuracy
from tools.accuracy.image_references import image_comparisons
from tools.accuracy.measurement import measured
from tools.accuracy.noise_references import noise_comparisons


def test_the_page_lists_every_node_and_comparison() -> None:
    assert image_accuracy.main(["--check"]) == 0


def test_a_node_without_a_reference_is_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    others = [c for c in image_comparisons() if c.type_name != "image::Blend"]
    monkeypatch.setattr(image_accuracy, "image_comparisons", lambda: others)
    assert image_accuracy.main(["--check"]) == 1
    assert "image::Blend: compared with nothing" in capsys.readouterr().err


def test_differences_on_the_page_are_small() -> None:
    rows = [line.split("|") for line in image_accuracy.PAGE.read_text(encoding="utf-8").splitlines() if "::" in line]
    assert len(rows) == len([*noise_comparisons(), *image_comparisons()])
    stated = {"`image::RecursiveGaussianBlur`": 1e-3}  # an approximation, with the error that its documentation states
    for row in rows:
        assert float(row[-2]) < stated.get(row[1].strip(), 2e-4), row[1:3]


def test_a_difference_and_a_nan_are_told() -> None:
    zero, one = np.zeros((2, 2)), np.ones((2, 2))
    assert measured([(zero, zero), (zero, one * 0.25)]) == (2, 8, 0.25)
    with pytest.raises(ValueError, match="the same NaN"):
        measured([(zero, one * np.nan)])
