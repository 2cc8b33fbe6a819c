"""Opening installed backends: every failure becomes a reason, none reaches the caller."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from unshape_backend.availability import Unavailable, UnavailableReason
from unshape_backend.config import BACKENDS, Settings
from unshape_backend.discovery import FoundBackend, find_backend_extras, find_backends, is_installed
from unshape_backend.errors import BackendUnavailableError, ProtocolVersionError
from unshape_backend.identity import REFERENCE, BackendId, family
from unshape_backend.protocols import PROTOCOL_VERSION, ComputeBackend

_log = logging.getLogger("unshape_backend")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """What came of opening one installed family.

    Parameters
    ----------
    name : str
        The family.
    backends : tuple of ComputeBackend
        One for each of its devices; empty if it could not be opened.
    why_not : Unavailable or None
        The reason if so.
    """

    name: str
    backends: tuple[ComputeBackend, ...] = ()
    why_not: Unavailable | None = None


class InstalledBackends:
    """The installed backends that the settings admit, each opened when it is wanted first.

    Parameters
    ----------
    settings : Settings
        Which ones may be opened.
    """

    def __init__(self, settings: Settings) -> None:
        self._closed: dict[str, FoundBackend] = {}
        self._disabled: list[Opened] = []
        for found in find_backends():
            if found.name == REFERENCE or found.name in self._closed:
                who = "the reference backend" if found.name == REFERENCE else "another distribution"
                _log.warning(
                    "backend '%s' from '%s' is left out: %s has that name", found.name, found.distribution, who
                )
            elif setting := settings.why_disabled(found.name):
                self._disabled.append(Opened(name=found.name, why_not=disabled(setting)))
            else:
                self._closed[found.name] = found

    def open(self, families: Collection[str] | None = None) -> list[Opened]:
        """Open backends that were not wanted before, and return what came of it; the first time also who is disabled.

        A backend that says why it is unavailable is believed in silence; anything else that it raises costs one
        warning.

        Parameters
        ----------
        families : collection of str, optional
            Which ones; all if not given.
        """
        wanted = [name for name in self._closed if families is None or name in families]
        kept_closed, self._disabled = self._disabled, []
        return kept_closed + [_open(self._closed.pop(name)) for name in wanted]

    @property
    def names(self) -> frozenset[str]:
        """All that were not dealt with yet, disabled or not."""
        return frozenset({*self._closed, *[each.name for each in self._disabled]})

    @property
    def closed(self) -> dict[str, Unavailable]:
        """Those that nobody wanted so far."""
        return dict.fromkeys(self._closed, _NOT_WANTED)


_NOT_WANTED = Unavailable(
    reason=UnavailableReason.NOT_OPENED, detail="the policy names another backend", remedy="choose another policy"
)


def wanted_in_vain(settings: Settings, known: Collection[str]) -> dict[str, Unavailable]:
    """Return what the settings ask for and nobody brings, at the cost of one warning each.

    Parameters
    ----------
    settings : Settings
        May name the only backends to open.
    known : collection of str
        Names of installed and registered backends.
    """
    families = {family(BackendId(name)) for name in known} | {REFERENCE}
    extras = find_backend_extras()
    vain = {}
    for name in settings.backends or ():
        if family(BackendId(name)) in families:
            continue
        remedy = f"pip install 'unshape[{name}]'" if name in extras else f"unset {BACKENDS}"
        vain[name] = Unavailable(
            reason=UnavailableReason.NOT_INSTALLED,
            detail=f"{BACKENDS} names it, no distribution brings it",
            remedy=remedy,
        )
        _log.warning("backend '%s': %s", name, vain[name])
    return vain


def disabled(setting: str) -> Unavailable:
    """Return the reason for a backend that a setting keeps closed.

    Parameters
    ----------
    setting : str
        Begins with the name of the variable.
    """
    variable = setting.partition(" ")[0]
    return Unavailable(reason=UnavailableReason.DISABLED, detail=setting, remedy=f"unset {variable}")


def not_installed() -> dict[str, Unavailable]:
    """Return the optional backends of the facade that are not installed, each with the command that gets it."""
    return {
        extra: Unavailable(
            reason=UnavailableReason.NOT_INSTALLED,
            detail=f"there is no distribution '{distribution}'",
            remedy=f"pip install 'unshape[{extra}]'",
        )
        for extra, distribution in find_backend_extras().items()
        if not is_installed(distribution)
    }


def check_protocol(backend: ComputeBackend) -> None:
    """Refuse a backend that was written for another version of the protocol.

    Raises
    ------
    ProtocolVersionError
        In one sentence with both versions.
    """
    version = getattr(backend, "protocol_version", None)
    if version != PROTOCOL_VERSION:
        msg = (
            f"backend '{getattr(backend, 'id', type(backend).__name__)}': expected protocol version "
            f"{PROTOCOL_VERSION}, got {version}; install versions of unshape and of the backend that belong together"
        )
        raise ProtocolVersionError(msg)


def _open(found: FoundBackend) -> Opened:
    try:
        result = found.load()()
        backends = tuple(result) if isinstance(result, Sequence) else (result,)
        for backend in backends:
            check_protocol(backend)
    except BackendUnavailableError as error:
        return Opened(name=found.name, why_not=error.availability)
    except Exception as error:  # whatever a plugin does, the others work
        detail = str(error) if isinstance(error, ProtocolVersionError) else f"{type(error).__name__}: {error}"
        _log.warning("backend '%s' from '%s' cannot be opened: %s", found.name, found.distribution, detail)
        return Opened(name=found.name, why_not=_failed(found, detail))
    if not backends:
        why = Unavailable(reason=UnavailableReason.NO_DEVICE, detail=f"'{found.distribution}' found no device")
        return Opened(name=found.name, why_not=why)
    return Opened(name=found.name, backends=backends)


def _failed(found: FoundBackend, detail: str) -> Unavailable:
    return Unavailable(
        reason=UnavailableReason.FAILED_TO_OPEN,
        detail=detail,
        remedy=f"pip install --upgrade {found.distribution}, or set UNSHAPE_DISABLE={found.name}",
    )
