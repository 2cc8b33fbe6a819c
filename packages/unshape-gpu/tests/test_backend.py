"""The backend is found by its entry point; the suites of test_conformance.py find it in the same way."""

from __future__ import annotations

from importlib.metadata import entry_points


def test_the_entry_point_names_the_function_that_opens_the_backend() -> None:
    (point,) = entry_points(group="unshape.backends", name="gpu")
    assert callable(point.load())
