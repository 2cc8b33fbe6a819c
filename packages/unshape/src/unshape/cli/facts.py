"""What is known of backends, as plain data for JSON and tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from importlib import metadata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unshape_backend.registry import BackendRegistry
    from unshape_backend.topology import BackendEntry


def versions() -> dict[str, str]:
    """Return the versions of Python, NumPy, and every distribution that is of unshape or brings something to it."""
    import platform

    found = {"python": platform.python_version(), "numpy": metadata.version("numpy")}
    for distribution in metadata.distributions():
        name = distribution.metadata["Name"] or ""
        is_ours = name == "unshape" or name.startswith("unshape-")
        if is_ours or any(point.group.startswith("unshape.") for point in distribution.entry_points):
            found[name] = distribution.version
    return dict(sorted(found.items()))


def backends(registry: BackendRegistry) -> list[dict[str, Any]]:
    """Return every backend, open ones first with their facts, then those that cannot be used with the reason."""
    from unshape_backend.availability import Unavailable

    topology = registry.snapshot()
    rows = [_entry(entry) for entry in topology.entries]
    opened = {row["id"] for row in rows}
    for name, availability in registry.availability().items():
        if name not in opened:
            assert isinstance(availability, Unavailable)
            rows.append({"id": name, "available": False, **_unavailable(availability)})
    return rows


def _entry(entry: BackendEntry) -> dict[str, Any]:
    from unshape_backend.availability import Unavailable

    facts = entry.capabilities
    row: dict[str, Any] = {
        "id": str(entry.id),
        "available": not isinstance(entry.availability, Unavailable),
        "kind": str(facts.kind),
        "space": str(facts.space),
        "priority": entry.priority,
        "device": plain(facts.device),
        "features": sorted(str(feature) for feature in facts.features),
        "limits": {key: value for key, value in plain(facts.limits).items() if value not in (None, [])},
        "throughput": plain(facts.throughput),
        "links": [plain(link) for link in facts.links],
        "memory": plain(entry.backend.memory()),
    }
    if isinstance(entry.availability, Unavailable):
        row |= _unavailable(entry.availability)
    return row


def _unavailable(availability: Any) -> dict[str, str]:
    return {"reason": str(availability.reason), "detail": availability.detail, "remedy": availability.remedy}


def plain(value: Any) -> Any:
    """Return a record as nested dicts and lists of what JSON knows."""
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        if type(value).__str__ is not object.__str__:
            return str(value)
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return value
