"""Writing that leaves the old file or the whole new one, never a part."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from unshape_image.files.errors import ImageFileError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a name beside ``path`` to write a file or folder to; it takes the place of ``path`` if all went well.

    The name has the same suffix. A link is followed: what it points to is replaced.

    Raises
    ------
    ImageFileError
        If the folder does not exist or cannot be written to.
    """
    target = path.resolve()
    if not target.parent.is_dir():
        raise ImageFileError(path, f"the folder {target.parent} does not exist; make it first")
    temporary = target.with_name(f".{target.stem}.{secrets.token_hex(4)}{target.suffix}")
    try:
        yield temporary
        _put_in_place(temporary, target)
    except OSError as error:
        raise ImageFileError(path, f"cannot be written: {error.strerror or error}") from error
    finally:
        _remove(temporary)


def _put_in_place(temporary: Path, target: Path) -> None:
    if not target.is_dir():
        temporary.replace(target)
        return
    # A folder cannot be replaced in one step: the old one goes aside and comes back if the new one does not arrive.
    aside = target.with_name(f".{target.stem}.{secrets.token_hex(4)}.old")
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
