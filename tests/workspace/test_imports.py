"""Importing has no effect: no backend library, no entry-point scan, no thread, and little time."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any

import pytest

from tools.members import Member, closure, find_members, find_optional_backends, requirement_name

MEMBERS = find_members()
GENEROUS_NS = 500_000_000
each_member = pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.distribution)

# Device and compiler libraries under the name they are imported by; those that backends of the workspace
# declare are added to them.
KNOWN_LIBRARIES = frozenset({"cffi", "_cffi_backend", "cupy", "dask", "llvmlite", "numba", "pyopencl", "torch", "wgpu"})

FORBID_SCAN = """
import importlib.metadata
def scan(*arguments, **keywords):
    raise AssertionError("import scanned entry points")
importlib.metadata.entry_points = scan
importlib.metadata.distributions = scan
"""


def test_importing_unshape_loads_no_backend_library() -> None:
    loaded = {name.partition(".")[0] for name in evaluate("import sys, unshape", "sorted(sys.modules)")}
    optional = find_optional_backends(MEMBERS)
    brought = closure("unshape", members=MEMBERS)
    own = {name for m in MEMBERS if m.distribution in brought for name in map(requirement_name, m.dependencies)}
    libraries = {name.replace("-", "_") for m in optional for name in map(requirement_name, m.dependencies)}
    libraries -= {name.replace("-", "_") for name in own}
    libraries |= {member.import_name for member in optional} | KNOWN_LIBRARIES
    assert "unshape" in loaded
    assert loaded.isdisjoint(libraries), f"import unshape loads {sorted(loaded & libraries)}"


@each_member
def test_importing_a_member_scans_no_entry_point(member: Member) -> None:
    if member.distribution == "unshape-testing":
        # pytest and Hypothesis read their own plugins when they are imported; the scan is theirs.
        program = f"import hypothesis, pytest\n{FORBID_SCAN}\nimport {member.import_name}"
    else:
        program = f"{FORBID_SCAN}\nimport {member.import_name}"
    assert evaluate(program, "True") is True


def test_an_entry_point_scan_is_noticed() -> None:
    with pytest.raises(subprocess.CalledProcessError):
        evaluate(f"{FORBID_SCAN}\nfrom importlib.metadata import entry_points\nentry_points(group='x')", "True")


@each_member
def test_importing_a_member_starts_no_thread(member: Member) -> None:
    threads = evaluate(f"import threading, {member.import_name}", "threading.active_count()")
    assert threads == 1


def test_importing_unshape_is_quick() -> None:
    """The bound is generous: it is meant for busy machines; ``-X importtime`` shows the real figure."""
    program = "import numpy, time\nstart = time.perf_counter_ns()\nimport unshape\nend = time.perf_counter_ns()"
    fastest = GENEROUS_NS
    for _ in range(5):
        fastest = min(fastest, evaluate(program, "end - start"))
        if fastest < GENEROUS_NS // 5:
            break
        time.sleep(0.2)
    assert fastest < GENEROUS_NS


def evaluate(program: str, expression: str) -> Any:
    """Run a program in a fresh interpreter and return the value of an expression after it."""
    text = f"{program}\nimport json\nprint(json.dumps({expression}))"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)
