"""Names of backends and their kinds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NewType

from unshape_core.errors import InvalidArgumentError

BackendId = NewType("BackendId", str)
"""Name of one opened device: ``"cpu"``, ``"simd"``, ``"opencl"``, ``"gpu"``, ``"gpu:1"``."""

REFERENCE = BackendId("cpu")
"""The reference backend, which runs every node's definition; it is the last of every chain that it does not lead."""

_ID = re.compile(r"[a-z][a-z0-9_-]*(:[0-9]+)?")


def family(backend_id: BackendId) -> str:
    """Return the family of a backend, which kernels are registered for: ``"gpu"`` for ``"gpu:1"``."""
    return backend_id.partition(":")[0]


def parse_backend_id(text: str) -> BackendId:
    """Check the name of a backend.

    Parameters
    ----------
    text : str
        A family in lower case, and for a further device of it a colon and its number.

    Raises
    ------
    InvalidArgumentError
        If the text is no such name.
    """
    if not _ID.fullmatch(text):
        msg = f"backend id: expected a name such as 'cpu', 'gpu' or 'gpu:1', got {text!r}"
        raise InvalidArgumentError(msg)
    return BackendId(text)


@dataclass(frozen=True, slots=True)
class BackendKind:
    """What policies speak of. Open: ``BackendKind.custom("fpga")`` makes another."""

    name: str

    @classmethod
    def custom(cls, name: str) -> BackendKind:
        """Return a kind of that name."""
        if not _ID.fullmatch(name):
            msg = f"backend kind: expected a name in lower case such as 'fpga', got {name!r}"
            raise InvalidArgumentError(msg)
        return cls(name)

    def __str__(self) -> str:
        return self.name


CPU = BackendKind("cpu")
CPU_SIMD = BackendKind("cpu-simd")
GPU = BackendKind("gpu")
