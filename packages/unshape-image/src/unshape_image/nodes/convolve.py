"""Convolution with any small kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from unshape_core.context import ContextField, EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.parameter_checks import check_choice, check_number
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value import Value
from unshape_core.value_type import TEXTURE
from unshape_core.window import Window
from unshape_core.workload import OpClass
from unshape_expr.ir import Border
from unshape_image.convolution import convolve
from unshape_image.kernel_presets import ConvolveKernel, KernelPreset
from unshape_image.parameters import check_rows
from unshape_image.picture_shape import picture_shape
from unshape_image.pictures import held_picture, neighbourhood, output_window

if TYPE_CHECKING:
    from unshape_core.protocols import Node, SupportsExecute, SupportsInputWindows

MAX_SIDE = 31


@dataclass(frozen=True, slots=True)
class Convolve:
    """Replace each pixel by a weighted sum of its neighbourhood.

    ``kernel[0][0]`` weighs the upper left neighbour: the kernel is laid on the picture as it is written, not mirrored
    (as in OpenCV's filter2D and scipy.ndimage.correlate). The order: the product of the upper left tap, then the other
    products added one by one, row by row; taps of weight zero take part like all others. Weights are not normalised.
    Channels are filtered apart.

    Parameters
    ----------
    kernel : preset name, or rows of weights
        ``"identity"``, ``"box"``, ``"gaussian_3x3"``, ``"gaussian_5x5"``, ``"sharpen"``, ``"laplacian"``, ``"emboss"``,
        ``"sobel_x"`` or ``"sobel_y"``; or 1 to 31 rows of as many weights each, both counts odd.
    border : {"clamp", "repeat", "mirror", "zero"}
        What lies outside the picture.

    Examples
    --------
    >>> edges = Convolve(kernel="sobel_x", border="mirror")
    """

    type_name: ClassVar[str] = "image::Convolve"
    op_class: ClassVar[OpClass] = OpClass.CONVOLUTION
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="Picture of 1 to 4 channels."),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="Filtered picture of the same size."),)

    kernel: ConvolveKernel = KernelPreset.SHARPEN
    border: Border = Border.CLAMP

    def __post_init__(self) -> None:
        check_choice(self, self.type_name, "border", Border)
        if isinstance(self.kernel, str):
            check_choice(self, self.type_name, "kernel", KernelPreset)
            return
        rows = check_rows(self.type_name, "kernel", self.kernel, of="the name of a preset or rows of weights")
        sides = (len(rows), len(rows[0]) if rows else 0)
        if any(side % 2 == 0 or side > MAX_SIDE for side in sides) or any(len(row) != sides[1] for row in rows):
            lengths = " and ".join(str(length) for length in sorted({len(row) for row in rows}))
            got = f"{len(rows)} rows of {lengths or 'no'} weights"
            msg = (
                f"{self.type_name}: kernel: expected 1 to {MAX_SIDE} rows of equally many weights, both counts odd, "
                f"got {got}; pad it with zeros"
            )
            raise InvalidArgumentError(msg, type_name=self.type_name)
        for y, row in enumerate(rows):
            for x, weight in enumerate(row):
                check_number(self.type_name, f"kernel[{y}][{x}]", weight)
        object.__setattr__(self, "kernel", rows)

    @property
    def weights(self) -> tuple[tuple[float, ...], ...]:
        """The rows of weights, also of a preset."""
        return self.kernel.weights if isinstance(self.kernel, KernelPreset) else self.kernel

    @property
    def reach_px(self) -> tuple[int, int]:
        """How far the kernel reaches to each side, horizontally and vertically."""
        return len(self.weights[0]) // 2, len(self.weights) // 2

    def infer(self, input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of the input."""
        return (picture_shape(input_specs[0], type_name=self.type_name, port="image").spec,)

    def input_windows(
        self, window: Window, input_specs: Sequence[ValueSpec], _ctx: EvalContext
    ) -> tuple[Window | None, ...]:
        """Return the window grown by half the kernel."""
        shape = picture_shape(input_specs[0], type_name=self.type_name, port="image")
        return (neighbourhood(window, shape, reach_px=self.reach_px, border=self.border),)

    def flops_per_element(self, _input_specs: Sequence[ValueSpec], _output_specs: Sequence[ValueSpec]) -> float:
        """Return one product and one sum for each weight."""
        return 2.0 * sum(map(len, self.weights))

    def execute(self, inputs: Sequence[Value], ctx: EvalContext) -> tuple[Value, ...]:
        """Filter in NumPy."""
        source = held_picture(inputs, ctx, type_name=self.type_name)
        window = output_window(source.shape, ctx)
        kernel = np.array(self.weights, np.float32)
        return (convolve(source, kernel, output=window, border=self.border, ctx=ctx),)


if TYPE_CHECKING:
    _proof: type[Node] = Convolve
    _proof_of_execution: type[SupportsExecute] = Convolve
    _proof_of_windows: type[SupportsInputWindows] = Convolve
