from __future__ import annotations

import dataclasses
import logging
import os
import threading
import time
from collections.abc import Callable

import pytest

from unshape_backend.availability import Available, Unavailable, UnavailableReason
from unshape_backend.capabilities import DeviceLimits, FigureSource, Link, TransferPath
from unshape_backend.config import Settings
from unshape_backend.cpu import CpuBackend
from unshape_backend.errors import DeviceLostError, KernelConflictError, ProtocolVersionError, SelectionError
from unshape_backend.identity import CPU, CPU_SIMD, GPU, REFERENCE, BackendId, BackendKind
from unshape_backend.measurement import MeasuredLink, Measurements
from unshape_backend.registry import BackendRegistry, default_registry
from unshape_backend.selection import SelectionRequest
from unshape_backend.task import RejectionCode
from unshape_core.errors import InvalidArgumentError
from unshape_core.memory_space import HOST, MemorySpace
from unshape_testing.fake import FakeBackend
from unshape_testing.sample_task import AddOne

_GPU = BackendId("gpu")


def test_a_snapshot_is_the_same_object_until_something_changes(registry: BackendRegistry) -> None:
    first = registry.snapshot()
    assert registry.snapshot() is first
    registry.register(FakeBackend("gpu"))
    second = registry.snapshot()
    assert second.number > first.number
    assert (first.ids, second.ids) == (("cpu",), ("gpu", "cpu"))


def test_every_kind_of_change_gives_a_new_number(registry: BackendRegistry) -> None:
    backend = FakeBackend("gpu")
    changes: list[Callable[[], object]] = [
        lambda: registry.register(backend),
        lambda: registry.set_available(_GPU, False),
        lambda: registry.set_available(_GPU, True),
        lambda: registry.set_capabilities(backend.capabilities),
        lambda: registry.register_kernel("test::AddOne", backend="gpu", function=len),
        lambda: registry.report_failure(_GPU, RuntimeError("once")),
        lambda: registry.set_measurements(Measurements()),
        lambda: registry.unregister(_GPU),
    ]
    numbers = [registry.snapshot().number]
    for change in changes:
        change()
        numbers.append(registry.snapshot().number)
    assert numbers == sorted(set(numbers))


def test_registering_the_same_id_replaces_and_gives_a_clean_record(registry: BackendRegistry) -> None:
    first, second = FakeBackend("gpu"), FakeBackend("gpu")
    registry.register(first)
    registry.report_failure(_GPU, RuntimeError("old"))
    registry.register(second)
    entry = registry.snapshot().entry(_GPU)
    assert entry.backend is second
    assert entry.health.failures == 0
    assert registry.snapshot().ids.count(_GPU) == 1


def test_a_backend_of_another_protocol_version_is_refused_in_one_sentence(registry: BackendRegistry) -> None:
    backend = FakeBackend("gpu")
    backend.protocol_version = 99
    with pytest.raises(ProtocolVersionError, match=r"^backend 'gpu': expected protocol version \d+, got 99; [^\n]*$"):
        registry.register(backend)
    assert registry.snapshot().ids == ("cpu",)


def test_facts_of_another_id_are_refused(registry: BackendRegistry) -> None:
    backend = FakeBackend("gpu")
    backend.id = BackendId("opencl")
    with pytest.raises(InvalidArgumentError, match="'opencl': expected facts of that id, got those of 'gpu'"):
        registry.register(backend)


def test_what_is_not_registered_cannot_be_changed(registry: BackendRegistry) -> None:
    changes: list[Callable[[], object]] = [
        lambda: registry.unregister(_GPU),
        lambda: registry.set_available(_GPU, True),
        lambda: registry.set_capabilities(FakeBackend("gpu").capabilities),
    ]
    for change in changes:
        with pytest.raises(SelectionError, match=r"registered backend .'cpu'., got 'gpu'"):
            change()


