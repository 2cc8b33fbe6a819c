"""A node that stands for others of its type: how it is made in Python, and what it is in a graph file."""

from __future__ import annotations

import json
import sys
from dataclasses import MISSING, Field, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unshape_core.protocols import Node


def example_node(node_type: type[Node]) -> Node | None:
    """Return a node of default parameters, and of stand-ins for those without one; None if one has no stand-in."""
    from unshape_core.errors import InvalidArgumentError

    given = stand_ins(node_type)
    if any(value is None for value in given.values()):
        return None
    try:
        return node_type(**given)
    except InvalidArgumentError:  # the parameter means something else there
        return None


def stand_ins(node_type: type[Node]) -> dict[str, object]:
    """Return what stands for each parameter that has no default; None if nothing does."""
    from unshape_core.value_type import TEXTURE

    known = {"name": "name", "value": 0.0, "value_type": TEXTURE}
    return {field.name: known.get(field.name) for field in fields(node_type) if _has_no_default(field)}  # type: ignore[arg-type]


def in_python(node_type: type[Node]) -> tuple[str, ...]:
    """Return the lines that import a type and make the node that stands for its others."""
    from unshape_core.value_type import TEXTURE

    given = stand_ins(node_type)
    texts = [f"{name}={'TEXTURE' if value is TEXTURE else repr(value)}" for name, value in given.items()]
    parts = node_type.__module__.split(".")
    packages = [".".join(parts[:count]) for count in range(1, len(parts) + 1)]
    name = node_type.__name__
    homes = [each for each in packages if getattr(sys.modules.get(each), name, None) is node_type]
    imports = [f"from {home} import {name}" for home in homes[:1]]
    if TEXTURE in given.values():
        imports.insert(0, "from unshape_core import TEXTURE")
    return *imports, f"{name}({', '.join(texts)})"


def as_graph_file_line(node: Node) -> str | None:
    """Return the line of a graph file that a node is, every parameter stated; None if one has no such form."""
    from unshape_core.parameter_json import ParameterError, parameters_to_json

    try:
        return json.dumps({"id": 0, "type_name": node.type_name, "params": parameters_to_json(node)})
    except ParameterError:
        return None


def _has_no_default(field: Field[object]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING
