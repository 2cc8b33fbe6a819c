"""The ports of a node type that decides them by its parameters: those of a node that stands for others."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields
from typing import TYPE_CHECKING, Literal

from unshape.cli.example_node import example_node, stand_ins

if TYPE_CHECKING:
    from unshape_core.port import Port
    from unshape_core.protocols import Node

Side = Literal["inputs", "outputs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamplePorts:
    """Ports of a node, and of which one they are.

    Parameters
    ----------
    inputs, outputs : tuple of Port or None
        None if they cannot be known without a parameter that has no default.
    depend_on : str or None
        The parameters that they are those of, as text; None if every node of the type has these ports.
    """

    inputs: tuple[Port, ...] | None
    outputs: tuple[Port, ...] | None
    depend_on: str | None


def example_ports(node_type: type[Node]) -> ExamplePorts:
    """Return the ports of a node of default parameters, and of stand-ins where parameters have no default."""
    is_fixed = all(isinstance(getattr(node_type, side), tuple) for side in ("inputs", "outputs"))
    node, depend_on = (node_type, None) if is_fixed else _stand_in(node_type)
    return ExamplePorts(inputs=_ports(node, "inputs"), outputs=_ports(node, "outputs"), depend_on=depend_on)


def _stand_in(node_type: type[Node]) -> tuple[Node, str]:
    """Return a node, and of which parameters it is, as text."""
    from unshape_core.value_type import TEXTURE

    known = {name: value for name, value in stand_ins(node_type).items() if value is not None}
    told = ", ".join(
        f"{name}={'texture' if value is TEXTURE else value}" for name, value in known.items() if name != "name"
    )
    return example_node(node_type) or _unchecked(node_type), told or "default parameters"


def _unchecked(node_type: type[Node]) -> Node:
    """Return a node that has its defaults only; what it computes from other parameters raises AttributeError."""
    node = object.__new__(node_type)
    for field in fields(node_type):  # type: ignore[arg-type]
        if field.default is not MISSING:
            object.__setattr__(node, field.name, field.default)
        elif field.default_factory is not MISSING:
            object.__setattr__(node, field.name, field.default_factory())
    return node


def _ports(holder: Node | type[Node], side: Side) -> tuple[Port, ...] | None:
    try:
        ports = getattr(holder, side)
    except (AttributeError, TypeError):  # it needs a parameter that has no default
        return None
    return ports if isinstance(ports, tuple) else None
