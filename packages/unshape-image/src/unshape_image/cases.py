"""Cases of the image nodes: every node at its edges, run by the conformance suite, timed by the benchmarks.

The entry point ``unshape.cases`` names :func:`cases`.
"""

from __future__ import annotations

from collections.abc import Iterator

from unshape_backend.case import Case, CaseInput, Content, Picture
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_core.spec import ValueSpec
from unshape_core.value_type import F32, TEXTURE
from unshape_core.window import Window
from unshape_expr.ir import Border, Filter
from unshape_image.blend_modes import BlendMode
from unshape_image.kernel_presets import KernelPreset
from unshape_image.nodes import blend, convert, gradient_map, height_to_normal
from unshape_image.nodes.box_blur import BoxBlur
from unshape_image.nodes.checker import Checker
from unshape_image.nodes.color_constant import ColorConstant
from unshape_image.nodes.convolve import Convolve
from unshape_image.nodes.crop import Crop
from unshape_image.nodes.gaussian_blur import GaussianBlur
from unshape_image.nodes.invert import Invert
from unshape_image.nodes.levels import Levels
from unshape_image.nodes.map_pixels import MapPixels
from unshape_image.nodes.merge_channels import MergeChannels
from unshape_image.nodes.pad import Pad
from unshape_image.nodes.premultiply import Premultiply
from unshape_image.nodes.recursive_gaussian_blur import RecursiveGaussianBlur
from unshape_image.nodes.remap_uv import RemapUv
from unshape_image.nodes.resize import Resize
from unshape_image.nodes.shade import Shade
from unshape_image.nodes.split_channels import SplitChannels
from unshape_image.nodes.threshold import Threshold
from unshape_image.nodes.unpremultiply import Unpremultiply
from unshape_image.nodes.uv_gradient import UvGradient
from unshape_image.resize_table import ResizeMethod

_CTX = EvalContext(resolution=(37, 21), time_s=0.75, frame=3, seed=5)


def cases() -> Iterator[Case]:
    """Return the cases of all image nodes."""
    for name, node, inputs in (*_pointwise(), *_colours(), *_formulas(), *_neighbourhoods(), *_sizes()):
        yield Case(name=name, node=node, inputs=inputs, ctx=_CTX, windows=_windows(node, inputs))
    for name, node, inputs in _benchmarks():
        yield Case(name=f"{name}/bench", node=node, inputs=inputs, ctx=_CTX, bench=True)


_Row = tuple[str, Node, tuple[CaseInput, ...]]


