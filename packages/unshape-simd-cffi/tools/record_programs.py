"""Record programs and filters with inputs and right results, for csrc/replay: ``record_programs.py FILE``.

The cases are those of the conformance suite. Each is compared with the definition before it is recorded, so that a
replay elsewhere, under emulation for instance, is held to the definition as well.
"""

from __future__ import annotations

import argparse
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from unshape_backend.domain_cases import domain_cases
from unshape_backend.kernel_library import KernelLibrary
from unshape_core.context import EvalContext
from unshape_simd_cffi import isa, program
from unshape_simd_cffi.backend import SimdBackend
from unshape_simd_cffi.filters import Filters
from unshape_testing.laws import numbers
from unshape_testing.own_cases import own_cases
from unshape_testing.special_cases import integer_case, size_cases, special_cases

MAX_BYTES = 4 * 2**20
"""A larger recording says nothing more and takes long to replay."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the file; 0 on success."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    options = parser.parse_args(arguments)
    parts = [struct.pack("<i", len(recorded)) + b"".join(recorded) for recorded in record()]
    options.file.write_bytes(b"".join(parts))
    return 0


def record() -> tuple[list[bytes], list[bytes]]:
    """Return the recorded programs and filters."""
    backend = SimdBackend(isa.built_isas()[0], threads=1)
    KernelLibrary().give(backend, "simd")
    found: list[bytes] = []
    filtered: list[bytes] = []
    call = program._call
    run_filter = Filters._run

    def recording(chosen: Any, words: bytes, pictures: Any, outputs: Any, window: Any, **named: Any) -> None:
        call(chosen, words, pictures, outputs, window, **named)
        text = _recording(chosen, words, pictures, outputs, window)
        if len(text) <= MAX_BYTES:
            found.append(text)

    def recording_filter(self: Filters, kind: Any, *arrays: Any, **named: Any) -> Any:
        out = run_filter(self, kind, *arrays, **named)
        if out.nbytes + arrays[0].nbytes <= MAX_BYTES and out.size:
            filtered.append(_filter_recording(int(kind), arrays, out, **named))
        return out

    program._call = recording  # type: ignore[assignment]
    Filters._run = recording_filter  # type: ignore[method-assign]
    try:
        cases = (*own_cases(), *special_cases(), integer_case(), *size_cases(), *(case for _, case in domain_cases()))
        for case in cases:
            if backend.supports(numbers.case_job(case).task) is None:
                numbers.check_equals_definition(backend, case)
    finally:
        program._call = call
        Filters._run = run_filter  # type: ignore[method-assign]
    return found, filtered


def _filter_recording(
    kind: int,
    arrays: Sequence[Any],
    out: Any,
    *,
    reach_px: tuple[int, int] = (0, 0),
    row_weights: Any = None,
    ctx: EvalContext,
) -> bytes:
    assert ctx.precision == "exact"
    pixels, columns, rows, weights = arrays
    taps = [len(indices) if indices.ndim == 2 else 0 for indices in (columns, rows)]
    sizes = (kind, out.shape[2], out.shape[1], out.shape[0], *reach_px, *taps, pixels.shape[1])
    integers = [np.ascontiguousarray(each, np.int32) for each in (sizes, columns, rows)]
    floats = [weights, weights if row_weights is None else row_weights, pixels, out]
    return b"".join(_array(part) for part in (*integers, *(np.ascontiguousarray(each, np.float32) for each in floats)))


def _recording(chosen: Any, words: bytes, pictures: Any, outputs: Any, window: Any) -> bytes:
    made = chosen.program
    sizes = (
        made.register_count, made.row_value_count, made.moving_count, made.block, made.units, made.splats,
        made.row_units, made.column_units, made.tiles, made.picture_count, made.output_count, made.number_count,
        made.is_anywhere,
    )  # fmt: skip
    parts = [_array(np.array(list(array), np.int32)) for array in chosen.owned]
    parts += [_array(np.array(sizes, np.int32)), _array(np.frombuffer(words, np.int32))]
    parts.append(_array(np.array((window.x_px, window.y_px, window.width_px, window.height_px), np.int32)))
    for picture in pictures:
        held = picture.window
        where = (picture.channels, held.x_px, held.y_px, held.width_px, held.height_px, picture.width_px)
        parts.append(_array(np.array((*where, picture.height_px), np.int32)))
        parts.append(_array(np.ascontiguousarray(picture.array, np.float32)))
    for output in outputs:
        parts.append(struct.pack("<i", output.shape[2]) + output.tobytes())
    return b"".join(parts)


def _array(words: Any) -> bytes:
    return struct.pack("<i", words.size) + bytes(words.tobytes())


if __name__ == "__main__":
    raise SystemExit(main())