def test_default_priorities_follow_from_kind_and_device(registry: BackendRegistry) -> None:
    registry.register(FakeBackend("npu", kind=BackendKind.custom("npu")))
    registry.register(FakeBackend("gpu"))
    registry.register(FakeBackend("simd", kind=CPU_SIMD))
    registry.register(FakeBackend("gpu:1", is_software=True))
    assert registry.snapshot().ids == ("gpu", "npu", "simd", "cpu", "gpu:1")


def test_available_kinds_are_those_that_can_be_used_now(registry: BackendRegistry) -> None:
    registry.register(FakeBackend("gpu"))
    registry.register(FakeBackend("simd", kind=CPU_SIMD))
    assert list(registry.available_kinds) == [GPU, CPU_SIMD, CPU]
    registry.set_available(_GPU, False)
    assert list(registry.available_kinds) == [CPU_SIMD, CPU]


def test_lowered_limits_are_what_planning_sees(registry: BackendRegistry) -> None:
    backend = FakeBackend("gpu")
    registry.register(backend)
    lowered = dataclasses.replace(backend.capabilities, limits=DeviceLimits(max_buffer_bytes=4))
    registry.set_capabilities(lowered)
    assert registry.snapshot().capabilities(_GPU).limits.max_buffer_bytes == 4


def test_after_the_third_failure_a_backend_is_set_aside_with_one_warning(
    registry: BackendRegistry, caplog: pytest.LogCaptureFixture
) -> None:
    registry.register(FakeBackend("gpu"))
    aside = [registry.report_failure(_GPU, RuntimeError(f"no {n}")).is_set_aside for n in range(5)]
    assert aside == [False, False, True, True, True]
    assert [record.getMessage() for record in caplog.records] == [
        "backend 'gpu' is set aside after 3 failures, the last: no 2"
    ]
    why = registry.snapshot().entry(_GPU).why_unusable()
    assert why is not None
    assert why.code is RejectionCode.SET_ASIDE


def test_a_lost_device_is_set_aside_at_once(registry: BackendRegistry) -> None:
    registry.register(FakeBackend("gpu"))
    assert registry.report_failure(_GPU, DeviceLostError("gone", backend="gpu")).is_set_aside


def test_the_reference_is_never_set_aside(registry: BackendRegistry) -> None:
    healths = [registry.report_failure(REFERENCE, MemoryError()) for _ in range(5)]
    assert (healths[-1].failures, healths[-1].is_set_aside) == (5, False)


def test_switching_on_forgets_failures(registry: BackendRegistry) -> None:
    registry.register(FakeBackend("gpu"))
    registry.report_failure(_GPU, DeviceLostError("gone", backend="gpu"))
    registry.set_available(_GPU, True)
    assert registry.select(SelectionRequest.require_gpu()) == "gpu"


def test_a_failure_of_who_is_not_there_any_more_is_no_error(registry: BackendRegistry) -> None:
    assert registry.report_failure(_GPU, RuntimeError("late")).failures == 0


def test_switching_off_says_why_and_how_to_undo_it(registry: BackendRegistry) -> None:
    registry.register(FakeBackend("gpu"))
    registry.set_available(_GPU, False, "too hot")
    why = registry.availability()["gpu"]
    assert isinstance(why, Unavailable)
    assert (why.reason, why.detail) == (UnavailableReason.DISABLED, "too hot")
    assert why.remedy == "registry.set_available('gpu', True)"
    assert registry.availability()["cpu"] == Available()


def test_what_a_setting_disables_stays_off_also_if_a_program_registers_it() -> None:
    registry = BackendRegistry.with_cpu(settings=Settings(disabled=("gpu",)))
    registry.register(FakeBackend("gpu:1"))
    why = registry.availability()["gpu:1"]
    assert isinstance(why, Unavailable)
    assert why.remedy == "unset UNSHAPE_DISABLE"


def test_a_kernel_reaches_backends_that_are_open_and_those_to_come(registry: BackendRegistry) -> None:
    here, later = FakeBackend("fpga"), FakeBackend("fpga:1")
    registry.register(here)
    registry.snapshot()
    registry.register_kernel(AddOne, backend="fpga", function=len)
    registry.register(later)
    registry.snapshot()
    assert here.subjects("register_kernel") == later.subjects("register_kernel") == ["test::AddOne"]


