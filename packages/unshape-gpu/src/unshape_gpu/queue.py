"""The queue: kernels and copies are recorded, and handed to the device in one submission.

Everything recorded since the last submission becomes one command encoder; kernels that follow each other share one
compute pass. Long recordings are handed over in parts, so that the device does not wait for the host. Parameter blocks
travel in one buffer, written once for each submission, and each kernel is told its offset in it; so bind groups depend
on nothing but memory, and are found again when an evaluation is repeated.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, cast

from unshape_backend.capabilities import Feature
from unshape_backend.errors import BackendError
from unshape_core.notes import note_device_time, wants_device_time
from unshape_gpu import native, native_waiting
from unshape_gpu.errors import is_device_loss, translated
from unshape_gpu.native_encoding import Encoding
from unshape_gpu.native_objects import BindGroup, Buffer, bind, create_buffer, write_buffer
from unshape_gpu.pool import Block
from unshape_gpu.program import Program
from unshape_gpu.timing import KernelTimer, PassTimes

if TYPE_CHECKING:
    from unshape_gpu.device import GpuContext

_PARAMS_BYTES = 256 * 1024
_MOST_COMMANDS = 64
"""So many are handed over before an evaluation has recorded all: the device begins while the host goes on."""
MAX_BIND_GROUPS = 2048
"""Each is about a kilobyte of the host's memory, and more than most plans need."""
_MOST_FAILURES = 64


@dataclass(slots=True)
class Dispatch:
    """A kernel to run: how, on what, with which parameter block, in how many groups, what for, and who measures it."""

    program: Program
    bind_group: BindGroup
    offset: int
    groups: tuple[int, int, int]
    label: str
    timer: KernelTimer | None


@dataclass(frozen=True, slots=True)
class Copy:
    """Bytes to copy from one buffer to another."""

    source: Buffer
    source_offset: int
    target: Buffer
    target_offset: int
    nbytes: int


