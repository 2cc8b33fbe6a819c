"""Record programs of the engine with inputs and right results, for csrc/replay: ``record_programs.py FILE``.

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
from unshape_simd_cffi import isa, program
from unshape_simd_cffi.backend import SimdBackend
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
    recorded = record()
    options.file.write_bytes(struct.pack("<i", len(recorded)) + b"".join(recorded))
    return 0


def record() -> list[bytes]:
    """Return the recorded programs."""
    backend = SimdBackend(isa.built_isas()[0], threads=1)
    found: list[bytes] = []
    call = program._call

    def recording(chosen: Any, words: bytes, pictures: Any, outputs: Any, window: Any, **named: Any) -> None:
        call(chosen, words, pictures, outputs, window, **named)
        text = _recording(chosen, words, pictures, outputs, window)
        if len(text) <= MAX_BYTES:
            found.append(text)

    program._call = recording
    try:
        cases = (*own_cases(), *special_cases(), integer_case(), *size_cases(), *(case for _, case in domain_cases()))
        for case in cases:
            if backend.supports(numbers.case_job(case).task) is None:
                numbers.check_equals_definition(backend, case)
    finally:
        program._call = call
    return found


def _recording(chosen: Any, words: bytes, pictures: Any, outputs: Any, window: Any) -> bytes:
    made = chosen.program
    sizes = (
        made.register_count, made.row_value_count, made.moving_count, made.block, made.units, made.splats,
        made.row_units, made.column_units, made.picture_count, made.output_count, made.number_count,
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
