"""Distributions that are installed for one test: real metadata and modules in a folder of their own."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

_NOTHING: Mapping[str, str] = MappingProxyType({})
_NO_GROUPS: Mapping[str, Mapping[str, str]] = MappingProxyType({})


class Installation:
    """A folder on ``sys.path`` into which a test installs distributions.

    Parameters
    ----------
    folder : Path
        The folder; made if it is not there.

    Examples
    --------
    >>> import tempfile
    >>> from importlib.metadata import version
    >>> with tempfile.TemporaryDirectory() as folder, Installation(Path(folder)) as site:
    ...     site.install("unshape-example", modules={"unshape_example_module": "answer = 42"})
    ...     version("unshape-example")
    '1.0'
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._modules: list[str] = []

    def __enter__(self) -> Installation:
        self._folder.mkdir(parents=True, exist_ok=True)
        sys.path.insert(0, str(self._folder))
        return self

    def __exit__(self, *error: object) -> None:
        sys.path.remove(str(self._folder))
        for name in self._modules:
            sys.modules.pop(name, None)
        importlib.invalidate_caches()

    def install(
        self,
        distribution: str,
        *,
        entry_points: Mapping[str, Mapping[str, str]] = _NO_GROUPS,
        modules: Mapping[str, str] = _NOTHING,
        metadata: str = "",
    ) -> None:
        """Install a distribution of version 1.0.

        Parameters
        ----------
        distribution : str
            Its name.
        entry_points : mapping of group to mapping of name to value
            What it brings.
        modules : mapping of str to str
            Names and sources of its modules.
        metadata : str
            Further lines of its metadata.
        """
        info = self._folder / f"{distribution.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n{metadata}")
        groups = [
            "\n".join((f"[{group}]", *(f"{name} = {value}" for name, value in points.items())))
            for group, points in entry_points.items()
        ]
        (info / "entry_points.txt").write_text("\n".join(groups))
        for name, source in modules.items():
            (self._folder / f"{name}.py").write_text(source)
            self._modules.append(name)
        importlib.invalidate_caches()
