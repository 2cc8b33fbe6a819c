from pathlib import Path

import pytest

from unshape_backend import config
from unshape_backend.config import Settings, is_on
from unshape_core.errors import InvalidArgumentError

_ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("text", [None, "", " ", "0", "false", "FALSE", "no", "No", "off"])
def test_a_switch_is_off(text: str | None) -> None:
    assert is_on(text) is False


@pytest.mark.parametrize("text", ["1", "true", "yes", "on", "2"])
def test_a_switch_is_on(text: str) -> None:
    assert is_on(text) is True


def test_an_empty_environment_gives_the_defaults() -> None:
    assert Settings.from_environment({}) == Settings()


def test_every_variable_is_read() -> None:
    environment = {
        "UNSHAPE_STRICT": "1",
        "UNSHAPE_CACHE_DIR": "/somewhere",
        "UNSHAPE_BACKENDS": "simd, gpu:1,",
        "UNSHAPE_DISABLE": "opencl",
    }
    expected = Settings(strict=True, cache_dir=Path("/somewhere"), backends=("simd", "gpu:1"), disabled=("opencl",))
    assert Settings.from_environment(environment) == expected


@pytest.mark.parametrize("variable", ["UNSHAPE_BACKENDS", "UNSHAPE_DISABLE"])
def test_a_name_that_is_none_is_refused_with_the_variable(variable: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^{variable}: .*'GPU 1'"):
        Settings.from_environment({variable: "GPU 1"})


def test_the_reference_cannot_be_disabled() -> None:
    with pytest.raises(InvalidArgumentError, match=r"UNSHAPE_DISABLE: .*'cpu'"):
        Settings.from_environment({"UNSHAPE_DISABLE": "cpu"})


def test_a_family_stands_for_its_devices() -> None:
    settings = Settings(disabled=("gpu",))
    assert settings.why_disabled("gpu:1") == "UNSHAPE_DISABLE names it"
    assert settings.why_disabled("opencl") is None


def test_only_the_backends_named_are_admitted_beside_the_reference() -> None:
    settings = Settings(backends=("simd",))
    assert settings.why_disabled("gpu") == "UNSHAPE_BACKENDS does not name it"
    assert settings.why_disabled("simd") is None
    assert settings.why_disabled("cpu") is None


def test_the_cache_folder_is_the_users_unless_it_is_set() -> None:
    assert Settings().cache_path.name == "unshape"
    assert Settings(cache_dir=Path("/x")).cache_path == Path("/x")


def test_the_reference_page_lists_every_variable() -> None:
    page = (_ROOT / "docs" / "reference" / "environment.md").read_text(encoding="utf-8")
    variables = {value for value in vars(config).values() if isinstance(value, str) and value.startswith("UNSHAPE_")}
    assert {"UNSHAPE_STRICT", "UNSHAPE_DISABLE"} <= variables
    assert not {name for name in variables if f"| `{name}` |" not in page}
