"""Measured times: what kernels and links really took on this machine.

A cell is found by what was run (structure or revision), element type, size class and the device's fingerprint, so that
a new driver or a new kernel never meets an old figure. Measurements are immutable: measuring gives new ones, which the
registry takes as it takes other facts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from unshape_backend.capabilities import Link
from unshape_backend.cost import Cost, CostBasis
from unshape_backend.task import Task


@dataclass(frozen=True, slots=True, order=True)
class CellKey:
    """What a measured time belongs to.

    Parameters
    ----------
    work : str
        Node types, the digest of an expression's structure or the revision of a kernel, and whether it may be fast.
    dtype : str
        Element types of the arrays, joined; empty for scalars.
    size_class : int
        Number of binary digits of the output elements.
    fingerprint : str
        That of the device.
    """

    work: str
    dtype: str
    size_class: int
    fingerprint: str

    @classmethod
    def of(cls, task: Task, fingerprint: str, *, revision: int | None = None) -> CellKey:
        """Return the key of a task on a device.

        Parameters
        ----------
        task : Task
            The task.
        fingerprint : str
            That of the device.
        revision : int or None
            That of the kernel for the node type, if one runs it; None for an expression or a definition.
        """
        names = "+".join(node.type_name for node in task.nodes)
        if revision is not None:
            what = f"@{revision}"
        else:
            what = "" if task.kernel is None else f"#{task.kernel.key.hex()[:32]}"
        return cls(
            work=names + what + ("" if task.precision == "exact" else "~fast"),
            dtype="+".join(sorted(task.dtypes)),
            size_class=task.workload.elements.bit_length(),
            fingerprint=fingerprint,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A measured time.

    Parameters
    ----------
    elements : int
        Output elements of the run.
    ns : int
        Median time of a run, from the call until the result could be used.
    """

    elements: int
    ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredLink:
    """A link with measured figures.

    Parameters
    ----------
    link : Link
        The link.
    fingerprint : str
        That of the device at the end which is not the host.
    """

    link: Link
    fingerprint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurements:
    """Everything that was measured.

    Parameters
    ----------
    cells : mapping of CellKey to Cell
        Times of tasks.
    links : tuple of MeasuredLink
        Figures of links, one direction each.
    """

    cells: Mapping[CellKey, Cell] = field(default_factory=lambda: MappingProxyType({}))
    links: tuple[MeasuredLink, ...] = ()

    def cost(self, key: CellKey, *, elements: int) -> Cost | None:
        """Return the measured cost, scaled to the number of elements within the size class; None if not measured."""
        cell = self.cells.get(key)
        if cell is None:
            return None
        ns = cell.ns if cell.elements == 0 else max(1, round(cell.ns * elements / cell.elements))
        return Cost(compute_ns=ns, basis=CostBasis.MEASURED)

    def merged(self, later: Measurements) -> Measurements:
        """Return these and later ones, which replace what they measured again."""
        links = {_link_key(measured): measured for measured in (*self.links, *later.links)}
        return Measurements(cells=MappingProxyType({**self.cells, **later.cells}), links=tuple(links.values()))


def _link_key(measured: MeasuredLink) -> tuple[object, ...]:
    return measured.link.source, measured.link.target, measured.link.path, measured.fingerprint
