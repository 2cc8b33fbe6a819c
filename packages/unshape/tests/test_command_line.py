"""The command line does what it says, and says in one sentence what it cannot do."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from importlib.metadata import PathDistribution
from pathlib import Path

import numpy as np
import pytest

import unshape as us
from unshape.cli.doctor import clone_folder, try_backend
from unshape.cli.facts import versions
from unshape.cli.main import main
from unshape.cli.nodes import in_graph_file
from unshape_backend.availability import Unavailable, UnavailableReason
from unshape_backend.identity import BackendId
from unshape_backend.task import Rejection, RejectionCode
from unshape_backend.topology import Topology
from unshape_image import read_image
from unshape_testing.fake import FakeBackend
from unshape_testing.loopback import LoopbackBackend
from unshape_testing.sabotage.lifecycle_faults import OpensWithoutWorking

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
ISLAND = str(EXAMPLES / "island.json")
PHOTO = str(EXAMPLES / "photo.json")
DOMAINS = ("noise::", "image::")
OTHERS = ("core::", "math::", "array::", "backend::")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Return exit code, standard output and standard error."""
    code = main(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def sentence(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return the one sentence of a command that must fail."""
    code, out, err = run(capsys, *arguments)
    assert code == 1
    assert out == ""
    assert err.startswith("unshape: ")
    assert err.count("\n") == 1, "one sentence, no traceback"
    return err


def test_render_writes_the_picture_that_the_easy_call_gives(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "island.npy"
    code, text, _ = run(capsys, "render", ISLAND, "-o", str(out), "--resolution", "48x32")
    expected = us.evaluate(us.read_graph(ISLAND), ["picture"], resolution=(48, 32), policy="named:cpu").outputs[0][0]
    assert code == 0
    assert "48x32" in text
    np.testing.assert_array_equal(np.asarray(expected), np.load(out))


def test_opening_backends_is_no_part_of_the_time_of_a_picture(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = us.BackendRegistry.with_cpu()
    snapshot, opening_s = registry.snapshot, iter([2.0])

    def open_slowly() -> Topology:
        time.sleep(next(opening_s, 0.0))
        return snapshot()

    monkeypatch.setattr(registry, "snapshot", open_slowly)
    monkeypatch.setattr("unshape.session._default", us.Session(registry))
    run(capsys, "render", ISLAND, "-o", str(tmp_path / "warm.npy"), "--resolution", "4x4")
    opening_s = iter([2.0])
    _, text, _ = run(capsys, "render", ISLAND, "-o", str(tmp_path / "a.npy"), "--resolution", "4x4", "--json")
    assert json.loads(text)["duration_ns"] < 2e9


def test_a_png_of_16_bits_holds_the_rounded_numbers(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run(capsys, "render", ISLAND, "-o", str(tmp_path / "a.npy"), "--resolution", "20x20")
    run(capsys, "render", ISLAND, "-o", str(tmp_path / "a.png"), "--resolution", "20x20", "--bits", "16")
    expected = np.clip(np.load(tmp_path / "a.npy"), 0.0, 1.0)
    np.testing.assert_allclose(read_image(tmp_path / "a.png"), expected, atol=0.5000001 / 65535, rtol=0)


def test_a_window_is_that_part_of_the_whole(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run(capsys, "render", ISLAND, "-o", str(tmp_path / "whole.npy"), "--resolution", "64x48")
    run(capsys, "render", ISLAND, "-o", str(tmp_path / "part.npy"), "--resolution", "64x48", "--window", "10,20,30,15")
    np.testing.assert_array_equal(np.load(tmp_path / "whole.npy")[20:35, 10:40], np.load(tmp_path / "part.npy"))


def test_a_seed_gives_another_picture(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for seed in ("0", "1"):
        run(capsys, "render", ISLAND, "-o", str(tmp_path / f"{seed}.npy"), "--resolution", "32x32", "--seed", seed)
    assert (np.load(tmp_path / "0.npy") != np.load(tmp_path / "1.npy")).mean() > 0.3


def test_an_input_is_read_from_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "photo.png"
    code, _, said = run(capsys, "render", PHOTO, "-o", str(out), "--input", f"photo={EXAMPLES / 'photo.png'}")
    assert code == 0, said
    assert read_image(out).shape == (672, 896, 3)


def test_explain_names_backend_and_reason_of_every_node(capsys: pytest.CaptureFixture[str]) -> None:
    code, text, _ = run(capsys, "explain", ISLAND, "--resolution", "64x64")
    assert code == 0
    types = {node["type_name"] for node in json.loads(Path(ISLAND).read_text())["nodes"]}
    for expected in {*types, "cpu"}:
        assert expected in text


def test_nodes_of_domains_have_an_example_that_a_graph_file_can_hold(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    nodes = [node for node in json.loads(run(capsys, "nodes", "--json")[1]) if node["type_name"].startswith(DOMAINS)]
    assert len(nodes) > 30
    for node in nodes:
        (example,) = node["examples"]
        line = in_graph_file(node["type_name"], example)
        (tmp_path / "graph.json").write_text(f'{{"version": 1, "nodes": [{line}], "wires": [], "next_id": 1}}')
        made = us.read_graph(tmp_path / "graph.json").node(0)
        assert example.partition(" = ")[2].startswith(f"{type(made).__name__}(")
    last = nodes[-1]
    line = in_graph_file(last["type_name"], last["examples"][0])
    assert f"  {line}\n" in run(capsys, "nodes", last["type_name"])[1]


def test_other_nodes_have_an_example_that_python_and_a_graph_file_agree_on(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    nodes = [node for node in json.loads(run(capsys, "nodes", "--json")[1]) if node["type_name"].startswith(OTHERS)]
    assert len(nodes) > 30
    for node in nodes:
        *imports, call = node["examples"]
        names: dict[str, object] = {}
        exec("\n".join((*imports, f"made = {call}")), names)
        line = node["graph_file_line"]
        (tmp_path / "graph.json").write_text(f'{{"version": 1, "nodes": [{line}], "wires": [], "next_id": 1}}')
        assert us.read_graph(tmp_path / "graph.json").node(0) == names["made"]
    last = nodes[-1]
    assert f"  {last['graph_file_line']}\n" in run(capsys, "nodes", last["type_name"])[1]


@pytest.mark.parametrize("example", ["x = Perlin(4.0)", "Perlin(scale=s)", "if True:", "x = 1", ""])
def test_an_example_that_no_graph_file_can_hold_has_no_line(example: str) -> None:
    assert in_graph_file("noise::Perlin", example) is None


def test_info_tells_the_versions_of_other_peoples_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, group in (("my-domain", "unshape.nodes"), ("stranger", "console_scripts")):
        folder = tmp_path / f"{name}-0.5.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.5\n")
        (folder / "entry_points.txt").write_text(f"[{group}]\nany = os:path\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert versions()["my-domain"] == "0.5"
    assert "stranger" not in versions()


def test_info_and_nodes_speak_json(capsys: pytest.CaptureFixture[str]) -> None:
    info = json.loads(run(capsys, "info", "--json")[1])
    nodes = json.loads(run(capsys, "nodes", "--json")[1])
    assert info["versions"]["numpy"] == np.__version__
    assert {row["id"] for row in info["backends"] if row["available"]} >= {"cpu"}
    assert [node["type_name"] for node in nodes] == info["node_types"]
    assert all(node["summary"] for node in nodes)


def test_every_parameter_of_every_node_is_documented(capsys: pytest.CaptureFixture[str]) -> None:
    nodes = json.loads(run(capsys, "nodes", "--json")[1])
    undocumented = [
        f"{node['type_name']}.{parameter['name']}"
        for node in nodes
        for parameter in node["parameters"]
        if not parameter["doc"]
    ]
    assert undocumented == []


@pytest.mark.parametrize("is_editable", [True, False])
def test_doctor_says_that_a_clone_takes_extras_from_itself(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *, is_editable: bool
) -> None:
    monkeypatch.setattr("unshape.cli.doctor.clone_folder", lambda: "somewhere" if is_editable else None)
    registry = us.BackendRegistry.with_cpu()
    missing = Unavailable(
        reason=UnavailableReason.NOT_INSTALLED, detail="there is none", remedy="pip install 'unshape[far]'"
    )
    monkeypatch.setattr(registry, "availability", lambda: {"far": missing})
    monkeypatch.setattr("unshape_backend.registry._default", registry)
    code, text, _ = run(capsys, "doctor")
    assert code == 0
    assert "  far: pip install 'unshape[far]'\n" in text
    assert ("in a clone, in somewhere: extras come from there" in text) is is_editable


def test_doctor_knows_a_clone_by_its_editable_installation(tmp_path: Path) -> None:
    folder = tmp_path / "unshape-0.dist-info"
    folder.mkdir()
    assert clone_folder(PathDistribution(folder)) is None
    for is_editable, expected in ((False, None), (True, "/a b/unshape")):
        record = {"url": "file:///a%20b/unshape", "dir_info": {"editable": is_editable}}
        (folder / "direct_url.json").write_text(json.dumps(record))
        assert clone_folder(PathDistribution(folder)) == expected


def test_doctor_finds_the_reference_in_good_health(capsys: pytest.CaptureFixture[str]) -> None:
    trials = json.loads(run(capsys, "doctor", "--json")[1])
    by_backend = {trial["backend"]: trial for trial in trials}
    assert by_backend["cpu"]["is_healthy"]


def test_doctor_sees_a_backend_that_computes_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = us.BackendRegistry.with_cpu()
    registry.register(OpensWithoutWorking(LoopbackBackend()))
    monkeypatch.setattr("unshape.session._default", us.Session(registry))
    trial = try_backend(BackendId("loopback"))
    assert not trial.is_healthy
    assert "values differ" in trial.detail


def test_doctor_says_in_short_what_a_backend_cannot_run(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = us.BackendRegistry.with_cpu()
    registry.register(FakeBackend("far", supports=lambda _task: Rejection(RejectionCode.NO_KERNEL, "it has none")))
    monkeypatch.setattr("unshape.session._default", us.Session(registry))
    trial = try_backend(BackendId("far"))
    assert (trial.is_healthy, trial.detail) == (
        False,
        "it cannot run noise::Perlin, which is tried: no kernel: it has none",
    )


def test_compare_finds_no_difference_of_loopback(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    diff = tmp_path / "diff.png"
    code, text, _ = run(
        capsys, "compare", ISLAND, "--backends", "cpu,loopback", "--resolution", "40x30", "--json", "--diff", str(diff)
    )
    found = json.loads(text)["differences"]["loopback"]
    assert code == 0
    assert (found["elements"], found["differing"]) == (40 * 30 * 3, 0)
    assert not read_image(diff).any()


def test_compare_takes_a_preference_for_backends_that_run_a_part_only(capsys: pytest.CaptureFixture[str]) -> None:
    compare = ("compare", ISLAND, "--resolution", "20x20", "--json", "--backends")
    code, text, _ = run(capsys, *compare, "cpu,prefer:loopback")
    assert (code, json.loads(text)["differences"]["prefer:loopback"]["differing"]) == (0, 0)
    assert "nowhere" in sentence(capsys, *compare, "cpu,nowhere")


def test_bench_times_a_case_on_each_backend(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--cases", "^Invert|^Levels", "--resolution", "32x32", "--rounds", "2", "--backends", "cpu,loopback")
    code, text, _ = run(capsys, "bench", "--json", *arguments)
    results = json.loads(text)["results"]
    assert code == 0
    assert {row["backend"] for row in results} == {"cpu", "loopback"}
    assert all(row["median_ns"] > 0 and row["points"] == 32 * 32 for row in results)


def test_a_file_that_is_not_there_is_one_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "nowhere.json" in sentence(capsys, "render", str(tmp_path / "nowhere.json"), "-o", str(tmp_path / "a.png"))


def test_a_broken_graph_file_is_named_with_the_place(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "broken.json"
    file.write_text('{"version": 1, "nodes": [{"id": 0, "type_name": "noise::Perlim"}], "wires": [], "next_id": 1}')
    error = sentence(capsys, "render", str(file), "-o", str(tmp_path / "a.png"))
    assert "$.nodes[0]" in error
    assert "noise::Perlin" in error


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--policy", "fastest"), "prefer:KIND"),
        (("--policy", "named:nowhere"), "nowhere"),
        (("--output", "shadow"), "picture"),
        (("--input", "photo=x.png"), "no input of that name"),
        (("--window", "0,0,9999,1"), "window"),
    ],
)
def test_a_wrong_argument_is_one_sentence_and_writes_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: tuple[str, ...], expected: str
) -> None:
    out = tmp_path / "a.png"
    assert expected in sentence(capsys, "render", ISLAND, "-o", str(out), "--resolution", "16x16", *arguments)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_input_says_what_to_give(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "--input photo=" in sentence(capsys, "render", PHOTO, "-o", str(tmp_path / "a.png"))


def test_an_unknown_ending_is_refused_before_anything_is_computed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert ".png" in sentence(capsys, "render", ISLAND, "-o", str(tmp_path / "a.gif"), "--resolution", "100000x100000")


def test_a_picture_that_is_none_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    fake = tmp_path / "fake.png"
    fake.write_bytes(b"no picture")
    assert "fake.png" in sentence(capsys, "render", PHOTO, "-o", str(tmp_path / "a.png"), "--input", f"photo={fake}")


@pytest.mark.parametrize("arguments", [("render",), ("paint",), ("render", ISLAND, "-o", "a.png", "--resolution", "0")])
def test_a_command_line_that_is_not_understood_exits_with_2(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    code, _, err = run(capsys, *arguments)
    assert code == 2
    assert err.startswith("usage: ")


def test_a_node_type_that_is_close_is_suggested(capsys: pytest.CaptureFixture[str]) -> None:
    assert "noise::Perlin" in sentence(capsys, "nodes", "noise::Perlim")


def test_help_of_a_node_is_plain_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert "`" not in run(capsys, "nodes")[1].replace("`unshape", "")
    assert "`" not in run(capsys, "nodes", "math::Compare")[1]


def test_ports_that_parameters_decide_are_not_passed_over(capsys: pytest.CaptureFixture[str]) -> None:
    assert "inputs, for default parameters\n  image: " in run(capsys, "nodes", "image::MapPixels")[1]
    assert "inputs, for value_type=texture\n  value: " in run(capsys, "nodes", "core::GraphOutput")[1]
    assert "inputs\n  image: " in run(capsys, "nodes", "image::Levels")[1]
    assert "inputs" not in run(capsys, "nodes", "noise::Perlin")[1]


def test_without_a_verb_the_help_is_printed_and_the_exit_code_is_2(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys)
    assert (code, out) == (2, "")
    assert "render" in err
    assert "doctor" in err


def test_the_module_runs_and_prints_its_version() -> None:
    text = subprocess.run(
        [sys.executable, "-m", "unshape", "--version"], check=True, capture_output=True, text=True
    ).stdout
    assert text.startswith("unshape ")


def test_a_reader_that_closes_the_pipe_is_no_error() -> None:
    command = f"{sys.executable} -m unshape nodes | head -n 1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
