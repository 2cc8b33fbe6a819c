"""Whether a backend can be used, and if not, why and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class UnavailableReason(StrEnum):
    """Why a backend cannot be used."""

    NOT_INSTALLED = "not installed"
    NOT_BUILT = "not built"
    NO_DRIVER = "no driver"
    NO_DEVICE = "no device"
    FAILED_TO_OPEN = "failed to open"
    FAILED_SELF_TEST = "failed its self-test"
    DISABLED = "disabled"
    NOT_OPENED = "not opened"


@dataclass(frozen=True, slots=True)
class Available:
    """The backend ran a tiny kernel and gave the right result."""

    def __str__(self) -> str:
        return "available"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unavailable:
    """The backend cannot be used.

    Parameters
    ----------
    reason : UnavailableReason
        The class of reason.
    detail : str
        What was tried and what answered, one sentence.
    remedy : str
        A command or setting that can be pasted; empty if there is none.
    """

    reason: UnavailableReason
    detail: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}" + (f"; {self.remedy}" if self.remedy else "")


Availability: TypeAlias = Available | Unavailable
