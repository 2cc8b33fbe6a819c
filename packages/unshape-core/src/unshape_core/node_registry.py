"""Node types by name: what graph files may hold and ``unshape nodes`` lists.

The built-in types are always there. Those of installed distributions are found through the entry-point group
``unshape.nodes``, whose values are iterables of node types; the group is read when a type is first asked for, not
before. A distribution that cannot be loaded costs one warning, and the others work.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from unshape_core.errors import GraphError, InvalidArgumentError
from unshape_core.nodes import Constant, GraphInput, GraphOutput, Latch

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from unshape_core.protocols import Node

ENTRY_POINT_GROUP = "unshape.nodes"


class NodeRegistry:
    """The node types that are known.

    Safe to use from several threads.

    Parameters
    ----------
    points : callable
        Returns the entry points to load; called once, when a type is first asked for.

    Examples
    --------
    >>> registry = NodeRegistry(points=tuple)
    >>> sorted(registry.types())
    ['core::Constant', 'core::GraphInput', 'core::GraphOutput', 'core::Latch']
    """

    def __init__(self, *, points: Callable[[], Iterable[EntryPoint]] | None = None) -> None:
        self._lock = threading.RLock()
        self._points = _installed if points is None else points
        self._is_loaded = False
        self._types: dict[str, type[Node]] = {}
        self._origins: dict[str, str] = {}
        for node_type in (Constant, GraphInput, GraphOutput, Latch):
            self.register(node_type, origin="unshape-core")

    def register(self, node_type: type[Node], *, origin: str = "a script") -> None:
        """Make a node type known.

        Parameters
        ----------
        node_type : type of Node
            A frozen dataclass with a ``type_name`` of the form ``"package::Type"``.
        origin : str
            Who brings it, for error messages.

        Raises
        ------
        InvalidArgumentError
            If it has no such name.
        GraphError
            If another type of that name is known.
        """
        type_name = getattr(node_type, "type_name", None)
        if not isinstance(type_name, str) or not all(type_name.partition("::")):
            msg = f"{node_type!r}: expected a class attribute type_name such as 'package::Type', got {type_name!r}"
            raise InvalidArgumentError(msg)
        with self._lock:
            known = self._types.get(type_name)
            if known is not None and known is not node_type:
                msg = (
                    f"node type {type_name!r} is brought by {self._origins[type_name]} and by {origin}; "
                    f"rename one, or uninstall one distribution"
                )
                raise GraphError(msg, type_name=type_name)
            self._types[type_name] = node_type
            self._origins.setdefault(type_name, origin)

    def types(self) -> Mapping[str, type[Node]]:
        """Return all known types by name, in the order of their names."""
        self._load()
        with self._lock:
            return MappingProxyType(dict(sorted(self._types.items())))

    def origin_of(self, type_name: str) -> str:
        """Return who brought a type."""
        self._load()
        return self._origins[type_name]

    def find(self, type_name: str) -> type[Node] | None:
        """Return the type of a name, None if it is not known."""
        self._load()
        return self._types.get(type_name)

    def _load(self) -> None:
        with self._lock:
            if self._is_loaded:
                return
            self._is_loaded = True
            for point in self._points():
                try:
                    for node_type in point.load():
                        self.register(node_type, origin=_distribution(point))
                except Exception as error:  # whatever a stranger's package raises, the rest works
                    import logging

                    logging.getLogger("unshape_core").warning(
                        "node types of entry point %r (%s) are not available: %s: %s",
                        point.name,
                        point.value,
                        type(error).__name__,
                        error,
                    )


def _installed() -> list[EntryPoint]:
    from importlib.metadata import entry_points

    return sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda point: (point.name, _distribution(point)))


def _distribution(point: EntryPoint) -> str:
    return "an unnamed distribution" if point.dist is None else point.dist.name


_default: NodeRegistry | None = None
_default_lock = threading.Lock()


def default_node_registry() -> NodeRegistry:
    """Return the registry that is used where none is given; made on first use."""
    global _default  # noqa: PLW0603  # the one default registry
    if _default is None:
        with _default_lock:
            if _default is None:
                _default = NodeRegistry()
    return _default
