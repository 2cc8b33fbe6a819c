"""Opened devices: one for each adapter and process, shared by every backend that uses it.

A device is opened when the first backend needs it and stays open; opening is serialised, use is guarded by one lock.
A device that was lost is replaced by a new one at the next opening. A forked child must not use its parent's devices:
they are told by the process they were opened in, and never released by a child.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from unshape_backend.availability import UnavailableReason
from unshape_backend.capabilities import DeviceInfo, DeviceLimits, Feature
from unshape_backend.config import Settings
from unshape_backend.errors import BackendUnavailableError, DeviceLostError, ForkedProcessError
from unshape_core.memory_space import MemorySpace
from unshape_gpu import native
from unshape_gpu.adapters import Candidate, find_candidates
from unshape_gpu.arithmetic import FAST, LEVELS, Arithmetic
from unshape_gpu.device_facts import (
    device_info,
    device_limits,
    features_of,
    identifying_facts,
    wanted_features,
    wanted_limits,
)
from unshape_gpu.errors import unavailable
from unshape_gpu.program_store import BYTES_PER_CHARACTER, BYTES_PER_CHARACTER_SOFTWARE, ProgramStore, Sized

if TYPE_CHECKING:
    from unshape_gpu.self_test import SelfTest

_Made = TypeVar("_Made")
_Program = TypeVar("_Program", bound=Sized)


class GpuContext:
    """An opened device.

    Parameters
    ----------
    candidate : Candidate
        Its adapter.
    ordinal : int
        Its number: 0 is ``"gpu"``.

    Attributes
    ----------
    device : wgpu device
        The object.
    lock : threading.RLock
        Held for every call on the device.
    info : DeviceInfo
    limits : DeviceLimits
    features : frozenset of Feature
    exact : Arithmetic
        How shaders are written that promise bits.
    is_exact : bool
        Whether the self-test saw that they keep the promise.
    reason : str
        Why this adapter was chosen.
    programs : ProgramStore
        Compiled shaders, those used last.
    compilations : int
        Shaders compiled so far.
    is_lost : bool
        Whether the device is gone.
    is_inherited : bool
        Whether it was opened in another process, of which this one is a fork.
    """

    def __init__(self, candidate: Candidate, ordinal: int) -> None:
        adapter = candidate.adapter
        self.ordinal = ordinal
        self.space = MemorySpace("wgpu", ordinal)
        self.reason = candidate.reason
        self.lock = threading.RLock()
        self.process = os.getpid()
        self.is_lost = False
        self.is_inherited = False
        self.compilations = 0
        self.device = native.request_device(
            adapter, features=wanted_features(adapter.features), limits=wanted_limits(adapter.limits)
        )
        self.limits: DeviceLimits = device_limits(self.device.limits, adapter)
        self.uniform_alignment = int(self.device.limits["min-uniform-buffer-offset-alignment"])
        self.max_params_bytes = int(self.device.limits["max-uniform-buffer-binding-size"])
        self._made: dict[object, object] = {}
        self.programs = ProgramStore()
        self.bytes_per_character = BYTES_PER_CHARACTER_SOFTWARE if candidate.is_software else BYTES_PER_CHARACTER
        found = _tested(self, candidate)
        self.is_exact = found.arithmetic is not None
        self.exact: Arithmetic = found.arithmetic or found.nearest
        self.self_test = found
        self.info: DeviceInfo = device_info(candidate, self.exact if self.is_exact else FAST)
        self.features: frozenset[Feature] = features_of(
            self.device, is_exact=self.is_exact, keeps_denormals=found.keeps_denormals
        )

    def cached(self, key: object, make: Callable[[], _Made]) -> _Made:
        """Return what was made for a key; made once for each device, also if several threads ask.

        It is kept for good: layouts of bindings, shaders of textures. Other shaders are kept in :attr:`programs`.
        """
        with self.lock:
            if key not in self._made:
                self._made[key] = make()
            return self._made[key]  # type: ignore[return-value]  # keys name what they stand for

    def program(self, key: Hashable, make: Callable[[], _Program]) -> _Program:
        """Return the shader of a key, compiled by one thread if several ask."""
        with self.lock:
            return self.programs.get(key, make)

    def is_alive(self) -> bool:
        """Return whether the device still answers."""
        if not self.is_lost:
            with self.lock:
                self.is_lost = not native.answers(self.device)
        return not self.is_lost

    def check_usable(self, backend: str, operation: str) -> None:
        """Raise if this is a forked child, or the device is lost.

        Parameters
        ----------
        backend, operation : str
            Who wants to do what, for the message.
        """
        if self.is_inherited:
            msg = (
                f"backend '{backend}': {operation}: it was opened in process {self.process} and this is a fork of it; "
                'use the "spawn" start method and open it anew'
            )
            raise ForkedProcessError(msg, backend=backend)
        if self.is_lost:
            msg = f"backend '{backend}': {operation}: the device is lost; open the backend again"
            raise DeviceLostError(msg, backend=backend)


class Contexts:
    """The devices of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._opened: dict[int, GpuContext] = {}
        self._inherited: list[GpuContext] = []
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._leave_to_parent)

    def _leave_to_parent(self) -> None:
        """Forget the devices of the parent without releasing them, which could wait for its threads."""
        self._lock = threading.Lock()
        for context in self._opened.values():
            context.is_inherited = True
        self._inherited += self._opened.values()
        self._opened = {}

    def open(self) -> list[GpuContext]:
        """Return all devices, the first is the preferred one; opens those that are not open or lost.

        Raises
        ------
        BackendUnavailableError
            If there is none, or one does not open.
        """
        with self._lock:
            if self._inherited:
                raise unavailable(
                    UnavailableReason.FAILED_TO_OPEN,
                    "the process that this one was forked from uses the driver already",
                    'multiprocessing.set_start_method("spawn")',
                )
            if not self._opened or not all(context.is_alive() for context in self._opened.values()):
                for ordinal, candidate in enumerate(find_candidates()):
                    known = self._opened.get(ordinal)
                    if known is None or known.is_lost:
                        self._opened[ordinal] = _opened(candidate, ordinal)
            return [context for _, context in sorted(self._opened.items())]


def _tested(context: GpuContext, candidate: Candidate) -> SelfTest:
    """Return what the self-test finds, or found when this device was opened by this driver before."""
    from unshape_gpu.self_test import run_self_test
    from unshape_gpu.self_test_store import SelfTestStore, key_of

    store = SelfTestStore(Settings.from_environment().cache_path)
    key = key_of(identifying_facts(candidate))
    found = store.load(key)
    if found is None:
        # Mesa's software driver rewrites sums; nobody waits for it to be fast, but everybody for it to open.
        found = run_self_test(context, LEVELS[-1:] if candidate.is_software else LEVELS)
        store.save(key, found)
    return found


def _opened(candidate: Candidate, ordinal: int) -> GpuContext:
    try:
        return GpuContext(candidate, ordinal)
    except BackendUnavailableError:
        raise
    except Exception as error:
        detail = f"{candidate.name} ({candidate.api}): {type(error).__name__}: {error}".splitlines()[0]
        raise unavailable(UnavailableReason.FAILED_TO_OPEN, detail, "update the graphics driver") from error


@cache
def contexts() -> Contexts:
    """Return the devices of this process."""
    return Contexts()
