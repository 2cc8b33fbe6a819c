"""Arrays on an OpenCL device."""

from __future__ import annotations

from collections.abc import Hashable
from math import prod
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from unshape_core.content_key import value_key
from unshape_core.errors import InvalidArgumentError
from unshape_core.memory_space import MemorySpace
from unshape_opencl.pool import Block

if TYPE_CHECKING:
    from unshape_core.protocols import GraphValue


class ArrayOwner(Protocol):
    """Whoever can bring an array to the host."""

    @property
    def id(self) -> str:
        """Its name."""

    def download(self, value: ClArray, /) -> npt.NDArray[Any]:
        """Wait for the array and return a copy of it."""


class Form:
    """What some arrays of a backend have in common; there is one of each, so equal ones are the same object.

    Parameters
    ----------
    shape : tuple of int
        Their shape.
    dtype : numpy.dtype
        Type of their elements, in native byte order.
    space : MemorySpace
        Where they live.
    owner : ArrayOwner
        Their backend.

    Attributes
    ----------
    size, nbytes : int
        How many elements each has, and their bytes.
    """

    __slots__ = ("__weakref__", "dtype", "nbytes", "owner", "shape", "size", "space")

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any], *, space: MemorySpace, owner: ArrayOwner) -> None:
        self.shape = shape
        self.dtype = dtype
        self.space = space
        self.owner = owner
        self.size = prod(shape)
        self.nbytes = self.size * dtype.itemsize


class ClArray:
    """A dense array in the memory of a device, in C order. Its elements may still be on their way.

    Made by the backend only, and never changed. ``numpy.asarray`` of it waits for it and copies it to the host. The
    memory goes back to the pool when nothing refers to the array any more.

    Parameters
    ----------
    block : Block or None
        Its memory, which it gives back; None for an array without elements.
    form : Form
        Its shape, type and place.
    ready : pyopencl.Event or None
        The command that fills it; None if its elements are there.
    """

    __slots__ = ("__weakref__", "_key", "block", "form", "ready")

    def __init__(self, block: Block | None, form: Form, ready: cl.Event | None = None) -> None:
        self.block = block
        self.form = form
        self.ready = ready
        self._key: Hashable = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""
        return self.form.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of its elements."""
        return self.form.dtype

    @property
    def space(self) -> MemorySpace:
        """Where it lives."""
        return self.form.space

    @property
    def owner(self) -> ArrayOwner:
        """Its backend."""
        return self.form.owner

    @property
    def size(self) -> int:
        """Number of elements."""
        return self.form.size

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return self.form.nbytes

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.form.shape)

    @property
    def content_key(self) -> Hashable:
        """Key of the elements, equal to that of a host array with the same ones; waits for them."""
        if self._key is None:
            self._key = value_key(self.owner.download(self))
        return self._key

    def memory(self, where: str) -> Block | None:
        """Return the memory, None for an array without elements.

        Parameters
        ----------
        where : str
            Who asks, for the message: ``"download on 'opencl'"``.

        Raises
        ------
        InvalidArgumentError
            If it was released.
        """
        if self.block is None and self.form.size:
            msg = f"{where}: expected a live array, got {self!r}, which was released; upload it again"
            raise InvalidArgumentError(msg)
        return self.block

    def buffer(self, where: str) -> cl.Buffer | None:
        """Return the device's memory, None for an array without elements; ``where`` as for :meth:`memory`."""
        block = self.memory(where)
        return None if block is None else block.buffer

    def release(self) -> None:
        """Give the memory back now; using the array afterwards is an error. Work given before still sees it."""
        block, self.block = self.block, None
        if block is not None:
            block.give_back()

    def __del__(self) -> None:
        if self.block is not None:
            self.block.give_back()

    def __array__(self, dtype: npt.DTypeLike | None = None, *, copy: bool | None = None) -> npt.NDArray[Any]:
        if copy is False:
            msg = "ClArray: an array of it is always a copy; leave out copy=False"
            raise ValueError(msg)
        array = self.owner.download(self)
        return array if dtype is None else array.astype(dtype, copy=False)

    def __repr__(self) -> str:
        return f"<ClArray: {self.dtype}[{', '.join(map(str, self.shape))}] in {self.space}>"


if TYPE_CHECKING:
    _proof: type[GraphValue] = ClArray
