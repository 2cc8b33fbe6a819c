"""Kernels whose outputs are numbers and vectors instead of pictures, compiled to Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from unshape_core.errors import InvalidArgumentError
from unshape_core.value import Vec2, Vec3, Vec4
from unshape_expr.interpret.flatten import flatten
from unshape_expr.interpret.leaves import Given, Outside, reader
from unshape_expr.interpret.scalar_code import Number, ScalarCode, compile_scalars
from unshape_expr.interpret.scalarize import scalarize
from unshape_expr.kernel import Kernel, Varies
from unshape_expr.picture_input import PictureInput
from unshape_expr.types import Type

_VECTORS: Mapping[Type, Callable[..., Vec2 | Vec3 | Vec4]] = {Type.VEC2: Vec2, Type.VEC3: Vec3, Type.VEC4: Vec4}


@dataclass(frozen=True, slots=True)
class ScalarKernel:
    """A compiled kernel without pixels. Safe to call from several threads at once.

    Parameters
    ----------
    kernel : Kernel
        Where it comes from.
    code : ScalarCode
        Computes all components of all outputs.
    outputs : tuple of (Type, tuple of int)
        For each output its type and which of the code's values are its components.
    """

    kernel: Kernel
    code: ScalarCode
    outputs: tuple[tuple[Type, tuple[int, ...]], ...]

    def __call__(
        self, slot_values: Sequence[Number], inputs: Mapping[str, Given], uniforms: Mapping[str, Given]
    ) -> tuple[Number | Vec2 | Vec3 | Vec4, ...]:
        """Return the outputs.

        Parameters
        ----------
        slot_values : sequence of number
            Values of the kernel's literals.
        inputs : mapping of str to number, vector or PictureInput
            What the kernel reads.
        uniforms : mapping of str to number or vector
            Values of ``kernel.uniforms``.

        Raises
        ------
        InvalidArgumentError
            If an input or uniform is missing or does not fit.
        """
        code = self.code
        leaves = Outside(self.kernel, inputs, uniforms, 1, 1).values(code) if code.leaves else ()
        read = reader(code, self._pictures(inputs)) if code.reads else None
        values = code.run(slot_values, leaves, read)
        return tuple(
            [
                values[lanes[0]] if type_ not in _VECTORS else _VECTORS[type_](*[values[lane] for lane in lanes])
                for type_, lanes in self.outputs
            ]
        )

    def _pictures(self, inputs: Mapping[str, Given]) -> dict[str, PictureInput]:
        pictures = {}
        for use in self.kernel.inputs:
            value = inputs.get(use.port)
            if use.is_scalar:
                continue
            if not isinstance(value, PictureInput) or (use.is_sampled and value.channels != use.type.components):
                got = f"{value.channels} channels" if isinstance(value, PictureInput) else repr(value)
                msg = f"input {use.port!r}: expected a picture of {use.type.components} channels, got {got}"
                raise InvalidArgumentError(msg)
            pictures[use.port] = value
        return pictures


def compile_scalar_kernel(kernel: Kernel) -> ScalarKernel:
    """Return a kernel as Python code.

    Raises
    ------
    InvalidArgumentError
        If an output depends on the pixel.
    """
    flat = flatten(kernel)
    for number, output in enumerate(flat.outputs):
        if flat.values[output].varies is not Varies.NONE:
            msg = f"output {number}: expected a value that is equal for all pixels, got one that depends on the pixel"
            raise InvalidArgumentError(msg)
    program = scalarize(flat)
    wanted = list(dict.fromkeys(lane for output in program.outputs for lane in output))
    position = {lane: index for index, lane in enumerate(wanted)}
    outputs = []
    for type_, lanes in zip(kernel.output_types, program.outputs, strict=True):
        # one lane stands for all components where they are equal
        spread = lanes * type_.components if len(lanes) == 1 else lanes
        outputs.append((type_, tuple(position[lane] for lane in spread)))
    code = compile_scalars(program.ops, program.lanes, wanted, slot_count=len(kernel.slots))
    return ScalarKernel(kernel, code, tuple(outputs))
