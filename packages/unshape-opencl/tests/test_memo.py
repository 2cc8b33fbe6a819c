"""What a task keeps between its runs is bounded."""

from __future__ import annotations

from unshape_opencl.memo import ENTRIES, Memo


def test_what_was_used_last_is_kept_and_no_more_than_that() -> None:
    memo, made = Memo(), []

    def get(key: int) -> int:
        def make() -> int:
            made.append(key)
            return 10 * key

        return memo.get(key, make)

    for key in range(ENTRIES):
        assert 10 * key == get(key)
    assert 0 == get(0)
    get(ENTRIES)
    assert 0 == get(0)
    assert [*range(ENTRIES), ENTRIES] == made
    get(1)
    assert [*range(ENTRIES), ENTRIES, 1] == made, "it was not used for longest"
