"""Remarks of whoever runs a step, for its record.

A runner that did something else than planned (fell back to another backend, took a slower way) says so with
:func:`add_note`; the remark appears in the record of the step that is running in this thread, if records are kept.
"""

from __future__ import annotations

from contextvars import ContextVar

_current: ContextVar[list[str] | None] = ContextVar("unshape_core_notes", default=None)


def add_note(text: str) -> None:
    """Add a remark to the record of the running step; without one it is dropped."""
    notes = _current.get()
    if notes is not None:
        notes.append(text)


def start_notes(notes: list[str] | None) -> None:
    """Collect the remarks of this thread from now on, or stop it."""
    _current.set(notes)
