"""The node types of this package; the entry point ``unshape.nodes`` names :data:`NODES`."""

from __future__ import annotations

from unshape_image.nodes.blend import Blend
from unshape_image.nodes.box_blur import BoxBlur
from unshape_image.nodes.checker import Checker
from unshape_image.nodes.color_constant import ColorConstant
from unshape_image.nodes.convert import Convert
from unshape_image.nodes.convolve import Convolve
from unshape_image.nodes.crop import Crop
from unshape_image.nodes.gaussian_blur import GaussianBlur
from unshape_image.nodes.gradient_map import GradientMap
from unshape_image.nodes.height_to_normal import HeightToNormal
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

NODES = (
    Blend,
    BoxBlur,
    Checker,
    ColorConstant,
    Convert,
    Convolve,
    Crop,
    GaussianBlur,
    GradientMap,
    HeightToNormal,
    Invert,
    Levels,
    MapPixels,
    MergeChannels,
    Pad,
    Premultiply,
    RecursiveGaussianBlur,
    RemapUv,
    Resize,
    Shade,
    SplitChannels,
    Threshold,
    Unpremultiply,
    UvGradient,
)
