"""Discovery: which backends and kernels the installed distributions bring.

Names come from entry points and metadata alone; nothing is imported until a backend is opened or a table of kernels is
loaded for one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from unshape_backend.kernel import KernelSpec
from unshape_backend.protocols import ComputeBackend

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

BACKENDS_GROUP = "unshape.backends"
KERNELS_GROUP = "unshape.kernels"
FACADE = "unshape"

OpenBackend: TypeAlias = Callable[[], ComputeBackend | Sequence[ComputeBackend]]
"""Probes one family and returns its backend, or one for each of its devices."""

_REQUIREMENT = re.compile(r"(unshape-[a-z0-9-]+).*extra\s*==\s*['\"]([a-z0-9-]+)['\"]", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundBackend:
    """A backend that some distribution brings.

    Parameters
    ----------
    name : str
        Name of the entry point: the family.
    distribution : str
        Who brings it.
    load : callable
        Imports and returns the function that opens it.
    """

    name: str
    distribution: str
    load: Callable[[], OpenBackend]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundKernels:
    """A table of kernels that some distribution brings.

    Parameters
    ----------
    distribution : str
        Who brings it.
    load : callable
        Imports and returns the table.
    """

    distribution: str
    load: Callable[[], Iterable[KernelSpec]]


def find_backends() -> tuple[FoundBackend, ...]:
    """Return the installed backends by name; opens and imports none."""
    return tuple(
        FoundBackend(name=point.name, distribution=_distribution(point), load=point.load)
        for point in _points(BACKENDS_GROUP)
    )


def find_kernels(family: str) -> tuple[FoundKernels, ...]:
    """Return the installed tables of kernels for a family of backends; imports none."""
    return tuple(
        FoundKernels(distribution=_distribution(point), load=point.load)
        for point in _points(f"{KERNELS_GROUP}.{family}")
    )


def find_backend_extras() -> dict[str, str]:
    """Return the optional backends of the facade: the extra's name, and the distribution that it installs.

    Read from the metadata of the installed distribution; empty where only its parts are installed.
    """
    from importlib import metadata

    try:
        requirements = metadata.requires(FACADE) or []
    except metadata.PackageNotFoundError:
        return {}
    matches = (_REQUIREMENT.match(requirement) for requirement in requirements)
    extras: dict[str, list[str]] = {}
    for match in matches:
        if match is not None:
            extras.setdefault(match[2], []).append(match[1].lower())
    # an extra that installs several of our distributions is a bundle of other extras, not a backend
    return {extra: names[0] for extra, names in extras.items() if len(names) == 1}


def is_installed(distribution: str) -> bool:
    """Return whether a distribution is installed."""
    from importlib import metadata

    try:
        metadata.distribution(distribution)
    except metadata.PackageNotFoundError:
        return False
    return True


def _points(group: str) -> list[EntryPoint]:
    from importlib.metadata import entry_points  # a slow import, which nothing but discovery needs

    points = entry_points(group=group)
    return sorted(points, key=lambda point: (point.name, _distribution(point)))


def _distribution(point: EntryPoint) -> str:
    return "an unnamed distribution" if point.dist is None else point.dist.name
