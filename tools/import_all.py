"""Import every module of the named packages, and say which one cannot be imported and why.

Run in an environment that holds only what a package declares, this finds every undeclared dependency.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
from collections.abc import Iterator, Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Import all modules; 0 if every one could be imported, 1 otherwise."""
    parser = argparse.ArgumentParser(prog="python -m tools.import_all", description=__doc__)
    parser.add_argument("packages", nargs="+", metavar="PACKAGE", help="import name, e.g. unshape_core")
    options = parser.parse_args(arguments)
    names = [name for package in options.packages for name in module_names(package)]
    failed = [name for name in names if not _imports(name)]
    print(f"{len(names) - len(failed)} of {len(names)} modules imported")
    return 1 if failed else 0


def module_names(package: str) -> Iterator[str]:
    """Yield the names of a package and of all modules below it, without running ``__main__``."""
    yield package
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
        if not module.name.endswith(".__main__"):
            yield module.name


def _imports(name: str) -> bool:
    try:
        importlib.import_module(name)
    except Exception as error:
        print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
        return False
    return True


if __name__ == "__main__":
    raise SystemExit(main())
