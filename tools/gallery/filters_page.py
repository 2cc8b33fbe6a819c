"""The gallery's page of filters."""

from __future__ import annotations

from collections.abc import Iterator

from tools.gallery.photos import BLUE, CUT_OUT, GREEN, HEIGHT, NORMALS, PHOTO, RED, SIZE, TERRAIN
from tools.gallery.tiles import Page, Sheet, Show, Tile
from unshape_image import (
    Border,
    BoxBlur,
    Checker,
    ColorConstant,
    Convolve,
    Crop,
    Filter,
    GaussianBlur,
    HeightToNormal,
    Invert,
    KernelPreset,
    Levels,
    MapPixels,
    MergeChannels,
    NormalConvention,
    Premultiply,
    RecursiveGaussianBlur,
    RemapUv,
    Shade,
    SplitChannels,
    Threshold,
    Unpremultiply,
    UvGradient,
)


def _tones() -> Iterator[Tile]:
    photo = (PHOTO,)
    yield Tile(label="the photo", node=MapPixels("color"), inputs=photo)
    yield Tile(label="Levels, stretched", node=Levels(in_low=0.1, in_high=0.75), inputs=photo)
    yield Tile(label="Levels, gamma 2", node=Levels(gamma=2.0), inputs=photo)
    yield Tile(label="Levels, gamma 0.5", node=Levels(gamma=0.5), inputs=photo)
    yield Tile(label="Levels, narrowed", node=Levels(out_low=0.35, out_high=0.8), inputs=photo)
    yield Tile(label="Levels, turned over", node=Levels(in_low=1.0, in_high=0.0), inputs=photo)
    yield Tile(label="Invert", node=Invert(), inputs=photo)
    yield Tile(label="Threshold", node=Threshold(0.45), inputs=photo)
    formula = "vec3(dot(color, vec3(0.3, 0.6, 0.1)))*vec3(1.07, 0.95, 0.78)"
    yield Tile(label="MapPixels, sepia", node=MapPixels(formula), inputs=photo)
    yield Tile(label="MapPixels, posterize", node=MapPixels("floor(color*5.0)/4.0"), inputs=photo)
    yield Tile(label="MapPixels, hue turned", node=MapPixels("adjust_hsl(color, 0.45)"), inputs=photo)
    yield Tile(label="MapPixels, contrast", node=MapPixels("brightness_contrast(color, 0.05, 0.6)"), inputs=photo)


def _neighbourhoods() -> Iterator[Tile]:
    photo = (PHOTO,)
    for sigma in (1.0, 3.0, 8.0):
        yield Tile(label=f"GaussianBlur, {sigma:g} px", node=GaussianBlur(sigma), inputs=photo)
    yield Tile(label="RecursiveGaussianBlur, 8 px", node=RecursiveGaussianBlur(8.0), inputs=photo)
    for radius in (2, 8):
        yield Tile(label=f"BoxBlur, {radius} px", node=BoxBlur(radius), inputs=photo)
    for preset in KernelPreset:
        signed = preset in {KernelPreset.LAPLACIAN, KernelPreset.SOBEL_X, KernelPreset.SOBEL_Y}
        show = Show.SIGNED if signed else Show.UNIT
        yield Tile(label=f"Convolve, {preset.value}", node=Convolve(preset), inputs=photo, show=show)
    diagonal = tuple(tuple(0.2 if x == y else 0.0 for x in range(5)) for y in range(5))
    yield Tile(label="Convolve, a diagonal", node=Convolve(diagonal), inputs=photo)


