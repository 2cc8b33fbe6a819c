"""Simplex noise as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_expr.body import BodyInputs, SupportsBody
from unshape_expr.ir import Expr
from unshape_noise.kinds import SIMPLEX
from unshape_noise.nodes.octaves import NoiseAt, NoisePicture, body_at, picture_body

if TYPE_CHECKING:
    from unshape_core.protocols import Node


@dataclass(frozen=True, slots=True)
class Simplex(NoisePicture):
    """Simplex noise: gradient noise on triangles (in 3-D tetrahedra), without the square lattice of Perlin noise.

    Parameters
    ----------
    scale : float, above 0, at most 1048576
        Units across the picture, along both axes; one is about as wide as a cell of Perlin noise.
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
        Moves the picture over the noise, in units.
    dimensions : {2, 3}
        Whether the noise has a third coordinate, of which the picture is a slice.
    z : float, in [-1048576, 1048576]
        The third coordinate, in units.
    speed : float, in [-1048576, 1048576]
        Units by which the third coordinate grows in a second.
    tileable : bool
        Whether the left edge continues the right one and the upper the lower one; scale and lacunarity must be whole
        numbers then.

    Examples
    --------
    >>> lava = Simplex(scale=6.0, dimensions=3, speed=0.5)
    """

    type_name: ClassVar[str] = "noise::Simplex"

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the noise at ``uv*scale + offset``."""
        del inputs
        return picture_body(SIMPLEX, self)


@dataclass(frozen=True, slots=True)
class SimplexAt(NoiseAt):
    """Simplex noise at the positions that a picture holds, for warped and projected coordinates.

    Parameters
    ----------
    scale : float, above 0, at most 1048576
        Units of noise in a unit of position.
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
    >>> folds = SimplexAt(scale=5.0, octaves=4)
    """

    type_name: ClassVar[str] = "noise::SimplexAt"

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the noise at ``position*scale``."""
        return body_at(SIMPLEX, self, inputs)


if TYPE_CHECKING:
    _proof: tuple[type[Node], type[SupportsBody], type[Node], type[SupportsBody]] = (
        Simplex,
        Simplex,
        SimplexAt,
        SimplexAt,
    )
