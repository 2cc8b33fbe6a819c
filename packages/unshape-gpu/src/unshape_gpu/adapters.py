"""Which adapters are used, in which order, and why.

The rule: the adapter that ``UNSHAPE_GPU_ADAPTER`` names, by its number in this order or by a part of its name; else
discrete GPUs, integrated ones, virtual ones and unknown ones, each in the driver's order. An adapter that a CPU plays
(lavapipe) is used only if there is no other one, and says that it is software. Asked for are Vulkan, on Windows also
DirectX 12, on macOS Metal; OpenGL only if ``UNSHAPE_GPU_API`` says so, since its drivers do not bear several threads.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unshape_backend.availability import UnavailableReason
from unshape_gpu import native
from unshape_gpu.errors import unavailable

ADAPTER = "UNSHAPE_GPU_ADAPTER"
API = "UNSHAPE_GPU_API"

_APIS = {"darwin": ("Metal",), "win32": ("Vulkan", "DX12")}
_NAMES = {"vulkan": "Vulkan", "metal": "Metal", "dx12": "DX12", "gl": "GL"}
_ORDER = ("DiscreteGPU", "IntegratedGPU", "VirtualGPU", "Unknown", "CPU")
_DRIVER_REMEDY = "sudo apt-get install libvulkan1 mesa-vulkan-drivers"


@dataclass(frozen=True, slots=True)
class Candidate:
    """An adapter.

    Parameters
    ----------
    adapter : wgpu adapter
        The object.
    name, vendor, driver, api, kind : str
        What it says of itself; ``kind`` is one of "DiscreteGPU", "IntegratedGPU", "VirtualGPU", "CPU", "Unknown".
    reason : str
        Why it has its place in the order.
    """

    adapter: native.Adapter
    name: str
    vendor: str
    driver: str
    api: str
    kind: str
    reason: str = ""

    @property
    def is_software(self) -> bool:
        """Whether a CPU plays it."""
        return self.kind == "CPU"


def find_candidates(environment: Mapping[str, str] | None = None) -> list[Candidate]:
    """Return the adapters to open, the first one is ``"gpu"``, the second ``"gpu:1"``.

    Parameters
    ----------
    environment : mapping of str to str, optional
        The variables; those of the process if it is not given.

    Raises
    ------
    BackendUnavailableError
        If wgpu is not installed, if there is no adapter, or if none is the one that was asked for.
    """
    env = os.environ if environment is None else environment
    try:
        adapters = native.enumerate_adapters(wanted_apis(env))
    except (ImportError, OSError) as error:
        raise unavailable(
            UnavailableReason.NOT_INSTALLED, f"wgpu does not load: {error}", "pip install 'unshape[gpu]'"
        ) from error
    except Exception as error:
        raise unavailable(UnavailableReason.NO_DRIVER, f"wgpu finds no driver: {error}", _DRIVER_REMEDY) from error
    return choose([_candidate(adapter) for adapter in adapters], wanted=env.get(ADAPTER, "").strip())


def wanted_apis(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the APIs whose adapters are looked for."""
    asked = environment.get(API, "").strip().lower()
    if not asked:
        return _APIS.get(sys.platform, ("Vulkan",))
    if asked not in _NAMES:
        detail = f"{API} is {asked!r}, expected one of {', '.join(_NAMES)}"
        raise unavailable(UnavailableReason.DISABLED, detail, f"unset {API}")
    return (_NAMES[asked],)


def choose(found: Sequence[Candidate], *, wanted: str = "") -> list[Candidate]:
    """Return adapters in the order in which they are used.

    Parameters
    ----------
    found : sequence of Candidate
        In the driver's order.
    wanted : str
        Number in the order of the result, or part of a name; empty for no wish.

    Raises
    ------
    BackendUnavailableError
        If there is none, or none that was asked for.
    """
    ordered = sorted(found, key=lambda each: _ORDER.index(each.kind) if each.kind in _ORDER else len(_ORDER))
    if not ordered:
        raise unavailable(UnavailableReason.NO_DEVICE, "no driver offers an adapter", _DRIVER_REMEDY)
    if wanted:
        by_number = wanted.isdecimal() and int(wanted) < len(ordered)
        wish = wanted.lower()
        named = [ordered[int(wanted)]] if by_number else [each for each in ordered if wish in each.name.lower()]
        if not named:
            names = ", ".join(f"{k}: {each.name}" for k, each in enumerate(ordered))
            raise unavailable(
                UnavailableReason.NO_DEVICE, f"{ADAPTER} is {wanted!r}, there are {names}", f"unset {ADAPTER}"
            )
        return [_because(each, f"{ADAPTER} asks for it") for each in named]
    hardware = [each for each in ordered if not each.is_software]
    if hardware:
        return [_because(each, f"{each.kind}, number {k} of {len(hardware)}") for k, each in enumerate(hardware)]
    return [_because(each, "software, there is no other adapter") for each in ordered[:1]]


def _candidate(adapter: native.Adapter) -> Candidate:
    facts = native.adapter_facts(adapter)
    return Candidate(
        adapter=adapter,
        name=facts.get("device", "unknown device"),
        vendor=facts.get("vendor", "unknown"),
        driver=facts.get("description", "unknown"),
        api=facts.get("backend_type", "unknown").lower(),
        kind=facts.get("adapter_type", "Unknown"),
    )


def _because(each: Candidate, reason: str) -> Candidate:
    return Candidate(each.adapter, each.name, each.vendor, each.driver, each.api, each.kind, reason)