def _positions() -> Iterator[Tile]:
    photo = (PHOTO,)
    yield Tile(label="RemapUv, wave", node=RemapUv("vec2(u + 0.04*sin(v*25.1), v)"), inputs=photo)
    turned = RemapUv("rotate_about(uv*resolution, resolution*0.5, 0.4)/resolution", border=Border.ZERO)
    yield Tile(label="RemapUv, turned", node=turned, inputs=photo)
    swirl = "rotate_about(uv, vec2(0.5), 2.5*smoothstep(0.55, 0.0, length(uv - 0.5)))"
    yield Tile(label="RemapUv, swirl", node=RemapUv(swirl), inputs=photo)
    lens = "0.5 + (uv - 0.5)*(0.45 + 1.6*dot(uv - 0.5, uv - 0.5))"
    yield Tile(label="RemapUv, lens", node=RemapUv(lens, border=Border.MIRROR), inputs=photo)
    polar = "vec2(atan2(v - 0.5, u - 0.5)/tau + 0.5, length(uv - 0.5)*1.9)"
    yield Tile(label="RemapUv, polar", node=RemapUv(polar, border=Border.MIRROR), inputs=photo)
    for chosen in Filter:
        node = RemapUv("vec2(0.60, 0.76) + (uv - 0.5)*0.13", filter=chosen)
        yield Tile(label=f"RemapUv, {chosen.value}", node=node, inputs=photo)
    heat = RemapUv("uv + 0.03*(warp.xx - 0.5)*vec2(1.0, 0.6)", border=Border.MIRROR, pictures=("warp",))
    yield Tile(label="RemapUv, displaced", node=heat, inputs=(PHOTO, HEIGHT))
    yield Tile(label="Crop", node=Crop(x_px=40, y_px=20, width_px=110, height_px=84), inputs=photo)


def _relief() -> Iterator[Tile]:
    yield Tile(label="a height map", node=MapPixels("color"), inputs=(HEIGHT,))
    yield Tile(label="its colours", node=MapPixels("color"), inputs=(TERRAIN,))
    for convention in NormalConvention:
        node = HeightToNormal(strength=12.0, convention=convention)
        yield Tile(label=f"HeightToNormal, {convention.value}", node=node, inputs=(HEIGHT,))
    for azimuth, elevation in ((315.0, 45.0), (135.0, 45.0), (315.0, 15.0)):
        node_of_light = Shade(azimuth_deg=azimuth, elevation_deg=elevation, ambient=0.3)
        yield Tile(label=f"Shade, {azimuth:g}°, {elevation:g}° high", node=node_of_light, inputs=(TERRAIN, NORMALS))


def _channels() -> Iterator[Tile]:
    for port, name in enumerate(("red", "green", "blue")):
        yield Tile(label=f"SplitChannels, {name}", node=SplitChannels(), inputs=(PHOTO,), port=port)
    yield Tile(label="MergeChannels, b g r", node=MergeChannels(3), inputs=(BLUE, GREEN, RED))
    yield Tile(label="a cut-out", node=MapPixels("color"), inputs=(CUT_OUT,))
    yield Tile(label="Premultiply", node=Premultiply(), inputs=(CUT_OUT,))
    yield Tile(label="Unpremultiply", node=Unpremultiply(), inputs=(CUT_OUT,))


def _generators() -> Iterator[Tile]:
    yield Tile(label="Checker", node=Checker(8, 6, (0.95, 0.9, 0.8), (0.3, 0.15, 0.1)))
    yield Tile(label="UvGradient", node=UvGradient(), show=Show.POSITION)
    yield Tile(label="ColorConstant", node=ColorConstant((0.9, 0.45, 0.2)))
    rings = "vec3(0.5 + 0.5*cos(tau*(14.0*length(uv - 0.5) + vec3(0.0, 0.33, 0.67))))"
    yield Tile(label="MapPixels, rings", node=MapPixels(rings, pictures=()))


def _sheet(name: str, title: str, text: str, tiles: Iterator[Tile], *, has_grain: bool = False) -> Sheet:
    return Sheet(name=name, title=title, text=text, columns=4, size_px=SIZE, tiles=tuple(tiles), has_grain=has_grain)


FILTERS_PAGE = Page(
    name="filters",
    title="Filters",
    text="The photograph is `examples/photo.png`, reduced.",
    sheets=(
        _sheet("filters-tones", "Tones and formulas", "Every pixel by itself.", _tones(), has_grain=True),
        _sheet(
            "filters-neighbourhoods",
            "Neighbourhoods",
            "Results that may be negative (the Laplacian and Sobel's operators) are shown with 0 as gray.",
            _neighbourhoods(),
            has_grain=True,
        ),
        _sheet("filters-positions", "Positions", "Pixels taken from elsewhere.", _positions(), has_grain=True),
        _sheet("filters-relief", "Relief", "Normals and light of a height map.", _relief(), has_grain=True),
        _sheet(
            "filters-channels",
            "Channels and alpha",
            "Alpha is shown over squares of gray.",
            _channels(),
            has_grain=True,
        ),
        _sheet("filters-generators", "Made from nothing", "Pictures without an input.", _generators()),
    ),
)
