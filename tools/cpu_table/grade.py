"""A grade of pictures in 13 operations with a power, as a node of ours and as peers write it.

::

    t = max(x*gain + offset, 0)    c = clamp(pow(t, gamma), 0, 1)    s = c*c*(3 - 2*c)    result = x + k*(s - x)

with gain, offset and gamma for each channel. Without the power, ``t*t`` takes its place: what memory bounds.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from tools.cpu_table.row import Run
from unshape_core import TEXTURE, ContextField, EvalContext, OpClass, Port, Value, ValueSpec
from unshape_expr import build as e
from unshape_expr.body import BodyInputs, infer_body
from unshape_expr.ir import Expr

if TYPE_CHECKING:
    from unshape_core.protocols import Node

GAIN = (1.1, 1.0, 0.9, 1.0)
OFFSET = (0.02, 0.0, -0.01, 0.0)
GAMMA = (0.8, 0.9, 1.1, 1.0)
STRENGTH = 0.7
_TILE_PIXELS = 4096


@dataclass(frozen=True, slots=True)
class Grade:
    """The grade.

    Parameters
    ----------
    has_power : bool
        Whether there is a power in it.
    """

    type_name: ClassVar[str] = "bench::Grade"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE),)

    has_power: bool = True

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of a picture of the input's size."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the graded picture."""
        x = inputs["image"]
        t = e.max(x * _literal(GAIN) + _literal(OFFSET), 0.0)
        p = e.pow(t, _literal(GAMMA)) if self.has_power else t * t
        c = e.max(e.min(p, 1.0), 0.0)
        s = (c * c) * (3.0 - c * 2.0)
        return (x + (s - x) * e.literal(STRENGTH),)


def _literal(components: Sequence[float]) -> Expr:
    return e.vector(*(e.literal(each) for each in components))


def tiled_numpy(inputs: Sequence[Value], _threads: int) -> Run:
    """Return the grade in NumPy over tiles that stay in the cache, written with ``out=``."""
    source = np.asarray(inputs[0]).reshape(-1, 4)
    result = np.empty_like(source)
    t, s = (np.empty((_TILE_PIXELS, 4), np.float32) for _ in range(2))
    gain, offset, gamma = (np.tile(np.array(each, np.float32), (_TILE_PIXELS, 1)) for each in (GAIN, OFFSET, GAMMA))
    zero, one, two, three, strength = (np.float32(each) for each in (0.0, 1.0, 2.0, 3.0, STRENGTH))

    def run() -> None:
        for at in range(0, len(source), _TILE_PIXELS):
            x, out = source[at : at + _TILE_PIXELS], result[at : at + _TILE_PIXELS]
            n = len(x)
            a, b = t[:n], s[:n]
            np.multiply(x, gain[:n], out=a)
            np.add(a, offset[:n], out=a)
            np.maximum(a, zero, out=a)
            np.power(a, gamma[:n], out=a)
            np.minimum(a, one, out=a)
            np.maximum(a, zero, out=a)
            np.multiply(a, two, out=b)
            np.subtract(three, b, out=b)
            np.multiply(a, a, out=a)
            np.multiply(a, b, out=a)
            np.subtract(a, x, out=a)
            np.multiply(a, strength, out=a)
            np.add(a, x, out=out)

    return run


def halide_jit(inputs: Sequence[Value], threads: int) -> Run:
    """Return the grade compiled by Halide for this machine, in as many parallel parts as threads."""
    os.environ.setdefault("HL_NUM_THREADS", str(os.cpu_count() or 1))
    hl: Any = import_module("halide")
    source = np.array(inputs[0]).reshape(-1)
    result = np.empty_like(source)
    at, within, part = hl.Var("at"), hl.Var("within"), hl.Var("part")
    picture = hl.ImageParam(hl.Float(32), 1)
    channel = at % 4

    def by_channel(values: Sequence[float]) -> Any:
        first, second, third, fourth = (hl.f32(each) for each in values)
        return hl.select(channel == 0, first, channel == 1, second, channel == 2, third, fourth)

    x = picture[at]
    p = hl.pow(hl.max(x * by_channel(GAIN) + by_channel(OFFSET), hl.f32(0.0)), by_channel(GAMMA))
    c = hl.clamp(p, hl.f32(0.0), hl.f32(1.0))
    s = c * c * (hl.f32(3.0) - hl.f32(2.0) * c)
    graded = hl.Func("graded")
    graded[at] = x + hl.f32(STRENGTH) * (s - x)
    target = hl.get_jit_target_from_environment()
    if threads > 1:
        graded.split(at, part, at, -(-source.size // threads), hl.TailStrategy.GuardWithIf).parallel(part)
    graded.split(at, at, within, target.natural_vector_size(hl.Float(32)), hl.TailStrategy.GuardWithIf)
    graded.vectorize(within)
    for memory in (picture, graded.output_buffer()):
        memory.dim(0).set_bounds(0, source.size)  # so that the channel of each lane is known when it is compiled
    graded.compile_jit(target)
    given, output = hl.Buffer(source), hl.Buffer(result)
    picture.set(given)
    held = (picture, given, source, result)  # Halide keeps addresses only

    def run() -> object:
        assert held
        return graded.realize(output)

    return run


def copy(inputs: Sequence[Value], _threads: int) -> Run:
    """Return a copy of the same bytes.

    The C library stores past the caches what is larger than they are, as the processor states their size; a virtual
    machine may have a tenth of that, and then the copy goes through them and is slower than it could be.
    """
    source = np.asarray(inputs[0])
    result = np.empty_like(source)
    return lambda: np.copyto(result, source)


if TYPE_CHECKING:
    _proof: type[Node] = Grade
