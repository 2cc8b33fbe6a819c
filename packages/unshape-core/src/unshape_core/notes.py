"""What whoever runs a step has to say of it, for its record.

A runner that did something else than planned says so: :func:`add_note` for a remark (it took a slower way), and
:func:`note_backend` for who ran the step in the end, if it was not who was chosen. A device that measures its own work
hands over what will tell: :func:`note_device_time`. Who copies an input that lies otherwise than it takes it says how
much: :func:`note_copy`. All are for the record of the step that is running in this thread,
and are dropped if no records are kept; :func:`wants_device_time` says whether measuring is worth anything.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unshape_core.device_time import TimeReader


@dataclass(slots=True)
class StepNotes:
    """What was said of a step.

    Attributes
    ----------
    remarks : list of str
        In the order they were made.
    backend : str or None
        Who ran it; None stands for whom the program names.
    device_times : list of TimeReader
        What tells how long devices worked for it.
    copied_bytes : int
        Bytes of inputs that were copied.
    """

    remarks: list[str] = field(default_factory=list)
    backend: str | None = None
    device_times: list[TimeReader] = field(default_factory=list)
    copied_bytes: int = 0


_current: ContextVar[StepNotes | None] = ContextVar("unshape_core_notes", default=None)


def add_note(text: str) -> None:
    """Add a remark to the record of the running step; without one it is dropped."""
    notes = _current.get()
    if notes is not None:
        notes.remarks.append(text)


def note_backend(backend: str) -> None:
    """Say who runs the running step instead of whom the program names; what a device did before counts no more."""
    notes = _current.get()
    if notes is not None:
        notes.backend = backend
        notes.device_times.clear()


def note_copy(nbytes: int) -> None:
    """Say that an input of the running step was copied because it lies otherwise than it is taken."""
    notes = _current.get()
    if notes is not None:
        notes.copied_bytes += nbytes


def wants_device_time() -> bool:
    """Return whether anybody wants to know how long a device works for the running step."""
    return _current.get() is not None


def note_device_time(read: TimeReader) -> None:
    """Hand over what tells how long a device works for the running step; nothing waits before somebody asks.

    Called once for each piece of work (a kernel, a copy); their times are added up.

    Parameters
    ----------
    read : TimeReader
        Returns nanoseconds, or None if the device cannot tell. It is kept as long as the record and should hold no more
        than it needs.
    """
    notes = _current.get()
    if notes is not None:
        notes.device_times.append(read)


def start_notes(notes: StepNotes | None) -> None:
    """Collect what is said in this thread from now on, or stop it."""
    _current.set(notes)
