"""Value noise as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_expr.body import BodyInputs, SupportsBody
from unshape_expr.ir import Expr
from unshape_noise.kinds import VALUE
from unshape_noise.nodes.octaves import NoiseAt, NoisePicture, body_at, picture_body

if TYPE_CHECKING:
    from unshape_core.protocols import Node


@dataclass(frozen=True, slots=True)
class Value(NoisePicture):
    """Value noise: random values at lattice points, interpolated; blockier than Perlin noise.

    Parameters
    ----------
    scale : float, above 0, at most 1048576
        Lattice cells across the picture, along both axes.
    octaves : int, in [1, 30]
        How many noises of rising frequency are summed.
    persistence : float, in [0, 1]
        Amplitude of each octave relative to the one before.
    lacunarity : float, in [1, 8]
        Frequency of each octave relative to the one before.
    seed : int
        Which noise; taken modulo 2**32 after the evaluation's seed is added.
    mode : {"fbm", "ridged", "billow"}
        How octaves are summed: plain, with sharp crests, with round bumps.
    offset_x, offset_y : float, in [-1048576, 1048576]
        Moves the picture over the noise, in cells.
    dimensions : {2, 3}
        Whether the noise has a third coordinate, of which the picture is a slice.
    z : float, in [-1048576, 1048576]
        The third coordinate, in cells.
    speed : float, in [-1048576, 1048576]
        Cells by which the third coordinate grows in a second.
    tileable : bool
        Whether the left edge continues the right one and the upper the lower one; scale and lacunarity must be whole
        numbers then.

    Examples
    --------
    >>> plots = Value(scale=8.0, seed=3)
    """

    type_name: ClassVar[str] = "noise::Value"

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the noise at ``uv*scale + offset``."""
        del inputs
        return picture_body(VALUE, self)


@dataclass(frozen=True, slots=True)
class ValueAt(NoiseAt):
    """Value noise at the positions that a picture holds, for warped and projected coordinates.

    Parameters
    ----------
    scale : float, above 0, at most 1048576
        Lattice cells in a unit of position.
    octaves : int, in [1, 30]
        How many noises of rising frequency are summed.
    persistence : float, in [0, 1]
        Amplitude of each octave relative to the one before.
    lacunarity : float, in [1, 8]
        Frequency of each octave relative to the one before.
    seed : int
        Which noise; taken modulo 2**32 after the evaluation's seed is added.
    mode : {"fbm", "ridged", "billow"}
        How octaves are summed: plain, with sharp crests, with round bumps.

    Examples
    --------
    >>> plots = ValueAt(scale=8.0)
    """

    type_name: ClassVar[str] = "noise::ValueAt"

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the noise at ``position*scale``."""
        return body_at(VALUE, self, inputs)


if TYPE_CHECKING:
    _proof: tuple[type[Node], type[SupportsBody], type[Node], type[SupportsBody]] = (
        Value,
        Value,
        ValueAt,
        ValueAt,
    )
