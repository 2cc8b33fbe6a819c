"""Facts about the processor, as far as the C kernels' use of it is concerned."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from importlib.metadata import version

from unshape_backend.capabilities import DeviceInfo, Throughput
from unshape_backend.cpu.device import cpu_device
from unshape_simd_cffi.isa import Isa

_FLOPS_PER_NS = {"avx512": 24.0, "avx2": 14.0}
"""Prior, for one core, of expressions; registers of four lanes do about 7."""


def simd_device(isa: Isa) -> DeviceInfo:
    """Return the processor with the instruction set and version of the kernels."""
    processor = cpu_device()
    driver = f"unshape-simd-cffi {version('unshape-simd-cffi')}, {isa.name}"
    facts = f"{processor.name}|{processor.vendor}|{driver}"
    return replace(processor, driver=driver, fingerprint=f"simd-{hashlib.sha256(facts.encode()).hexdigest()[:16]}")


def throughput(isa: Isa, threads: int) -> Throughput:
    """Return the prior for so many threads; memory is shared by all of them."""
    return Throughput(
        flops_per_ns=_FLOPS_PER_NS.get(isa.name, 7.0) * threads,
        bytes_per_ns=10.0 * min(threads, 4),
        launch_ns=15_000,
    )
