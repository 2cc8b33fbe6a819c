"""What pages show, pictures and printed lines, is what comes out."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import unshape as us
from tools.members import ROOT
from unshape import image

EXAMPLE = ROOT / "examples" / "island.json"
PAGE = (ROOT / "docs" / "tutorials" / "first-picture.md").read_text(encoding="utf-8")
IMAGES = ROOT / "docs" / "images"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_island_is_that_of_the_example(tmp_path: Path) -> None:
    graph = us.read_graph(EXAMPLE)
    result = us.evaluate(graph, ["picture"], resolution=(320, 320), policy="named:cpu")
    image.write_image(tmp_path / "island.png", np.asarray(result.outputs[0][0]))
    np.testing.assert_array_equal(image.read_image(IMAGES / "island.png"), image.read_image(tmp_path / "island.png"))


def test_the_coast_is_that_of_the_tutorial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec("\n".join(BLOCK.findall(PAGE)), {})
    coast, evening = (image.read_image(tmp_path / f"{name}.png") for name in ("coast", "evening"))
    np.testing.assert_array_equal(image.read_image(IMAGES / "coast.png"), coast)
    assert (coast != evening).any()


def test_the_sentence_of_the_tutorial_is_the_one_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text(EXAMPLE.read_text("utf-8").replace('"octaves": 11', '"octaves": 80'), "utf-8")
    with pytest.raises(us.UnshapeError) as caught:
        us.read_graph(tmp_path / "mine.json")
    assert f"unshape: {str(caught.value).replace(str(tmp_path) + '/', '')}\n" in PAGE


def test_the_plan_of_the_tutorial_is_the_one_that_is_made() -> None:
    evaluator = us.Session(us.BackendRegistry.with_cpu()).evaluator()
    program = evaluator.prepare(us.read_graph(EXAMPLE), ["picture"], us.EvalContext(resolution=(512, 512)))
    assert program.explanation is not None
    printed = re.sub(r"(?m)^  cpu: .* \(cpu,", "  cpu: AMD EPYC (cpu,", program.explanation.explain())
    assert printed.strip() in PAGE
