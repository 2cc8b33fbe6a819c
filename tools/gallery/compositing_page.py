"""The gallery's pages of blend modes, colours, borders and sizes."""

from __future__ import annotations

from collections.abc import Iterator

from tools.gallery.photos import CHECKER, COARSE, COLOURS, CUT_OUT, DETAIL, FULL, GRAY, HEIGHT, PHOTO, RAMP, SIZE, SMALL
from tools.gallery.tiles import Page, Sheet, Show, Source, Tile, run
from unshape_image import (
    Blend,
    BlendMode,
    Border,
    BoxBlur,
    ColorSpace,
    Convert,
    Convolve,
    GaussianBlur,
    GradientMap,
    HeightToNormal,
    MapPixels,
    Pad,
    RampInterpolation,
    RampSpace,
    RecursiveGaussianBlur,
    RemapUv,
    Resize,
    ResizeMethod,
)

_ROW = ((0.125, 0.125, 0.125, 0.125, 0.0, 0.125, 0.125, 0.125, 0.125),)
_STOPS = (
    (0.0, (0.05, 0.05, 0.25)),
    (0.35, (0.85, 0.15, 0.2)),
    (0.7, (0.95, 0.8, 0.1)),
    (1.0, (0.95, 1.0, 1.0)),
)
_ENDS = ((0.0, (0.05, 0.1, 0.9)), (1.0, (0.98, 0.85, 0.05)))


def _blends() -> Iterator[Tile]:
    for mode in BlendMode:
        yield Tile(label=mode.value, node=Blend(mode), inputs=(PHOTO, COLOURS))
    for opacity in (0.25, 0.5, 0.75):
        node = Blend(BlendMode.OVERLAY, opacity=opacity)
        yield Tile(label=f"overlay, opacity {opacity:g}", node=node, inputs=(PHOTO, COLOURS))
    yield Tile(label="normal, with alpha", node=Blend(), inputs=(CHECKER, CUT_OUT))
    yield Tile(label="multiply, with alpha", node=Blend(BlendMode.MULTIPLY), inputs=(COLOURS, CUT_OUT))
    yield Tile(label="screen, with alpha", node=Blend(BlendMode.SCREEN), inputs=(COLOURS, CUT_OUT))


def _spaces() -> Iterator[Tile]:
    for space in ColorSpace:
        node = Convert(ColorSpace.SRGB, space)
        show = {ColorSpace.LAB: Show.LAB, ColorSpace.OKLAB: Show.OKLAB}.get(space, Show.UNIT)
        yield Tile(label=f"numbers of {space.value}", node=node, inputs=(COLOURS,), show=show)
    for space in ColorSpace:
        node = Convert(space, ColorSpace.SRGB)
        label = f"{space.value} of a plane"
        formula = {
            ColorSpace.LAB: "vec3(70.0, 120.0*(u - 0.5), 120.0*(0.5 - v))",
            ColorSpace.OKLAB: "vec3(0.75, 0.4*(u - 0.5), 0.4*(0.5 - v))",
            ColorSpace.HSV: "vec3(u, 1.0 - v, 1.0)",
            ColorSpace.HSL: "vec3(u, 1.0, 1.0 - v)",
        }.get(space, "vec3(u, 1.0 - v, 0.5)")
        yield Tile(label=label, node=node, inputs=(_plane(formula),))


def _plane(formula: str) -> Source:
    return Source(formula, lambda: run(MapPixels(formula, pictures=()), resolution=SIZE))


def _ramps() -> Iterator[Tile]:
    for interpolation in RampInterpolation:
        for space in RampSpace:
            node = GradientMap(_ENDS if interpolation is RampInterpolation.LINEAR else _STOPS, interpolation, space)
            yield Tile(label=f"{interpolation.value}, {space.value}", node=node, inputs=(RAMP,))
    for source, label in ((HEIGHT, "of a height map"), (GRAY, "of the photo's light"), (PHOTO, "of the photo")):
        node = GradientMap(_STOPS, RampInterpolation.SMOOTH, RampSpace.OKLAB)
        yield Tile(label=label, node=node, inputs=(source,))


def _borders() -> Iterator[Tile]:
    for border in Border:
        yield Tile(label=f"Pad, {border.value}", node=Pad(44, 44, 33, 33, border), inputs=(SMALL,))
    for border in Border:
        yield Tile(label=f"RemapUv, {border.value}", node=RemapUv("uv*2.0 - 0.5", border=border), inputs=(PHOTO,))
    for border in Border:
        yield Tile(label=f"GaussianBlur, {border.value}", node=GaussianBlur(12.0, border), inputs=(PHOTO,))
    for border in Border:
        label = f"RecursiveGaussianBlur, {border.value}"
        yield Tile(label=label, node=RecursiveGaussianBlur(12.0, border), inputs=(PHOTO,))
    for border in Border:
        yield Tile(label=f"BoxBlur, {border.value}", node=BoxBlur(16, border), inputs=(PHOTO,))
    for border in Border:
        yield Tile(label=f"Convolve, {border.value}", node=Convolve(_ROW, border), inputs=(PHOTO,))
    for border in Border:
        yield Tile(label=f"HeightToNormal, {border.value}", node=HeightToNormal(8.0, border), inputs=(COARSE,), zoom=8)


def _sizes() -> Iterator[Tile]:
    width_px, height_px = SIZE
    for method in ResizeMethod:
        node = Resize(width_px, height_px, method)
        yield Tile(label=f"{method.value}, enlarged 4 times", node=node, inputs=(DETAIL,))
    for method in ResizeMethod:
        node = Resize(width_px, height_px, method)
        yield Tile(label=f"{method.value}, reduced 2.5 times", node=node, inputs=(FULL,))


def _page(name: str, title: str, text: str, *sheets: Sheet) -> Page:
    return Page(name=name, title=title, text=text, sheets=sheets)


def _sheet(
    name: str, title: str, text: str, tiles: Iterator[Tile], *, columns: int = 4, has_grain: bool = False
) -> Sheet:
    found = tuple(tiles)
    return Sheet(name=name, title=title, text=text, columns=columns, size_px=SIZE, tiles=found, has_grain=has_grain)


BLENDS_PAGE = _page(
    "blend-modes",
    "Blend modes",
    "The base is the photograph, the top a plane of hues, unless a tile says otherwise.",
    _sheet("blend-modes", "Modes, opacity, alpha", "Results above 1 and below 0 are cut off here only.", _blends()),
)
COLOURS_PAGE = _page(
    "colours",
    "Colours",
    "Conversions between spaces, and ramps.",
    _sheet(
        "colours-spaces",
        "Spaces",
        "Above, the numbers of a plane of hues in each space, shown as red, green and blue (a and b of Lab and OkLab "
        "about gray); below, planes of each space as colours.",
        _spaces(),
        columns=6,
    ),
    _sheet(
        "colours-ramps",
        "Ramps",
        "Interpolations, and the spaces in which they are done. The ramp from blue to yellow is gray in the middle as "
        "numbers, too light in light, and evenly light in OkLab.",
        _ramps(),
        columns=3,
    ),
)
BORDERS_PAGE = _page(
    "borders-and-sizes",
    "Borders and sizes",
    "What lies outside of a picture, and how pictures are brought to another size.",
    _sheet(
        "borders",
        "Borders",
        "Every node that looks across the edge, with every border; the height map of the last row is enlarged 8 times.",
        _borders(),
    ),
    _sheet("sizes", "Sizes", "Every method of `Resize`, enlarging and reducing.", _sizes(), has_grain=True),
)
