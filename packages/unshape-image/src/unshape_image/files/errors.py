"""The errors of picture files.

::

    UnshapeError
    ├── ImageFileError (ValueError)       a file that is no picture we can read, or too large a one
    └── MissingExtraError (ImportError)   a format whose library is not installed
"""

from __future__ import annotations

from pathlib import Path

from unshape_core.errors import UnshapeError


class ImageFileError(UnshapeError, ValueError):
    """A picture file cannot be read or written.

    Attributes
    ----------
    path : Path
        The file.
    reason : str
        What is wrong with it.
    """

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason

    def __reduce__(self) -> tuple[object, ...]:
        return ImageFileError, (self.path, self.reason)


class MissingExtraError(UnshapeError, ImportError):
    """The library that a format needs is not installed.

    Attributes
    ----------
    extra : str
        The optional dependency that brings it.
    """

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional library; install it with: pip install 'unshape[{extra}]'")
        self.extra = extra
        self.what = what

    def __reduce__(self) -> tuple[object, ...]:
        return MissingExtraError, (self.what, self.extra)
