"""Locks that a forked child can take.

A lock that some other thread held at the moment of a fork stays locked in the child for ever. Objects with locks are
renewed in the child instead, so that nothing hangs.
"""

from __future__ import annotations

import os
import weakref
from functools import cache
from typing import Protocol


class SupportsRenewal(Protocol):
    """An object that can make itself usable in a forked child."""

    def renew_after_fork(self) -> None:
        """Replace locks, and drop whatever another thread may have left half done."""


def renew_in_children(owner: SupportsRenewal) -> None:
    """Have an object renewed in every child that this process forks from now on, as long as it lives."""
    _owners().add(owner)


@cache
def _owners() -> weakref.WeakSet[SupportsRenewal]:
    owners: weakref.WeakSet[SupportsRenewal] = weakref.WeakSet()

    def renew_all() -> None:
        for owner in list(owners):
            owner.renew_after_fork()

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=renew_all)
    return owners
