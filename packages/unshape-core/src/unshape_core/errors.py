"""The tree of errors.

::

    UnshapeError
    ├── InvalidArgumentError (ValueError)     a parameter or an argument outside its stated range
    ├── GraphError (ValueError)               a graph that cannot be built that way
    │   ├── UnknownNodeError (LookupError)
    │   ├── UnknownPortError (LookupError)
    │   ├── PortTypeError (TypeError)
    │   ├── PortOccupiedError
    │   ├── CycleError
    │   └── MissingInputError
    ├── GraphFileError (ValueError)           a graph file that cannot be read; carries a JSON path
    ├── NodeError (RuntimeError)              a node raised; the cause is chained
    ├── SeekError (RuntimeError)              a recurrence cannot go to the tick that was asked for
    └── Cancelled                             the caller's token was cancelled; never wrapped

Every error is one line: what, where, expected, got, remedy. The facts are attributes as well, so that a program
need not read the sentence. ``node_id`` and ``type_name`` are set wherever a node is concerned.
"""

from __future__ import annotations


class UnshapeError(Exception):
    """Root of all errors that unshape raises on purpose.

    Attributes
    ----------
    node_id : int or None
        The node concerned, as numbered by its graph.
    type_name : str or None
        The type of that node, for example ``"noise::Perlin"``.
    """

    def __init__(self, message: str, *, node_id: int | None = None, type_name: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.node_id = node_id
        self.type_name = type_name

    def __str__(self) -> str:
        return self.message


class InvalidArgumentError(UnshapeError, ValueError):
    """A parameter or argument is outside its stated range; never retried on another backend."""


class GraphError(UnshapeError, ValueError):
    """A graph cannot be built or evaluated that way."""


class UnknownNodeError(GraphError, LookupError):
    """The graph has no node of that id."""


class UnknownPortError(GraphError, LookupError):
    """The node has no port of that name or index."""


class PortTypeError(GraphError, TypeError):
    """The two ends of a wire, or a value and its port, are of different types."""


class PortOccupiedError(GraphError):
    """The input port already has a wire."""


class CycleError(GraphError):
    """A wire would close a cycle that holds no ``Latch``."""


class MissingInputError(GraphError):
    """A required input port has neither a wire nor a default, or a ``GraphInput`` has no value."""


class GraphFileError(UnshapeError, ValueError):
    """A graph file cannot be read.

    Attributes
    ----------
    json_path : str
        Where in the file, for example ``$.nodes[3].params.scale``.
    """

    def __init__(
        self, message: str, *, json_path: str = "$", node_id: int | None = None, type_name: str | None = None
    ) -> None:
        super().__init__(message, node_id=node_id, type_name=type_name)
        self.json_path = json_path


class NodeError(UnshapeError, RuntimeError):
    """A node raised while it ran; the original error is ``__cause__``. Never retried on another backend."""


class SeekError(UnshapeError, RuntimeError):
    """A recurrence cannot go to the tick that was asked for."""


class Cancelled(UnshapeError):
    """The evaluation was cancelled by its caller. It passes through every layer unchanged."""
