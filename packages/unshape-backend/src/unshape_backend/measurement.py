"""Measured times: what kernels and links really took on this machine.

A cell is found by what was run (structure or revision), element type, size class and the device's fingerprint, so that
a new driver or a new kernel never meets an old figure. Measurements are immutable: measuring gives new ones, which the
registry takes as it takes other facts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from unshape_backend.capabilities import Link
from unshape_backend.correction import Correction, fit_correction
from unshape_backend.cost import Cost, CostBasis
from unshape_backend.task import Task
from unshape_core.workload import WorkloadHint


@dataclass(frozen=True, slots=True, order=True)
class CellKey:
    """What a measured time belongs to.

    Parameters
    ----------
    work : str
        Node types, the digest of an expression's structure or the revision of a kernel, for what is no expression about
        how much arithmetic and reading it is, and whether it may be fast.
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
        what = "" if revision is None else f"@{revision}"
        if task.kernel is None:
            what += _amount(task.workload)
        elif revision is None:
            what = f"#{task.kernel.key.hex()[:32]}"
        return cls(
            work=names + what + ("" if task.precision == "exact" else "~fast"),
            dtype="+".join(sorted(task.dtypes)),
            size_class=task.workload.elements.bit_length(),
            fingerprint=fingerprint,
        )


def _amount(work: WorkloadHint) -> str:
    """Return how much arithmetic and reading an element is, to a factor of two.

    A wide filter is no narrow one of that name, and what makes a picture smaller is not what makes it larger.
    """
    if not work.elements:
        return ""
    return "".join(
        [
            f"{sign}{(total // work.elements).bit_length()}"
            for sign, total in (("*", work.flops), ("<", work.bytes_read))
            if total is not None
        ]
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
    launch_ns, compute_ns : int
        What the backend had estimated; both 0 if nothing.
    """

    elements: int
    ns: int
    launch_ns: int = 0
    compute_ns: int = 0


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
    _lines: dict[tuple[str, str, str], list[tuple[int, int]]] = field(default_factory=dict, repr=False, compare=False)
    _corrections: dict[str, Correction | None] = field(default_factory=dict, repr=False, compare=False)

    def cost(self, key: CellKey, *, elements: int) -> Cost | None:
        """Return the measured cost, None if it was not measured.

        Between two measured sizes, and beyond them, it lies on the line through the nearest two; a single one is scaled
        within its size class.
        """
        line = self._line_of(key)
        if len(line) < 2:
            cell = self.cells.get(key)
            if cell is None:
                return None
            ns = cell.ns if cell.elements == 0 else max(1, round(cell.ns * elements / cell.elements))
        else:
            ns = _on_line(line, elements)
        return Cost(compute_ns=ns, basis=CostBasis.MEASURED)

    def correction(self, fingerprint: str) -> Correction | None:
        """Return how far a device is from what is stated of it, None if too little of it was measured."""
        if fingerprint not in self._corrections:
            cells = [cell for key, cell in self.cells.items() if key.fingerprint == fingerprint]
            tasks = [(cell.launch_ns, cell.compute_ns, cell.ns) for cell in cells]
            self._corrections[fingerprint] = fit_correction(tasks)
        return self._corrections[fingerprint]

    def _line_of(self, key: CellKey) -> list[tuple[int, int]]:
        """Return size and time of every cell of the same work, by size."""
        if self.cells and not self._lines:
            lines: dict[tuple[str, str, str], dict[int, int]] = {}
            for each, cell in self.cells.items():
                lines.setdefault((each.work, each.dtype, each.fingerprint), {})[cell.elements] = cell.ns
            self._lines.update({work: sorted(times.items()) for work, times in lines.items()})
        return self._lines.get((key.work, key.dtype, key.fingerprint), [])

    def merged(self, later: Measurements) -> Measurements:
        """Return these and later ones, which replace what they measured again."""
        links = {_link_key(measured): measured for measured in (*self.links, *later.links)}
        return Measurements(cells=MappingProxyType({**self.cells, **later.cells}), links=tuple(links.values()))


def _on_line(line: Sequence[tuple[int, int]], elements: int) -> int:
    """Return the time of a size, on the line through the two measured sizes around it or nearest to it.

    Times do not fall with size, and below the smallest size they do not rise above its time.
    """
    above = next((index for index, (size, _) in enumerate(line) if size >= elements), len(line) - 1)
    (size, time_ns), (larger, longer_ns) = line[max(above - 1, 0)], line[max(above, 1)]
    slope = max(0.0, (longer_ns - time_ns) / (larger - size))
    ns = time_ns + slope * (elements - size)
    if elements < size:
        ns = max(ns, time_ns * elements / size)
    elif elements > larger:
        ns = max(ns, longer_ns)
    return max(1, round(ns))


def _link_key(measured: MeasuredLink) -> tuple[object, ...]:
    return measured.link.source, measured.link.target, measured.link.path, measured.fingerprint
