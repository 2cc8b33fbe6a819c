"""Law 22: fork, spawn, threads, cancellation and exit give right results or typed errors, in seconds.

Each program runs in an interpreter of its own, so that one that hangs or dies is seen from outside.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unshape_backend.protocols import ComputeBackend

LIMIT_S = 60
PROGRAMS = ("exit-with-work-in-flight", "fork", "spawn", "threads")


def check_program(program: str, open_backend: Callable[[], ComputeBackend]) -> None:
    """Law 22: run one of :data:`PROGRAMS` on a backend in a fresh interpreter.

    Parameters
    ----------
    program : str
        What is tried.
    open_backend : callable
        A function or class method that can be imported by its name.
    """
    module, name = open_backend.__module__, open_backend.__qualname__
    owner = getattr(open_backend, "__self__", None)
    if owner is not None:
        module, name = owner.__module__, f"{owner.__qualname__}.{open_backend.__name__}"
    file = getattr(sys.modules[module], "__file__", None) or ""
    command = [sys.executable, "-m", "unshape_testing.laws.programs", program, module, name, file]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
            env={**os.environ, "PYTHONWARNINGS": ""},
        )
    except subprocess.TimeoutExpired as error:
        msg = f"{program}: still running after {LIMIT_S} s; it said {error.stderr!r}"
        raise AssertionError(msg) from error
    assert done.returncode == 0, f"{program}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    assert done.stdout.split() == ["right"], f"{program}: expected a right result, got {done.stdout!r}"
