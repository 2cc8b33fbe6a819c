"""The entry of the command line: finds the verb, runs it, turns errors into one sentence and an exit code.

Exit codes: 0 done; 1 it could not be done (the sentence says why and what to do); 2 the command line was not
understood.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Protocol, cast

from unshape_core.errors import Cancelled, UnshapeError

VERBS = ("info", "doctor", "nodes", "render", "explain", "compare", "calibrate", "bench")

_EXIT_ERROR = 1
_EXIT_USAGE = 2
_EXIT_INTERRUPTED = 130


class Verb(Protocol):
    """A module of this folder."""

    HELP: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verb's arguments."""

    def run(self, options: argparse.Namespace) -> int:
        """Do it and return the exit code."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code.

    Parameters
    ----------
    arguments : sequence of str or None
        Without the program's name; None takes ``sys.argv``.
    """
    parser = _parser()
    try:
        options = parser.parse_args(arguments)
    except SystemExit as stop:  # argparse has printed its sentence
        return stop.code if isinstance(stop.code, int) else _EXIT_USAGE
    if options.verb is None:
        parser.print_help(sys.stderr)
        return _EXIT_USAGE
    logging.basicConfig(
        level=logging.DEBUG if options.verbose else logging.WARNING, format="%(levelname)s: %(message)s", force=True
    )
    try:
        code = cast(int, options.run(options))
        sys.stdout.flush()
    except (Cancelled, KeyboardInterrupt):
        print("unshape: interrupted", file=sys.stderr)
        return _EXIT_INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has closed it: that is not an error, but Python must not flush again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (UnshapeError, OSError, MemoryError) as error:
        if options.verbose:
            logging.getLogger("unshape").debug("traceback", exc_info=True)
        print(f"unshape: {_sentence(error)}", file=sys.stderr)
        return _EXIT_ERROR
    else:
        return code


def _sentence(error: BaseException) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror or type(error).__name__}"
    return " ".join(str(error).splitlines()) or type(error).__name__


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="unshape", description="Graphs of typed nodes, run on the best backend that is installed."
    )
    parser.add_argument("--version", action=_Version, help="print the version and exit")
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--verbose", action="store_true", help="log what happens; tracebacks of errors")
    verbs = parser.add_subparsers(metavar="VERB", dest="verb")
    for name in VERBS:
        verb = cast(Verb, import_module(f"unshape.cli.{name}"))
        child = verbs.add_parser(name, help=verb.HELP, description=verb.HELP, parents=[shared])
        verb.add_arguments(child)
        child.set_defaults(run=verb.run)
    return parser


class _Version(argparse.Action):
    """Read the version only when it is asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:  # noqa: A002 (argparse's name)
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,  # noqa: ARG002
        values: object,  # noqa: ARG002
        option_string: str | None = None,  # noqa: ARG002
    ) -> None:
        from importlib.metadata import version

        print(f"unshape {version('unshape')}")
        parser.exit()
