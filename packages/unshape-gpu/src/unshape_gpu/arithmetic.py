"""How shaders of one device have to be written to give the promised bits.

WGSL lets a compiler contract a product and a sum, reassociate, and divide loosely, and has no switch against it. So a
shader is written such that a compiler cannot: what must not be merged is computed with numbers that are known at run
time only (``k_mul``, ``k_add`` and ``k_ex`` in ``wgsl/``). How much of that a device needs is found out by the
self-test when it opens.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Shielding(StrEnum):
    """Which results are made opaque to the operation that takes them; each is a file ``wgsl/rounded_*.wgsl``."""

    NONE = "none"  # for precision="fast"
    SUMS = "sums"  # products and sums, at no cost: against contraction, reassociation and folding
    ALL = "all"  # every float32 result and literal, by an operation each: against compilers that rewrite anything


@dataclass(frozen=True, slots=True, kw_only=True)
class Arithmetic:
    """How float32 operations are written.

    Parameters
    ----------
    shielding : Shielding
        What is made opaque.
    corrects_division, corrects_root : bool
        Whether the device's quotients and roots are corrected to the nearest float32.
    """

    shielding: Shielding
    corrects_division: bool
    corrects_root: bool

    @property
    def key(self) -> str:
        """Short text that tells arithmetics apart, for caches and explanations."""
        division = "corrected" if self.corrects_division else "plain"
        root = "corrected" if self.corrects_root else "plain"
        return f"shielded={self.shielding}, division={division}, root={root}"


FAST = Arithmetic(shielding=Shielding.NONE, corrects_division=False, corrects_root=False)
"""What ``precision="fast"`` allows."""

LEVELS = (Shielding.SUMS, Shielding.ALL)
"""What the self-test chooses from, cheapest first."""
