import pytest
from hypothesis import given
from hypothesis import strategies as st

from unshape_backend.memory_fit import FitStatus, would_fit


@pytest.mark.parametrize(
    ("needed", "total", "used", "status"),
    [
        (85, 100, 0, FitStatus.COMFORTABLE),
        (86, 100, 0, FitStatus.TIGHT),
        (100, 100, 0, FitStatus.TIGHT),
        (101, 100, 0, FitStatus.WONT_FIT),
        (50, 100, 50, FitStatus.TIGHT),
        (51, 100, 50, FitStatus.WONT_FIT),
        (0, 0, 0, FitStatus.COMFORTABLE),
        (1, 0, 0, FitStatus.WONT_FIT),
        (None, 100, 0, FitStatus.UNKNOWN),
        (1, None, 0, FitStatus.UNKNOWN),
    ],
)
def test_a_fit_is_tight_over_85_percent(needed: int | None, total: int | None, used: int, status: FitStatus) -> None:
    assert would_fit(needed, total_bytes=total, used_bytes=used) is status


_ORDER = [FitStatus.COMFORTABLE, FitStatus.TIGHT, FitStatus.WONT_FIT]


@given(st.integers(1, 1000), st.integers(0, 1000), st.integers(0, 1000), st.integers(0, 1000))
def test_needing_more_never_fits_better(needed: int, more: int, total: int, used: int) -> None:
    less_status = would_fit(needed, total_bytes=total, used_bytes=used)
    more_status = would_fit(needed + more, total_bytes=total, used_bytes=used)
    assert _ORDER.index(more_status) >= _ORDER.index(less_status)
