"""Finding devices: each one that is listed is opened and tried, and is a backend if a kernel really ran there.

Nothing is concluded from a list: a driver may be installed without a device, a device may be listed and unable to build
a kernel, and two drivers may bear one name.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from unshape_backend.availability import Unavailable, UnavailableReason
from unshape_backend.config import Settings
from unshape_backend.errors import BackendUnavailableError
from unshape_backend.identity import BackendId, parse_backend_id

if TYPE_CHECKING:
    import pyopencl as cl

    from unshape_backend.capabilities import DeviceLimits
    from unshape_opencl.backend import OpenClBackend

FAMILY = "opencl"
INSTALL_DRIVER = (
    "install the driver of your device, or one for the processor: "
    "sudo apt-get install --no-install-recommends pocl-opencl-icd"
)
_SIMULATOR = "Oclgrind"
"""It checks kernels, thousands of times slower than any device; its package puts it before all others."""
_log = logging.getLogger("unshape_opencl")
_probing = threading.Lock()
"""Loaders of drivers are not safe to enter from several threads at once."""


def open_backends() -> Sequence[OpenClBackend]:
    """Open every device that works, GPUs first: the entry point ``unshape.backends``.

    Raises
    ------
    BackendUnavailableError
        If there is none, with a reason and what to do about it.
    """
    with _probing:
        opened: list[OpenClBackend] = []
        failures: list[Unavailable] = []
        for device in list_devices():
            try:
                opened.append(open_device(device, ordinal=len(opened)))
            except BackendUnavailableError as error:
                _log.info("%s", error)
                failures.append(error.availability)
    if opened:
        return opened
    if not failures:
        raise unavailable(UnavailableReason.NO_DEVICE, "the installed drivers list no device", INSTALL_DRIVER)
    raise BackendUnavailableError(backend=FAMILY, availability=failures[0])


def list_devices() -> list[cl.Device]:
    """Return every device that a driver lists: GPUs, then others, then simulators.

    Raises
    ------
    BackendUnavailableError
        If there is no library, or no driver.
    """
    _require_library()
    import pyopencl as cl

    try:
        platforms = cl.get_platforms()
    except cl.Error as error:
        raise unavailable(UnavailableReason.NO_DRIVER, f"no driver answers: {error}", INSTALL_DRIVER) from error
    if not platforms:
        raise unavailable(UnavailableReason.NO_DRIVER, "no driver is installed", INSTALL_DRIVER)
    devices: list[cl.Device] = []
    for platform in platforms:
        try:
            devices += platform.get_devices()
        except cl.Error as error:  # a driver without a device says so by an error
            _log.info("platform '%s' lists no device: %s", platform.name, error)
    return sorted(
        devices, key=lambda device: (_SIMULATOR in device.platform.name, bool(device.type & cl.device_type.CPU))
    )


def open_device(
    device: cl.Device,
    *,
    ordinal: int = 0,
    settings: Settings | None = None,
    lower: Callable[[DeviceLimits], DeviceLimits] | None = None,
    as_gpu: bool = False,
) -> OpenClBackend:
    """Open one device and try it.

    Parameters
    ----------
    device : pyopencl.Device
        The device.
    ordinal : int
        Its number among the opened ones, which makes its id.
    settings : Settings or None
        Say where compiled programs are kept; read from the environment if not given.
    lower : callable or None
        Lowers limits, for tests.
    as_gpu : bool
        Whether to treat a CPU device as a GPU, for tests.

    Raises
    ------
    BackendUnavailableError
        If it does not open, or fails its self-test.
    """
    import pyopencl as cl

    from unshape_opencl.opening import WrongResultError, open_opencl_device

    backend_id = parse_backend_id(FAMILY if ordinal == 0 else f"{FAMILY}:{ordinal}")
    name = f"'{device.name.strip()}' of '{device.platform.name.strip()}'"
    folder = (settings or Settings.from_environment()).cache_path / "opencl"
    try:
        return open_opencl_device(device, backend_id, ordinal=ordinal, folder=folder, lower=lower, as_gpu=as_gpu)
    except WrongResultError as error:
        why = f"{name}: {error}"
        raise unavailable(UnavailableReason.FAILED_SELF_TEST, why, INSTALL_DRIVER, backend=backend_id) from error
    except (cl.Error, RuntimeError, OSError, MemoryError) as error:
        why = f"{name} is listed, and a kernel does not run there: {str(error).strip().splitlines()[0]}"
        raise unavailable(UnavailableReason.FAILED_TO_OPEN, why, INSTALL_DRIVER, backend=backend_id) from error


def unavailable(
    reason: UnavailableReason, detail: str, remedy: str, *, backend: str = FAMILY
) -> BackendUnavailableError:
    """Return the error that says why there is no backend."""
    availability = Unavailable(reason=reason, detail=detail, remedy=remedy)
    return BackendUnavailableError(backend=BackendId(backend), availability=availability)


def _require_library() -> None:
    try:
        import pyopencl  # noqa: F401 - whether it can be imported is all that is asked
    except ImportError as error:
        detail = f"pyopencl cannot be imported: {error}"
        raise unavailable(UnavailableReason.NOT_INSTALLED, detail, "pip install 'unshape[opencl]'") from error