def _windows(node: Node, inputs: tuple[CaseInput, ...]) -> tuple[Window, ...]:
    """Return parts of the output: a corner, the inside, the last pixel, one row, and nothing."""
    specs = [
        ValueSpec(TEXTURE, (item.height_px, item.width_px, item.channels))
        if isinstance(item, Picture)
        else ValueSpec(F32)
        for item in inputs
    ]
    width, height = node.infer(specs, _CTX)[0].picture_px or (0, 0)
    whole = Window.whole(width_px=width, height_px=height)
    inside = Window(width // 3, height // 5, -(-width // 2), -(-height * 3 // 4))
    parts = (Window(0, 0, 5, 4), inside, Window(width - 1, height - 1, 1, 1), Window(0, height // 2, width, 1))
    return (*(part.intersect(whole) for part in parts), Window(0, 0, 0, 0))


def _picture(channels: int = 4, content: Content = Content.UNIT, *, seed: int = 1) -> Picture:
    return Picture(width_px=37, height_px=21, channels=channels, content=content, seed=seed)


def _pointwise() -> Iterator[_Row]:
    for content in (Content.UNIT, Content.SPECIAL, Content.HDR):
        for channels in (1, 2, 3, 4):
            at = f"{content}-{channels}"
            image = (_picture(channels, content),)
            yield f"Levels/{at}", Levels(in_low=0.1, in_high=0.8, gamma=1.7, out_low=-0.5, out_high=2.0), image
            yield f"Threshold/{at}", Threshold(0.5), image
            yield f"Invert/{at}", Invert(), image
            yield f"Premultiply/{at}", Premultiply(), image
            yield f"Unpremultiply/{at}", Unpremultiply(), image
            yield f"SplitChannels/{at}", SplitChannels(), image
    yield "Levels/turned-over", Levels(in_low=0.9, in_high=0.2), (_picture(3),)
    for mode in BlendMode:
        for base, top in ((1, 1), (3, 3), (4, 4), (3, 4), (4, 3), (1, 4), (4, 1)):
            pictures = (_picture(base), _picture(top, seed=2))
            yield f"Blend/{mode}-{base}-{top}", blend.Blend(mode, opacity=0.7), pictures
        pictures = (_picture(4, Content.SPECIAL), _picture(4, Content.SPECIAL, seed=2))
        yield f"Blend/{mode}-special", blend.Blend(mode), pictures
    for channels in (1, 2, 3, 4):
        parts = tuple(_picture(1 + seed % 4, seed=seed) for seed in range(channels))
        yield f"MergeChannels/{channels}", MergeChannels(channels), parts
        yield f"ColorConstant/{channels}", ColorConstant((0.25, -1.0, 1e30, 0.1)[:channels]), ()
    yield "Checker/7x3", Checker(columns=7, rows=3, first=(1.0, 0.5), second=(0.0, 0.25)), ()
    yield "UvGradient", UvGradient(), ()


def _colours() -> Iterator[_Row]:
    for source in convert.ColorSpace:
        for target in convert.ColorSpace:
            content = Content.SIGNED if source is convert.ColorSpace.LAB else Content.UNIT
            yield f"Convert/{source}-{target}", convert.Convert(source, target), (_picture(4, content),)
    yield (
        "Convert/gray",
        convert.Convert(convert.ColorSpace.SRGB, convert.ColorSpace.LINEAR),
        (_picture(1, Content.SPECIAL),),
    )
    yield (
        "Convert/special",
        convert.Convert(convert.ColorSpace.SRGB, convert.ColorSpace.OKLAB),
        (_picture(3, Content.SPECIAL),),
    )
    stops = ((-1.0, (0.0, 0.1, 0.4)), (0.2, (0.9, 0.8, 0.5)), (0.2, (0.2, 0.6, 0.1)), (0.9, (1.0, 1.0, 1.0)))
    for interpolation in gradient_map.RampInterpolation:
        for space in gradient_map.RampSpace:
            node = gradient_map.GradientMap(stops, interpolation, space)
            yield f"GradientMap/{interpolation}-{space}", node, (_picture(1),)
    yield "GradientMap/special", gradient_map.GradientMap(stops), (_picture(4, Content.SPECIAL),)
    for border in Border:
        for convention in height_to_normal.NormalConvention:
            normals = height_to_normal.HeightToNormal(strength=3.0, border=border, convention=convention)
            yield f"HeightToNormal/{border}-{convention}", normals, (_picture(1),)
    yield "Shade", Shade(azimuth_deg=120.0, elevation_deg=30.0), (_picture(4), _picture(3, seed=2))


def _formulas() -> Iterator[_Row]:
    yield (
        "MapPixels/colour",
        MapPixels("vec4(pow(color.rgb, vec3(2.2))*amount, a)", numbers=("amount",)),
        (
            _picture(4),
            0.75,
        ),
    )
    yield "MapPixels/generator", MapPixels("vec3(u, v, fract(time))", pictures=()), ()
    yield (
        "MapPixels/three",
        MapPixels("mix(low, high, mask)", pictures=("low", "high", "mask")),
        (
            _picture(3),
            _picture(3, seed=2),
            _picture(1, seed=3),
        ),
    )
    for border in Border:
        for chosen in Filter:
            node = RemapUv("vec2(u*1.5 - 0.25 + 0.05*sin(v*25.1), v*1.7 - 0.3)", filter=chosen, border=border)
            yield f"RemapUv/{border}-{chosen}", node, (_picture(4),)
    node = RemapUv("uv + 0.4*(warp.xy - 0.5)", border=Border.MIRROR, pictures=("warp",))
    yield "RemapUv/displaced", node, (_picture(3), _picture(2, seed=2))
    yield "RemapUv/special", RemapUv("warp.xy", pictures=("warp",)), (_picture(1), _picture(2, Content.SPECIAL, seed=2))


def _neighbourhoods() -> Iterator[_Row]:
    for border in Border:
        for channels in (1, 2, 3, 4):
            yield f"GaussianBlur/{border}-{channels}", GaussianBlur(1.7, border), (_picture(channels, Content.SIGNED),)
            yield f"BoxBlur/{border}-{channels}", BoxBlur(3, border), (_picture(channels, Content.SIGNED),)
            yield f"Convolve/{border}-{channels}", Convolve(KernelPreset.SHARPEN, border), (_picture(channels),)
        yield f"GaussianBlur/{border}-wider-than-picture", GaussianBlur(30.0, border), (_picture(1),)
        yield f"BoxBlur/{border}-wider-than-picture", BoxBlur(100, border), (_picture(1),)
    for channels, border in enumerate(Border, start=1):
        node = RecursiveGaussianBlur(2.5, border)
        yield f"RecursiveGaussianBlur/{border}-{channels}", node, (_picture(channels, Content.SIGNED),)
    yield "RecursiveGaussianBlur/wider-than-picture", RecursiveGaussianBlur(40.0, Border.MIRROR), (_picture(1),)
    for content in (Content.SPECIAL, Content.HDR, Content.IMPULSE):
        yield f"RecursiveGaussianBlur/{content}", RecursiveGaussianBlur(1.0), (_picture(4, content),)
        yield f"GaussianBlur/{content}", GaussianBlur(1.0), (_picture(4, content),)
        yield f"BoxBlur/{content}", BoxBlur(2), (_picture(4, content),)
        yield f"Convolve/{content}", Convolve(KernelPreset.EMBOSS), (_picture(4, content),)
    for width, height, channels in ((1030, 70, 1), (350, 67, 3), (520, 66, 4)):  # one more than devices cut it into
        large = Picture(width_px=width, height_px=height, channels=channels, content=Content.SIGNED)
        yield f"GaussianBlur/tiles-{channels}", GaussianBlur(2.2), (large,)
        yield f"BoxBlur/tiles-{channels}", BoxBlur(5, Border.MIRROR), (large,)
        yield f"Convolve/tiles-{channels}", Convolve(KernelPreset.GAUSSIAN_5X5, Border.REPEAT), (large,)
    yield "GaussianBlur/nothing", GaussianBlur(0.0), (_picture(4, Content.SPECIAL),)
    for preset in KernelPreset:
        yield f"Convolve/{preset}", Convolve(preset), (_picture(3, Content.SIGNED),)
    wide = tuple(tuple((x - y) / 31.0 for x in range(31)) for y in range(31))
    yield "Convolve/31x31", Convolve(wide, Border.MIRROR), (_picture(1),)
    yield "Convolve/1x5", Convolve(((0.1, -0.2, 1.0, 0.4, 0.3),), Border.ZERO), (_picture(2),)


def _sizes() -> Iterator[_Row]:
    for method in ResizeMethod:
        for width, height in ((74, 42), (37, 7), (1, 1), (36, 22), (5, 100)):
            yield f"Resize/{method}-{width}x{height}", Resize(width, height, method), (_picture(4, Content.SIGNED),)
        yield f"Resize/{method}-special", Resize(50, 10, method), (_picture(3, Content.SPECIAL),)
        other = Picture(width_px=13, height_px=29, channels=1)
        yield f"Resize/{method}-to-resolution", Resize(method=method), (other,)
    yield "Crop", Crop(x_px=3, y_px=5, width_px=30, height_px=11), (_picture(3, Content.SPECIAL),)
    for border in Border:
        yield f"Pad/{border}", Pad(40, 3, 2, 50, border), (_picture(4, Content.SPECIAL),)


def _benchmarks() -> Iterator[_Row]:
    image = (_picture(4),)
    yield "Levels", Levels(in_low=0.1, in_high=0.9, gamma=1.2), image
    yield "Blend", blend.Blend(BlendMode.OVERLAY, opacity=0.5), (_picture(4), _picture(4, seed=2))
    yield "GradientMap", gradient_map.GradientMap(), (_picture(1),)
    yield "HeightToNormal", height_to_normal.HeightToNormal(), (_picture(1),)
    yield "Convert", convert.Convert(convert.ColorSpace.SRGB, convert.ColorSpace.OKLAB), (_picture(3),)
    yield "RemapUv", RemapUv("vec2(u + 0.05*sin(v*25.1), v)"), image
    yield "GaussianBlur", GaussianBlur(2.0), image
    yield "GaussianBlur-wide", GaussianBlur(8.0), image
    yield "BoxBlur", BoxBlur(8), image
    yield "Convolve", Convolve(KernelPreset.SHARPEN), image
    yield "Convolve-5x5", Convolve(KernelPreset.GAUSSIAN_5X5), image
    yield "Resize", Resize(width_px=None, height_px=None, method=ResizeMethod.BICUBIC), image
