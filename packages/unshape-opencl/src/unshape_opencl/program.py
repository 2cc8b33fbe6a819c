"""Programs: source code made ready for the device once, in memory and on disk.

A program is known by its text, its options and the device's fingerprint, which holds the driver's version; so what an
updated driver compiled before the update is never used.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from hashlib import blake2b
from typing import TypeVar

import pyopencl as cl

from unshape_opencl.errors import compilation_error, translated
from unshape_opencl.program_cache import ProgramCache
from unshape_opencl.source import Source

MAX_PROGRAMS = 1024
STANDARD = "-cl-std=CL1.2"
EXACT = "#pragma OPENCL FP_CONTRACT OFF\n"


class Programs:
    """Programs of one device. Safe to use from several threads.

    Parameters
    ----------
    context : pyopencl.Context
        For which they are made.
    device : pyopencl.Device
        The device.
    cache : ProgramCache
        Keeps them between runs.
    is_correctly_rounded : bool
        Whether the device rounds quotients and square roots correctly if asked to.
    owner : str
        The backend's id.

    Attributes
    ----------
    compilations : int
        How many programs a compiler made.
    """

    def __init__(
        self, context: cl.Context, device: cl.Device, cache: ProgramCache, *, is_correctly_rounded: bool, owner: str
    ) -> None:
        self.compilations = 0
        self._context = context
        self._device = device
        self._cache = cache
        self._exact = [STANDARD, *(["-cl-fp32-correctly-rounded-divide-sqrt"] if is_correctly_rounded else [])]
        self._owner = owner
        self._programs: OrderedDict[bytes, cl.Program] = OrderedDict()
        self._by_structure: OrderedDict[Hashable, cl.Program] = OrderedDict()
        self._lock = threading.Lock()

    def expression(
        self, structure: Hashable, make_source: Callable[[], Source], entry: str, *, where: str, is_fast: bool
    ) -> cl.Kernel:
        """Return a new kernel of an expression; its source is made for the first one of each structure.

        Parameters
        ----------
        structure : hashable
            Equal ones have equal sources.
        make_source : callable
            Makes the source.
        entry, where, is_fast
            As for :meth:`kernel`.
        """
        with self._lock:
            program = self._by_structure.get(structure)
            if program is not None:
                self._by_structure.move_to_end(structure)
        if program is None:
            program = self._made(make_source(), where=where, is_fast=is_fast)
            with self._lock:
                _keep(self._by_structure, structure, program)
        return cl.Kernel(program, entry)

    def written(self, text: str, entry: str, macros: tuple[tuple[str, int | str], ...], *, where: str) -> cl.Kernel:
        """Return a new kernel of a text that somebody wrote.

        Parameters
        ----------
        text : str
            OpenCL C. Nothing in it is contracted.
        macros : tuple of (str, int or str)
            What is defined before it.
        entry, where
            As for :meth:`kernel`.
        """

        def source() -> Source:
            return Source(EXACT + "".join(f"#define {name} {value}\n" for name, value in macros) + text)

        return self.expression((text, macros), source, entry, where=where, is_fast=False)

    def kernel(self, source: Source, entry: str, *, where: str, is_fast: bool = False) -> cl.Kernel:
        """Return a new kernel of a program, for whoever asks alone: a kernel holds the arguments of its next launch.

        Parameters
        ----------
        source : Source
            The program.
        entry : str
            Name of the kernel.
        where : str
            Begins messages: which node, on which backend.
        is_fast : bool
            Whether quotients and square roots may be rounded loosely.

        Raises
        ------
        CompilationError
            If it does not compile.
        """
        return cl.Kernel(self._made(source, where=where, is_fast=is_fast), entry)

    def close(self) -> None:
        """Drop all programs."""
        with self._lock:
            self._programs.clear()
            self._by_structure.clear()

    def _made(self, source: Source, *, where: str, is_fast: bool) -> cl.Program:
        options = " ".join([STANDARD] if is_fast else self._exact)
        key = blake2b(f"{options}\n{source.text}".encode(), digest_size=16).digest()
        with self._lock:  # compilers of OpenCL drivers hold a lock of their own, so nothing is lost by waiting here
            found = self._programs.get(key)
            if found is None:
                found = self._program(source, options, where)
                _keep(self._programs, key, found)
            self._programs.move_to_end(key)
            return found

    def _program(self, source: Source, options: str, where: str) -> cl.Program:
        name = self._cache.name(source.text, options)
        binary = self._cache.load(name)
        if binary is not None:
            try:
                return self._built(cl._cl._Program(self._context, [self._device], [binary]), options)
            except cl.Error as error:
                self._cache.reject(name, f"the driver does not take it ({error.code})")
        native = cl._cl._Program(self._context, source.text)
        try:
            program = self._built(native, options)
        except cl.Error as error:
            if error.code != cl.status_code.BUILD_PROGRAM_FAILURE:
                raise translated(error, where, backend=self._owner) from error
            log = str(native.get_build_info(self._device, cl.program_build_info.LOG))
            raise compilation_error(log, source, where, backend=self._owner) from error
        self.compilations += 1
        binaries = program.get_info(cl.program_info.BINARIES)
        if isinstance(binaries, list) and len(binaries) == 1 and binaries[0]:
            self._cache.save(name, bytes(binaries[0]))
        return program

    def _built(self, program: cl._cl._Program, options: str) -> cl.Program:
        # The inner build: the outer one keeps a cache of its own and turns every remark of a compiler into a warning.
        program._build(options.encode(), [self._device])
        return cl.Program(program)


_Key = TypeVar("_Key", bound=Hashable)


def _keep(programs: OrderedDict[_Key, cl.Program], key: _Key, program: cl.Program) -> None:
    """Add a program, and drop those that were not used for longest."""
    programs[key] = program
    while len(programs) > MAX_PROGRAMS:
        programs.popitem(last=False)
