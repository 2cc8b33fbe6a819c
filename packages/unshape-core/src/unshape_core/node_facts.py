"""What a graph asks of a node when it comes in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from unshape_core.content_key import value_key
from unshape_core.errors import InvalidArgumentError
from unshape_core.nodes.graph_input import GraphInput
from unshape_core.nodes.graph_output import GraphOutput
from unshape_core.port import Port

if TYPE_CHECKING:
    from unshape_core.protocols import Node


_NODE_ATTRIBUTES = ("type_name", "inputs", "outputs", "op_class", "context_fields", "infer")


class Ports(NamedTuple):
    """The ports of a node; asked for once, since they may be computed from parameters."""

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]


def check_node(node: Node) -> Ports:
    """Return the ports of a node.

    Raises
    ------
    InvalidArgumentError
        If it is no node, if two of its ports have one name, or if its parameters are not hashable.
    """
    _check_is_node(node)
    ports = Ports(tuple(node.inputs), tuple(node.outputs))
    _check_ports(node.type_name, "input", ports.inputs)
    _check_ports(node.type_name, "output", ports.outputs)
    try:
        hash(node)
    except TypeError as error:
        msg = f"{node.type_name}: expected hashable parameters ({error}); make lists tuples"
        raise InvalidArgumentError(msg, type_name=node.type_name) from error
    return ports


def _check_is_node(node: object) -> None:
    if isinstance(node, type):
        msg = f"graph: expected a node, got the class {node.__name__}; add an instance of it"
        raise InvalidArgumentError(msg)
    kind = type(node)  # asked first: a property may take its time
    missing = [name for name in _NODE_ATTRIBUTES if not hasattr(kind, name) and not hasattr(node, name)]
    if missing:
        msg = f"graph: expected a node, got a {type(node).__name__} without {', '.join(missing)}"
        raise InvalidArgumentError(msg)


def _check_ports(type_name: str, side: str, ports: Sequence[object]) -> None:
    names = [port.name for port in ports if isinstance(port, Port)]
    if len(set(names)) < len(ports):
        msg = f"{type_name}: expected {side} ports of different names, got {', '.join(map(repr, ports))}"
        raise InvalidArgumentError(msg, type_name=type_name)


def name_in_graph(node: Node) -> tuple[type, str] | None:
    """Return the kind and name of a graph input or output, None for any other node."""
    return (type(node), node.name) if isinstance(node, GraphInput | GraphOutput) else None


def differs_in_parameters_only(old: Node, new: Node, old_ports: Ports, new_ports: Ports) -> bool:
    """Return whether a program that was made for one node may do for the other."""
    return (
        type(old) is type(new)
        and old.context_fields == new.context_fields
        and name_in_graph(old) == name_in_graph(new)
        and _are_alike(old_ports.inputs, new_ports.inputs)
        and _are_alike(old_ports.outputs, new_ports.outputs)
    )


def _are_alike(old: tuple[Port, ...], new: tuple[Port, ...]) -> bool:
    return old is new or (old == new and all(map(_have_one_default, old, new)))


def _have_one_default(old: Port, new: Port) -> bool:
    if old.default is new.default:
        return True
    if old.default is None or new.default is None:
        return False
    return value_key(old.default) == value_key(new.default)
