"""Node types by name: found when first asked for, and never two of one name."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Any

import pytest
from core_nodes import Add, Fill

from unshape_core import GraphError, InvalidArgumentError, NodeRegistry


def _points(*points: tuple[str, str]) -> Any:
    loads = [0]

    def read() -> list[EntryPoint]:
        loads[0] += 1
        return [EntryPoint(name, value, "unshape.nodes") for name, value in points]

    return read, loads


def test_installed_types_are_found_when_first_asked_for() -> None:
    read, loads = _points(("core", "core_nodes:_NODES"))
    import core_nodes

    core_nodes._NODES = (Add, Fill)  # type: ignore[attr-defined]
    registry = NodeRegistry(points=read)
    assert loads == [0]
    assert registry.find("test::Add") is Add
    assert registry.find("test::Nope") is None
    assert "test::Fill" in registry.types()
    assert loads == [1]
    assert registry.origin_of("core::Latch") == "unshape-core"


def test_broken_plugin_costs_one_warning_and_the_rest_works(caplog: pytest.LogCaptureFixture) -> None:
    read, _ = _points(("a", "no_such_module:NODES"), ("b", "math:pi"), ("c", "core_nodes:NO_FIELDS"))
    registry = NodeRegistry(points=read)
    with caplog.at_level(logging.WARNING, logger="unshape_core"):
        for _ in range(3):
            assert "core::Constant" in registry.types()
    assert ["'a'", "'b'"] == [record.getMessage().split()[5] for record in caplog.records]


def test_two_types_of_one_name_are_an_error_that_names_both() -> None:
    @dataclass(frozen=True, slots=True)
    class Other(Add):
        type_name = "test::Add"

    registry = NodeRegistry(points=tuple)
    registry.register(Add, origin="one")
    registry.register(Add, origin="two")
    with pytest.raises(GraphError, match="'test::Add' is brought by one and by two"):
        registry.register(Other, origin="two")


@pytest.mark.parametrize("type_name", [None, 3, "", "Add", "::Add", "test::"])
def test_type_without_a_proper_name_is_refused(type_name: Any) -> None:
    class Nameless:
        pass

    Nameless.type_name = type_name  # type: ignore[attr-defined]
    with pytest.raises(InvalidArgumentError, match="expected a class attribute type_name such as"):
        NodeRegistry(points=tuple).register(Nameless)  # type: ignore[arg-type]
