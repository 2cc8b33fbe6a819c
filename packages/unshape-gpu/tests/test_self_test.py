"""The self-test finds out how shaders have to be written, and does not pass what gives other bits."""

from __future__ import annotations

from unshape_backend.capabilities import Feature
from unshape_gpu.arithmetic import Shielding
from unshape_gpu.backend import GpuComputeBackend
from unshape_gpu.self_test import run_self_test


def test_exactness_is_claimed_if_and_only_if_the_self_test_saw_it(gpu: GpuComputeBackend) -> None:
    claimed = Feature.EXACT_F32 in gpu.capabilities.features
    assert claimed == (gpu.context.self_test.arithmetic is not None)
    assert gpu.context.exact.key in gpu.context.self_test.detail


def test_the_careful_way_of_writing_gives_every_bit(gpu: GpuComputeBackend) -> None:
    assert run_self_test(gpu.context, [Shielding.ALL]).arithmetic is not None


def test_shaders_without_shields_are_found_out(gpu: GpuComputeBackend) -> None:
    """The twin: every compiler known so far merges something if it may."""
    found = run_self_test(gpu.context, [Shielding.NONE])
    assert found.arithmetic is None
    assert "differing when shielded=none" in found.detail
