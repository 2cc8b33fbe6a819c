"""``unshape doctor``: tries every installed backend on a small kernel and says what is missing and how to get it."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unshape.cli.arguments import add_json
from unshape.cli.output import format_ns, print_json, print_table

if TYPE_CHECKING:
    from importlib.metadata import Distribution

    from unshape_backend.identity import BackendId

HELP = "try every installed backend on a small kernel; say what is missing and the command that gets it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """How one backend did."""

    backend: str
    is_healthy: bool
    duration_ns: int | None
    detail: str
    remedy: str = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Try all and print the diagnosis; exit code 1 if an installed backend cannot be used."""
    from unshape_backend.availability import Unavailable, UnavailableReason
    from unshape_backend.registry import default_registry

    registry = default_registry()
    trials = [try_backend(entry.id) for entry in registry.snapshot().entries if entry.why_unusable() is None]
    tried = {trial.backend for trial in trials}
    is_ill = any(not trial.is_healthy for trial in trials)
    is_incomplete = False
    for name, availability in registry.availability().items():
        if name not in tried and isinstance(availability, Unavailable):
            is_incomplete |= availability.reason is UnavailableReason.NOT_INSTALLED
            is_ill |= availability.reason not in {UnavailableReason.NOT_INSTALLED, UnavailableReason.DISABLED}
            trials.append(
                Trial(
                    backend=name,
                    is_healthy=False,
                    duration_ns=None,
                    detail=f"{availability.reason}: {availability.detail}",
                    remedy=availability.remedy,
                )
            )
    if options.json:
        from unshape.cli.facts import plain

        print_json([plain(trial) for trial in trials])
        return 1 if is_ill else 0
    rows = [
        (
            trial.backend,
            "works" if trial.is_healthy else "-",
            "" if trial.duration_ns is None else format_ns(trial.duration_ns),
            trial.detail,
        )
        for trial in trials
    ]
    print_table(("backend", "state", "time", "detail"), rows)
    remedies = [f"  {trial.backend}: {trial.remedy}" for trial in trials if trial.remedy]
    if remedies:
        print("\nwhat would help:")
        print("\n".join(remedies))
        folder = clone_folder() if is_incomplete else None
        if folder is not None:
            print(f"unshape is installed in a clone, in {folder}: extras come from there, as its README says")
    return 1 if is_ill else 0


def clone_folder(found: Distribution | None = None) -> str | None:
    """Return the folder that unshape is installed from in editable form, where an index has none of its extras.

    Parameters
    ----------
    found : Distribution or None
        What is installed; None takes that of this environment. The record is that of PEP 610.
    """
    import json
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import unquote, urlsplit

    try:
        text = (found or distribution("unshape")).read_text("direct_url.json")
    except PackageNotFoundError:  # it runs from a folder on the path
        return None
    record = json.loads(text) if text else {}
    is_editable = record.get("dir_info", {}).get("editable", False)
    return unquote(urlsplit(record["url"]).path) if is_editable else None


def try_backend(backend_id: BackendId) -> Trial:
    """Run a small picture on one backend, strictly, and compare it with the definition."""
    import time

    import numpy as np

    from unshape.session import default_session
    from unshape_backend.difference import difference
    from unshape_backend.errors import SelectionError
    from unshape_core.context import EvalContext
    from unshape_core.errors import UnshapeError
    from unshape_core.graph import Graph
    from unshape_noise import Perlin

    session, ctx = default_session(), EvalContext(resolution=(32, 24))
    graph = Graph()
    node = graph.add_node(Perlin(scale=3.0, octaves=3, seed=1))
    try:
        # Evaluators of their own: values are kept by what they are, and a kept one of another backend would be found.
        reference = session.fresh_evaluator(policy="named:cpu")
        tried = session.fresh_evaluator(policy=f"named:{backend_id}", strict=True)
        expected = reference.evaluate(graph, [node], ctx).outputs[0][0]
        start_ns = time.perf_counter_ns()
        actual = tried.evaluate(graph, [node], ctx).outputs[0][0]
        found = difference(np.asarray(expected), np.asarray(actual))
        duration_ns = time.perf_counter_ns() - start_ns
    except SelectionError as error:  # it is honest: it may well run other nodes
        why = f"it cannot run {Perlin.type_name}, which is tried: {error.rejected.get(backend_id, error)}"
        return Trial(backend=backend_id, is_healthy=False, duration_ns=None, detail=why)
    except UnshapeError as error:
        return Trial(backend=backend_id, is_healthy=False, duration_ns=None, detail=str(error))
    if found.is_equal:
        return Trial(backend=backend_id, is_healthy=True, duration_ns=duration_ns, detail="bit for bit as defined")
    detail = f"{found.differing} of {found.elements} values differ, by at most {found.max_ulp} ulp"
    return Trial(backend=backend_id, is_healthy=found.max_8bit <= 1, duration_ns=duration_ns, detail=detail)
