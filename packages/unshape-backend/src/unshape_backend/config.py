"""Settings from the environment, read once into a record.

Every variable is named here and in ``docs/reference/environment.md``. A switch is off when its variable is not set,
empty, ``0``, ``false``, ``no`` or ``off``; anything else turns it on.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from unshape_backend.identity import REFERENCE, BackendId, family, parse_backend_id
from unshape_core.errors import InvalidArgumentError

STRICT = "UNSHAPE_STRICT"
CACHE_DIR = "UNSHAPE_CACHE_DIR"
BACKENDS = "UNSHAPE_BACKENDS"
DISABLE = "UNSHAPE_DISABLE"

_OFF = frozenset({"", "0", "false", "no", "off"})


def is_on(text: str | None) -> bool:
    """Return whether the text of a switch means on; None is a variable that is not set."""
    return text is not None and text.strip().lower() not in _OFF


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a user sets outside the program.

    Parameters
    ----------
    strict : bool
        Whether a failing backend is an error instead of a fallback (``UNSHAPE_STRICT``).
    cache_dir : Path or None
        Folder of what is kept between runs (``UNSHAPE_CACHE_DIR``); None means the user's cache folder.
    backends : tuple of str or None
        Names of the only backends that may be opened, beside the reference (``UNSHAPE_BACKENDS``); None means all.
    disabled : tuple of str
        Names of backends that are not opened (``UNSHAPE_DISABLE``). A family stands for all its devices.
    """

    strict: bool = False
    cache_dir: Path | None = None
    backends: tuple[str, ...] | None = None
    disabled: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if REFERENCE in self.disabled:
            msg = (
                f"{DISABLE}: expected names of optional backends, got '{REFERENCE}', the reference that everything "
                f"falls back to; to see a fallback fail set {STRICT}=1"
            )
            raise InvalidArgumentError(msg)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """Read the settings.

        Parameters
        ----------
        environment : mapping of str to str, optional
            The variables; those of the process if it is not given.

        Raises
        ------
        InvalidArgumentError
            If a variable holds what it cannot mean.
        """
        env = os.environ if environment is None else environment
        folder = env.get(CACHE_DIR, "").strip()
        only = _names(env.get(BACKENDS, ""), BACKENDS)
        return cls(
            strict=is_on(env.get(STRICT)),
            cache_dir=Path(folder) if folder else None,
            backends=only or None,
            disabled=_names(env.get(DISABLE, ""), DISABLE),
        )

    @property
    def cache_path(self) -> Path:
        """Folder of what is kept between runs; it need not exist yet."""
        if self.cache_dir is not None:
            return self.cache_dir
        import platformdirs  # takes as long to import as this package

        return platformdirs.user_cache_path("unshape", appauthor=False)

    def why_disabled(self, name: str) -> str | None:
        """Return which setting keeps a backend closed, None if none does.

        Parameters
        ----------
        name : str
            A family or an id.
        """
        names = {name, family(BackendId(name))}
        if names & set(self.disabled):
            return f"{DISABLE} names it"
        if self.backends is not None and REFERENCE not in names and not names & set(self.backends):
            return f"{BACKENDS} does not name it"
        return None


def _names(text: str, variable: str) -> tuple[str, ...]:
    names = tuple(part.strip() for part in text.split(",") if part.strip())
    for name in names:
        try:
            parse_backend_id(name)
        except InvalidArgumentError as error:
            msg = f"{variable}: {error}; separate several names by commas"
            raise InvalidArgumentError(msg) from error
    return names
