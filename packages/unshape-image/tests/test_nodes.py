"""What holds for every node of the package: its contract as a value, its description, odd sizes, layouts, HDR."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
import re
from importlib.metadata import entry_points

import numpy as np
import pytest
from references import Array, hdr_patch, layouts
from running import run

from unshape_backend.case import Case, Content, Picture
from unshape_core import Graph
from unshape_core.graph_file import graph_from_json, graph_to_json
from unshape_core.protocols import Node, SupportsExecute
from unshape_core.value import Value
from unshape_expr.body import SupportsBody
from unshape_image.cases import cases
from unshape_image.color_functions import COLOR_FUNCTIONS
from unshape_image.node_types import NODES
from unshape_testing.tolerance import assert_same_bits

CASES = list(cases())
SAMPLES = {type(case.node).__name__: case for case in CASES if case.bench or case.windows}
FILTERS = [case for case in SAMPLES.values() if case.inputs]
OF_ANY_SIZE = [case for case in FILTERS if type(case.node).__name__ != "Crop"]
"""A crop's rectangle fits some sizes of pictures only."""
OF_SAME_SIZE = [case for case in FILTERS if type(case.node).__name__ not in {"Crop", "Pad", "Resize"}]


def named(picture: Array, case: Case) -> list[Value]:
    """Return inputs of a case with its pictures replaced by channels of another one."""
    return [picture[..., : item.channels] if isinstance(item, Picture) else item for item in case.inputs]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_node_survives_pickling_and_a_graph_file(case: Case) -> None:
    graph = Graph()
    node_id = graph.add_node(case.node)
    for copy in (pickle.loads(pickle.dumps(case.node)), graph_from_json(graph_to_json(graph)).nodes[node_id]):
        assert copy == case.node
        assert hash(copy) == hash(case.node)
        assert type(copy) is type(case.node)


@pytest.mark.parametrize("node_type", NODES)
def test_a_node_is_a_frozen_value_with_one_meaning(node_type: type[Node]) -> None:
    case = SAMPLES[node_type.__name__]
    assert isinstance(case.node, SupportsBody) != isinstance(case.node, SupportsExecute)
    assert not hasattr(case.node, "__dict__")
    for field in dataclasses.fields(node_type):  # type: ignore[arg-type]
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(case.node, field.name, None)
    assert re.fullmatch(r"image::[A-Z][A-Za-z]+", case.node.type_name)
    assert all(port.doc.endswith(".") for port in (*case.node.inputs, *case.node.outputs))


@pytest.mark.parametrize("node_type", NODES)
def test_every_parameter_is_described_with_what_it_may_be(node_type: type[Node]) -> None:
    doc = inspect.getdoc(node_type) or ""
    described = {
        name.strip(): kind
        for names, kind in re.findall(r"^(\w+(?:, \w+)*) : (.+)$", doc, re.MULTILINE)
        for name in names.split(",")
    }
    fields = [field.name for field in dataclasses.fields(node_type)]  # type: ignore[arg-type]
    assert list(described) == fields
    assert all(kind.strip() for kind in described.values())


def test_names_of_nodes_are_unique_and_installed() -> None:
    (point,) = (p for p in entry_points(group="unshape.nodes") if p.name == "image")
    assert point.load() is NODES
    assert len({node_type.type_name for node_type in NODES}) == len(NODES)


def test_functions_and_cases_are_installed() -> None:
    (functions,) = (p for p in entry_points(group="unshape.functions") if p.name == "image")
    assert functions.load() is COLOR_FUNCTIONS
    (provider,) = (p for p in entry_points(group="unshape.cases") if p.name == "image")
    assert len(list(provider.load()())) == len(CASES)


@pytest.mark.parametrize("case", OF_ANY_SIZE, ids=[case.name for case in OF_ANY_SIZE])
@pytest.mark.parametrize("shape", [(1, 8193), (16385, 1), (1, 1), (2, 3)])
def test_long_and_tiny_pictures_are_filtered(case: Case, shape: tuple[int, int]) -> None:
    picture = np.random.default_rng(15).random((*shape, 4), np.float32)
    for output in run(case.node, *named(picture, case), ctx=case.ctx):
        assert output.dtype == np.float32
        assert np.isfinite(output).all()


@pytest.mark.parametrize("case", OF_SAME_SIZE, ids=[case.name for case in OF_SAME_SIZE])
def test_empty_pictures_give_empty_pictures(case: Case) -> None:
    for shape in ((0, 5, 4), (5, 0, 4)):
        for output in run(case.node, *named(np.empty(shape, np.float32), case), ctx=case.ctx):
            assert output.shape[:2] == shape[:2]


@pytest.mark.parametrize("case", FILTERS, ids=[case.name for case in FILTERS])
def test_memory_layout_makes_no_difference_and_inputs_stay(case: Case) -> None:
    picture = Picture(width_px=37, height_px=21, channels=4, content=Content.UNIT).make()
    expected = run(case.node, *named(picture, case), ctx=case.ctx)
    for name, given in layouts(picture).items():
        before = given.copy()
        outputs = run(case.node, *named(given, case), ctx=case.ctx)
        assert_same_bits(expected, outputs, what=f"{case.name} of a {name} picture")
        np.testing.assert_array_equal(given, before)
        assert not any(np.shares_memory(given, output) for output in outputs)


@pytest.mark.parametrize("case", FILTERS, ids=[case.name for case in FILTERS])
def test_an_hdr_patch_has_no_holes(case: Case) -> None:
    patch = hdr_patch() if type(case.node).__name__ != "Crop" else np.pad(hdr_patch(), ((0, 0), (0, 20), (0, 0)))
    for output in run(case.node, *named(patch, case), ctx=case.ctx):
        assert np.isfinite(output).all()


@pytest.mark.parametrize("name", ["GaussianBlur", "BoxBlur", "RemapUv", "Pad"])
def test_means_of_an_hdr_patch_stay_between_its_numbers(name: str) -> None:
    (output,) = run(SAMPLES[name].node, *named(hdr_patch(), SAMPLES[name]))
    assert output.min() >= 0.0
    assert 100.0 < output.max() <= 1000.001


def test_products_are_rounded_before_they_are_added() -> None:
    from unshape_image import MapPixels

    a = np.full((4, 64, 1), 1.000244140625, np.float32)
    c = np.full((4, 64, 1), 1.00048828125, np.float32)
    (output,) = run(MapPixels("a*a - c", pictures=("a", "c")), a, c)
    np.testing.assert_array_equal(output, np.zeros_like(a))
