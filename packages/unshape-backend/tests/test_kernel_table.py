from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from unshape_backend.capabilities import DeviceLimits
from unshape_backend.errors import KernelConflictError
from unshape_backend.kernel import KernelSpec, KernelTable
from unshape_backend.task import Rejection, RejectionCode
from unshape_core.errors import InvalidArgumentError
from unshape_testing.sample_task import AddOne, picture_task

NO_LIMITS = DeviceLimits()


def _kernel(**changes: Any) -> KernelSpec:
    spec = KernelSpec(node_type="test::AddOne", backend="gpu", function=len, origin="one")
    return dataclasses.replace(spec, **changes)


def test_the_kernel_of_highest_priority_runs_the_task() -> None:
    table = KernelTable("gpu")
    for priority in (1, 3, 2):
        table.add(_kernel(priority=priority))
    assert table.find(picture_task(), NO_LIMITS) == _kernel(priority=3)


def test_a_kernel_that_refuses_leaves_the_task_to_the_next() -> None:
    table = KernelTable("gpu")
    why = Rejection(RejectionCode.LIMIT, "too wide")
    table.add(_kernel(priority=2, accepts=lambda task, limits: why))
    assert table.find(picture_task(), NO_LIMITS) == why
    table.add(_kernel(priority=1))
    assert table.find(picture_task(), NO_LIMITS) == _kernel(priority=1)


def test_a_kernel_is_asked_with_the_limits_of_the_device() -> None:
    table = KernelTable("gpu")
    why = Rejection(RejectionCode.LIMIT, "groups of 256 are needed")
    table.add(_kernel(accepts=lambda task, limits: None if (limits.max_workgroup_size or 0) >= 256 else why))
    assert table.find(picture_task(), DeviceLimits(max_workgroup_size=255)) == why
    assert isinstance(table.find(picture_task(), DeviceLimits(max_workgroup_size=256)), KernelSpec)


def test_an_element_type_that_no_kernel_takes_is_named() -> None:
    table = KernelTable("gpu")
    table.add(_kernel())
    why = table.find(picture_task(dtype="float64"), NO_LIMITS)
    assert isinstance(why, Rejection)
    assert why.code is RejectionCode.DTYPE
    assert "float64" in why.detail


def test_an_inexact_kernel_runs_only_where_precision_is_fast() -> None:
    table = KernelTable("gpu")
    table.add(_kernel(is_exact=False))
    why = table.find(picture_task(), NO_LIMITS)
    assert isinstance(why, Rejection)
    assert why.code is RejectionCode.PRECISION
    assert isinstance(table.find(picture_task(precision="fast"), NO_LIMITS), KernelSpec)


def test_kernels_of_one_node_for_different_types_live_side_by_side() -> None:
    table = KernelTable("gpu")
    table.add(_kernel())
    table.add(_kernel(dtypes=frozenset({"float64"}), origin="two"))
    assert table.dtypes("test::AddOne") == {"float32", "float64"}
    assert table.find(picture_task(dtype="float64"), NO_LIMITS) == _kernel(dtypes=frozenset({"float64"}), origin="two")


def test_two_claims_of_equal_priority_are_an_error_that_names_both_distributions() -> None:
    table = KernelTable("gpu")
    table.add(_kernel(origin="unshape-one"))
    with pytest.raises(KernelConflictError, match=r"'unshape-one' and 'unshape-two'.*priority"):
        table.add(_kernel(origin="unshape-two"))
    assert list(table) == [_kernel(origin="unshape-one")]


def test_adding_an_equal_kernel_again_changes_nothing() -> None:
    table = KernelTable("gpu")
    table.add(_kernel())
    table.add(_kernel())
    assert list(table) == [_kernel()]


def test_a_script_replaces_its_own_kernel() -> None:
    table = KernelTable("gpu")
    table.add(_kernel(origin="", function=len))
    table.add(_kernel(origin="", function=max))
    assert [kernel.function for kernel in table] == [max]


def test_a_kernel_for_another_family_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match=r"'gpu'.*'simd'"):
        KernelTable("gpu").add(_kernel(backend="simd"))


def test_a_kernel_of_a_node_does_not_run_that_node_fused_with_others() -> None:
    table = KernelTable("gpu")
    table.add(_kernel())
    fused = dataclasses.replace(picture_task(), nodes=(AddOne(), AddOne()), node_ids=(7, 8))
    assert isinstance(table.find(fused, NO_LIMITS), Rejection)


def test_a_removed_kernel_is_gone() -> None:
    table = KernelTable("gpu")
    table.add(_kernel())
    table.remove(_kernel())
    assert not list(table)
