"""The types of wgpu's library are read once, and are what their texts say."""

from __future__ import annotations

import subprocess
import sys

import pytest

SETUP = """
from unshape_gpu import native, native_types, open_backend
native.load()
from wgpu.backends.wgpu_native._ffi import ffi
met = set(ffi._parsed_types)
read = []
of_parser = ffi._parser.parse_type
def parse_type(text):
    read.append(text)
    return of_parser(text)
ffi._parser.parse_type = parse_type
"""


def printed(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", SETUP + code], capture_output=True, text=True, check=True, timeout=120)
    return done.stdout.strip()


@pytest.mark.usefixtures("gpu", "unshape_cache_dir")
def test_opening_reads_no_type_by_itself() -> None:
    assert printed("open_backend()[0].close()\nprint(read)") == "[]"


@pytest.mark.usefixtures("gpu", "unshape_cache_dir")
def test_without_the_list_opening_reads_many() -> None:
    code = "ffi._parsed_types = {}\nopen_backend()[0].close()\n"
    assert int(printed(code + "print(len(read))")) > 30


@pytest.mark.usefixtures("gpu")
def test_every_type_is_the_one_that_its_text_names() -> None:
    code = """
names = (*native_types.POINTERS, *native_types.ARRAYS, *native_types.FUNCTIONS, *native_types.NUMBERS)
listed = {name: ffi._parsed_types[name] for name in names}
ffi._parsed_types = {}
with ffi._lock:
    print([name for name in names if ffi._typeof_locked(name) != listed[name]], len(read) == len(names))
"""
    assert printed(code) == "[] True"


@pytest.mark.usefixtures("gpu")
def test_a_header_with_other_names_is_read_one_by_one() -> None:
    code = """
from cffi import FFI
other = FFI()
other.cdef("typedef struct { int x; } Other;")
native_types.read_types(other)
print(other.typeof("Other *").item.fields[0][0])
"""
    assert printed(code) == "x"
