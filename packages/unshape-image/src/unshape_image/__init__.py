"""Images for unshape: nodes that filter and transform textures, and picture files."""

from unshape_expr.ir import Border, Filter
from unshape_image.blend_modes import BlendMode
from unshape_image.files.errors import ImageFileError, MissingExtraError
from unshape_image.files.reading import read_image
from unshape_image.files.transfer_function import TransferFunction
from unshape_image.files.writing import write_image
from unshape_image.kernel_presets import KernelPreset
from unshape_image.nodes.blend import Blend
from unshape_image.nodes.box_blur import BoxBlur
from unshape_image.nodes.checker import Checker
from unshape_image.nodes.color_constant import ColorConstant
from unshape_image.nodes.convert import ColorSpace, Convert
from unshape_image.nodes.convolve import Convolve
from unshape_image.nodes.crop import Crop
from unshape_image.nodes.gaussian_blur import GaussianBlur
from unshape_image.nodes.gradient_map import GradientMap, RampInterpolation, RampSpace
from unshape_image.nodes.height_to_normal import HeightToNormal, NormalConvention
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

__all__ = [
    "Blend",
    "BlendMode",
    "Border",
    "BoxBlur",
    "Checker",
    "ColorConstant",
    "ColorSpace",
    "Convert",
    "Convolve",
    "Crop",
    "Filter",
    "GaussianBlur",
    "GradientMap",
    "HeightToNormal",
    "ImageFileError",
    "Invert",
    "KernelPreset",
    "Levels",
    "MapPixels",
    "MergeChannels",
    "MissingExtraError",
    "NormalConvention",
    "Pad",
    "Premultiply",
    "RampInterpolation",
    "RampSpace",
    "RecursiveGaussianBlur",
    "RemapUv",
    "Resize",
    "ResizeMethod",
    "Shade",
    "SplitChannels",
    "Threshold",
    "TransferFunction",
    "Unpremultiply",
    "UvGradient",
    "read_image",
    "write_image",
]
