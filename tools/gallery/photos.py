"""Pictures that the tiles of image nodes are made from."""

from __future__ import annotations

from functools import cache, partial

from tools.gallery.tiles import Picture, Source, run
from tools.members import ROOT
from unshape_image import (
    Checker,
    Crop,
    GradientMap,
    HeightToNormal,
    MapPixels,
    Resize,
    ResizeMethod,
    SplitChannels,
    read_image,
)
from unshape_noise import Perlin

SIZE = (176, 132)


@cache
def _photo() -> Picture:
    width_px, height_px = SIZE
    whole = read_image(ROOT / "examples" / "photo.png")
    return run(Resize(width_px, height_px, ResizeMethod.AREA), whole)


@cache
def _detail() -> Picture:
    return run(Crop(x_px=60, y_px=30, width_px=44, height_px=33), _photo())


@cache
def _small() -> Picture:
    return run(Resize(88, 66, ResizeMethod.AREA), _photo())


@cache
def _full() -> Picture:
    return read_image(ROOT / "examples" / "photo.png")


@cache
def _gray() -> Picture:
    return run(MapPixels("luminance(srgb_to_linear(color))"), _photo())


def _channel(port: int) -> Picture:
    return run(SplitChannels(), _photo(), port=port)


@cache
def _height() -> Picture:
    return run(MapPixels("0.5 + 0.5*noise", pictures=("noise",)), run(Perlin(3.0, octaves=6, seed=20), resolution=SIZE))


@cache
def _coarse_height() -> Picture:
    width_px, height_px = SIZE
    return run(Resize(width_px // 8, height_px // 8, ResizeMethod.AREA), _height())


@cache
def _terrain() -> Picture:
    stops = (
        (0.3, (0.13, 0.33, 0.45)),
        (0.42, (0.8, 0.73, 0.52)),
        (0.5, (0.32, 0.5, 0.2)),
        (0.62, (0.5, 0.43, 0.36)),
        (0.75, (0.95, 0.95, 0.97)),
    )
    return run(GradientMap(stops), _height())


@cache
def _normals() -> Picture:
    return run(HeightToNormal(12.0), _height())


@cache
def _ramp() -> Picture:
    return run(MapPixels("u", pictures=()), resolution=SIZE)


@cache
def _colours() -> Picture:
    return run(MapPixels("hsv_to_rgb(vec3(u, 0.85, 1.0 - 0.7*v))", pictures=()), resolution=SIZE)


@cache
def _cut_out() -> Picture:
    formula = "vec4(color, smoothstep(0.46, 0.40, length((uv - 0.5)*vec2(1.0, 0.9))))"
    return run(MapPixels(formula), _photo())


@cache
def _checker() -> Picture:
    return run(Checker(16, 12, (0.9, 0.9, 0.9), (0.2, 0.2, 0.3)), resolution=SIZE)


PHOTO = Source("photo", _photo)
DETAIL = Source("detail of the photo", _detail)
SMALL = Source("small photo", _small)
FULL = Source("large photo", _full)
GRAY = Source("luminance", _gray)
RED = Source("red", partial(_channel, 0))
GREEN = Source("green", partial(_channel, 1))
BLUE = Source("blue", partial(_channel, 2))
HEIGHT = Source("height", _height)
RAMP = Source("ramp", _ramp)
COLOURS = Source("colours", _colours)
CUT_OUT = Source("cut-out", _cut_out)
CHECKER = Source("checker", _checker)
COARSE = Source("coarse height", _coarse_height)
TERRAIN = Source("terrain", _terrain)
NORMALS = Source("normals", _normals)
