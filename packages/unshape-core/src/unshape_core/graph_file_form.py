"""The outer form of a graph file, for the JSON decoder; imported when a file is read."""

from __future__ import annotations

from typing import Any

import msgspec


class VersionForm(msgspec.Struct):
    """What is looked at first."""

    version: int


class NodeForm(msgspec.Struct, forbid_unknown_fields=True):
    """A node."""

    id: int
    type_name: str
    params: dict[str, Any] = {}


class WireForm(msgspec.Struct, forbid_unknown_fields=True):
    """A wire."""

    from_: str = msgspec.field(name="from")
    to: str


class FileForm(msgspec.Struct, forbid_unknown_fields=True):
    """A file."""

    version: int
    nodes: list[NodeForm]
    wires: list[WireForm]
    next_id: int
