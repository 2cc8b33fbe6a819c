"""Writing that leaves the old file or the whole new one, never a part."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a name beside ``path`` to write a file or folder to; it takes the place of ``path`` if all went well.

    The name has the same suffix. A link is followed: what it points to is replaced, with its mode. A device, a pipe or
    a socket is not replaced but written to, once the whole file is there.

    Raises
    ------
    OSError
        If the folder does not exist or cannot be written to, or if a file would take the place of a folder.
    """
    check_place(path)
    try:
        with _draft_of(Path(path)) as draft:
            yield draft
    except OSError as error:
        if error.filename is None:  # a full disk does not say where
            error.filename = str(path)
        raise


def check_place(path: str | os.PathLike[str]) -> None:
    """Check that a file may be written there, before time is spent on what it will hold.

    Raises
    ------
    OSError
        If the folder does not exist.
    """
    folder = Path(path).resolve().parent
    if not folder.is_dir() and not _is_special(Path(path)):
        raise FileNotFoundError(errno.ENOENT, f"the folder {folder} does not exist; make it first", str(path))


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file in UTF-8, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


@contextmanager
def _draft_of(path: Path) -> Iterator[Path]:
    if _is_special(path):
        with TemporaryDirectory() as folder:
            draft = Path(folder) / path.name
            yield draft
            with draft.open("rb") as source, path.open("wb") as sink:
                shutil.copyfileobj(source, sink)
        return
    target = path.resolve()
    draft = target.with_name(f".{target.stem}.{secrets.token_hex(8)}{target.suffix}")
    try:
        yield draft
        _put_in_place(draft, target)
    finally:
        _remove(draft)


def _is_special(path: Path) -> bool:
    """Return whether something is there that is neither a file nor a folder, such as ``/dev/stdout``."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _put_in_place(temporary: Path, target: Path) -> None:
    if target.is_dir() and not temporary.is_dir():
        raise IsADirectoryError(errno.EISDIR, "a folder is in its place; choose another name", str(target))
    if not target.is_dir():
        if temporary.is_file():
            _flush_to_disk(temporary)
            if target.exists():
                temporary.chmod(target.stat().st_mode & 0o777)
        temporary.replace(target)
        return
    # A folder cannot be replaced in one step: the old one goes aside and comes back if the new one does not arrive.
    aside = target.with_name(f".{target.stem}.{secrets.token_hex(8)}.old")
    target.rename(aside)
    try:
        temporary.rename(target)
    except OSError:
        aside.rename(target)
        raise
    shutil.rmtree(aside)


def _flush_to_disk(path: Path) -> None:
    """Wait until the contents are stored: after a power failure a name must not stand for a file that is empty."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
