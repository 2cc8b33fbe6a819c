"""Self-tests that were passed, kept in the user's cache folder: one JSON file.

A result is found by everything that it depends on: device, driver, the library between, and the sources of what writes
shaders and of what says which bits are right. Only passed tests are kept; a device that failed is tested again. A file
that is damaged, of another version, or cannot be written costs one warning, and the tests are run as without it.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import blake2b
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from unshape_core.atomic_file import write_text
from unshape_gpu.arithmetic import Arithmetic, Shielding
from unshape_gpu.self_test import SelfTest

FORMAT_VERSION = 1
FILE_NAME = "gpu-self-tests.json"
MOST_RESULTS = 32
"""The oldest ones go; a machine has few devices, and of each the last few drivers matter."""
_SOURCES = ("unshape_expr", "unshape_gpu")
_MOST_BYTES = 1 << 20
_UNUSABLE = (OSError, ValueError, KeyError, TypeError, RecursionError)
_log = logging.getLogger("unshape_gpu")


class SelfTestStore:
    """Passed self-tests.

    Parameters
    ----------
    folder : Path
        The cache folder; need not exist.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self._has_warned = False

    def load(self, key: str) -> SelfTest | None:
        """Return a test that was passed before, None if it is not known."""
        try:
            entry = self._entries().get(key)
            return None if entry is None else _from_entry(entry)
        except _UNUSABLE as error:
            self._warn(error)
            return None

    def save(self, key: str, found: SelfTest) -> None:
        """Keep a test if it was passed."""
        if found.arithmetic is None:
            return
        try:
            entries = self._entries()
        except _UNUSABLE as error:
            self._warn(error)
            entries = {}
        entries.pop(key, None)
        entries[key] = _to_entry(found, found.arithmetic)
        kept = dict(list(entries.items())[-MOST_RESULTS:])
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_text(self._path, json.dumps({"version": FORMAT_VERSION, "passed": kept}, indent=1))
        except OSError as error:
            self._warn(error)

    def _entries(self) -> dict[str, Any]:
        try:
            if self._path.stat().st_size > _MOST_BYTES:
                msg = f"it is larger than {_MOST_BYTES} bytes"
                raise ValueError(msg)
            document = json.loads(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        if not isinstance(document, dict) or document.get("version") != FORMAT_VERSION:
            msg = f"expected an object of version {FORMAT_VERSION}"
            raise ValueError(msg)
        passed = document["passed"]
        if not isinstance(passed, dict):
            msg = f"expected an object of results, got {type(passed).__name__}"
            raise TypeError(msg)
        return passed

    def _warn(self, error: Exception) -> None:
        if not self._has_warned:
            self._has_warned = True
            name = type(error).__name__
            _log.warning("self-tests in %s: %s: %s; the device is tested anew", self._path, name, error)


def key_of(facts: Sequence[str]) -> str:
    """Return the name of a result: of what is known of a device, and of our sources as they are."""
    return blake2b("\0".join((*facts, _revision())).encode(), digest_size=16).hexdigest()


@cache
def _revision() -> str:
    """Return a digest of what writes shaders and says which bits are right."""
    digest = blake2b(digest_size=16)
    for package in _SOURCES:
        for name, file in _files(resources.files(package), package):
            digest.update(f"{name}\0".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _files(folder: Traversable, name: str) -> Iterator[tuple[str, Traversable]]:
    for each in sorted(folder.iterdir(), key=lambda each: each.name):
        below = f"{name}/{each.name}"
        if each.is_dir():
            yield from _files(each, below)
        elif below.endswith((".py", ".wgsl")):
            yield below, each


def _to_entry(found: SelfTest, arithmetic: Arithmetic) -> dict[str, Any]:
    return {
        "shielding": arithmetic.shielding.value,
        "corrects_division": arithmetic.corrects_division,
        "corrects_root": arithmetic.corrects_root,
        "keeps_denormals": found.keeps_denormals,
        "detail": found.detail,
    }


def _from_entry(entry: dict[str, Any]) -> SelfTest:
    arithmetic = Arithmetic(
        shielding=Shielding(entry["shielding"]),
        corrects_division=_truth(entry["corrects_division"]),
        corrects_root=_truth(entry["corrects_root"]),
    )
    detail = f"{entry['detail']}; passed at an earlier opening"
    keeps = _truth(entry["keeps_denormals"])
    return SelfTest(arithmetic=arithmetic, nearest=arithmetic, keeps_denormals=keeps, detail=detail)


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        msg = f"expected true or false, got {value!r}"
        raise TypeError(msg)
    return value
