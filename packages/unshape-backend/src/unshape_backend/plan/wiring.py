"""Wiring: which value each input really is, once nodes that only hand a value on are looked through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from unshape_backend.nodes.transfer import TransferNode
from unshape_backend.plan.infer import LiveGraph, LiveNode
from unshape_core.nodes import Constant, GraphInput, GraphOutput

_GIVEN = (GraphInput, Constant)  # a union would be made anew at each of very many calls


class ValueId(NamedTuple):
    """A value of the graph: what an output port yields, or the default of an input port.

    An excerpt is the part of an output that the caller asked for, where more had to be computed.
    """

    node_id: int
    port: int
    is_default: bool = False
    is_excerpt: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Wiring:
    """Where values come from.

    Parameters
    ----------
    inputs : mapping of int to tuple of ValueId
        For each node the value behind each of its inputs.
    aliases : mapping of ValueId to ValueId
        For each output of a node that hands a value on, that value.
    """

    inputs: Mapping[int, tuple[ValueId, ...]]
    aliases: Mapping[ValueId, ValueId]

    def resolve(self, value: ValueId) -> ValueId:
        """Return the value itself, looked for behind a node that hands it on."""
        return self.aliases.get(value, value)


def is_alias(each: LiveNode) -> bool:
    """Return whether a node only hands its input on."""
    return isinstance(each.node, GraphOutput)


def is_given(each: LiveNode) -> bool:
    """Return whether a node's value is there before anything runs."""
    return isinstance(each.node, _GIVEN)


def is_transfer(each: LiveNode) -> bool:
    """Return whether a node says where its value has to be."""
    return isinstance(each.node, TransferNode)


def wire(live: LiveGraph) -> Wiring:
    """Return where the inputs of all nodes really come from."""
    inputs: dict[int, tuple[ValueId, ...]] = {}
    aliases: dict[ValueId, ValueId] = {}
    for each in live.values():
        values = []
        for port, source in enumerate(each.sources):
            if source is None:
                values.append(ValueId(each.id, port, is_default=True))
            else:
                value = ValueId(source.node_id, source.port)
                values.append(aliases.get(value, value))
        inputs[each.id] = tuple(values)
        if is_alias(each):
            aliases[ValueId(each.id, 0)] = values[0]
    return Wiring(inputs=inputs, aliases=aliases)
