from __future__ import annotations

import sys
from pathlib import Path

import pytest

from unshape_backend.availability import Available, Unavailable, UnavailableReason
from unshape_backend.config import Settings
from unshape_backend.discovery import find_backend_extras, find_backends
from unshape_backend.opening import InstalledBackends, not_installed
from unshape_backend.registry import BackendRegistry
from unshape_testing.fake import FakeBackend
from unshape_testing.installation import Installation

_OPENS = """
from unshape_testing.fake import FakeBackend
OPENED = []
def open_backend():
    OPENED.append(1)
    return FakeBackend({name!r})
"""


# Whatever else is installed beside this test stays closed.
_ONLY = ("gizmo",)


def _defaults(tmp_path: Path, *, only: tuple[str, ...] = _ONLY, disabled: tuple[str, ...] = ()) -> BackendRegistry:
    settings = Settings(cache_dir=tmp_path / "cache", backends=only, disabled=disabled)
    return BackendRegistry.with_defaults(settings=settings)


def test_nothing_is_imported_before_the_first_snapshot_and_once_then(site: Installation, tmp_path: Path) -> None:
    _install(site, "gizmo")
    registry = _defaults(tmp_path)
    assert "gizmo" in {found.name for found in find_backends()}
    assert "gizmo_plugin" not in sys.modules
    assert registry.snapshot().ids == ("gizmo", "cpu")
    registry.snapshot()
    assert sys.modules["gizmo_plugin"].OPENED == [1]


def _install(site: Installation, name: str, source: str | None = None) -> None:
    site.install(
        f"unshape-{name}",
        entry_points={"unshape.backends": {name: f"{name}_plugin:open_backend"}},
        modules={f"{name}_plugin": _OPENS.format(name=name) if source is None else source},
    )


def test_one_entry_point_may_open_several_devices(site: Installation, tmp_path: Path) -> None:
    source = """
from unshape_testing.fake import FakeBackend
def open_backend():
    return [FakeBackend("gizmo"), FakeBackend("gizmo:1")]
"""
    _install(site, "gizmo", source)
    assert _defaults(tmp_path).snapshot().ids == ("gizmo", "gizmo:1", "cpu")


@pytest.mark.parametrize(
    "source",
    [
        "raise ImportError('no such library')",
        "def open_backend(): raise ZeroDivisionError('oops')",
        "def open_backend(): return 'no backend'",
        "nothing = 1",
        "this is no python",
    ],
    ids=["import", "open", "value", "name", "syntax"],
)
def test_a_broken_plugin_costs_one_warning_and_the_rest_works(
    site: Installation, tmp_path: Path, caplog: pytest.LogCaptureFixture, source: str
) -> None:
    _install(site, "broken", source)
    _install(site, "gizmo")
    registry = _defaults(tmp_path, only=("gizmo", "broken"))
    assert registry.snapshot().ids == ("gizmo", "cpu")
    assert registry.snapshot().ids == ("gizmo", "cpu")
    warnings = [record.getMessage() for record in caplog.records]
    assert len(warnings) == 1
    assert "'broken' from 'unshape-broken'" in warnings[0]
    why = registry.availability()["broken"]
    assert isinstance(why, Unavailable)
    assert why.reason is UnavailableReason.FAILED_TO_OPEN
    assert "UNSHAPE_DISABLE=broken" in why.remedy


