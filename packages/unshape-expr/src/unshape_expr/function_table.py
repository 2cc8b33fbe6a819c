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

    The definition of a plugin's function is looked at when a text calls it first: building all of them would take
    longer than many a picture.

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
        self._unchecked: dict[str, tuple[tuple[EntryPoint, Function], ...]] = {}  # of plugins, in order, by name
        for function in (*COMMON_FUNCTIONS, *MATH_FUNCTIONS):
            self._add(function)

    def register(self, function: Function) -> Function:
        """Make a function callable from text; one of the same name and first parameter type is replaced.

        Raises
        ------
        ExpressionError
            If the name is one of the language, or the definition is wrong.
        """
        _check_name(function)
        _ = function.kernel  # so that a wrong definition is reported here, not where it is used
        self._check(function.name)  # whose functions were there before
        with self._lock:
            self._add(function)
        return function

    def _add(self, function: Function) -> None:
        others = [f for f in self._overloads.get(function.name, ()) if f.qualified_name != function.qualified_name]
        self._overloads[function.name] = (*others, function)

    def find(self, name: str) -> Builtin | tuple[Function, ...] | None:
        """Return the operation of the language or the overloads of that name, None if there is none."""
        self._load_plugins()
        self._check(name)
        return BUILTINS.get(name) or self._overloads.get(name)

    def find_qualified(self, qualified_name: str) -> Function | None:
        """Return the function of that qualified name, for files."""
        for name in self._function_names():
            if qualified_name.startswith(name):
                self._check(name)
                for function in self._overloads.get(name, ()):
                    if function.qualified_name == qualified_name:
                        return function
        return None

    def functions(self) -> tuple[Function, ...]:
        """Return every function, by name."""
        for name in self._function_names():
            self._check(name)
        with self._lock:
            return tuple(f for name in sorted(self._overloads) for f in self._overloads[name])

    def names(self) -> list[str]:
        """Return every name that can be called."""
        return sorted({*BUILTINS, *self._function_names()})

    def _function_names(self) -> set[str]:
        self._load_plugins()
        with self._lock:
            return {*self._overloads, *self._unchecked}

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
                _check_name(function)
                self._unchecked[function.name] = (*self._unchecked.get(function.name, ()), (plugin, function))
        except Exception as error:
            _warn(plugin, "functions", "are", error)

    def _check(self, name: str) -> None:
        """Take those functions of a name into the table that plugins brought and whose definition is right."""
        if name not in self._unchecked:
            return
        checked = [(plugin, function, _why_wrong(function)) for plugin, function in self._unchecked.get(name, ())]
        with self._lock:
            if name not in self._unchecked:
                return  # another thread was faster
            for plugin, function, error in checked:
                if error is None:
                    self._add(function)
                else:
                    _warn(plugin, f"function {name!r}", "is", error)
            del self._unchecked[name]


def _check_name(function: Function) -> None:
    if function.name in BUILTINS:
        msg = f"function {function.name!r}: the language has an operation of that name; choose another"
        raise ExpressionError(msg)


def _why_wrong(function: Function) -> Exception | None:
    try:
        _ = function.kernel
    except Exception as error:  # whatever a plugin does, the others work
        return error
    return None


def _warn(plugin: EntryPoint, what: str, verb: str, error: Exception) -> None:
    _logger.warning(
        "%s of entry point %r (%s) %s not available: %s: %s",
        what,
        plugin.name,
        plugin.value,
        verb,
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
