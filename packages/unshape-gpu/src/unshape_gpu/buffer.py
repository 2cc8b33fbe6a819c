"""Arrays on the device."""

from __future__ import annotations

from collections.abc import Generator, Hashable
from math import prod
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from unshape_core.content_key import value_key
from unshape_core.errors import InvalidArgumentError
from unshape_core.memory_space import MemorySpace
from unshape_gpu.pool import Block, GpuMemoryPool

if TYPE_CHECKING:
    from unshape_core.protocols import GraphValue
    from unshape_gpu.future import GpuFuture


F32 = np.dtype(np.float32)


class BufferOwner(Protocol):
    """The backend that a buffer belongs to."""

    def download(self, value: GpuBuffer, /) -> npt.NDArray[Any]:
        """Wait for a buffer and return a copy of it."""

    def future(self, value: GpuBuffer, /) -> GpuFuture:
        """Return what tells when a buffer is there."""


class Lease:
    """The use of a block by one value: gives it back when nothing refers to the value any more."""

    __slots__ = ("_pool", "block")

    def __init__(self, pool: GpuMemoryPool, block: Block) -> None:
        self._pool = pool
        self.block = block

    def __del__(self) -> None:
        self._pool.release(self.block)


class GpuBuffer:
    """A dense array in the memory of a device: the working form of pictures there.

    Made by a :class:`~unshape_gpu.backend.GpuComputeBackend` only. Immutable. It may not be there yet: waiting happens
    when somebody asks for its elements. ``numpy.asarray`` downloads it, ``await`` waits for it.

    Parameters
    ----------
    lease : Lease or None
        Its memory; None for an array without elements.
    shape : tuple of int
        Its shape.
    dtype : numpy.dtype
        Type of its elements.
    nbytes : int
        Bytes of its elements.
    space : MemorySpace
        Where it lives.
    owner : BufferOwner
        Its backend.

    Attributes
    ----------
    submission : int
        Number of the submission after which it is there; -1 if it is there already.
    """

    __slots__ = ("__weakref__", "_key", "dtype", "lease", "nbytes", "owner", "shape", "space", "submission")

    def __init__(
        self,
        lease: Lease | None,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        *,
        nbytes: int,
        space: MemorySpace,
        owner: BufferOwner,
    ) -> None:
        self.shape = shape
        self.dtype = dtype
        self.nbytes = nbytes
        self.space = space
        self.owner = owner
        self.submission = -1
        self.lease = lease
        self._key: Hashable = None

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

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

    @property
    def is_released(self) -> bool:
        """Whether :meth:`release` was called."""
        return self.lease is None and self.nbytes > 0

    def release(self) -> None:
        """Give the memory back now; using the array afterwards is an error. Work recorded before still sees it."""
        self.lease = None

    def block(self, *, where: str) -> Block | None:
        """Return the memory, None if there are no elements.

        Parameters
        ----------
        where : str
            Who asks, for the message.

        Raises
        ------
        InvalidArgumentError
            If it was released.
        """
        if self.lease is None:
            if self.nbytes == 0:
                return None
            msg = f"{where}: expected a live array, got {self!r}, which was released; compute it again"
            raise InvalidArgumentError(msg)
        return self.lease.block

    def future(self) -> GpuFuture:
        """Return what tells when the elements are there."""
        return self.owner.future(self)

    def __await__(self) -> Generator[Any, None, npt.NDArray[Any]]:
        return self.future().__await__()

    def __array__(self, dtype: npt.DTypeLike | None = None, *, copy: bool | None = None) -> npt.NDArray[Any]:
        if copy is False:
            raise ValueError("GpuBuffer: an array of it is always a copy; leave out copy=False")
        array = self.owner.download(self)
        return array if dtype is None else array.astype(dtype, copy=False)

    def __repr__(self) -> str:
        return f"<GpuBuffer: {self.dtype}[{', '.join(map(str, self.shape))}] in {self.space}>"


if TYPE_CHECKING:
    _proof: type[GraphValue] = GpuBuffer
