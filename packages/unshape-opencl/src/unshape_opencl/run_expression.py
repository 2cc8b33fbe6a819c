"""Running nodes by their expression: one launch for each run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod
from typing import TYPE_CHECKING

import numpy as np
import pyopencl as cl

from unshape_backend.input_checks import shape_at_hand
from unshape_backend.protocols import CompiledTask
from unshape_backend.task import Task
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_core.value import Value
from unshape_expr.context_uniforms import context_uniforms
from unshape_expr.kernel import Kernel
from unshape_expr.work import work_of
from unshape_opencl.buffer import ClArray
from unshape_opencl.errors import translated
from unshape_opencl.launch import Argument, Launch
from unshape_opencl.layout import Layout, Packer
from unshape_opencl.opened_device import OpenedDevice
from unshape_opencl.pool import size_class
from unshape_opencl.source import ENTRY, SEGMENT_PX, Shape, make_source
from unshape_opencl.tables import has_lookups

if TYPE_CHECKING:
    from unshape_opencl.backend import OpenClBackend

GROUP_ITEMS = 256
"""Work-items of a group on a GPU."""
UNITS_PER_ITEM_BYTES = 32 * 1024
"""On a CPU a work-item should have at least this much to write, or starting it costs more than it does."""
FLOAT = np.dtype(np.float32)
_CHEAP_FLOPS = 64
_SMALL_ELEMENTS = 2**31


class ExpressionTask:
    """A task made ready: its kernel is built, and what does not change between runs is packed.

    Parameters
    ----------
    backend : OpenClBackend
        Makes the outputs.
    device : OpenedDevice
        Runs it.
    task : Task
        The task, whose outputs are pictures.
    kernel : Kernel
        Its expression.
    """

    def __init__(self, backend: OpenClBackend, device: OpenedDevice, task: Task, kernel: Kernel) -> None:
        self._backend = backend
        self._device = device
        self._task = task
        self._name = task.node.type_name
        self._where = where = f"node '{self._name}' on '{backend.id}'"
        self._launch, self._take = device.queue.launch, device.pool.take_class
        self._check = backend.input_checks(task)
        self._layout = Layout.of(kernel)
        by_name = {name: index for index, name in enumerate(task.input_names)}
        self._pictures = [by_name[port] for port in self._layout.pictures]
        self._scalars = [by_name[port] for port, _, _ in self._layout.scalars]
        self._has_numbers = bool(self._layout.uniforms or self._layout.scalars)
        self._last: tuple[object, bytes] = (None, b"")
        shapes = [shape_at_hand(spec, held) for spec, held in zip(task.input_specs, task.region.inputs, strict=True)]
        is_plain = self._pictures == list(range(len(shapes)))  # every input is a picture, in the kernel's order
        self._expected = [backend.form(shape or (), FLOAT) for shape in shapes] if is_plain else None
        self._shapes = [shape_at_hand(spec, task.region.output) or () for spec in task.output_specs]
        self._outputs = [(size_class(4 * prod(shape)), backend.form(shape, FLOAT)) for shape in self._shapes]
        self._is_empty = task.region.output.is_empty
        arguments = len(self._pictures) + len(kernel.outputs)
        is_by_value = 4 * self._layout.size + 8 * arguments <= device.native.max_parameter_size
        shape = choose_shape(device, task, kernel, is_by_value=is_by_value)
        self._is_by_value = is_by_value
        self._packer, global_size, local_size = self._prepared(shape)
        built = device.programs.expression(
            (kernel.key, shape),
            partial(make_source, kernel, self._layout, shape),
            ENTRY,
            where=where,
            is_fast=shape.is_fast,
        )
        self._built = Launch(built, name=self._name, global_size=global_size, local_size=local_size)

    def __call__(self, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext, /) -> tuple[Value, ...]:
        """Launch the kernel and return its outputs, which need not be ready.

        Small graphs take as long as the host needs here, so what is the same in every run is done once.
        """
        backend, where = self._backend, self._where
        if not backend.is_usable:
            backend.check_usable(where)
        pictures = self._picture_buffers(inputs)
        if pictures is None:
            self._check(inputs)
            pictures = [self._buffer(inputs[index]) for index in self._pictures]
        if ctx.cancellation is not None:
            ctx.raise_if_cancelled()
        if self._is_empty:
            return tuple([ClArray(None, form) for _, form in self._outputs])
        known, words = self._last
        if known is not nodes:
            words = self._packer.words(self._task.slot_values(nodes), self._numbers(inputs, ctx))
            if not self._has_numbers:
                self._last = (nodes, words)
        held, take = None, self._take
        try:
            first: Argument = words
            if not self._is_by_value:
                held = backend.upload(np.frombuffer(words, np.uint32))
                first = held.buffer(where)
            made: list[ClArray] = []
            arguments = [first]
            for size, form in self._outputs:
                block = take(size)
                made.append(ClArray(block, form))
                arguments.append(block.buffer)
            arguments += pictures
            event = self._launch(self._built, arguments)
        except cl.Error as error:
            raise translated(error, where, backend=backend.id) from error
        for array in made:
            array.ready = event
        return tuple(made)

    def _picture_buffers(self, inputs: Sequence[Value]) -> list[Argument] | None:
        """Return the memory of the pictures if all inputs are pictures and nothing is odd about them; else None."""
        expected = self._expected
        if expected is None or len(inputs) != len(expected):
            return None
        buffers: list[Argument] = []
        for value, form in zip(inputs, expected):  # noqa: B905 - they were counted
            if type(value) is not ClArray or value.form is not form:
                return None
            block = value.block
            if block is None:
                return None
            buffers.append(block.buffer)
        return buffers

    def _buffer(self, value: Value) -> Argument:
        assert isinstance(value, ClArray)  # inputs were checked
        return value.buffer(self._where)

    def _numbers(self, inputs: Sequence[Value], ctx: EvalContext) -> list[Value]:
        numbers: list[Value] = []
        if self._layout.uniforms:
            values = context_uniforms(ctx)
            numbers = [values[name] for name, _, _ in self._layout.uniforms]
        return numbers + [inputs[index] for index in self._scalars]

    def _prepared(self, shape: Shape) -> tuple[Packer, tuple[int, ...], tuple[int, ...]]:
        """Return what packs the words, and the sizes of the launch."""
        task, window = self._task, self._task.region.output
        whole = next((spec.picture_px for spec in task.output_specs if spec.picture_px is not None), (0, 0))
        if shape.is_looped:
            segments = -(-window.width_px // SEGMENT_PX)
            units = segments * window.height_px
            share = self._share(units)
            items, group = -(-units // share) if units else 0, 1
        else:
            segments = -(-window.width_px // shape.lanes)
            units, share = segments * window.height_px, 1
            group = min(GROUP_ITEMS, self._device.facts.limits.max_workgroup_size or GROUP_ITEMS)
            items = -(-units // group) * group
        head = (window.x_px, window.y_px, window.width_px, window.height_px, *whole, segments, units, share)
        pictures = []
        for index in self._pictures:
            held, size_px = task.region.inputs[index], task.input_specs[index].picture_px
            assert held is not None
            assert size_px is not None
            pictures.append((held, size_px))
        return Packer(self._layout, head, pictures), (items,), (group,)

    def _share(self, units: int) -> int:
        """Return how many units a work-item computes on a CPU: enough to be worth it, few enough to keep all busy."""
        window = self._task.region.output
        row_bytes = sum(4 * shape[1] * shape[2] for shape in self._shapes)
        unit_bytes = max(1, row_bytes * window.height_px // max(units, 1))
        worth_it = -(-UNITS_PER_ITEM_BYTES // unit_bytes)
        spread = -(-units // (8 * max(self._device.native.max_compute_units, 1)))
        return max(1, worth_it, spread)


def choose_shape(device: OpenedDevice, task: Task, kernel: Kernel, *, is_by_value: bool) -> Shape:
    """Return how the pixels of a task are shared out.

    A GPU computes one pixel for each work-item, or four neighbours at once: where memory is the limit and pixels are
    small, since loads of 16 bytes are what fills its memory bus; and where values are looked up, as in lattice noise,
    since compilers see that what belongs to a row is the same for all four.
    """
    window = task.region.output
    widths = [window.width_px, *(held.width_px for held in task.region.inputs if held is not None)]
    elements = [spec.elements or 0 for spec in (*task.input_specs, *task.output_specs)]
    is_small = max(elements, default=0) < _SMALL_ELEMENTS
    lanes, is_aligned = device.lanes, False
    has_tables = not device.is_looped and has_lookups(kernel) and bool(device.facts.limits.shared_memory_bytes)
    if not device.is_looped:
        channels = [type_.components for type_ in kernel.output_types]
        channels += [use.type.components for use in kernel.inputs if use.is_pixel]
        reads_elsewhere = any(use.is_sampled for use in kernel.inputs)
        starts = [window.x_px - held.x_px for held in task.region.inputs if held is not None]
        is_aligned = all(width % 4 == 0 for width in widths) and all(start % 4 == 0 for start in starts)
        is_cheap = work_of(kernel).flops <= _CHEAP_FLOPS * max(channels)
        if not reads_elsewhere and (has_tables or (is_aligned and is_cheap and min(channels) < 4)):
            lanes = 4
    return Shape(
        lanes=lanes,
        is_looped=device.is_looped,
        is_aligned=lanes == 4 and is_aligned,
        is_small=is_small,
        is_fast=task.precision == "fast" and kernel.may_contract,
        is_by_value=is_by_value,
        has_tables=has_tables,
    )


if TYPE_CHECKING:
    _proof: type[CompiledTask] = ExpressionTask
