"""The backend "stub": values in a memory of its own, expressions run by an interpreter on the host.

It is complete: it opens and closes, says what it can do, runs every expression, takes kernels for particular nodes,
accounts for its memory and refuses what it must. Put a device behind it step by step, and keep the suite passing:

1. ``StubArray`` and ``_store``: allocate on the device, copy there and back.
2. ``compile``: translate ``task.kernel`` for the device instead of handing it to the interpreter.
3. ``open_backend``: find the device, and raise ``BackendUnavailableError`` with reason and remedy if there is none.
4. ``capabilities``: what the device really is, can do and cannot exceed.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unshape_backend.availability import Unavailable, UnavailableReason
from unshape_backend.capabilities import BackendCapabilities, DeviceInfo, Feature, Link, Throughput, TransferPath
from unshape_backend.cost import Cost, roofline
from unshape_backend.errors import (
    BackendClosedError,
    BackendUnavailableError,
    ForkedProcessError,
    UnsupportedTaskError,
)
from unshape_backend.identity import BackendId, BackendKind
from unshape_backend.kernel import KernelSpec, KernelTable
from unshape_backend.protocols import PROTOCOL_VERSION, CompiledTask, MemoryInfo
from unshape_backend.task import Rejection, RejectionCode, Task
from unshape_core.content_key import value_key
from unshape_core.context import EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.memory_space import HOST, MemorySpace
from unshape_core.protocols import Node
from unshape_core.spec import ValueSpec
from unshape_core.value import Value
from unshape_core.value_type import ArrayType
from unshape_core.window import Window
from unshape_expr.context_uniforms import context_uniforms
from unshape_expr.interpret import Interpreter
from unshape_expr.kernel import Kernel
from unshape_expr.picture_input import PictureInput

if TYPE_CHECKING:
    from unshape_backend.protocols import ComputeBackend
    from unshape_core.protocols import GraphValue

SPACE = MemorySpace("stub")
"""Where the values live. One space for each memory; ``MemorySpace("stub", 1)`` is that of a second device."""


class StubArray:
    """A value of this backend. Immutable; the memory goes back when nothing refers to it any more."""

    __slots__ = ("__weakref__", "dtype", "elements", "owner", "shape", "space")

    def __init__(self, elements: npt.NDArray[Any], owner: StubBackend) -> None:
        self.elements = elements  # a handle to device memory stands here
        self.owner = owner
        self.space = SPACE
        self.shape = elements.shape
        self.dtype = elements.dtype

    @property
    def nbytes(self) -> int:
        """Bytes on the device."""
        return self.elements.nbytes

    @property
    def content_key(self) -> Hashable:
        """Stands for the elements, never for an address."""
        return value_key(self.owner.download(self))

    def __array__(self, dtype: npt.DTypeLike | None = None, *, copy: bool | None = None) -> npt.NDArray[Any]:
        array = self.owner.download(self)
        return array if dtype is None else array.astype(dtype, copy=False)


class StubBackend:
    """One opened device."""

    protocol_version = PROTOCOL_VERSION
    id = BackendId("stub")

    def __init__(self) -> None:
        self.capabilities = BackendCapabilities(
            id=self.id,
            kind=BackendKind.custom("stub"),
            space=SPACE,
            device=DeviceInfo(
                name="stub device",
                api="native",
                vendor="unknown",
                driver=np.__version__,
                # Whatever makes measurements and compiled code stale belongs into it.
                fingerprint=f"stub {np.__version__}",
                is_software=True,
            ),
            # Claimed because the self-test of `open_backend` saw it, and for no other reason.
            features=frozenset({Feature.EXACT_F32, Feature.DENORMALS}),
            # None would be "unknown", which ranks last. Measured figures say so in `source`.
            throughput=Throughput(flops_per_ns=0.5, bytes_per_ns=1.0, launch_ns=20_000),
            links=tuple(
                Link(source=a, target=b, path=TransferPath.HOST_STAGING, latency_ns=10_000, bytes_per_ns=2.0)
                for a, b in ((HOST, SPACE), (SPACE, HOST))
            ),
        )
        self._kernels = KernelTable("stub")
        self._interpreter = Interpreter()
        self._used_bytes = 0
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._is_closed = False

    # Planning: cheap answers, from facts alone.

    def supports(self, task: Task) -> Rejection | None:
        """Return None for expressions and for nodes that have a kernel here, else why not."""
        self._check_usable()
        found = self._kernels.find(task, self.capabilities.limits)
        if isinstance(found, KernelSpec):
            return None
        if task.kernel is None or not _yields_pictures(task):
            return found
        return None if task.dtypes <= {"float32"} else Rejection(RejectionCode.DTYPE, "it computes float32 only")

    def estimate_cost(self, task: Task) -> Cost | None:
        """Return the roofline of the device."""
        self._check_usable()
        return roofline(task.workload, self.capabilities.throughput)

    # Running.

    def compile(self, task: Task) -> CompiledTask:
        """Make a task ready: a kernel for the node if there is one, else the expression."""
        self._check_usable()
        why = self.supports(task)
        if why is not None:
            name = task.node.type_name
            msg = f"'stub' cannot run {name} ({why}); ask supports() first"
            raise UnsupportedTaskError(msg, backend=self.id, type_name=name)
        found = self._kernels.find(task, self.capabilities.limits)
        kernel = task.kernel

        def run(nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext) -> tuple[Value, ...]:
            self._check_usable()
            arrays = [
                self._own(value, f"input {index} of {task.node.type_name}", spec, window)
                for index, (value, spec, window) in enumerate(self._inputs(task, inputs))
            ]
            if isinstance(found, KernelSpec):
                results = found.function(nodes[-1], arrays, ctx)
            else:
                assert kernel is not None  # `supports` has seen to it
                results = self._interpret(task, kernel, nodes, arrays, ctx)
            return tuple(self._store(each) if isinstance(each, np.ndarray) else each for each in results)

        return run

    def _inputs(self, task: Task, inputs: Sequence[Value]) -> list[tuple[Value, ValueSpec, Window | None]]:
        if len(inputs) != len(task.input_specs):
            msg = f"{task.node.type_name} on 'stub': expected {len(task.input_specs)} inputs, got {len(inputs)}"
            raise InvalidArgumentError(msg, type_name=task.node.type_name)
        return list(zip(inputs, task.input_specs, task.region.inputs, strict=True))

    def _interpret(
        self, task: Task, kernel: Kernel, nodes: tuple[Node, ...], arrays: Sequence[Any], ctx: EvalContext
    ) -> Sequence[npt.NDArray[Any]]:
        given = {}
        used = {use.port for use in kernel.inputs}
        for name, value, spec, window in zip(
            task.input_names, arrays, task.input_specs, task.region.inputs, strict=True
        ):
            if name in used:
                is_picture = window is not None and spec.picture_px is not None
                given[name] = PictureInput(value, window, *spec.picture_px) if is_picture else value  # type: ignore[misc,arg-type]
        width_px, height_px = next(spec.picture_px for spec in task.output_specs if spec.picture_px is not None)
        return self._interpreter.run(
            kernel,
            task.slot_values(nodes),  # the values of literals now; the kernel was made without them
            given,
            window=task.region.output,
            width_px=width_px,
            height_px=height_px,
            uniforms=context_uniforms(ctx),
            cancellation=ctx.cancellation,
        )

    # Moving values.

    def upload(self, array: object) -> StubArray:
        """Copy a host array of any layout and byte order."""
        self._check_usable()
        if not isinstance(array, np.ndarray) or array.dtype.hasobject:
            msg = f"upload to 'stub': expected a numpy array of numbers, got {type(array).__name__}"
            raise InvalidArgumentError(msg)
        return self._store(np.array(array, dtype=array.dtype.newbyteorder("="), order="C"))

    def download(self, value: Value) -> npt.NDArray[Any]:
        """Copy a value to the host; the copy owns its memory."""
        self._check_usable()
        return np.array(self._own(value, "download"))

    def _store(self, elements: npt.NDArray[Any]) -> StubArray:
        """Return a value of this backend, and account for its bytes until it is dropped."""
        value = StubArray(np.ascontiguousarray(elements), self)
        with self._lock:
            self._used_bytes += value.nbytes
        weakref.finalize(value, self._forget, value.nbytes).atexit = False
        return value

    def _forget(self, nbytes: int) -> None:
        self._used_bytes -= nbytes

    def _own(self, value: Value, operation: str, spec: ValueSpec | None = None, window: Window | None = None) -> Any:
        """Return the elements of a value of this backend, or a number as it is; refuse anything else by name."""
        if spec is not None and not isinstance(spec.value_type, ArrayType):
            return value
        if not isinstance(value, StubArray) or value.owner is not self:
            msg = f"{operation} on 'stub': expected a value of {SPACE}, got {type(value).__name__}; upload it first"
            raise InvalidArgumentError(msg)
        if spec is not None and isinstance(spec.value_type, ArrayType):
            shape = spec.shape
            if window is not None and spec.picture_px is not None and shape is not None:
                shape = (window.height_px, window.width_px, *shape[2:])
            if value.shape != shape or value.dtype.name != spec.value_type.dtype:
                got = f"{value.dtype}{value.shape}"
                msg = f"{operation} on 'stub': expected {spec.value_type.dtype}{shape}, got {got}"
                raise InvalidArgumentError(msg)
        return value.elements

    # Waiting: this backend is done when a call returns; a device hands over what it recorded, and waits for it.

    def flush(self) -> None:
        """Hand over what was recorded."""
        self._check_usable()

    def synchronize(self) -> None:
        """Wait until all of it is done."""
        self._check_usable()

    # The rest.

    def memory(self) -> MemoryInfo:
        """Return the account; what is unknown is None."""
        self._check_usable()
        return MemoryInfo(total_bytes=None, used_bytes=self._used_bytes, available_bytes=None)

    def register_kernel(self, kernel: KernelSpec) -> None:
        """Take a kernel, called as ``function(node, arrays, ctx)``; tell domain authors what yours are called with."""
        self._check_usable()
        self._kernels.add(kernel)

    def close(self) -> None:
        """Release the device; may be called twice."""
        self._is_closed = True

    def _check_usable(self) -> None:
        if self._is_closed:
            raise BackendClosedError("backend 'stub' was closed; open it again", backend=self.id)
        if os.getpid() != self._process:
            msg = "backend 'stub' was opened before a fork; use the \"spawn\" start method and open it anew"
            raise ForkedProcessError(msg, backend=self.id)


def _yields_pictures(task: Task) -> bool:
    """Return whether all outputs are pictures; numbers are computed on the host."""
    return all(spec.picture_px is not None for spec in task.output_specs)


def open_backend() -> StubBackend:
    """Find the device and open it: the entry point ``unshape.backends``.

    Raises
    ------
    BackendUnavailableError
        With a reason, and what to do about it.
    """
    backend = StubBackend()
    # Available means that something really ran; here as on a device, by looking at the result.
    value = np.array([1.000244140625], np.float32)
    if backend.download(backend.upload(value)).tobytes() != value.tobytes():
        why = Unavailable(reason=UnavailableReason.FAILED_SELF_TEST, detail="other bytes came down than went up")
        raise BackendUnavailableError(backend=backend.id, availability=why)
    return backend


if TYPE_CHECKING:
    _backend: type[ComputeBackend] = StubBackend
    _value: type[GraphValue] = StubArray
