"""Writing that leaves the old file or the whole new one, never a part."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a name beside ``path`` to write a file or folder to; it takes the place of ``path`` if all went well.

    The name has the same suffix. A link is followed: what it points to is replaced, with its mode.

    Raises
    ------
    OSError
        If the folder does not exist, or cannot be written to.
    """
    target = Path(path).resolve()
    if not target.parent.is_dir():
        raise FileNotFoundError(2, f"the folder {target.parent} does not exist; make it first", str(path))
    temporary = target.with_name(f".{target.stem}.{secrets.token_hex(8)}{target.suffix}")
    try:
        yield temporary
        _put_in_place(temporary, target)
    finally:
        _remove(temporary)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file in UTF-8, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _put_in_place(temporary: Path, target: Path) -> None:
    if not target.is_dir():
        if target.exists() and temporary.is_file():
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


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
