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
from unshape_opencl.pool import Lease

if TYPE_CHECKING:
    from unshape_core.protocols import GraphValue


class ArrayOwner(Protocol):
    """Whoever can bring an array to the host."""

    @property
    def id(self) -> str:
        """Its name."""

    def download(self, value: ClArray, /) -> npt.NDArray[Any]:
        """Wait for the array and return a copy of it."""


class ClArray:
    """A dense array in the memory of a device, in C order. Its elements may still be on their way.

    Made by the backend only, and never changed. ``numpy.asarray`` of it waits for it and copies it to the host. The
    memory goes back to the pool when nothing refers to the array any more.

    Parameters
    ----------
    lease : Lease or None
        Its memory; None for an array without elements.
    shape : tuple of int
        Its shape.
    dtype : numpy.dtype
        Type of its elements, in native byte order.
    space : MemorySpace
        Where it lives.
    owner : ArrayOwner
        Its backend.
    ready : pyopencl.Event or None
        The command that fills it; None if its elements are there.
    """

    __slots__ = ("__weakref__", "_key", "_lease", "dtype", "owner", "ready", "shape", "space")

    def __init__(
        self,
        lease: Lease | None,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        *,
        space: MemorySpace,
        owner: ArrayOwner,
        ready: cl.Event | None = None,
    ) -> None:
        self._lease = lease
        self.shape = shape
        self.dtype = dtype
        self.space = space
        self.owner = owner
        self.ready = ready
        self._key: Hashable = None

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return self.size * self.dtype.itemsize

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def content_key(self) -> Hashable:
        """Key of the elements, equal to that of a host array with the same ones; waits for them."""
        if self._key is None:
            self._key = value_key(self.owner.download(self))
        return self._key

    def lease(self, where: str) -> Lease | None:
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
        if self._lease is not None and self._lease.block is None:
            raise self._was_released(where)
        return self._lease

    def buffer(self, where: str) -> cl.Buffer | None:
        """Return the device's memory, None for an array without elements; ``where`` as for :meth:`lease`."""
        lease = self._lease
        if lease is None:
            return None
        if lease.block is None:
            raise self._was_released(where)
        return lease.block.buffer

    def release(self) -> None:
        """Give the memory back now; using the array afterwards is an error. Work given before still sees it."""
        if self._lease is not None:
            self._lease.release()

    def __array__(self, dtype: npt.DTypeLike | None = None, *, copy: bool | None = None) -> npt.NDArray[Any]:
        if copy is False:
            msg = "ClArray: an array of it is always a copy; leave out copy=False"
            raise ValueError(msg)
        array = self.owner.download(self)
        return array if dtype is None else array.astype(dtype, copy=False)

    def _was_released(self, where: str) -> InvalidArgumentError:
        return InvalidArgumentError(
            f"{where}: expected a live array, got {self!r}, which was released; upload it again"
        )

    def __repr__(self) -> str:
        return f"<ClArray: {self.dtype}[{', '.join(map(str, self.shape))}] in {self.space}>"


if TYPE_CHECKING:
    _proof: type[GraphValue] = ClArray
