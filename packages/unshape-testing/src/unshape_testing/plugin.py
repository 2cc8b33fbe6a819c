"""The pytest plugin: which backends a run has, which it must have, and fixtures that open them.

``--unshape-require=gpu,simd`` (or ``UNSHAPE_REQUIRE``) turns the absence of a backend from a skip into a failure;
``all`` stands for every backend that an installed distribution declares. The header of the report says which backends
were found and why others were not.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from unshape_backend.availability import Unavailable
from unshape_backend.config import CACHE_DIR
from unshape_backend.identity import REFERENCE
from unshape_core.errors import InvalidArgumentError
from unshape_testing.expectations import REQUIRE, BackendsOfRun, Expectations

if TYPE_CHECKING:
    from unshape_backend.protocols import ComputeBackend
    from unshape_backend.registry import BackendRegistry

_BACKENDS = pytest.StashKey[BackendsOfRun]()
_FIXTURE = "unshape_backend"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--unshape-require``."""
    parser.getgroup("unshape").addoption(
        "--unshape-require",
        metavar="NAMES",
        help=f"backends whose absence is a failure, separated by commas; 'all' for every installed one; also {REQUIRE}",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Read what is expected; nothing is opened yet."""
    try:
        expectations = Expectations.parse(config.getoption("--unshape-require"))
    except InvalidArgumentError as error:
        raise pytest.UsageError(f"--unshape-require or {REQUIRE}: {error}") from error
    config.stash[_BACKENDS] = BackendsOfRun(expectations)
    config.addinivalue_line(
        "markers", "unshape_backend(name): needs that backend; without it skipped, or failed if required"
    )
    config.addinivalue_line("markers", "law(number): which law of conformance a test holds its subject to")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Close what was opened."""
    backends = config.stash.get(_BACKENDS, None)
    if backends is not None:
        backends.close()


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say which backends there are, and why others are not."""
    return [] if config.get_verbosity() < 0 else config.stash[_BACKENDS].report()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for ``unshape_backend`` on every backend, unless a marker names one."""
    if _FIXTURE in metafunc.fixturenames:
        marker = metafunc.definition.get_closest_marker(_FIXTURE)
        names = backends_of(metafunc.config).known_ids() if marker is None else marker.args
        metafunc.parametrize(_FIXTURE, names, indirect=True)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip or fail a marked test whose backend is not there."""
    for marker in item.iter_markers(_FIXTURE):
        for name in marker.args:
            require_backend(item.config, name)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run without a backend that it must have, also if no test asked for it."""
    if session.exitstatus in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED} and _unmet(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Name the backends that a run must have and had not."""
    for name, why in _unmet(config).items():
        terminalreporter.write_line(f"unshape: backend '{name}' is required: {why}", red=True)


def backends_of(config: pytest.Config) -> BackendsOfRun:
    """Return the backends of this run."""
    return config.stash[_BACKENDS]


def require_backend(config: pytest.Config, name: str) -> ComputeBackend:
    """Return a backend of this run; without it the test is skipped with the reason, or fails if it is required."""
    found = backends_of(config).get(name)
    if isinstance(found, Unavailable):
        give_up(config, name, found)
    return found


def give_up(config: pytest.Config, name: str, why: Unavailable) -> NoReturn:
    """Skip a test whose backend is not there, with the reason; fail it if the run requires the backend."""
    if backends_of(config).expectations.is_required(name):
        pytest.fail(f"required backend '{name}': {why}", pytrace=False)
    pytest.skip(f"backend '{name}': {why}")


def _unmet(config: pytest.Config) -> dict[str, Unavailable]:
    backends = backends_of(config)
    return backends.expectations.unmet(backends.availability()) if backends.expectations.names else {}


@pytest.fixture
def unshape_backend(request: pytest.FixtureRequest) -> ComputeBackend:
    """Return each backend in turn; one that is not there is skipped with the reason, or fails if it is required."""
    return require_backend(request.config, request.param)


@pytest.fixture(scope="session")
def unshape_registry(pytestconfig: pytest.Config) -> BackendRegistry:
    """Return all backends of this run; shared, so a test that registers something uses one of its own."""
    return backends_of(pytestconfig).registry


@pytest.fixture(scope="session")
def unshape_reference(pytestconfig: pytest.Config) -> ComputeBackend:
    """Return the reference backend."""
    return require_backend(pytestconfig, REFERENCE)


@pytest.fixture
def unshape_cache_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an empty cache folder of its own in place of the user's."""
    folder = tmp_path / "cache"
    monkeypatch.setenv(CACHE_DIR, str(folder))
    return folder
