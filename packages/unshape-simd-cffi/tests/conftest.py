"""Every instruction set of the machine is a parameter."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from unshape_backend.availability import Unavailable, UnavailableReason
from unshape_simd_cffi import isa as instruction_sets
from unshape_simd_cffi import native
from unshape_simd_cffi.backend import SimdBackend
from unshape_simd_cffi.isa import Isa
from unshape_testing.plugin import give_up


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "isa" in metafunc.fixturenames:
        metafunc.parametrize("isa", _usable(), ids=lambda isa: "none" if isa is None else isa.name)


def _usable() -> tuple[Isa | None, ...]:
    try:
        return instruction_sets.usable_isas()
    except ImportError:
        return (None,)


@pytest.fixture
def backend(isa: Isa | None, pytestconfig: pytest.Config) -> Iterator[SimdBackend]:
    if isa is None:
        try:
            native.load()
        except ImportError as error:
            give_up(pytestconfig, "simd", Unavailable(reason=UnavailableReason.NOT_BUILT, detail=str(error)))
    assert isa is not None
    opened = SimdBackend(isa, threads=2)
    yield opened
    opened.close()
