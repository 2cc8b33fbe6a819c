from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unshape_backend.identity import GPU, BackendId, BackendKind, family, parse_backend_id
from unshape_backend.policy import (
    POLICY_FORMS,
    Auto,
    ByPriority,
    ExecutionPolicy,
    LocalFirst,
    MinimizeCost,
    Named,
    PreferKind,
    minimizes_plan_time,
    parse_policy,
)
from unshape_backend.task import RejectionCode
from unshape_core.errors import InvalidArgumentError

_NAMES = st.from_regex(r"[a-z][a-z0-9_-]{0,8}(:[0-9]{1,2})?", fullmatch=True)
_POLICIES: st.SearchStrategy[ExecutionPolicy] = st.one_of(
    st.sampled_from([Auto(), LocalFirst(), MinimizeCost(), ByPriority()]),
    _NAMES.map(lambda name: Named(BackendId(name))),
    _NAMES.map(lambda name: PreferKind(BackendKind(name))),
)


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        ("auto", Auto()),
        ("local-first", LocalFirst()),
        ("minimize-cost", MinimizeCost()),
        ("by-priority", ByPriority()),
        ("prefer:gpu", PreferKind(GPU)),
        ("named:gpu:1", Named(BackendId("gpu:1"))),
    ],
)
def test_a_policy_is_written_as_on_the_command_line(text: str, policy: ExecutionPolicy) -> None:
    assert parse_policy(text) == policy


@given(_POLICIES)
def test_writing_and_parsing_a_policy_is_the_identity(policy: ExecutionPolicy) -> None:
    assert parse_policy(str(policy)) == policy


@pytest.mark.parametrize("text", ["", "fastest", "auto:gpu", "prefer", "prefer:", "named:", "named:GPU", "local_first"])
def test_an_unknown_policy_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        parse_policy(text)
    assert "expected" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_policies_that_need_the_whole_plan_say_so() -> None:
    assert [minimizes_plan_time(parse_policy(t)) for t in ("auto", "minimize-cost", "prefer:gpu")] == [True] * 3
    assert [minimizes_plan_time(parse_policy(t)) for t in ("local-first", "by-priority", "named:cpu")] == [False] * 3


@pytest.mark.parametrize("text", ["", "Gpu", "gpu:", "gpu:x", "1gpu", "gpu 1", "gpu:1:2", "gpu\n"])
def test_a_bad_backend_id_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgumentError, match="backend id"):
        parse_backend_id(text)


def test_a_further_device_is_of_the_same_family() -> None:
    assert family(parse_backend_id("gpu:1")) == family(parse_backend_id("gpu")) == "gpu"


def test_the_reference_page_lists_every_policy_and_every_reason() -> None:
    page = (Path(__file__).parents[3] / "docs" / "reference" / "policies.md").read_text(encoding="utf-8")
    assert not [form for form in POLICY_FORMS if f"| `{form}` |" not in page]
    assert not [code for code in RejectionCode if f"`{code}`" not in page]
