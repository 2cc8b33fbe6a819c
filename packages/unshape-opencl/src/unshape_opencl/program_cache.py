"""Compiled programs on disk, in the user's cache folder: one file each.

A file begins with a mark, the version of this format and a digest of what follows, and its name holds the digest of
source, options and device. A file that is damaged, of another version or not accepted by the driver costs one warning
for all of them, and is made anew. A folder that cannot be written costs the same.
"""

from __future__ import annotations

import logging
import threading
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from unshape_core.atomic_file import replacing

MARK = b"unshape-opencl-program\x001"
DIGEST_BYTES = 16
MAX_BYTES = 256 * 1024 * 1024
"""Older programs are removed when all of them are larger than this."""
TIDY_BYTES = 16 * 1024 * 1024
"""After so much has been written, and with the first program that a process writes, the folder is looked through."""
_log = logging.getLogger("unshape_opencl")


class ProgramCache:
    """Compiled programs of one device.

    Parameters
    ----------
    folder : Path or None
        Where they are; None keeps nothing.
    fingerprint : str
        Of the device and its driver.
    """

    def __init__(self, folder: Path | None, fingerprint: str) -> None:
        self._folder = folder
        self._fingerprint = fingerprint
        self._has_warned = False
        self._untidied_bytes = TIDY_BYTES
        self._lock = threading.Lock()

    def name(self, text: str, options: str) -> str:
        """Return the name of a program's file."""
        content = "\0".join((self._fingerprint, options, text)).encode()
        return f"{blake2b(content, digest_size=DIGEST_BYTES).hexdigest()}.clbin"

    def load(self, name: str) -> bytes | None:
        """Return a program, None if it is not there or damaged."""
        if self._folder is None:
            return None
        try:
            content = (self._folder / name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self._warn(f"{name}: {error}")
            return None
        head = len(MARK) + DIGEST_BYTES
        binary = content[head:]
        if content[: len(MARK)] != MARK or content[len(MARK) : head] != _digest(binary) or not binary:
            self.reject(name, "it is damaged")
            return None
        return binary

    def save(self, name: str, binary: bytes) -> None:
        """Keep a program."""
        if self._folder is None:
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with replacing(self._folder / name) as temporary:
                temporary.write_bytes(MARK + _digest(binary) + binary)
            self._untidied_bytes += len(binary)
            if self._untidied_bytes >= TIDY_BYTES:
                self._untidied_bytes = 0
                self._tidy(self._folder)
        except OSError as error:
            self._warn(f"{name}: {error}")

    def reject(self, name: str, why: str) -> None:
        """Drop a program that cannot be used, with the first warning of this cache."""
        self._warn(f"{name}: {why}")
        if self._folder is not None:
            (self._folder / name).unlink(missing_ok=True)

    def _tidy(self, folder: Path) -> None:
        """Remove the oldest programs of a folder that has grown too large."""
        facts = []
        for path in folder.glob("*.clbin"):
            with suppress(FileNotFoundError):  # another process tidies as well
                facts.append((path, path.stat()))
        kept = 0
        for path, fact in sorted(facts, key=lambda each: -each[1].st_mtime_ns):
            kept += fact.st_size
            if kept > MAX_BYTES:
                path.unlink(missing_ok=True)

    def _warn(self, what: str) -> None:
        with self._lock:
            has_warned, self._has_warned = self._has_warned, True
        if not has_warned:
            _log.warning("compiled programs in %s: %s; they are compiled anew where needed", self._folder, what)


def _digest(binary: bytes) -> bytes:
    return blake2b(binary, digest_size=DIGEST_BYTES).digest()
