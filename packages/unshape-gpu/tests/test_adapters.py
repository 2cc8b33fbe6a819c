"""Which adapters are used: the stated rule."""

from __future__ import annotations

import pytest

from unshape_backend.errors import BackendUnavailableError
from unshape_gpu.adapters import Candidate, choose, wanted_apis


def adapter(name: str, kind: str) -> Candidate:
    return Candidate(None, name, "vendor", "driver", "vulkan", kind)


INTEGRATED, DISCRETE, SECOND = (
    adapter("Iris", "IntegratedGPU"),
    adapter("H200", "DiscreteGPU"),
    adapter("A2", "DiscreteGPU"),
)
SOFTWARE = adapter("llvmpipe", "CPU")


def names(found: list[Candidate]) -> list[str]:
    return [each.name for each in found]


def test_discrete_adapters_come_before_integrated_ones_in_the_order_of_the_driver() -> None:
    assert ["H200", "A2", "Iris"] == names(choose([INTEGRATED, DISCRETE, SECOND]))


def test_software_is_left_out_where_there_is_hardware() -> None:
    assert ["Iris"] == names(choose([SOFTWARE, INTEGRATED]))


def test_software_alone_is_used_and_says_so() -> None:
    (only,) = choose([SOFTWARE])
    assert only.is_software
    assert "software" in only.reason


@pytest.mark.parametrize("wanted", ["2", "iris"])
def test_an_adapter_is_chosen_by_number_or_name(wanted: str) -> None:
    (found,) = choose([INTEGRATED, DISCRETE, SECOND, SOFTWARE], wanted=wanted)
    assert found.name == "Iris"
    assert "UNSHAPE_GPU_ADAPTER" in found.reason


def test_software_is_used_where_it_is_asked_for() -> None:
    assert ["llvmpipe"] == names(choose([DISCRETE, SOFTWARE], wanted="llvmpipe"))


def test_an_unknown_wish_names_what_there_is() -> None:
    with pytest.raises(BackendUnavailableError, match=r"0: H200, 1: Iris.*unset UNSHAPE_GPU_ADAPTER"):
        choose([INTEGRATED, DISCRETE], wanted="voodoo")


def test_no_adapter_is_a_reason_with_a_remedy() -> None:
    with pytest.raises(BackendUnavailableError, match=r"no device.*apt-get install"):
        choose([])


def test_opengl_is_asked_for_only_by_name() -> None:
    assert "GL" not in wanted_apis({})
    assert wanted_apis({"UNSHAPE_GPU_API": "gl"}) == ("GL",)
    with pytest.raises(BackendUnavailableError, match="UNSHAPE_GPU_API is 'glide'"):
        wanted_apis({"UNSHAPE_GPU_API": "glide"})
