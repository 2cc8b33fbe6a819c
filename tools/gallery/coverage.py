"""Which nodes and modes the gallery shows, and which it should."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import ClassVar, TypeAlias, get_origin, get_type_hints

from tools.gallery.tiles import Page, fields_of
from unshape_core.node_registry import default_node_registry
from unshape_core.protocols import Node

Shown: TypeAlias = tuple[str, str, str]
"""A node type, and a parameter with a value of a closed set; the last two empty for the type alone."""


def shown(pages: Iterable[Page]) -> set[Shown]:
    """Return what tiles show."""
    found: set[Shown] = set()
    for node in (tile.node for page in pages for sheet in page.sheets for tile in sheet.tiles):
        found.add((node.type_name, "", ""))
        values = ((field.name, getattr(node, field.name)) for field in fields_of(node))
        found |= {(node.type_name, name, value.value) for name, value in values if isinstance(value, StrEnum)}
    return found


def wanted() -> set[Shown]:
    """Return every node type of the domains, and every value of its parameters that are closed sets.

    A ``...At`` node has the modes of the node that it is the driven form of, and is shown with one of them.
    """
    registry = default_node_registry()
    found: set[Shown] = set()
    for type_name in registry.types():
        node_type = registry.find(type_name)
        if type_name.startswith(("noise::", "image::")) and node_type is not None:
            found.add((type_name, "", ""))
            if not type_name.endswith("At"):
                found |= set(_modes(type_name, node_type))
    return found


def _modes(type_name: str, node_type: type[Node]) -> Iterator[Shown]:
    for name, hint in get_type_hints(node_type).items():
        if get_origin(hint) is ClassVar:
            continue
        for part in (hint, *getattr(hint, "__args__", ())):
            if isinstance(part, type) and issubclass(part, StrEnum):
                yield from ((type_name, name, member.value) for member in part)
