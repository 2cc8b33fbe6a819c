"""What a node asks of a machine: its class of operation and the amount of work."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class OpClass(StrEnum):
    """What kind of work a node is; routing prefers backends by it while nothing is measured."""

    MATMUL = "matmul"
    CONVOLUTION = "convolution"
    ATTENTION = "attention"
    REDUCTION = "reduction"
    ELEMENTWISE = "elementwise"
    MEMORY = "memory"
    GENERATE = "generate"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadHint:
    """How much work one execution of a node is.

    Parameters
    ----------
    elements : int
        Output elements (pixels times channels for a picture).
    bytes_read, bytes_written : int or None
        Memory traffic; None if unknown.
    flops : int or None
        Floating-point operations; None if unknown.
    """

    elements: int
    bytes_read: int | None = None
    bytes_written: int | None = None
    flops: int | None = None

    @classmethod
    def single(cls) -> WorkloadHint:
        """Return the workload of one scalar."""
        return cls(elements=1)

    @classmethod
    def bulk(cls, elements: int, *, bytes_per_element: int = 4) -> WorkloadHint:
        """Return the workload of that many elements, each read and written once."""
        size = elements * bytes_per_element
        return cls(elements=elements, bytes_read=size, bytes_written=size)

    @classmethod
    def texture(cls, *, width_px: int, height_px: int, channels: int = 4) -> WorkloadHint:
        """Return the workload of a float32 picture, read and written once."""
        return cls.bulk(width_px * height_px * channels)
