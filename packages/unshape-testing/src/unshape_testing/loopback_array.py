"""Arrays in the loopback's own memory: copied in, copied out, and not ready before their work has run."""

from __future__ import annotations

from collections.abc import Hashable
from math import prod
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from unshape_core.content_key import value_key
from unshape_core.errors import InvalidArgumentError
from unshape_core.memory_space import MemorySpace
from unshape_testing.guarded_memory import Buffer

if TYPE_CHECKING:
    from unshape_core.protocols import GraphValue
    from unshape_testing.loopback_queue import Job


class ArrayOwner(Protocol):
    """Whoever can bring an array to the host."""

    def download(self, value: LoopbackArray, /) -> npt.NDArray[Any]:
        """Wait for the array and return a copy of it."""


class LoopbackArray:
    """A dense array in a memory space of its own.

    Made by :class:`~unshape_testing.loopback.LoopbackBackend` only. ``numpy.asarray`` of it downloads it.

    Parameters
    ----------
    buffer : Buffer
        Where the elements are, or will be.
    shape : tuple of int
        Its shape.
    dtype : numpy.dtype
        Type of its elements.
    space : MemorySpace
        Where it lives.
    owner : ArrayOwner
        Its backend, which waits for it and copies it to the host.
    job : Job or None
        The work that fills it; None if the elements are there already.
    """

    __slots__ = ("__weakref__", "_buffer", "_key", "dtype", "job", "owner", "shape", "space")

    def __init__(
        self,
        buffer: Buffer,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        *,
        space: MemorySpace,
        owner: ArrayOwner,
        job: Job | None = None,
    ) -> None:
        self.shape = shape
        self.dtype = dtype
        self.space = space
        self.job = job
        self._buffer: Buffer | None = buffer
        self.owner = owner
        self._key: Hashable = None

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return self.size * self.dtype.itemsize

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
    def is_ready(self) -> bool:
        """Whether the elements are there."""
        return self.job is None or self.job.is_done

    @property
    def is_released(self) -> bool:
        """Whether :meth:`release` was called."""
        return self._buffer is None

    def release(self) -> None:
        """Give the memory back; using the array afterwards is an error. Work handed over before still sees it."""
        self._buffer = None

    def buffer(self, *, where: str) -> Buffer:
        """Return the memory.

        Parameters
        ----------
        where : str
            Who asks, for the message: ``"backend 'loopback': download"``.

        Raises
        ------
        InvalidArgumentError
            If it was released.
        """
        if self._buffer is None:
            msg = f"{where}: expected a live array, got {self!r}, which was released; upload it again"
            raise InvalidArgumentError(msg)
        return self._buffer

    def __array__(self, dtype: npt.DTypeLike | None = None, *, copy: bool | None = None) -> npt.NDArray[Any]:
        if copy is False:
            msg = "LoopbackArray: an array of it is always a copy; leave out copy=False"
            raise ValueError(msg)
        array = self.owner.download(self)
        return array if dtype is None else array.astype(dtype, copy=False)

    def __repr__(self) -> str:
        return f"<LoopbackArray: {self.dtype}[{', '.join(map(str, self.shape))}] in {self.space}>"


if TYPE_CHECKING:
    _proof: type[GraphValue] = LoopbackArray
