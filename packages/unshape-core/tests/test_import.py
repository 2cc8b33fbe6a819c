"""Importing: cheap, and without effects."""

from __future__ import annotations

import subprocess
import sys

import unshape_core


def _modules_after(code: str) -> set[str]:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys, numpy\nbefore = set(sys.modules)\n{code}\nprint(*set(sys.modules) - before)",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_importing_loads_no_json_library_and_scans_no_entry_point() -> None:
    loaded = _modules_after("import unshape_core")
    assert "unshape_core.evaluator" in loaded
    assert not {"msgspec", "xxhash", "importlib.metadata", "asyncio", "html", "base64", "pathlib", "logging"} & loaded


def test_check_finds_a_module_that_was_loaded() -> None:
    assert "msgspec" in _modules_after("import unshape_core, msgspec")


def test_importing_starts_no_thread_and_registers_nothing() -> None:
    code = (
        "import atexit, threading\ncount = atexit._ncallbacks()\nimport unshape_core\n"
        "assert threading.active_count() == 1\nassert atexit._ncallbacks() == count"
    )
    assert "unshape_core" in _modules_after(code)


def test_every_public_name_is_there_and_in_order() -> None:
    for name in unshape_core.__all__:
        assert getattr(unshape_core, name) is not None
    assert len(set(unshape_core.__all__)) == len(unshape_core.__all__)
