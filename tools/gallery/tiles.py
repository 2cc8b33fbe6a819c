"""Tiles, sheets and pages of the gallery, and how the result of a node becomes something to look at."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

import unshape as us
from unshape_core.protocols import Node

Picture: TypeAlias = npt.NDArray[np.float32]


class Show(Enum):
    """How numbers become levels of light."""

    UNIT = "as they are"
    SIGNED = "0 is gray"
    POSITION = "u is red, v is green"
    LAB = "lightness of 100, and a and b about gray"
    OKLAB = "lightness of 1, and a and b about gray"


@dataclass(frozen=True, slots=True)
class Source:
    """An input of a tile: what it is called, and the picture."""

    name: str
    make: Callable[[], Picture]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """One picture of a sheet.

    Parameters
    ----------
    label : str
        What stands below the picture.
    node : Node
        What made it.
    inputs : tuple of Source
        What the node was given.
    port : int
        Which output is shown.
    show : Show
        How.
    resolution : (int, int) or None
        What the node generates at; None takes the size of the tile.
    repeats : int
        How often the picture is repeated along each axis.
    zoom : int
        How many pixels of the sheet a pixel of the picture is wide.
    time_s : float
        Time of the picture.
    """

    label: str
    node: Node
    inputs: tuple[Source, ...] = ()
    port: int = 0
    show: Show = Show.UNIT
    resolution: tuple[int, int] | None = None
    repeats: int = 1
    zoom: int = 1
    time_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """Tiles of one size, in rows, in one file.

    Parameters
    ----------
    name, title, text : str
        Of the file, and what the page says above it.
    columns : int
        Tiles in a row.
    size_px : (int, int)
        Width and height of a tile.
    tiles : tuple of Tile
        What is shown.
    has_grain : bool
        Whether all tiles are of photographs, in which fewer levels do not show.
    """

    name: str
    title: str
    text: str
    columns: int
    size_px: tuple[int, int]
    tiles: tuple[Tile, ...]
    has_grain: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Sheets that belong together."""

    name: str
    title: str
    text: str
    sheets: tuple[Sheet, ...]


def run(
    node: Node, *pictures: Picture, port: int = 0, resolution: tuple[int, int] = (128, 128), time_s: float = 0.0
) -> Picture:
    """Return what a node makes of pictures."""
    graph = us.Graph()
    made = graph.add_node(node)
    names = [input_port.name for input_port in node.inputs]
    for name in names:
        graph.connect(graph.add_node(us.GraphInput(name, us.TEXTURE)), 0, made, name)
    inputs = dict(zip(names, pictures, strict=True))
    result = us.evaluate(graph, [made], resolution=resolution, inputs=inputs, time_s=time_s, policy="named:cpu")
    return np.asarray(result.outputs[0][port])


def picture_of(tile: Tile, size_px: tuple[int, int]) -> Picture:
    """Return what a tile shows, in [0, 1], of one channel or three."""
    resolution = tile.resolution or tuple(side // tile.repeats for side in size_px)
    width, height = resolution
    result = run(
        tile.node,
        *(source.make() for source in tile.inputs),
        port=tile.port,
        resolution=(width, height),
        time_s=tile.time_s,
    )
    repeated = np.tile(result, (tile.repeats, tile.repeats, 1))
    enlarged = repeated.repeat(tile.zoom, axis=0).repeat(tile.zoom, axis=1)
    return np.clip(_shown(enlarged, tile.show), 0.0, 1.0)


def _shown(picture: Picture, show: Show) -> Picture:
    match show:
        case Show.SIGNED:
            return picture * np.float32(0.5) + np.float32(0.5)
        case Show.POSITION:
            return np.concatenate([picture[..., :2], np.full_like(picture[..., :1], 0.35)], axis=-1)
        case Show.LAB:
            return picture * _f32(0.01, 0.005, 0.005) + _f32(0.0, 0.5, 0.5)
        case Show.OKLAB:
            return picture + _f32(0.0, 0.5, 0.5)
        case Show.UNIT:
            return _on_gray(picture) if picture.shape[2] in {2, 4} else picture


def _f32(*values: float) -> Picture:
    return np.array(values, np.float32)


def _on_gray(picture: Picture) -> Picture:
    """Return a picture with alpha, laid on squares of two grays."""
    rows, columns = np.indices(picture.shape[:2]) // 8
    ground = np.where((rows + columns) % 2, 0.75, 0.55).astype(np.float32)[..., None]
    alpha = picture[..., -1:]
    laid: Picture = picture[..., :-1] * alpha + ground * (1 - alpha)
    return laid


def call_of(node: Node) -> str:
    """Return how a node is written in Python, without what is default."""
    given = [
        f"{field.name}={_written(getattr(node, field.name))}"
        for field in fields_of(node)
        if getattr(node, field.name) != field.default
    ]
    return f"{type(node).__name__}({', '.join(given)})"


def fields_of(node: Node) -> tuple[dataclasses.Field[object], ...]:
    """Return the parameters of a node."""
    given: Any = type(node)
    return dataclasses.fields(given)


def _written(value: object) -> str:
    if isinstance(value, StrEnum):
        return repr(value.value)
    if isinstance(value, tuple):
        inside = ", ".join(_written(item) for item in value)
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    if isinstance(value, float):
        return repr(round(value, 6))
    return repr(value)