def test_a_kernel_of_another_family_does_not_reach_a_backend(registry: BackendRegistry) -> None:
    backend = FakeBackend("fpga")
    registry.register(backend)
    registry.register_kernel(AddOne, backend="opencl", function=len)
    registry.snapshot()
    assert backend.count("register_kernel") == 0


def test_registering_a_kernel_again_replaces_the_scripts_own(registry: BackendRegistry) -> None:
    registry.snapshot()
    for function in (len, max):
        registry.register_kernel(AddOne, backend="cpu", function=function)
    backend = registry.snapshot().backend(REFERENCE)
    assert isinstance(backend, CpuBackend)
    assert [kernel.function for kernel in backend.kernels] == [max]


def test_measured_links_are_used_for_the_device_they_were_measured_on(registry: BackendRegistry) -> None:
    backend = FakeBackend("gpu", link_ns=10)
    registry.register(backend)
    space = MemorySpace("gpu")
    link = Link(
        source=HOST,
        target=space,
        path=TransferPath.DEVICE_COPY,
        latency_ns=777,
        bytes_per_ns=1,
        figures=FigureSource.MEASURED,
    )
    for fingerprint, latency in (("another driver", 10), (backend.capabilities.device.fingerprint, 777)):
        registry.set_measurements(Measurements(links=(MeasuredLink(link=link, fingerprint=fingerprint),)))
        links = list(registry.snapshot().links)
        assert latency in {each.latency_ns for each in links if each.target == space}


def test_closing_closes_what_the_registry_opened_and_nothing_else() -> None:
    mine = FakeBackend("gpu")
    with BackendRegistry.with_cpu(settings=Settings()) as registry:
        registry.register(mine)
        cpu = registry.snapshot().backend(REFERENCE)
    registry.close()
    assert mine.count("close") == 0
    with pytest.raises(RuntimeError, match="closed"):
        cpu.memory()
    with pytest.raises(SelectionError):
        registry.select(SelectionRequest.any())


def test_eight_threads_change_one_registry(registry: BackendRegistry) -> None:
    failed: list[BaseException] = []

    def change(number: int) -> None:
        backend_id = BackendId(f"gpu:{number}")
        try:
            for _ in range(20):
                registry.register(FakeBackend(backend_id))
                registry.report_failure(backend_id, RuntimeError("now"))
                assert registry.snapshot().entry(backend_id).health.failures == 1
                registry.unregister(backend_id)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=change, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert registry.snapshot().ids == ("cpu",)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_child_can_use_a_registry_whose_lock_a_thread_of_the_parent_held(registry: BackendRegistry) -> None:
    registry.snapshot()
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with registry._lock:
            held.set()
            release.wait(20)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(20)
    child = os.fork()
    if child == 0:
        os._exit(0 if registry.snapshot().ids == ("cpu",) else 1)
    deadline = time.monotonic() + 10
    done, status = 0, -1
    while not done and time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        time.sleep(0.01)
    if not done:
        os.kill(child, 9)
        os.waitpid(child, 0)
    release.set()
    thread.join()
    assert (done, status) == (child, 0)


def test_the_default_registry_is_one() -> None:
    assert default_registry() is default_registry()


def test_conflicting_kernels_of_scripts_and_distributions_name_both(registry: BackendRegistry) -> None:
    backend = registry.snapshot().backend(REFERENCE)
    kernel = registry.register_kernel(AddOne, backend="cpu", function=len)
    with pytest.raises(KernelConflictError, match="'the running script' and 'unshape-other'"):
        backend.register_kernel(dataclasses.replace(kernel, origin="unshape-other"))


def test_one_logger_speaks_for_the_package(registry: BackendRegistry, caplog: pytest.LogCaptureFixture) -> None:
    registry.register(FakeBackend("gpu"))
    with caplog.at_level(logging.WARNING):
        registry.report_failure(_GPU, DeviceLostError("gone", backend="gpu"))
    assert {record.name for record in caplog.records} == {"unshape_backend"}
