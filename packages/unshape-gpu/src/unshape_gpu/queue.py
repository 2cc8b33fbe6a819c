"""The queue: kernels and copies are recorded, and handed to the device in one submission.

Everything recorded since the last submission becomes one command encoder; kernels that follow each other share one
compute pass. Parameter blocks travel in one buffer, written once for each submission, and each kernel is told its
offset in it; so bind groups depend on nothing but memory, and are found again when an evaluation is repeated.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unshape_backend.errors import BackendError
from unshape_gpu import native
from unshape_gpu.errors import is_device_loss, translated
from unshape_gpu.pool import Block
from unshape_gpu.program import Program

if TYPE_CHECKING:
    from unshape_gpu.device import GpuContext
    from unshape_gpu.timing import PassTimer

_log = logging.getLogger("unshape_gpu")

_PARAMS_BYTES = 256 * 1024
_MOST_COMMANDS = 512
_MOST_BIND_GROUPS = 2048
_MOST_FAILURES = 64


@dataclass(frozen=True, slots=True)
class Dispatch:
    """A kernel to run: how, on what, with which parameter block, in how many groups, and what for."""

    program: Program
    bindings: tuple[tuple[Block, int], ...]
    offset: int
    groups: tuple[int, int, int]
    label: str


@dataclass(frozen=True, slots=True)
class Copy:
    """Bytes to copy from one buffer to another."""

    source: native.Buffer
    source_offset: int
    target: native.Buffer
    target_offset: int
    nbytes: int


@dataclass(slots=True)
class QueueStatistics:
    """What a queue has done so far."""

    submissions: int = 0
    dispatches: int = 0
    copies: int = 0
    bind_groups: int = 0


class GpuQueue:
    """Work for one device, in order. Its methods are called under the lock of the context, except where stated.

    Parameters
    ----------
    context : GpuContext
        The device.
    backend : str
        Whose queue it is, for messages.

    Attributes
    ----------
    recording : int
        Number of the submission that is being recorded.
    """

    def __init__(self, context: GpuContext, *, backend: str) -> None:
        self._context = context
        self._backend = backend
        self._commands: list[Dispatch | Copy] = []
        self._params = bytearray()
        self._alignment = context.uniform_alignment
        self._params_bytes = _PARAMS_BYTES
        self._params_buffer: native.Buffer = None
        self._bind_groups: OrderedDict[tuple[object, ...], native.BindGroup] = OrderedDict()
        self._failures: OrderedDict[int, BackendError] = OrderedDict()
        self.timer: PassTimer | None = None
        self.recording = 0
        self.statistics = QueueStatistics()

    def dispatch(
        self,
        program: Program,
        bindings: Sequence[tuple[Block, int]],
        params: bytes,
        groups: tuple[int, int, int],
        label: str,
    ) -> int:
        """Record a kernel and return the number of the submission it will be part of.

        Parameters
        ----------
        program : Program
            What to run.
        bindings : sequence of (Block, int)
            Memory that is read, then memory that is written, each with the bytes that are bound.
        params : bytes
            The parameter block.
        groups : (int, int, int)
            Number of workgroups along each axis.
        label : str
            What it computes, for messages and times.
        """
        offset = -(-len(self._params) // self._alignment) * self._alignment
        if offset + program.params_bytes > self._params_bytes or len(self._commands) >= _MOST_COMMANDS:
            self.submit()
            offset = 0
        self._params += bytes(offset - len(self._params)) + params
        self._params += bytes(offset + program.params_bytes - len(self._params))
        for block, _ in bindings:
            block.last_use = self.recording
        self._commands.append(Dispatch(program, tuple(bindings), offset, groups, label))
        return self.recording

    def copy(
        self, source: native.Buffer, source_offset: int, target: native.Buffer, target_offset: int, nbytes: int
    ) -> int:
        """Record a copy of bytes and return the number of the submission it will be part of."""
        self._commands.append(Copy(source, source_offset, target, target_offset, nbytes))
        return self.recording

    def submit(self) -> None:
        """Hand over what was recorded; nothing recorded is no submission.

        What goes wrong is kept for whoever waits for the results.

        Raises
        ------
        BackendError
            If the device refuses it.
        """
        if not self._commands:
            return
        commands, self._commands = self._commands, []
        params, self._params = self._params, bytearray()
        number = self.recording
        self.recording += 1
        try:
            self._hand_over(commands, params)
        except Exception as error:
            labels = ", ".join(dict.fromkeys(each.label for each in commands if isinstance(each, Dispatch)))
            failure = translated(error, backend=self._backend, doing=f"run {labels or 'copies'}")
            if is_device_loss(error):
                self._context.is_lost = True
            self._failures[number] = failure
            while len(self._failures) > _MOST_FAILURES:
                self._failures.popitem(last=False)
            raise failure from error

    def _hand_over(self, commands: Sequence[Dispatch | Copy], params: bytearray) -> None:
        device = self._context.device
        if params:
            if self._params_buffer is None:
                self._params_buffer = device.create_buffer(size=self._params_bytes, usage=native.usages().uniform)
            device.queue.write_buffer(self._params_buffer, 0, params)
        encoder = device.create_command_encoder()
        timer = self.timer
        if timer is not None:
            timer.prepare(len(commands))
        running = None
        pipeline = None
        for command in commands:
            if isinstance(command, Copy):
                if running is not None:
                    running.end()
                    running = pipeline = None
                encoder.copy_buffer_to_buffer(
                    command.source, command.source_offset, command.target, command.target_offset, command.nbytes
                )
                self.statistics.copies += 1
                continue
            if running is None:
                running = encoder.begin_compute_pass()
            if command.program.pipeline is not pipeline:
                pipeline = command.program.pipeline
                running.set_pipeline(pipeline)
            running.set_bind_group(0, self._bind_group(command), [command.offset])
            if timer is not None:
                timer.begin(running, command.label)
            running.dispatch_workgroups(*command.groups)
            if timer is not None:
                timer.end(running)
            self.statistics.dispatches += 1
        if running is not None:
            running.end()
        if timer is not None:
            timer.resolve(encoder)
        device.queue.submit([encoder.finish()])
        self.statistics.submissions += 1

    def _bind_group(self, command: Dispatch) -> native.BindGroup:
        program = command.program
        key = (id(program.layout), *[(block.serial, size) for block, size in command.bindings])
        found = self._bind_groups.get(key)
        if found is None:
            bound = [(self._params_buffer, program.params_bytes)]
            bound += [(block.buffer, size) for block, size in command.bindings]
            found = self._bind_groups[key] = native.bind(self._context.device, program.layout, bound)
            self.statistics.bind_groups += 1
            if len(self._bind_groups) > _MOST_BIND_GROUPS:
                self._bind_groups.popitem(last=False)
        else:
            self._bind_groups.move_to_end(key)
        return found

    def forget(self, serials: set[int]) -> None:
        """Drop bind groups of memory that goes back to the driver."""
        gone = [key for key in self._bind_groups if any(part[0] in serials for part in key[1:])]  # type: ignore[index]
        for key in gone:
            del self._bind_groups[key]

    def failure_of(self, submission: int) -> BackendError | None:
        """Return what went wrong with a submission, None if nothing did."""
        return self._failures.get(submission)

    def discard(self) -> None:
        """Drop what was recorded, and everything that is kept."""
        self._commands.clear()
        self._params.clear()
        self._bind_groups.clear()
        if self._params_buffer is not None:
            self._params_buffer.destroy()
            self._params_buffer = None
