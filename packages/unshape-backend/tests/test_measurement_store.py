from __future__ import annotations

import json
import multiprocessing
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unshape_backend.capabilities import FigureSource, Link, TransferPath
from unshape_backend.config import Settings
from unshape_backend.measurement import Cell, CellKey, MeasuredLink, Measurements
from unshape_backend.measurement_store import (
    FORMAT_VERSION,
    from_document,
    load_measurements,
    save_measurements,
    store_path,
    to_document,
)
from unshape_core.memory_space import HOST, MemorySpace

_KEY = CellKey(work="noise::Perlin@1", dtype="float32", size_class=20, fingerprint="f")
_LINK = Link(
    source=HOST,
    target=MemorySpace("wgpu", 1),
    path=TransferPath.DEVICE_COPY,
    latency_ns=5,
    bytes_per_ns=1.5,
    figures=FigureSource.MEASURED,
)
_SOME = Measurements(
    cells=MappingProxyType({_KEY: Cell(elements=1 << 19, ns=123)}), links=(MeasuredLink(link=_LINK, fingerprint="f"),)
)
_count = st.integers(0, 2**62)
_keys = st.builds(CellKey, work=st.text(), dtype=st.text(), size_class=_count, fingerprint=st.text())
_cells = st.dictionaries(_keys, st.builds(Cell, elements=_count, ns=_count), max_size=4)


def test_what_is_kept_is_found_again(settings: Settings) -> None:
    assert load_measurements(settings) == Measurements()
    save_measurements(_SOME, settings)
    assert load_measurements(settings) == _SOME


@given(_cells)
def test_writing_and_reading_is_the_identity(cells: dict[CellKey, Cell]) -> None:
    written = json.dumps(to_document(Measurements(cells=cells)))
    assert from_document(json.loads(written)).cells == cells


def test_later_measurements_replace_the_same_and_keep_the_others(settings: Settings) -> None:
    other = CellKey(work="image::Blur", dtype="float32", size_class=3, fingerprint="f")
    save_measurements(_SOME, settings)
    save_measurements(Measurements(cells={other: Cell(elements=4, ns=1)}), settings)
    save_measurements(Measurements(cells={_KEY: Cell(elements=1 << 19, ns=99)}), settings)
    kept = load_measurements(settings)
    assert {key: cell.ns for key, cell in kept.cells.items()} == {_KEY: 99, other: 1}
    assert kept.links == _SOME.links


def _document(**changes: Any) -> str:
    return json.dumps({**to_document(_SOME), **changes})


_CELL: dict[str, Any] = {
    "work": "w", "dtype": "float32", "size_class": 1, "fingerprint": "f", "elements": 1, "ns": 1
}  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        _document()[:-20],
        "\x00" * 100,
        "[]",
        "[" * 100_000,
        _document(version=FORMAT_VERSION + 1),
        _document(cells=None),
        _document(cells=[{}]),
        _document(cells=[{**_CELL, "ns": -1}]),
        _document(cells=[{**_CELL, "ns": True}]),
        _document(cells=[{**_CELL, "ns": "1"}]),
        _document(cells=[{**_CELL, "work": 1}]),
        _document(links=[{}]),
        _document(links=[{**to_document(_SOME)["links"][0], "bytes_per_ns": 0}]),
        _document(links=[{**to_document(_SOME)["links"][0], "bytes_per_ns": "1"}]),
        _document(links=[{**to_document(_SOME)["links"][0], "path": "teleport"}]),
        _document(links=[{**to_document(_SOME)["links"][0], "source": ["host"]}]),
    ],
)
def test_a_damaged_or_foreign_file_is_ignored_with_one_warning_and_replaced(
    settings: Settings, caplog: pytest.LogCaptureFixture, text: str
) -> None:
    path = store_path(settings)
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert load_measurements(settings) == Measurements()
    assert str(path) in caplog.text
    save_measurements(_SOME, settings)
    assert len(caplog.records) == 1
    assert load_measurements(settings) == _SOME


def test_a_folder_in_place_of_the_file_is_ignored_with_one_warning(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    store_path(settings).mkdir(parents=True)
    assert load_measurements(settings) == Measurements()
    assert len(caplog.records) == 1


def test_a_failing_write_leaves_the_old_file_and_nothing_else(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_measurements(_SOME, settings)

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "no space left")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="no space"):
        save_measurements(_SOME, settings)
    assert [path.name for path in store_path(settings).parent.iterdir()] == ["measurements.json"]
    assert load_measurements(settings) == _SOME


def _save_many(folder: Path, name: str) -> None:
    settings = Settings(cache_dir=folder)
    for number in range(20):
        key = CellKey(work=name, dtype="", size_class=number, fingerprint="f")
        save_measurements(Measurements(cells={key: Cell(elements=1, ns=1)}), settings)


def test_two_processes_that_write_at_once_never_leave_a_damaged_file(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    context = multiprocessing.get_context("spawn")
    folder = settings.cache_path
    processes = [context.Process(target=_save_many, args=(folder, name)) for name in ("a", "b")]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0]
    assert load_measurements(settings).cells
    assert not caplog.records
