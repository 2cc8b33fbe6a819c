"""What whoever runs a step has to say of it, for its record.

A runner that did something else than planned says so: :func:`add_note` for a remark (it took a slower way), and
:func:`note_backend` for who ran the step in the end, if it was not who was chosen. Both are for the record of the step
that is running in this thread, and are dropped if no records are kept.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass(slots=True)
class StepNotes:
    """What was said of a step.

    Attributes
    ----------
    remarks : list of str
        In the order they were made.
    backend : str or None
        Who ran it; None stands for whom the program names.
    """

    remarks: list[str] = field(default_factory=list)
    backend: str | None = None


_current: ContextVar[StepNotes | None] = ContextVar("unshape_core_notes", default=None)


def add_note(text: str) -> None:
    """Add a remark to the record of the running step; without one it is dropped."""
    notes = _current.get()
    if notes is not None:
        notes.remarks.append(text)


def note_backend(backend: str) -> None:
    """Say who runs the running step instead of whom the program names."""
    notes = _current.get()
    if notes is not None:
        notes.backend = backend


def start_notes(notes: StepNotes | None) -> None:
    """Collect what is said in this thread from now on, or stop it."""
    _current.set(notes)
