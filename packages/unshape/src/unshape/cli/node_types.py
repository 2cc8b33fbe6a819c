"""What is known of node types: parameters from their docstrings, ports, and who runs them."""

from __future__ import annotations

import inspect
import re
from dataclasses import MISSING, Field, dataclass, fields
from typing import TYPE_CHECKING

from unshape.cli.example_node import as_graph_file_line, example_node, in_python
from unshape.cli.example_ports import example_ports

if TYPE_CHECKING:
    from unshape_core.port import Port
    from unshape_core.protocols import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterHelp:
    """One parameter of a node type: name, what it may be, default and meaning, as text."""

    name: str
    form: str
    default: str
    doc: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PortHelp:
    """One port of a node type."""

    name: str
    value_type: str
    is_required: bool
    doc: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeHelp:
    """What a user needs to know of a node type.

    Ports are None where parameters without a default decide them; ``ports_depend_on`` names the parameters that they
    are those of, unless all nodes of the type have the same. Examples are lines of Python: the documented ones, else
    those that make a node of default parameters, which ``graph_file_line`` is.
    """

    type_name: str
    summary: str
    details: str
    op_class: str
    parameters: tuple[ParameterHelp, ...]
    inputs: tuple[PortHelp, ...] | None
    outputs: tuple[PortHelp, ...] | None
    ports_depend_on: str | None
    examples: tuple[str, ...]
    graph_file_line: str | None
    origin: str


def node_type_names() -> list[str]:
    """Return the names of all installed node types, sorted."""
    from unshape_core.node_registry import default_node_registry

    return list(default_node_registry().types())


def describe(type_name: str) -> NodeHelp:
    """Return the help of a node type.

    Raises
    ------
    InvalidArgumentError
        If it is not known; the sentence names similar ones.
    """
    from difflib import get_close_matches

    from unshape_core.errors import InvalidArgumentError
    from unshape_core.node_registry import default_node_registry

    registry = default_node_registry()
    node_type = registry.find(type_name)
    if node_type is None:
        by_short = {name.partition("::")[2].lower(): name for name in registry.types()}
        wanted = type_name.rpartition("::")[2].lower()
        if wanted in by_short and "::" not in type_name:
            return describe(by_short[wanted])
        close = [by_short[short] for short in get_close_matches(wanted, by_short, n=3)]
        hint = f"; did you mean {' or '.join(close)}?" if close else "; `unshape nodes` lists all"
        msg = f"node type {type_name!r}: not known{hint}"
        raise InvalidArgumentError(msg)
    return _describe(node_type, registry.origin_of(type_name))


def _describe(node_type: type[Node], origin: str) -> NodeHelp:
    text, _, examples = _docstring(node_type).partition("\nExamples\n")
    summary, _, details = text.partition("\nParameters\n")[0].partition("\n\n")
    documented: dict[str, tuple[str, str]] = {}
    for base in reversed(node_type.__mro__):  # a parameter may be documented where it is inherited from
        documented |= _parameters(_docstring(base).partition("\nParameters\n")[2])
    ports = example_ports(node_type)
    documented_examples = tuple(line[4:] for line in examples.splitlines() if line.startswith((">>> ", "... ")))
    made = None if documented_examples else example_node(node_type)
    return NodeHelp(
        type_name=str(node_type.type_name),
        summary=" ".join(summary.split()),
        details=details.strip(),
        op_class=str(node_type.op_class),
        parameters=tuple(_parameter(field, documented) for field in fields(node_type)),  # type: ignore[arg-type]
        inputs=_ports(ports.inputs, is_input=True),
        outputs=_ports(ports.outputs, is_input=False),
        ports_depend_on=ports.depend_on,
        examples=documented_examples if made is None else in_python(node_type),
        graph_file_line=None if made is None else as_graph_file_line(made),
        origin=origin,
    )


def _docstring(owner: type) -> str:
    """Return a docstring as plain text: code is not set in backquotes."""
    return inspect.cleandoc(owner.__doc__ or "").replace("``", "")


def _parameters(section: str) -> dict[str, tuple[str, str]]:
    """Return form and meaning of each parameter in a numpydoc section."""
    found: dict[str, tuple[str, str]] = {}
    names: list[str] = []
    form, lines = "", list[str]()
    for line in [*section.splitlines(), "end : "]:
        head = re.match(r"(\w+(?:, \w+)*) : (.*)", line)
        if head is None:
            if line.startswith("    "):
                lines.append(line.strip())
            continue
        found |= dict.fromkeys(names, (form, " ".join(lines)))
        names, form, lines = head[1].split(", "), head[2], []
    return found


def _parameter(field: Field[object], documented: dict[str, tuple[str, str]]) -> ParameterHelp:
    from unshape_core.value_type import ArrayType

    form, doc = documented.get(field.name, (str(field.type), ""))
    if field.default is not MISSING:
        default = str(field.default) if isinstance(field.default, str | ArrayType) else repr(field.default)
    else:
        default = "required" if field.default_factory is MISSING else repr(field.default_factory())
    return ParameterHelp(name=field.name, form=form, default=default, doc=doc)


def _ports(ports: tuple[Port, ...] | None, *, is_input: bool) -> tuple[PortHelp, ...] | None:
    return None if ports is None else tuple(_port(port, is_input=is_input) for port in ports)


def _port(port: Port, *, is_input: bool) -> PortHelp:
    return PortHelp(
        name=port.name,
        value_type=str(port.value_type),
        is_required=is_input and port.default is None,
        doc=port.doc,
    )
