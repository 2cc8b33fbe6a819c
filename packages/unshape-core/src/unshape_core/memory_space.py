"""Where a value lives.

Two values can be used together without a copy exactly when their spaces are equal. Backends "cpu" and "simd" both
compute in :data:`HOST`; each device memory is a space of its own.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MemorySpace:
    """A memory that can be told apart from every other one.

    Parameters
    ----------
    substrate : str
        The kind of memory: ``"host"``, or the name of the API that owns it (``"opencl"``, ``"wgpu"``).
    ordinal : int
        Which one of that kind, from 0.
    """

    substrate: str
    ordinal: int = 0

    def __str__(self) -> str:
        return self.substrate if self.ordinal == 0 else f"{self.substrate}:{self.ordinal}"


HOST = MemorySpace("host")
"""The memory that NumPy arrays live in."""
