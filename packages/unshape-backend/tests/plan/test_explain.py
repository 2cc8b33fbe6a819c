"""Accounts of plans: complete as data, readable as text, drawn as pictures."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace

import pytest

from unshape_backend.availability import Unavailable, UnavailableReason
from unshape_backend.cost import Cost
from unshape_backend.nodes import Add, Multiply, TransferToCpu
from unshape_backend.plan.explain import format_bytes
from unshape_backend.plan.picture import draw
from unshape_backend.plan.plan import Plan
from unshape_backend.plan.planner import make_plan
from unshape_backend.plan.report import decision_for
from unshape_backend.registry import BackendRegistry
from unshape_backend.scheduler import Scheduler
from unshape_core.context import EvalContext
from unshape_core.nodes import Constant, GraphInput, GraphOutput
from unshape_core.value_type import F32, TEXTURE
from unshape_core.window import Window
from unshape_testing.fake import FakeBackend
from unshape_testing.graph_builder import GraphBuilder, plan_graph
from unshape_testing.nodes import BoxMean, Gain, Merge


@pytest.fixture
def devices(registry: BackendRegistry) -> BackendRegistry:
    """A GPU that is preferred, a software device, and one that is switched off."""
    registry.register(FakeBackend("gpu", cost=1))
    registry.register(FakeBackend("opencl", cost=1, is_software=True))
    registry.register(FakeBackend("npu", cost=1))
    registry.set_available("npu", is_available=False, reason="a test switched it off")  # type: ignore[arg-type]
    return registry


@pytest.fixture
def plan(build: GraphBuilder, ctx: EvalContext, devices: BackendRegistry) -> Plan:
    """A plan with everything in it: given, fused, moved, numbers, outputs and orders."""
    a = build.add(Gain(2.0), build.photo())
    amount = build.add(Multiply(), build.graph.add_node(GraphInput("x", F32, 0.5)), build.graph.add_node(Constant(2.0)))
    merged = build.add(Merge(), build.add(Gain(3.0), a), build.add(BoxMean(1), a), amount)
    back = build.add(TransferToCpu(), merged)
    named = build.add(GraphOutput("result", TEXTURE), back)
    return plan_graph(build.graph, [named], ctx, devices, policy="prefer:gpu")


def test_every_node_has_a_pick_a_reason_and_a_reason_for_everyone_else(plan: Plan) -> None:
    known = {*plan.topology.ids, *plan.topology.unopened}
    for each in plan.facts.live.values():
        decision = decision_for(each, plan)
        assert decision.reason
        assert known == {decision.pick, *decision.rejected}
        assert all(str(why) for why in decision.rejected.values())


def test_the_data_is_json_with_every_node_and_step(plan: Plan) -> None:
    data = json.loads(json.dumps(plan.to_json()))
    assert set(plan.facts.live) == {node["id"] for node in data["nodes"]}
    assert len(plan.steps) == len(data["steps"])
    assert {"given", "computed", "transfer", "handed on"} == {node["role"] for node in data["nodes"]}
    for node in data["nodes"]:
        others = {backend["id"] for backend in data["backends"]} - {node["backend"]}
        assert others == set(node["rejected"])
        assert all(why["code"] for why in node["rejected"].values())
    moved = [step for step in data["steps"] if step["kind"] == "transfer"]
    assert [("host", "gpu"), ("gpu", "host")] == [(step["from"], step["to"]) for step in moved]
    assert all(step["bytes"] == [16 * 24 * 3 * 4] for step in moved)


def test_estimates_in_the_data_add_up(plan: Plan) -> None:
    data = plan.to_json()
    steps = [step["estimate"]["total_ns"] for step in data["steps"] if step["kind"] != "given"]
    assert sum(steps) == data["estimate"]["total_ns"]


def test_slots_in_the_data_are_made_before_they_are_read(plan: Plan) -> None:
    made = set(plan.constants)
    for step in plan.to_json()["steps"]:
        assert set(step["inputs"]) <= made
        made.update(step["outputs"])


def test_the_text_names_what_runs_where_and_why(plan: Plan) -> None:
    text = plan.explain()
    assert "policy prefer:gpu, 24 x 16 px, exact" in text
    assert "on gpu" in text
    assert "gpu is preferred" in text
    assert "not opencl: software device" in text
    assert "a test switched it off" in text
    assert "as one kernel" in text
    assert "from 'gpu' to 'host'" in text
    assert "numbers are computed where the plan runs" in text
    assert "handed on by core::GraphOutput" in text
    assert max(map(len, text.splitlines())) <= 160


def test_what_holds_of_a_backend_as_a_whole_is_said_once(plan: Plan) -> None:
    assert plan.explain().count("a test switched it off") == 1


def test_the_text_of_a_long_chain_is_short(build: GraphBuilder, registry: BackendRegistry) -> None:
    end = build.chain(build.graph.add_node(GraphInput("x", F32, 1.0)), [Add() for _ in range(1000)])[-1]
    text = plan_graph(build.graph, [end], EvalContext(), registry).explain()
    assert len(text.splitlines()) < 60


def test_the_text_tells_which_part_is_computed(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry
) -> None:
    end = build.add(BoxMean(1), build.add(Gain(), build.photo()))
    part = EvalContext(resolution=(24, 16), inputs=ctx.inputs, window=Window(4, 5, 6, 7))
    text = plan_graph(build.graph, [end], part, registry).explain()
    assert "the part 6 x 7 at (4, 5)" in text
    assert "computes the part 8 x 9 at (3, 4)" in text


def test_a_backend_that_is_not_installed_is_told_with_its_remedy(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry
) -> None:
    why = Unavailable(reason=UnavailableReason.NOT_INSTALLED, detail="no such package", remedy="pip install it")
    topology = replace(registry.snapshot(), unopened={"simd": why})
    end = build.add(Gain(), build.photo())
    plan = make_plan(build.graph.snapshot(), (end,), ctx, scheduler=Scheduler(registry), topology=topology)
    assert "simd: not installed: no such package; pip install it" in plan.explain()
    assert "simd" in decision_for(plan.facts.live[end], plan).rejected


def _boxes(svg: str) -> Iterator[ET.Element]:
    for element in ET.fromstring(svg).iter():
        if element.tag.endswith("rect"):
            yield element


def test_the_picture_is_xml_with_a_legend_of_the_backends_used(plan: Plan) -> None:
    svg = plan.to_svg()
    texts = [element.text for element in ET.fromstring(svg).iter() if element.tag.endswith("text")]
    assert {"gpu", "cpu", "given", "transfer"} <= set(texts)
    assert "host to gpu" in texts
    assert any(text is not None and text.endswith("testing::Merge") for text in texts)


def test_boxes_lie_inside_of_the_picture_and_do_not_overlap(plan: Plan) -> None:
    root = ET.fromstring(plan.to_svg())
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    frames = [
        tuple(float(box.attrib[name]) for name in ("x", "y", "width", "height"))
        for box in _boxes(plan.to_svg())
        if box.attrib.get("stroke-width") == "2"
    ]
    assert len(plan.steps) == len(frames)
    for x, y, w, h in frames:
        assert 0 <= x
        assert x + w <= width
        assert 0 <= y
        assert y + h <= height
    for index, (x, y, w, h) in enumerate(frames):
        for a, b, c, d in frames[index + 1 :]:
            assert x + w <= a or a + c <= x or y + h <= b or b + d <= y


def test_every_box_says_in_words_who_runs_it(plan: Plan) -> None:
    """Colour is never the only sign."""
    for box in draw(plan).boxes:
        words = " ".join(box.lines)
        assert box.backend in words or box.is_transfer or "given" in words


def test_text_that_means_something_to_xml_or_mermaid_is_harmless(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Gain, "type_name", 'evil::<script>"&;#`')
    end = build.add(Gain(), build.photo())
    plan = plan_graph(build.graph, [end], ctx, registry)
    ET.fromstring(plan.to_svg())
    body = plan.to_mermaid().split('"')
    assert all("<script>" not in part for part in body)


def test_mermaid_names_every_step_and_line(plan: Plan) -> None:
    rows = plan.to_mermaid().splitlines()
    assert rows[0] == "flowchart LR"
    for index in range(len(plan.steps)):
        assert any(row.strip().startswith(f"s{index}[") or row.strip().startswith(f"s{index}(") for row in rows)
    assert any("legend" in row for row in rows)


def test_a_notebook_shows_the_picture(plan: Plan) -> None:
    bundle = plan._repr_mimebundle_()
    assert {"image/svg+xml", "text/vnd.mermaid", "text/plain"} == set(bundle)


def test_an_unknown_cost_is_no_zero(build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry) -> None:
    registry.register(FakeBackend("gpu", cost=None))
    end = build.add(Gain(), build.photo())
    plan = plan_graph(build.graph, [end], ctx, registry, policy="named:gpu")
    assert plan.cost is None
    assert "no estimate" in plan.explain()
    assert plan.to_json()["estimate"] is None


def test_the_reason_of_a_dearer_backend_gives_both_figures(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry
) -> None:
    registry.register(FakeBackend("gpu", cost=lambda task: Cost(compute_ns=10**9)))
    end = build.add(Gain(), build.photo())
    assert "not gpu: dearer: 1 s" in plan_graph(build.graph, [end], ctx, registry).explain()


@pytest.mark.parametrize(("nbytes", "text"), [(0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (3 * 2**20, "3 MiB")])
def test_sizes_are_written_with_binary_units(nbytes: int, text: str) -> None:
    assert text == format_bytes(nbytes)
