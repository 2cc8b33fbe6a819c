"""A kernel that is given to the device again and again: what does not change is prepared, and set once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from struct import Struct
from typing import Any, TypeAlias

import pyopencl as cl
from pyopencl import Buffer

from unshape_opencl.native import set_bytes, set_object

Argument: TypeAlias = Any
"""What a kernel takes: a buffer, None, local memory, a number, or a value as an object with the buffer interface."""

_PACKERS: dict[type, Callable[[Any], bytes]] = {
    bool: Struct("<i").pack,
    int: Struct("<i").pack,
    float: Struct("<f").pack,
}
_NOTHING = object()
_OBJECTS = frozenset({cl.LocalMemory, type(None)})


@lru_cache(maxsize=64)
def local_memory(nbytes: int) -> cl.LocalMemory:
    """Return so much local memory as an argument, the same object each time."""
    return cl.LocalMemory(nbytes)


class Launch:
    """A kernel with the sizes of its launch and the values that it was last given.

    Setting an argument is a call of the driver, and packing a number one of Python. A value that is the same object as
    last time is left as it is; memory is set each time, so that nothing is kept alive here.

    Parameters
    ----------
    kernel : pyopencl.Kernel
        What is run; of this launch only, since a kernel holds its arguments.
    name : str
        By which its time is kept.
    global_size, local_size : tuple of int
        Work-items in all, and in a group.
    """

    __slots__ = ("_given", "global_size", "kernel", "local_size", "name")

    def __init__(
        self, kernel: cl.Kernel, *, name: str, global_size: tuple[int, ...], local_size: tuple[int, ...]
    ) -> None:
        self.kernel = kernel
        self.name = name
        self.global_size = global_size
        self.local_size = local_size
        self._given: dict[int, Argument] = {}

    def set_arguments(self, arguments: Sequence[Argument]) -> None:
        """Set all arguments; with what follows up to the launch it must not be interrupted by another thread."""
        kernel, given = self.kernel, self._given
        for number, argument in enumerate(arguments):
            if type(argument) is Buffer:
                set_object(kernel, number, argument)
            elif given.get(number, _NOTHING) is not argument:
                kind = type(argument)
                if kind in _OBJECTS:
                    set_object(kernel, number, argument)
                else:
                    set_bytes(kernel, number, _PACKERS[kind](argument) if kind in _PACKERS else argument)
                given[number] = argument
