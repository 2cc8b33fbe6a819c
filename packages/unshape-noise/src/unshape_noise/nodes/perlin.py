"""Perlin noise as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_expr.body import BodyInputs, SupportsBody
from unshape_expr.ir import Expr
from unshape_noise.kinds import PERLIN
from unshape_noise.nodes.octaves import NoiseAt, NoisePicture, body_at, picture_body

if TYPE_CHECKING:
    from unshape_core.protocols import Node


@dataclass(frozen=True, slots=True)
class Perlin(NoisePicture):
    """Perlin (gradient) noise: smooth hills and valleys of one size, or of many with octaves.

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
    >>> hills = Perlin(scale=3.0, octaves=6, seed=7)
    """

    type_name: ClassVar[str] = "noise::Perlin"

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the noise at ``uv*scale + offset``."""
        del inputs
        return picture_body(PERLIN, self)


@dataclass(frozen=True, slots=True)
class PerlinAt(NoiseAt):
    """Perlin noise at the positions that a picture holds, for warped and projected coordinates.

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
    >>> folds = PerlinAt(scale=5.0, octaves=4)
    """

    type_name: ClassVar[str] = "noise::PerlinAt"

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the noise at ``position*scale``."""
        return body_at(PERLIN, self, inputs)


if TYPE_CHECKING:
    _proof: tuple[type[Node], type[SupportsBody], type[Node], type[SupportsBody]] = (
        Perlin,
        Perlin,
        PerlinAt,
        PerlinAt,
    )
