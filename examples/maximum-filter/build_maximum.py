"""How the C kernel is built: which functions Python sees, which sources and headers belong to them."""

from __future__ import annotations

from pathlib import Path

from cffi import FFI

from unshape_simd_cffi.include import include_folder

SOURCES = Path(__file__).parent / "csrc"

ffi = FFI()
ffi.cdef("void maximum(int isa, float *out, const float *padded, int64_t width, int64_t height, int64_t step);")
ffi.set_source(
    "maximum_filter._maximum",
    '#include "maximum.h"',
    sources=["csrc/maximum.c"],
    include_dirs=[str(SOURCES), str(include_folder())],
    extra_compile_args=["-O3", "-ffp-contract=off"],
)
