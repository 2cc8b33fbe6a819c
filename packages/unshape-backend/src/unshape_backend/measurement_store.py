"""The store of measurements: one JSON file in the user's cache folder.

The file is replaced atomically. A damaged file, or one of another version, is ignored with one warning and replaced by
the next measurement; nothing that is read from it is trusted further than to be numbers and names.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from unshape_backend.capabilities import FigureSource, Link, TransferPath
from unshape_backend.config import Settings
from unshape_backend.measurement import Cell, CellKey, MeasuredLink, Measurements
from unshape_core.atomic_file import write_text
from unshape_core.errors import UnshapeError
from unshape_core.memory_space import MemorySpace

FORMAT_VERSION = 2
FILE_NAME = "measurements.json"
_MAX_BYTES = 64 * 1024 * 1024
_UNUSABLE = (OSError, ValueError, KeyError, TypeError, RecursionError, UnshapeError)
_log = logging.getLogger("unshape_backend")


def store_path(settings: Settings) -> Path:
    """Return where measurements are kept."""
    return settings.cache_path / FILE_NAME


def load_measurements(settings: Settings) -> Measurements:
    """Return what is kept; nothing if there is no file or it cannot be used, which costs one warning."""
    path = store_path(settings)
    try:
        return _load(path)
    except _UNUSABLE as error:
        _log.warning(
            "measurements in %s are ignored: %s: %s; 'unshape calibrate' makes new ones",
            path,
            type(error).__name__,
            error,
        )
        return Measurements()


def _load(path: Path) -> Measurements:
    try:
        if path.stat().st_size > _MAX_BYTES:
            msg = f"it is larger than {_MAX_BYTES} bytes"
            raise ValueError(msg)
        return from_document(json.loads(path.read_bytes()))
    except FileNotFoundError:
        return Measurements()


def save_measurements(measurements: Measurements, settings: Settings) -> Path:
    """Add measurements to what is kept and return where that is.

    Raises
    ------
    OSError
        If the folder cannot be written; the file that was there stays as it was.
    """
    path = store_path(settings)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        merged = _load(path).merged(measurements)
    except _UNUSABLE:  # whoever loaded it was warned
        merged = measurements
    write_text(path, json.dumps(to_document(merged), indent=1))
    return path


def to_document(measurements: Measurements) -> dict[str, Any]:
    """Return what the file holds, ready for JSON."""
    cells = [
        {
            "work": key.work,
            "dtype": key.dtype,
            "size_class": key.size_class,
            "fingerprint": key.fingerprint,
            "elements": cell.elements,
            "ns": cell.ns,
            "launch_ns": cell.launch_ns,
            "compute_ns": cell.compute_ns,
        }
        for key, cell in sorted(measurements.cells.items(), key=lambda item: item[0])
    ]
    links = [
        {
            "source": [each.link.source.substrate, each.link.source.ordinal],
            "target": [each.link.target.substrate, each.link.target.ordinal],
            "path": each.link.path.value,
            "latency_ns": each.link.latency_ns,
            "bytes_per_ns": each.link.bytes_per_ns,
            "fingerprint": each.fingerprint,
        }
        for each in measurements.links
    ]
    return {"version": FORMAT_VERSION, "cells": cells, "links": links}


def from_document(document: Any) -> Measurements:
    """Return the measurements in the contents of a file.

    Raises
    ------
    ValueError, KeyError, TypeError, InvalidArgumentError
        If it holds anything else.
    """
    if not isinstance(document, dict) or document.get("version") != FORMAT_VERSION:
        msg = f"expected an object of version {FORMAT_VERSION}"
        raise ValueError(msg)
    return Measurements(
        cells=MappingProxyType(dict(_read_cell(entry) for entry in document["cells"])),
        links=tuple(_read_link(entry) for entry in document["links"]),
    )


def _read_cell(entry: Mapping[str, Any]) -> tuple[CellKey, Cell]:
    key = CellKey(
        work=_text(entry["work"]),
        dtype=_text(entry["dtype"]),
        size_class=_count(entry["size_class"]),
        fingerprint=_text(entry["fingerprint"]),
    )
    cell = Cell(
        elements=_count(entry["elements"]),
        ns=_count(entry["ns"]),
        launch_ns=_count(entry["launch_ns"]),
        compute_ns=_count(entry["compute_ns"]),
    )
    return key, cell


def _read_link(entry: Mapping[str, Any]) -> MeasuredLink:
    rate = entry["bytes_per_ns"]
    if isinstance(rate, bool) or not isinstance(rate, int | float):
        msg = f"expected a bandwidth, got {rate!r}"
        raise TypeError(msg)
    link = Link(
        source=_space(entry["source"]),
        target=_space(entry["target"]),
        path=TransferPath(entry["path"]),
        latency_ns=_count(entry["latency_ns"]),
        bytes_per_ns=float(rate),
        figures=FigureSource.MEASURED,
    )
    return MeasuredLink(link=link, fingerprint=_text(entry["fingerprint"]))


def _space(pair: Any) -> MemorySpace:
    substrate, ordinal = pair
    return MemorySpace(_text(substrate), _count(ordinal))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        msg = f"expected a text, got {value!r}"
        raise TypeError(msg)
    return value


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        msg = f"expected a whole number of at least 0, got {value!r}"
        raise TypeError(msg)
    return value
