"""Faults of plugins: whatever is broken in what somebody installed, the host works."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from unshape_testing.installation import Installation

GROUPS = ("unshape.backends", "unshape.kernels.cpu", "unshape.nodes", "unshape.functions", "unshape.cases")
MODULE = "unshape_broken_for_a_test"

RENDER = """
import logging, sys
logging.basicConfig(level=logging.WARNING, format="%(name)s|%(message)s", stream=sys.stdout)
import numpy as np
import unshape as us
from unshape import image
from unshape_core.graph_file import graph_from_json, graph_to_json
graph = us.Graph()
end = graph.add_node(image.MapPixels("vec2(u, v)*sin(0.0) + 1.0", pictures=()))
graph = graph_from_json(graph_to_json(graph))
for _ in range(3):
    found = np.asarray(us.evaluate(graph, [end], resolution=(3, 2)).outputs[0][0])
    assert found.tolist() == np.ones((2, 3, 2)).tolist()
print("rendered")
"""


def run(folder: Path, source: str, value: str) -> list[str]:
    """Return what a program prints where a distribution is broken in every group."""
    with Installation(folder / "site") as site:
        site.install(
            "unshape-broken", entry_points={group: {"broken": value} for group in GROUPS}, modules={MODULE: source}
        )
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", RENDER],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            env={**os.environ, "PYTHONPATH": str(folder / "site"), "UNSHAPE_BACKENDS": "cpu,broken"},
        )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def warnings_of(lines: list[str]) -> list[str]:
    return [line for line in lines if "broken" in line]


def test_a_module_that_raises_costs_one_warning_a_group_and_the_rest_works(tmp_path: Path) -> None:
    lines = run(tmp_path, "raise ZeroDivisionError('broken on purpose')", f"{MODULE}:thing")
    assert "rendered" == lines[-1]
    warned = warnings_of(lines)
    assert all("broken on purpose" in line for line in warned), warned
    # cases are for test runs; everything else was asked for
    assert 4 == len(warned), warned


def test_a_module_that_is_not_there_costs_one_warning_a_group_and_the_rest_works(tmp_path: Path) -> None:
    lines = run(tmp_path, "", "unshape_no_such_module:thing")
    assert "rendered" == lines[-1]
    assert 4 == len(warnings_of(lines)), lines


def test_things_of_a_wrong_kind_cost_one_warning_a_group_and_the_rest_works(tmp_path: Path) -> None:
    for source in ("thing = 5", "thing = None", "def thing(*a, **k):\n    return [object()]", "class thing:\n    pass"):
        lines = run(tmp_path / str(abs(hash(source))), source, f"{MODULE}:thing")
        assert "rendered" == lines[-1]
        assert len(warnings_of(lines)) <= 4, lines
        assert warnings_of(lines), source
