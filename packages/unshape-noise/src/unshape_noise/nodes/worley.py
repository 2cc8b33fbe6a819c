"""Worley (cellular) noise as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_expr import build as e
from unshape_expr.body import BodyInputs, SupportsBody
from unshape_expr.ir import Expr
from unshape_noise.kinds import WORLEY
from unshape_noise.nodes.cells import check_cells
from unshape_noise.nodes.octaves import NoiseAt, NoisePicture, body_at, picture_body
from unshape_noise.worley import CellFeature, Metric

if TYPE_CHECKING:
    from unshape_core.protocols import Node


@dataclass(frozen=True, slots=True)
class Worley(NoisePicture):
    """Worley (cellular) noise: the distance to feature points, one in each cell; stones, scales, cracks.

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
    feature : {"f1", "f2", "f2_f1"}
        The distance to the nearest feature point, to the second nearest, or their difference.
    metric : {"euclidean", "manhattan", "chebyshev"}
        How distance is measured.
    jitter : float, in [0, 1]
        How far feature points leave the middle of their cells; 0 gives a square grid.

    Examples
    --------
    >>> cracks = Worley(scale=8.0, feature="f2_f1")
    """

    type_name: ClassVar[str] = "noise::Worley"

    feature: CellFeature = CellFeature.F1
    metric: Metric = Metric.EUCLIDEAN
    jitter: float = 1.0

    def __post_init__(self) -> None:
        NoisePicture.__post_init__(self)
        check_cells(self)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the noise at ``uv*scale + offset``."""
        del inputs
        return picture_body(WORLEY[self.feature, self.metric], self, e.literal(self.jitter))


@dataclass(frozen=True, slots=True)
class WorleyAt(NoiseAt):
    """Worley noise at the positions that a picture holds, for warped and projected coordinates.

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
    feature : {"f1", "f2", "f2_f1"}
        The distance to the nearest feature point, to the second nearest, or their difference.
    metric : {"euclidean", "manhattan", "chebyshev"}
        How distance is measured.
    jitter : float, in [0, 1]
        How far feature points leave the middle of their cells; 0 gives a square grid.

    Examples
    --------
    >>> scales = WorleyAt(scale=12.0, metric="manhattan")
    """

    type_name: ClassVar[str] = "noise::WorleyAt"

    feature: CellFeature = CellFeature.F1
    metric: Metric = Metric.EUCLIDEAN
    jitter: float = 1.0

    def __post_init__(self) -> None:
        NoiseAt.__post_init__(self)
        check_cells(self)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the noise at ``position*scale``."""
        return body_at(WORLEY[self.feature, self.metric], self, inputs, e.literal(self.jitter))


if TYPE_CHECKING:
    _proof: tuple[type[Node], type[SupportsBody], type[Node], type[SupportsBody]] = (
        Worley,
        Worley,
        WorleyAt,
        WorleyAt,
    )
