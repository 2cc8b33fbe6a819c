"""A missing backend is a skip with a reason, or a failure where it is required; the header says what there is."""

from __future__ import annotations

import pytest

from unshape_backend.config import CACHE_DIR, DISABLE
from unshape_backend.registry import BackendRegistry
from unshape_testing.expectations import REQUIRE

TESTS = """
    import pytest

    @pytest.mark.unshape_backend("loopback")
    def test_loopback(unshape_backend):
        assert unshape_backend.id == "loopback"

    @pytest.mark.unshape_backend("nowhere")
    def test_nowhere(unshape_backend):
        assert False, "must not run"

    @pytest.mark.unshape_backend("nowhere")
    def test_without_fixture():
        assert False, "must not run"
"""


@pytest.fixture(scope="module", autouse=True)
def _libraries_are_loaded() -> None:
    """Load what backends need before pytester notes what is loaded: it forgets others, and C cannot be loaded twice."""
    registry = BackendRegistry.with_defaults()
    registry.availability()
    registry.close()


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Return a folder with tests for two backends, one of which does not exist."""
    for name in (REQUIRE, DISABLE):
        monkeypatch.delenv(name, raising=False)
    pytester.makepyfile(TESTS)
    return pytester


def test_a_missing_backend_is_a_skip_with_its_reason(run: pytest.Pytester) -> None:
    result = run.runpytest("-rs")
    result.assert_outcomes(passed=1, skipped=2)
    result.stdout.fnmatch_lines(["*backend 'nowhere': not installed: no installed distribution declares*"])


def test_a_required_backend_that_is_missing_is_a_failure(run: pytest.Pytester) -> None:
    result = run.runpytest("--unshape-require=nowhere")
    result.assert_outcomes(passed=1, errors=2)
    result.stdout.fnmatch_lines(["*required backend 'nowhere': not installed*"])


def test_the_environment_requires_as_the_option_does(run: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(REQUIRE, "nowhere")
    run.runpytest().assert_outcomes(passed=1, errors=2)


def test_a_required_backend_that_no_test_uses_fails_the_run(run: pytest.Pytester) -> None:
    result = run.runpytest("--unshape-require=loopback,elsewhere", "-k", "test_loopback")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*backend 'elsewhere' is required: not installed*"])


def test_all_requires_what_installed_distributions_declare(
    run: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run.runpytest("--unshape-require=all", "-k", "test_loopback").ret == pytest.ExitCode.OK
    monkeypatch.setenv(DISABLE, "loopback")
    result = run.runpytest("--unshape-require=all", "-k", "test_loopback")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*required backend 'loopback': disabled: UNSHAPE_DISABLE names it*"])


def test_a_name_that_is_none_is_a_usage_error(run: pytest.Pytester) -> None:
    result = run.runpytest("--unshape-require=No Such Thing")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*expected a name such as 'cpu'*"])


def test_the_header_says_what_there_is_and_why_others_are_not(
    run: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DISABLE, "loopback")
    result = run.runpytest("--unshape-require=nowhere")
    result.stdout.fnmatch_lines(
        [
            "unshape backends: *cpu*",
            "unshape backend 'loopback': disabled: UNSHAPE_DISABLE names it; unset UNSHAPE_DISABLE",
            "unshape backend 'nowhere' (required): not installed: *",
        ]
    )


def test_a_quiet_run_opens_nothing_for_a_header(run: pytest.Pytester) -> None:
    assert "unshape backends" not in run.runpytest("-q").stdout.str()


def test_without_a_marker_a_test_runs_on_every_backend(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_each(unshape_backend): assert unshape_backend.capabilities")
    result = pytester.runpytest("-v")
    result.stdout.fnmatch_lines(["*test_each*cpu* PASSED*", "*test_each*loopback* PASSED*"])


def test_the_cache_folder_is_one_of_the_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        f"""
        import os

        def test_folder(unshape_cache_dir, tmp_path):
            assert os.environ["{CACHE_DIR}"] == str(unshape_cache_dir)
            assert tmp_path in unshape_cache_dir.parents
        """
    )
    pytester.runpytest().assert_outcomes(passed=1)


def test_a_suite_is_subclassed_in_a_few_lines_and_finds_the_backend(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        from unshape_testing.backend_suite import BackendSuite

        class TestLoopback(BackendSuite):
            backend_id = "loopback"
        """
    )
    result = pytester.runpytest("-k", "law_15 or law_01_opens_and")
    result.assert_outcomes(passed=13, deselected=result.parseoutcomes()["deselected"])


def test_a_suite_of_a_missing_backend_is_skipped_or_fails(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        from unshape_testing.backend_suite import BackendSuite

        class TestNowhere(BackendSuite):
            backend_id = "nowhere"
        """
    )
    skipped = pytester.runpytest("-k", "law_15").parseoutcomes()
    assert (skipped["skipped"], skipped.get("passed", 0)) == (12, 0)
    failed = pytester.runpytest("-k", "law_15", "--unshape-require=nowhere").parseoutcomes()
    assert failed["errors"] == 12
