"""Turning what a step raised into what a caller can use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unshape_core.errors import Cancelled, NodeError, UnshapeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unshape_core.protocols import Node


def step_error(error: Exception, node_ids: Sequence[int], nodes: Sequence[Node]) -> Exception:
    """Return the error to raise for one that was raised while the nodes ran.

    Errors of this library stay what they are and learn which node it was; ``Cancelled`` is left alone; anything else
    becomes a :class:`NodeError`, to be raised from it.
    """
    if isinstance(error, Cancelled):
        return error
    node_id, type_name = node_ids[-1], nodes[-1].type_name
    if isinstance(error, UnshapeError):
        if error.node_id is None:
            error.node_id = node_id
        if error.type_name is None:
            error.type_name = type_name
        return error
    fused = f", fused with {', '.join(map(str, node_ids[:-1]))}" if len(node_ids) > 1 else ""
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    msg = f"node {node_id} ({type_name}{fused}) raised {what}"
    return NodeError(msg, node_id=node_id, type_name=type_name)
