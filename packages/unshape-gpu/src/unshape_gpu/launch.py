"""Launches: a compiled shader with the arrays and parameters of one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unshape_gpu.buffer import GpuBuffer
from unshape_gpu.program import Program


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """One run of a shader.

    Parameters
    ----------
    program : Program
        The shader.
    reads, writes : sequence of GpuBuffer
        What is bound, in this order, behind the parameter block.
    params : bytes
        The parameter block.
    groups : (int, int, int)
        Number of workgroups along each axis.
    label : str
        What it computes, for messages and times.
    """

    program: Program
    reads: Sequence[GpuBuffer]
    writes: Sequence[GpuBuffer]
    params: bytes
    groups: tuple[int, int, int]
    label: str
