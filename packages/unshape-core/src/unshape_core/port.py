"""Ports: the typed ends of wires."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from unshape_core.coercion import coerce_value
from unshape_core.errors import InvalidArgumentError
from unshape_core.value import Value
from unshape_core.value_type import ValueType


@dataclass(frozen=True, slots=True)
class Port:
    """One input or output of a node.

    Parameters
    ----------
    name : str
        Unique among the node's ports of that direction.
    value_type : ValueType
        What flows through it.
    default : Value or None
        For an input without a wire; None means that a wire is required. An array is copied, so that changing it later
        changes no port.
    doc : str
        One sentence for ``unshape nodes``.
    """

    name: str
    value_type: ValueType
    default: Value | None = field(default=None, compare=False)
    doc: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not self.name or not self.name.isidentifier():
            msg = f"port {self.name!r}: expected a name of letters, digits and underscores"
            raise InvalidArgumentError(msg)
        if self.default is not None:
            default = coerce_value(self.default, self.value_type, where=f"default of port '{self.name}'")
            object.__setattr__(self, "default", frozen_copy(default))


def frozen_copy(value: Value) -> Value:
    """Return an array as a read-only copy of its own, any other value as it is."""
    if isinstance(value, np.ndarray):
        value = np.array(value, order="C", subok=False)
        value.flags.writeable = False
    return value
