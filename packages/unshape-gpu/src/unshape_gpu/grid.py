"""Grids of workgroups: as many as needed, spread over axes none of which is longer than a device admits."""

from __future__ import annotations

from unshape_backend.capabilities import DeviceLimits
from unshape_core.errors import InvalidArgumentError

DEFAULT_GROUPS_PER_AXIS = 65535
GROUP_SIZE = 256
"""Work items of a workgroup: enough to hide the latency of memory on every GPU, and what every device admits."""


def group_size(limits: DeviceLimits) -> int:
    """Return how many work items a workgroup of an expression has: 256, or as many as a device admits.

    Examples
    --------
    >>> group_size(DeviceLimits()), group_size(DeviceLimits(max_workgroup_size=100))
    (256, 64)
    """
    along_x = None if limits.max_workgroup_shape is None else limits.max_workgroup_shape[0]
    most = min(each for each in (GROUP_SIZE, limits.max_workgroup_size, along_x) if each is not None)
    return 1 << (most.bit_length() - 1)


def groups_per_axis(limits: DeviceLimits) -> int:
    """Return how many workgroups an axis may have."""
    return limits.max_groups_per_axis or DEFAULT_GROUPS_PER_AXIS


def most_groups(limits: DeviceLimits) -> int:
    """Return how many workgroups a flat grid may have."""
    return groups_per_axis(limits) ** 2


def grid_of(groups: int, limits: DeviceLimits) -> tuple[int, int, int]:
    """Return the extent of a grid of at least so many workgroups, in rows of equal length.

    Examples
    --------
    >>> grid_of(3, DeviceLimits(max_groups_per_axis=65535))
    (3, 1, 1)
    >>> grid_of(70000, DeviceLimits(max_groups_per_axis=65535))
    (35000, 2, 1)
    """
    longest = groups_per_axis(limits)
    rows = max(1, -(-groups // longest))
    if rows > longest:
        msg = f"grid of {groups} workgroups: expected at most {longest}**2; compute in smaller windows"
        raise InvalidArgumentError(msg)
    return -(-groups // rows), rows, 1
