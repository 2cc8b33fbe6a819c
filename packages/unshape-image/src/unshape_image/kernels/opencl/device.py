"""What these kernels need of the device that runs them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from unshape_core.protocols import GraphValue

GROUP = 64
"""Work-items of a group on a GPU: along a row, four rows at once."""
ROWS_OF_GROUP = 4

Made = TypeVar("Made")
Argument: TypeAlias = "GraphValue | int | float | np.generic"


class Device(Protocol):
    """An OpenCL device, as the backend hands it to a kernel."""

    @property
    def is_cpu(self) -> bool:
        """Whether a CPU plays the device."""

    @property
    def work_items(self) -> int:
        """How many work-items keep a CPU busy."""

    @property
    def max_group(self) -> int:
        """Most work-items in a group."""

    @property
    def local_bytes(self) -> int:
        """Local memory of a group, 0 if there is none."""

    def prepared(self, key: Hashable, make: Callable[[], Made], /) -> Made:
        """Return what was made for an equal key in an earlier run of the same task, else what is made now."""

    def empty(self, shape: tuple[int, ...], /) -> GraphValue:
        """Return a new float32 array."""

    def table(self, values: npt.NDArray[Any], /) -> GraphValue:
        """Return a small host array on the device."""

    def launch(
        self,
        source: str,
        entry: str,
        /,
        *,
        arguments: Sequence[Argument],
        global_size: tuple[int, ...],
        local_size: tuple[int, ...] | None = None,
        defines: Mapping[str, int | str] | None = None,
        local_floats: int = 0,
    ) -> None:
        """Run a kernel after everything that was run before it."""


@cache
def source_of(*names: str) -> str:
    """Return source files of this folder as one text."""
    folder = files("unshape_image").joinpath("kernels", "opencl")
    return "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)


def launch_rows(
    device: Device,
    name: str,
    entry: str,
    *,
    arrays: Sequence[GraphValue],
    sizes: tuple[int, int],
    before_sizes: Sequence[int] = (),
    after: Sequence[int] = (),
) -> None:
    """Run a kernel that goes through rows of floats, see ``runs.cl``.

    Parameters
    ----------
    device : Device
        The device.
    name, entry : str
        File and kernel.
    arrays : sequence of GraphValue
        Its first arguments.
    sizes : (int, int)
        Floats of a row and number of rows of the output.
    before_sizes, after : sequence of int
        Arguments before and after ``row_floats, rows, share``.
    """
    row_floats, rows = sizes
    source = source_of("runs.cl", name)
    if device.is_cpu:
        share = -(-rows // device.work_items)
        arguments: list[Argument] = [*arrays, *before_sizes, row_floats, rows, share, *after]
        device.launch(source, entry, arguments=arguments, global_size=(-(-rows // share),), defines={"US_CPU": 1})
        return
    arguments = [*arrays, *before_sizes, row_floats, rows, 1, *after]
    group = (GROUP, ROWS_OF_GROUP)
    # A second axis has 65535 groups at most; the kernel goes on from there.
    items = (row_floats, min(rows, 65535 * ROWS_OF_GROUP))
    device.launch(source, entry, arguments=arguments, global_size=items, local_size=group)