def test_a_backend_that_says_why_it_is_unavailable_is_believed_in_silence(
    site: Installation, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    source = """
from unshape_backend.availability import Unavailable, UnavailableReason
from unshape_backend.errors import BackendUnavailableError
def open_backend():
    why = Unavailable(reason=UnavailableReason.NO_DRIVER, detail="no driver answers", remedy="apt-get install driver")
    raise BackendUnavailableError(backend="gizmo", availability=why)
"""
    _install(site, "gizmo", source)
    registry = _defaults(tmp_path)
    assert registry.availability()["gizmo"] == Unavailable(
        reason=UnavailableReason.NO_DRIVER, detail="no driver answers", remedy="apt-get install driver"
    )
    assert "gizmo" in registry.snapshot().unopened
    assert not caplog.records


def test_no_device_is_a_reason(site: Installation, tmp_path: Path) -> None:
    _install(site, "gizmo", "def open_backend(): return []")
    why = _defaults(tmp_path).availability()["gizmo"]
    assert isinstance(why, Unavailable)
    assert why.reason is UnavailableReason.NO_DEVICE


def test_a_plugin_of_another_protocol_version_is_refused_in_one_sentence(
    site: Installation, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    source = """
from unshape_testing.fake import FakeBackend
def open_backend():
    backend = FakeBackend("gizmo")
    backend.protocol_version = 0
    return backend
"""
    _install(site, "gizmo", source)
    why = _defaults(tmp_path).availability()["gizmo"]
    assert isinstance(why, Unavailable)
    assert "expected protocol version 1, got 0" in why.detail
    assert len(caplog.records) == 1


@pytest.mark.parametrize(
    ("only", "disabled", "variable"),
    [(("gizmo",), ("gizmo",), "UNSHAPE_DISABLE"), (("cpu",), (), "UNSHAPE_BACKENDS")],
)
def test_a_setting_keeps_a_backend_closed_and_says_so(
    site: Installation, tmp_path: Path, only: tuple[str, ...], disabled: tuple[str, ...], variable: str
) -> None:
    _install(site, "gizmo")
    registry = _defaults(tmp_path, only=only, disabled=disabled)
    why = registry.availability()["gizmo"]
    assert isinstance(why, Unavailable)
    assert why.reason is UnavailableReason.DISABLED
    assert why.remedy == f"unset {variable}"
    assert "gizmo_plugin" not in sys.modules


def test_what_a_program_registered_comes_before_what_is_installed(site: Installation, tmp_path: Path) -> None:
    _install(site, "gizmo")
    mine = FakeBackend("gizmo")
    registry = _defaults(tmp_path)
    registry.register(mine)
    assert registry.snapshot().backend(mine.id) is mine


def test_nobody_takes_the_name_of_the_reference(
    site: Installation, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    _install(site, "cpu")
    assert _defaults(tmp_path, only=("cpu",)).snapshot().ids == ("cpu",)
    assert "'cpu' from 'unshape-cpu' is left out" in caplog.text


def test_two_distributions_with_one_name_cost_one_warning(site: Installation, caplog: pytest.LogCaptureFixture) -> None:
    _install(site, "gizmo")
    site.install("unshape-rival", entry_points={"unshape.backends": {"gizmo": "gizmo_plugin:open_backend"}})
    opened = InstalledBackends(Settings(backends=_ONLY)).open()
    assert [each.name for each in opened if each.backends] == ["gizmo"]
    assert "'gizmo' from 'unshape-rival' is left out" in caplog.text


def test_an_extra_that_is_not_installed_comes_with_the_command_that_gets_it(
    site: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    requirements = [
        "numpy>=2.2",
        "unshape-core==0.1.0",
        "unshape-warp==0.1.0; extra == 'warp'",
        'unshape-installed==0.1.0; extra == "present"',
        "rich>=13; extra == 'cli'",
        "unshape[warp,cli]; extra == 'all'",
        "unshape-warp==0.1.0; extra == 'everything'",
        "unshape-installed==0.1.0; extra == 'everything'",
    ]
    monkeypatch.setattr("importlib.metadata.requires", lambda name: requirements)
    site.install("unshape-installed")
    assert find_backend_extras() == {"warp": "unshape-warp", "present": "unshape-installed"}
    assert not_installed() == {
        "warp": Unavailable(
            reason=UnavailableReason.NOT_INSTALLED,
            detail="there is no distribution 'unshape-warp'",
            remedy="pip install 'unshape[warp]'",
        )
    }


def test_the_reference_is_always_available(tmp_path: Path) -> None:
    assert _defaults(tmp_path, only=("cpu",)).availability()["cpu"] == Available()


def test_a_backend_that_a_setting_names_and_nobody_brings_costs_one_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    registry = _defaults(tmp_path, only=("gizmoo",))
    why = registry.availability()["gizmoo"]
    assert isinstance(why, Unavailable)
    assert why.reason is UnavailableReason.NOT_INSTALLED
    registry.snapshot()
    assert [record.getMessage() for record in caplog.records] == [f"backend 'gizmoo': {why}"]
    assert "UNSHAPE_BACKENDS names it" in caplog.text
