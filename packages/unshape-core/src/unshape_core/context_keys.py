"""Keys of what a result may depend on besides nodes and wires."""

from __future__ import annotations

import itertools
import struct
from typing import TYPE_CHECKING

from unshape_core.content_key import content_bytes, digest
from unshape_core.context import ContextField

if TYPE_CHECKING:
    from unshape_core.context import EvalContext
    from unshape_core.given_inputs import GivenInputs

_numbers = itertools.count()


def unique_key() -> bytes:
    """Return a key that nothing else has: for a value of which nothing is known."""
    return b"u" + struct.pack("<Q", next(_numbers))


class ContextKeys:
    """The keys of context fields in one evaluation, each worked out once.

    Parameters
    ----------
    ctx : EvalContext
        The context.
    given : GivenInputs
        The caller's values.
    """

    __slots__ = ("_ctx", "_keys", "given", "precision")

    def __init__(self, ctx: EvalContext, given: GivenInputs) -> None:
        self.given = given
        self.precision = ctx.precision.encode()
        self._ctx = ctx
        self._keys: dict[ContextField, bytes] = {}

    def key_of(self, field: ContextField) -> bytes:
        """Return the key of a field."""
        key = self._keys.get(field)
        if key is None:
            content: object
            if field is ContextField.INPUTS:
                content = tuple(sorted((name, key or unique_key()) for name, key in self.given.keys.items()))
            else:
                content = getattr(self._ctx, field.value)
            key = self._keys[field] = digest(content_bytes(content))
        return key
