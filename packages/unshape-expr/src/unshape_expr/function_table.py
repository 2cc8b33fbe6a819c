"""The functions that a text may call: the built-in ones, those of installed packages, and those of scripts."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from unshape_expr.builtins_in_text import BUILTINS, Builtin
from unshape_expr.common import COMMON_FUNCTIONS
from unshape_expr.errors import ExpressionError
from unshape_expr.functions import Function

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINT_GROUP = "unshape.functions"
"""Packages name an iterable of functions, or a callable that returns one, under this group."""

_logger = logging.getLogger("unshape_expr")


class FunctionTable:
    """Functions by name; safe to use from several threads.

    Parameters
    ----------
    plugins : callable
        Gives the entry points to load on first use; the installed ones by default.
    """

    def __init__(self, *, plugins: Callable[[], Iterable[EntryPoint]] | None = None) -> None:
        from unshape_expr.math_functions import MATH_FUNCTIONS

        self._pending = [plugins if plugins is not None else _installed]
        self._lock = threading.RLock()
        self._are_plugins_loaded = False
        self._overloads: dict[str, tuple[Function, ...]] = {}
        for function in (*COMMON_FUNCTIONS, *MATH_FUNCTIONS):
            self._add(function)

    def register(self, function: Function) -> Function:
        """Make a function callable from text; one of the same name and first parameter type is replaced.

        Raises
        ------
        ExpressionError
            If the name is one of the language, or the definition is wrong.
        """
        if function.name in BUILTINS:
            msg = f"function {function.name!r}: the language has an operation of that name; choose another"
            raise ExpressionError(msg)
        _ = function.kernel  # so that a wrong definition is reported here, not where it is used
        with self._lock:
            self._add(function)
        return function

    def _add(self, function: Function) -> None:
        others = [f for f in self._overloads.get(function.name, ()) if f.qualified_name != function.qualified_name]
        self._overloads[function.name] = (*others, function)

    def find(self, name: str) -> Builtin | tuple[Function, ...] | None:
        """Return the operation of the language or the overloads of that name, None if there is none."""
        self._load_plugins()
        return BUILTINS.get(name) or self._overloads.get(name)

    def find_qualified(self, qualified_name: str) -> Function | None:
        """Return the function of that qualified name, for files."""
        return next((f for f in self.functions() if f.qualified_name == qualified_name), None)

    def functions(self) -> tuple[Function, ...]:
        """Return every function, by name."""
        self._load_plugins()
        with self._lock:
            return tuple(f for name in sorted(self._overloads) for f in self._overloads[name])

    def names(self) -> list[str]:
        """Return every name that can be called."""
        return sorted({*BUILTINS, *(f.name for f in self.functions())})

    def _load_plugins(self) -> None:
        if self._are_plugins_loaded:
            return
        with self._lock:
            # A second thread, and a package that parses text while it is imported, find nothing left to load.
            if self._pending:
                for plugin in self._pending.pop()():
                    self._load(plugin)
                self._are_plugins_loaded = True

    def _load(self, plugin: EntryPoint) -> None:
        try:
            found = plugin.load()
            for function in list(found() if callable(found) else found):
                self.register(function)
        except Exception as error:
            _logger.warning(
                "functions of entry point %r (%s) are not available: %s: %s",
                plugin.name,
                plugin.value,
                type(error).__name__,
                error,
            )


def _installed() -> Iterable[EntryPoint]:
    from importlib.metadata import entry_points

    return entry_points(group=ENTRY_POINT_GROUP)


_default: FunctionTable | None = None
_default_lock = threading.Lock()


def default_functions() -> FunctionTable:
    """Return the table that is used where none is given, made on first use."""
    global _default  # noqa: PLW0603 - the one default registry
    if _default is None:
        with _default_lock:
            if _default is None:
                _default = FunctionTable()
    return _default
