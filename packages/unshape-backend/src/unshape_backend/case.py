"""Cases: one node with parameters, inputs and sizes, defined once by its domain.

A case serves as conformance test (every backend against the definition), as benchmark and as a row of the generated
kernel matrix. A domain lists its cases in a function under the entry-point group ``unshape.cases``; nothing here needs
a test framework.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from unshape_core.context import EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.protocols import Node
from unshape_core.value import Value
from unshape_core.window import Window


class Content(StrEnum):
    """What a test picture holds."""

    UNIT = "unit"  # uniform in [0, 1)
    SIGNED = "signed"  # normal, standard deviation 4
    HDR = "hdr"  # 0, 1 and 1000 mixed with small values
    SPECIAL = "special"  # infinities, NaN, -0, subnormals, largest and smallest numbers among ordinary ones
    IMPULSE = "impulse"  # one pixel of 1 in the middle
    GRADIENT = "gradient"  # rises along both axes
    POSITION = "position"  # the pixel's uv in the first two channels, a little warped


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A recipe for a float32 input picture; the same recipe always gives the same bits."""

    width_px: int
    height_px: int
    channels: int = 4
    content: Content = Content.UNIT
    seed: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.channels <= 4 or self.width_px < 0 or self.height_px < 0:
            msg = f"picture recipe: expected 1 to 4 channels and sides of at least 0, got {self}"
            raise InvalidArgumentError(msg)

    def make(self) -> npt.NDArray[np.float32]:
        """Return the picture, ``float32[height_px, width_px, channels]``."""
        rng = np.random.default_rng(self.seed)
        shape = (self.height_px, self.width_px, self.channels)
        picture = _CONTENT[self.content](rng, shape).astype(np.float32)
        picture.flags.writeable = False
        return picture


CaseInput: TypeAlias = Picture | Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One node to run.

    Parameters
    ----------
    name : str
        Unique within its domain: ``"Perlin/ridged-5"``.
    node : Node
        The node with its parameters.
    inputs : tuple of (Picture or Value)
        One for each input port.
    ctx : EvalContext
        Resolution, time, seed.
    windows : tuple of Window
        Parts of the output to compute as well; each must equal the same part of the whole.
    fast_ulp : int
        Bound on the difference in units in the last place with ``precision="fast"`` and on devices that are not exact.
    fast_absolute : float
        Difference that is always allowed there (results near zero have many ulp between them).
    bench : bool
        Whether the case is timed by ``unshape bench``; pictures and resolution are then scaled
        to the size asked for.
    """

    name: str
    node: Node
    inputs: tuple[CaseInput, ...] = ()
    ctx: EvalContext = field(default_factory=lambda: EvalContext(resolution=(64, 48)))
    windows: tuple[Window, ...] = ()
    fast_ulp: int = 4
    fast_absolute: float = 2.0**-20
    bench: bool = False

    def values(self) -> tuple[Value, ...]:
        """Return the inputs, pictures made."""
        return tuple(item.make() if isinstance(item, Picture) else item for item in self.inputs)


def _unit(rng: np.random.Generator, shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    return rng.random(shape)


def _signed(rng: np.random.Generator, shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    return rng.normal(0.0, 4.0, shape)


def _hdr(rng: np.random.Generator, shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    return np.where(rng.random(shape) < 0.5, rng.random(shape) * 0.1, rng.choice([0.0, 1.0, 1000.0], shape))


def _special(rng: np.random.Generator, shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    f32 = np.finfo(np.float32)
    extremes = [np.inf, float(f32.smallest_subnormal), float(f32.tiny), float(f32.max)]
    ordinary = [0.0, 0.5, 1.0, 1.5, 2.0**23, 2.0**31]
    odd = [*extremes, *ordinary, *(-each for each in [*extremes, *ordinary]), np.nan, 2.5, 2.0**32]
    return np.where(rng.random(shape) < 0.6, rng.choice(odd, shape), rng.normal(0.0, 2.0, shape))


def _impulse(_rng: np.random.Generator, shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    picture = np.zeros(shape)
    if picture.size:
        picture[shape[0] // 2, shape[1] // 2] = 1.0
    return picture


def _gradient(_rng: np.random.Generator, shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    rows = np.linspace(0.0, 1.0, shape[0])[:, None, None]
    columns = np.linspace(0.0, 1.0, shape[1])[None, :, None]
    return (rows + columns * np.arange(1, shape[2] + 1)) / (shape[2] + 1)


def _position(rng: np.random.Generator, shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    picture = rng.random(shape)
    picture[..., 0] = ((np.arange(shape[1]) + 0.5) / max(shape[1], 1))[None, :]
    picture[..., min(1, shape[2] - 1)] = ((np.arange(shape[0]) + 0.5) / max(shape[0], 1))[:, None]
    return picture + rng.normal(0.0, 0.01, shape)


_CONTENT: dict[Content, Callable[[np.random.Generator, tuple[int, ...]], npt.NDArray[np.float64]]] = {
    Content.UNIT: _unit,
    Content.SIGNED: _signed,
    Content.HDR: _hdr,
    Content.SPECIAL: _special,
    Content.IMPULSE: _impulse,
    Content.GRADIENT: _gradient,
    Content.POSITION: _position,
}
