"""Bodies that are built once although two ask for them: a node's ``infer`` for sizes, a planner for the expression."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unshape_core.spec import ValueSpec
    from unshape_expr.body import Body

_kept: ContextVar[dict[int, tuple[object, tuple[ValueSpec, ...], Body, bool]] | None] = ContextVar(
    "unshape_expr_bodies", default=None
)


@contextmanager
def shared_bodies() -> Iterator[None]:
    """Keep what ``infer_body`` builds inside the block, in this thread, for the next ``build_body`` of that node.

    Each body is given away once: literals are slots by identity, so two nodes of a graph must not have one body, also
    where they are one object.
    """
    token = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(token)


def keep_body(node: object, input_specs: Sequence[ValueSpec], body: Body, *, is_form: bool = False) -> None:
    """Keep a body if somebody may ask for it.

    One that is only of the node's form, with the literals of another node, tells sizes and is never taken.
    """
    kept = _kept.get()
    if kept is not None:
        kept[id(node)] = (node, tuple(input_specs), body, is_form)


def kept_body(node: object, input_specs: Sequence[ValueSpec], *, takes: bool) -> Body | None:
    """Return the body that was kept for a node and these specs, None if there is none; taken, it is there no more."""
    kept = _kept.get()
    if not kept:
        return None
    found = kept.get(id(node))
    if found is None or found[0] is not node or found[1] != tuple(input_specs) or (takes and found[3]):
        return None
    if takes:
        del kept[id(node)]
    return found[2]
