"""Bad input of every kind gets one clear sentence: parameters, circumstances, texts, files, command lines, settings."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unshape as us
from unshape.cli.main import main
from unshape_backend.case import Case
from unshape_backend.domain_cases import domain_cases
from unshape_core import Constant, EvalContext, Graph, GraphInput, GraphOutput, Latch, Window
from unshape_core.errors import UnshapeError
from unshape_core.graph_file import graph_from_json, graph_to_json
from unshape_core.value_type import F32, TEXTURE
from unshape_expr.errors import ExpressionError
from unshape_image import Convolve, GradientMap, MapPixels
from unshape_noise import Perlin

LONGEST = 500
HUGE = 10**400
WRONG: tuple[Any, ...] = (
    math.nan, math.inf, -math.inf, 1e39, 1e308, -1, 0, -0.0, 2**24, 2**31, 2**63, 10**30, HUGE, "", "x", "clamp", None,
    True, (), (1,), (1, 2, 3), (1.0, math.nan), ((0, 0),) * 3, object(), b"x", np.float32(2), np.int64(3),
    np.array([1, 2]), 1j, [1, 2], {"a": 1}, "a" * 10_000,
)  # fmt: skip


def first_cases() -> list[Case]:
    """Return one case of every node type of every installed domain."""
    found: dict[str, Case] = {}
    for _, case in domain_cases():
        found.setdefault(case.node.type_name, case)
    return list(found.values())


CASES = first_cases()


def refusal_of(action: Callable[[], object]) -> UnshapeError | None:
    """Return with what something is refused; any other error is let out."""
    try:
        action()
    except UnshapeError as error:
        return error
    return None


def made(node: Any, name: str, value: object) -> int:
    """Make a node that differs in one parameter, and use it as the value that it is."""
    return hash(dataclasses.replace(node, **{name: value}))


def round_trip(text: str) -> bytes:
    """Read a graph file and write it again."""
    return graph_to_json(graph_from_json(text))


def is_one_sentence(error: UnshapeError) -> bool:
    """Return whether a message is short and of one line; one of an expression shows text and caret below."""
    first, *rest = str(error).split("\n")
    return 0 < len(first) <= LONGEST and (not rest or (isinstance(error, ExpressionError) and len(rest) == 2))


def test_there_are_nodes_of_all_domains() -> None:
    assert {"image", "noise"} <= {case.node.type_name.partition("::")[0] for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.node.type_name)
def test_any_parameter_of_any_value_is_taken_or_refused_in_one_sentence(case: Case) -> None:
    node: Any = case.node
    for field in dataclasses.fields(node):
        for value in WRONG:
            refusal = refusal_of(partial(made, node, field.name, value))
            assert refusal is None or is_one_sentence(refusal), f"{field.name}={str(value)[:60]}: {refusal}"


@pytest.mark.parametrize(
    "make",
    [
        lambda: EvalContext(seed=1.5),  # type: ignore[arg-type]
        lambda: EvalContext(seed="x"),  # type: ignore[arg-type]
        lambda: EvalContext(frame=math.nan),  # type: ignore[arg-type]
        lambda: EvalContext(time_s=math.nan),
        lambda: EvalContext(time_s=math.inf),
        lambda: EvalContext(time_s="now"),  # type: ignore[arg-type]
        lambda: EvalContext(dt_s=HUGE),
        lambda: EvalContext(window=(0, 0, 1, 1)),  # type: ignore[arg-type]
        lambda: EvalContext(inputs=[1]),  # type: ignore[arg-type]
        lambda: EvalContext(cancellation=1),  # type: ignore[arg-type]
        lambda: EvalContext(progress=1),  # type: ignore[arg-type]
        lambda: Window(0.5, 0, 1, 1),  # type: ignore[arg-type]
        lambda: Window(0, 0, math.nan, 1),  # type: ignore[arg-type]
        lambda: Window(None, 0, 1, 1),  # type: ignore[arg-type]
        lambda: GraphInput(5, F32),  # type: ignore[arg-type]
        lambda: GraphInput("x", 5),  # type: ignore[arg-type]
        lambda: GraphOutput("x", None),  # type: ignore[arg-type]
        lambda: Latch("f32x"),  # type: ignore[arg-type]
        lambda: us.evaluate(Graph(), "height"),
        lambda: us.evaluate(Graph(), 0),  # type: ignore[arg-type]
        lambda: us.evaluate(None, [0]),  # type: ignore[arg-type]
        lambda: us.evaluate(Graph(), [], policy=None),  # type: ignore[arg-type]
        lambda: us.evaluate(Graph(), [], policy="fastest"),
        lambda: us.evaluate(Graph(), [], inputs=3),  # type: ignore[arg-type]
    ],
)
def test_circumstances_of_a_wrong_type_are_refused_in_one_sentence(make: Any) -> None:
    with pytest.raises(UnshapeError) as caught:
        make()
    assert is_one_sentence(caught.value)


def test_numbers_of_numpy_are_taken_for_what_they_are() -> None:
    given = EvalContext(resolution=[np.int64(4), 3], time_s=np.float32(0.5), frame=np.int32(2), seed=np.uint8(7))  # type: ignore[arg-type]
    assert EvalContext(resolution=(4, 3), time_s=0.5, frame=2, seed=7) == given
    assert Window(1, 2, 3, 4) == Window(*np.array([1, 2, 3, 4]))
    assert (int, int) == tuple(map(type, given.resolution))


@pytest.mark.parametrize(
    ("text", "column", "word"), [("x +* 1", 4, "'*'"), ("color*brightness", 7, "brightness"), ("color < uv", 7, "vec")]
)
def test_a_text_that_is_no_formula_is_told_with_column_and_caret(text: str, column: int, word: str) -> None:
    graph = Graph()
    photo, end = graph.add_node(GraphInput("image", TEXTURE)), graph.add_node(MapPixels(text.replace("x ", "r ")))
    graph.connect(photo, 0, end, 0)
    with pytest.raises(ExpressionError) as caught:
        us.evaluate(graph, [end], inputs={"image": np.zeros((2, 2, 3), np.float32)}, policy="named:cpu")
    first, shown, caret = str(caught.value).split("\n")
    assert f"column {column}:" in first
    assert word in first
    assert column - 1 == caret.index("^") - (len(shown) - len(shown.lstrip()))


def test_a_text_cannot_steer_the_terminal_that_shows_its_error() -> None:
    with pytest.raises(ExpressionError) as caught:
        MapPixels("u + \x1b[31m\u202e + v")
    assert all(c.isprintable() or c == "\n" for c in str(caught.value))
    assert "u +  [31m  + v" in str(caught.value)


WORDS = (
    *"u v uv pixel time color r g b a image sample fetch mix clamp select sin pow perlin fbm loop vec2 vec4".split(),  # noqa: SIM905
    *"( ) , . + - * / // % ** < <= == != ? : ; = [ ] { } and or not 1 2.5 1e39 nan inf 3u 0xff true é .xy \" '".split(),  # noqa: SIM905
    *("\\", "\n", "\0", ""),
)


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(st.one_of(st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join), st.text(max_size=30)))
def test_no_text_does_anything_but_evaluate_or_be_refused(text: str) -> None:
    graph = Graph()
    photo = graph.add_node(GraphInput("image", TEXTURE))

    def run() -> None:
        end = graph.add_node(MapPixels(text))
        graph.connect(photo, 0, end, 0)
        us.evaluate(graph, [end], inputs={"image": np.zeros((2, 2, 3), np.float32)}, policy="named:cpu")

    refusal = refusal_of(run)
    assert refusal is None or is_one_sentence(refusal), text


def sample_document() -> Any:
    graph = Graph()
    noise, ramp = graph.add_node(Perlin()), graph.add_node(GradientMap())
    graph.connect(noise, 0, ramp, 0)
    number, formula = graph.add_node(Constant(1.5)), graph.add_node(MapPixels("image*k", numbers=("k",)))
    graph.connect(ramp, 0, formula, 0)
    graph.connect(number, 0, formula, 1)
    for node in (Convolve(), GraphOutput("height", TEXTURE)):
        graph.connect(formula, 0, graph.add_node(node), 0)
    return json.loads(graph_to_json(graph))


JUNK: tuple[Any, ...] = (
    None, True, -1, 1.5, math.nan, math.inf, 2**70, HUGE, "", "x", "\ud800", "é\u202e\0", "a" * 5000, [], {}, [[]],
    {"a": 1}, [None] * 3, "0:value", "99:noise", "core::Constant", [1, 2, 3], [[1, 1, 1]] * 3, "__class__",
)  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        found += places(child, (*path, key))
    return found


def replaced(document: Any, path: tuple[Any, ...], value: Any) -> str:
    document = copy.deepcopy(document)
    holder = document
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return json.dumps(document)


def test_any_value_at_any_place_of_a_graph_file_is_read_or_refused_in_one_sentence() -> None:
    document = sample_document()
    refused = 0
    for path in places(document):
        for value in JUNK:
            text = replaced(document, path, value)
            refusal = refusal_of(partial(round_trip, text))
            if refusal is not None:
                refused += 1
                assert "\n" not in str(refusal) or "expression" in path, (path, value)
                assert len(str(refusal)) < 3 * LONGEST, (path, str(value)[:40], str(refusal)[:200])
    assert refused > 500


def test_a_graph_file_cut_anywhere_is_refused() -> None:
    text = json.dumps(sample_document())
    for end in range(len(text)):
        with pytest.raises(UnshapeError):
            graph_from_json(text[:end])


@pytest.fixture
def graph_file(tmp_path: Path) -> Path:
    graph = Graph()
    noise, photo, sharp = (
        graph.add_node(Perlin()),
        graph.add_node(GraphInput("photo", TEXTURE)),
        graph.add_node(Convolve()),
    )
    height, sharpened = graph.add_node(GraphOutput("height", TEXTURE)), graph.add_node(GraphOutput("sharp", TEXTURE))
    graph.connect(noise, 0, height, 0)
    graph.connect(photo, 0, sharp, 0)
    graph.connect(sharp, 0, sharpened, 0)
    path = tmp_path / "graph.json"
    path.write_bytes(graph_to_json(graph))
    return path


@pytest.mark.parametrize(
    "arguments",
    [
        ["--resolution", "0x0"],
        ["--resolution", "99999999999999999999x1"],
        ["--resolution", "16777216x16777216"],
        ["--resolution", "4x-4"],
        ["--seed", "1e3"],
        ["--time", "nan"],
        ["--time", "1e999"],
        ["--window", "0,0,9999,9999"],
        ["--policy", "fastest"],
        ["--policy", "named:nobody"],
        ["--output", "depth"],
        ["--input", "photo"],
        ["--input", "photo="],
        ["--input", "=1"],
        ["--input", "photo=/nothing.png"],
        ["--input", "photo=.", "--output", "sharp"],
        ["--input", "photo=a.png", "--input", "photo=b.png"],
        ["--trace", "/nothing/trace.json"],
        ["--out", "/nothing/picture.png"],
        ["--out", "picture"],
    ],
    ids=" ".join,
)
def test_a_wrong_command_line_ends_in_one_sentence_and_writes_nothing(
    graph_file: Path, arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(graph_file.parent)
    output = [] if "--output" in arguments else ["--output", "height"]
    out = [] if "--out" in arguments else ["--out", "picture.png"]
    code = main(["render", graph_file.name, *output, *out, *arguments])
    said = capsys.readouterr()
    last = said.err.strip().splitlines()[-1]
    assert code in {1, 2}
    assert "" == said.out
    assert last.startswith("unshape")
    assert len(last) < 3 * LONGEST
    assert "Traceback" not in said.err
    assert ["graph.json"] == sorted(path.name for path in graph_file.parent.iterdir())


@pytest.mark.parametrize(
    ("variable", "value", "code"),
    [
        ("UNSHAPE_DISABLE", ",,;", 1),
        ("UNSHAPE_DISABLE", "cpu", 1),
        ("UNSHAPE_BACKENDS", "a b\x01", 1),
        ("UNSHAPE_BACKENDS", "nobody", 0),
        ("UNSHAPE_STRICT", "maybe", 0),
        ("UNSHAPE_CACHE_DIR", "/dev/null", 0),
        ("UNSHAPE_CACHE_DIR", "\n", 0),
        ("UNSHAPE_THREADS", "many", 0),
    ],
)
def test_a_setting_of_nonsense_is_refused_or_warned_of_and_never_a_traceback(
    graph_file: Path, variable: str, value: str, code: int
) -> None:
    command = [sys.executable, "-m", "unshape", "render", graph_file.name, "--output", "height", "--out", "a.npy"]
    environment = {**os.environ, "UNSHAPE_BACKENDS": "cpu", variable: value}
    done = subprocess.run(
        [*command, "--resolution", "4x4"], cwd=graph_file.parent, env=environment, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert code == done.returncode, done.stderr
    assert "Traceback" not in done.stderr
    assert (code == 0) == (graph_file.parent / "a.npy").exists()
    if code:
        assert done.stderr.strip().splitlines()[-1].startswith(f"unshape: {variable}: ")
