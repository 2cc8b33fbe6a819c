"""The cases of the installed domains.

A domain lists its cases under the entry-point group ``unshape.cases``; the type of a case lives in
:mod:`unshape_backend.case`. They serve conformance suites, benchmarks and calibration alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from unshape_backend.case import Case

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

CASES_GROUP = "unshape.cases"


def installed_points() -> Iterable[EntryPoint]:
    """Return the entry points of the installed domains; none is imported."""
    from importlib.metadata import entry_points  # a slow import

    return entry_points(group=CASES_GROUP)


def domain_names() -> tuple[str, ...]:
    """Return the names of the installed domains, which are those of their entry points; none is imported."""
    return tuple(sorted({point.name for point in installed_points()}))


def domain_cases(points: Callable[[], Iterable[EntryPoint]] = installed_points) -> tuple[tuple[str, Case], ...]:
    """Return the cases of the installed domains with the name of their entry point.

    Parameters
    ----------
    points : callable
        Gives the entry points; the installed ones by default.

    Raises
    ------
    ValueError
        If a domain lists no case or two of one name: a suite that tests nothing must not pass.
    """
    found: list[tuple[str, Case]] = []
    for point in sorted(points(), key=lambda each: each.name):
        cases = tuple(point.load()())
        names = [case.name for case in cases]
        if not cases or len(set(names)) < len(names):
            doubled = sorted({name for name in names if names.count(name) > 1})
            what = f"two cases named {doubled[0]!r}" if doubled else "no case at all"
            msg = f"entry point {point.name!r} ({point.value}): expected cases of different names, got {what}"
            raise ValueError(msg)
        found.extend((point.name, case) for case in cases)
    return tuple(found)