@dataclass(slots=True)
class QueueStatistics:
    """What a queue has done so far."""

    submissions: int = 0
    dispatches: int = 0
    copies: int = 0
    bind_groups: int = 0
    dropped_bind_groups: int = 0


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
    context : GpuContext
        The device.
    recording : int
        Number of the submission that is being recorded.
    last_submission : int
        The device's number of the last submission.
    max_bind_groups : int
        How many are kept, those used last.
    measured : list of KernelTimer or None
        Takes what measures each kernel, if somebody collects it.
    """

    def __init__(self, context: GpuContext, *, backend: str) -> None:
        self.context = context
        self._backend = backend
        self._commands: list[Dispatch | Copy] = []
        self._params = bytearray()
        self._alignment = context.uniform_alignment
        self._written = bytearray()
        self._params_buffer: Buffer | None = None
        self._bind_groups: OrderedDict[tuple[int, ...], BindGroup] = OrderedDict()
        self.max_bind_groups = MAX_BIND_GROUPS
        self._users: dict[int, set[tuple[int, ...]]] = {}
        self._failures: OrderedDict[int, BackendError] = OrderedDict()
        self._measures = Feature.TIMESTAMPS in context.features
        self.measured: list[KernelTimer] | None = None
        self.recording = 0
        self.last_submission = 0
        self._waited = 0
        self.statistics = QueueStatistics()

    def dispatch(
        self,
        program: Program,
        blocks: Sequence[Block],
        sizes: Sequence[int],
        *,
        params: bytes,
        groups: tuple[int, int, int],
        label: str,
    ) -> int:
        """Record a kernel and return the number of the submission it will be part of.

        Parameters
        ----------
        program : Program
            What to run.
        blocks, sizes : sequence
            Memory that is read, then memory that is written, and how many bytes of each are bound.
        params : bytes
            The parameter block.
        groups : (int, int, int)
            Number of workgroups along each axis.
        label : str
            What it computes, for messages and times.
        """
        written = self._params
        offset = -(-len(written) // self._alignment) * self._alignment
        if offset + program.params_bytes > _PARAMS_BYTES or len(self._commands) >= _MOST_COMMANDS:
            self.submit()
            written = self._params
            offset = 0
        if len(written) < offset:
            written.extend(bytes(offset - len(written)))
        written.extend(params)
        if len(params) < program.params_bytes:
            written.extend(bytes(program.params_bytes - len(params)))
        bind_group = self._bind_group(program, blocks, sizes)
        timer = None
        if self.measured is not None or (self._measures and wants_device_time()):
            timer = KernelTimer(self, label)
            note_device_time(timer.duration_ns)
            if self.measured is not None:
                self.measured.append(timer)
        self._commands.append(Dispatch(program, bind_group, offset, groups, label, timer))
        return self.recording

    def copy(self, source: Buffer, source_offset: int, target: Buffer, target_offset: int, nbytes: int) -> int:
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
                self.context.is_lost = True
            self._failures[number] = failure
            while len(self._failures) > _MOST_FAILURES:
                self._failures.popitem(last=False)
            raise failure from error

    def submit_now(self) -> None:
        """Hand over what was recorded; takes the lock itself."""
        with self.context.lock:
            self.submit()

    def wait(self) -> None:
        """Hand over what was recorded and wait until everything is done; called without the lock."""
        with self.context.lock:
            self.submit()
            number = self.recording
        if self._waited < number:
            native_waiting.wait_until_idle(self.context.device)
            self._waited = number

    def _hand_over(self, commands: Sequence[Dispatch | Copy], params: bytearray) -> None:
        device = self.context.device
        # A repeated evaluation finds its own parameters there.
        if params and self._params_buffer is not None and params != self._written:
            self._written = params
            write_buffer(device, self._params_buffer, params)
        timers = [each.timer for each in commands if isinstance(each, Dispatch) and each.timer is not None]
        times = PassTimes(device, timers) if timers else None
        with Encoding(device) as encoding:
            for kind, group in groupby(commands, type):
                if kind is Dispatch:
                    run = cast("list[Dispatch]", list(group))
                    encoding.run(run, times)
                    self.statistics.dispatches += len(run)
                else:
                    self._encode_copies(encoding, cast("Iterator[Copy]", group))
            if times is not None:
                times.resolve(encoding)
            self.last_submission = encoding.submit()
        self.statistics.submissions += 1

    def _encode_copies(self, encoding: Encoding, copies: Iterator[Copy]) -> None:
        for each in copies:
            encoding.copy(each.source, each.source_offset, each.target, each.target_offset, each.nbytes)
            self.statistics.copies += 1

    def _bind_group(self, program: Program, blocks: Sequence[Block], sizes: Sequence[int]) -> BindGroup:
        number = self.recording
        serials = []
        for block in blocks:
            block.last_use = number
            serials.append(block.serial)
        key = (id(program.layout), *serials, *sizes)  # layouts are kept for good, so numbers are theirs alone
        found = self._bind_groups.get(key)
        if found is not None:
            self._bind_groups.move_to_end(key)
            return found
        device = self.context.device
        if self._params_buffer is None:
            self._params_buffer = create_buffer(device, _PARAMS_BYTES, native.usages().uniform)
        bound = [(self._params_buffer, program.params_bytes)]
        bound += [(block.buffer, size) for block, size in zip(blocks, sizes, strict=True)]
        found = self._bind_groups[key] = bind(device, program.layout, bound)
        for block in blocks:
            self._users.setdefault(block.serial, set()).add(key)
        self.statistics.bind_groups += 1
        while len(self._bind_groups) > self.max_bind_groups:
            self._drop(next(iter(self._bind_groups)))
            self.statistics.dropped_bind_groups += 1
        return found

    def forget(self, serials: set[int]) -> None:
        """Drop bind groups of memory that goes back to the driver."""
        for serial in serials:
            for key in list(self._users.get(serial, ())):
                self._drop(key)

    def _drop(self, key: tuple[int, ...]) -> None:
        del self._bind_groups[key]
        for serial in key[1 : 1 + len(key) // 2]:
            users = self._users.get(serial)
            if users is not None:
                users.discard(key)
                if not users:
                    del self._users[serial]

    def failure_of(self, submission: int) -> BackendError | None:
        """Return what went wrong with a submission, None if nothing did."""
        return self._failures.get(submission)

    def discard(self) -> None:
        """Drop what was recorded, and everything that is kept."""
        self._commands.clear()
        self._params.clear()
        self._bind_groups.clear()
        self._users.clear()
        if self._params_buffer is not None:
            self._params_buffer.destroy()
            self._params_buffer = None
            self._written = bytearray()
