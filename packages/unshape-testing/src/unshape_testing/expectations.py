"""What a test run expects to find: backends whose absence is a failure and no reason to skip.

Named on the command line (``--unshape-require=gpu,simd``) or in ``UNSHAPE_REQUIRE``. ``all`` stands for every backend
that an installed distribution declares, which is what continuous integration asks for: a backend that was installed and
does not open there is a broken build, not a machine without a device.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from unshape_backend.availability import Availability, Available, Unavailable, UnavailableReason
from unshape_backend.config import Settings
from unshape_backend.discovery import find_backends
from unshape_backend.identity import REFERENCE, BackendId, family, parse_backend_id
from unshape_backend.protocols import ComputeBackend
from unshape_backend.registry import BackendRegistry

REQUIRE = "UNSHAPE_REQUIRE"
ALL = "all"


def declared_backends() -> dict[str, str]:
    """Return the backends that installed distributions declare, and which one each; none is imported."""
    return {found.name: found.distribution for found in find_backends()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectations:
    """Backends that must be there.

    Parameters
    ----------
    names : frozenset of str
        Families or ids.
    """

    names: frozenset[str] = frozenset()

    @classmethod
    def parse(cls, option: str | None, *, environment: Mapping[str, str] = os.environ) -> Expectations:
        """Return what the command line and the environment ask for together.

        Parameters
        ----------
        option : str or None
            Names separated by commas.
        environment : mapping of str to str
            Holds ``UNSHAPE_REQUIRE`` or does not.

        Raises
        ------
        InvalidArgumentError
            If a name is none.
        """
        texts = ",".join((option or "", environment.get(REQUIRE, "")))
        names = {name.strip() for name in texts.split(",") if name.strip()}
        if ALL in names:
            names = (names - {ALL}) | set(declared_backends())
        return cls(names=frozenset(parse_backend_id(name) for name in names))

    def is_required(self, backend_id: str) -> bool:
        """Return whether a backend must be there; a family stands for its first device."""
        return backend_id in self.names

    def unmet(self, availability: Mapping[str, Availability]) -> dict[str, Unavailable]:
        """Return the backends that must be there and are not, with the reason.

        Parameters
        ----------
        availability : mapping of str to Availability
            What a registry knows.
        """
        unmet = {}
        for name in sorted(self.names):
            match availability.get(name, unknown_backend(name)):
                case Unavailable() as why:
                    unmet[name] = why
                case Available():
                    pass
        return unmet


def unknown_backend(name: str) -> Unavailable:
    """Return why a backend that nobody has heard of is not there."""
    return Unavailable(
        reason=UnavailableReason.NOT_INSTALLED,
        detail=f"no installed distribution declares a backend '{family(BackendId(name))}'",
        remedy="python -m pip list shows what is installed",
    )


class BackendsOfRun:
    """The backends of one test run, opened when the first one is wanted and closed at its end.

    Parameters
    ----------
    expectations : Expectations
        Which must be there.
    settings : Settings or None
        Which may be opened; read from the environment if not given.
    """

    def __init__(self, expectations: Expectations, *, settings: Settings | None = None) -> None:
        self.expectations = expectations
        self._settings = settings
        self._registry: BackendRegistry | None = None

    @property
    def registry(self) -> BackendRegistry:
        """Every installed backend."""
        if self._registry is None:
            self._registry = BackendRegistry.with_defaults(settings=self._settings)
        return self._registry

    def availability(self) -> Mapping[str, Availability]:
        """Return whether each backend can be used."""
        return self.registry.availability()

    def known_ids(self) -> tuple[str, ...]:
        """Return every backend that is there or could be, the reference first."""
        return tuple(
            sorted({*self.availability(), *self.expectations.names}, key=lambda name: (name != REFERENCE, name))
        )

    def get(self, backend_id: str) -> ComputeBackend | Unavailable:
        """Return a backend, or why it is not there."""
        match self.availability().get(backend_id, unknown_backend(backend_id)):
            case Unavailable() as why:
                return why
            case Available():
                return self.registry.snapshot().backend(parse_backend_id(backend_id))

    def report(self) -> list[str]:
        """Return one line for all backends that were found, and one for each that was not."""
        availability = self.availability()
        found = [name for name, state in availability.items() if isinstance(state, Available)]
        lines = [f"unshape backends: {', '.join(sorted(found))}"]
        for name in self.known_ids():
            state = availability.get(name, unknown_backend(name))
            if isinstance(state, Unavailable):
                required = " (required)" if self.expectations.is_required(name) else ""
                lines.append(f"unshape backend '{name}'{required}: {state}")
        return lines

    def close(self) -> None:
        """Close what was opened."""
        if self._registry is not None:
            self._registry.close()
            self._registry = None
