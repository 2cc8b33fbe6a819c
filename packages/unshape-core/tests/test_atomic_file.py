"""Files are written whole or not at all, and nothing but files is ever replaced."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from unshape_core.atomic_file import check_place, replacing, write_text


def _write_half(path: Path) -> None:
    with replacing(path) as draft:
        draft.write_text("half of the ne")
        raise ZeroDivisionError


def test_what_was_there_stays_if_writing_fails(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    with pytest.raises(ZeroDivisionError):
        _write_half(target)
    assert target.read_text() == "old"
    assert [target] == list(tmp_path.iterdir())


def test_what_was_there_stays_if_the_disk_is_full_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device"):
        write_text(target, "new")
    assert target.read_text() == "old"
    assert [target] == list(tmp_path.iterdir())


def test_a_new_file_has_the_mode_of_the_old_one(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    target.chmod(0o640)
    write_text(target, "new")
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_the_name_to_write_to_has_the_same_suffix_and_folder(tmp_path: Path) -> None:
    target = tmp_path / "a.png"
    with replacing(target) as draft:
        assert (target.suffix, target.parent) == (draft.suffix, draft.parent)
        assert draft != target
        draft.write_bytes(b"1")
    assert target.read_bytes() == b"1"


def test_a_file_never_takes_the_place_of_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    (folder / "one.png").write_bytes(b"1")
    with pytest.raises(IsADirectoryError, match="a folder is in its place"):
        write_text(folder, "new")
    assert (folder / "one.png").read_bytes() == b"1"
    assert [folder] == list(tmp_path.iterdir())


def test_a_folder_takes_the_place_of_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "picture.zarr"
    folder.mkdir()
    (folder / "old").write_bytes(b"1")
    with replacing(folder) as draft:
        draft.mkdir()
        (draft / "new").write_bytes(b"2")
    assert [folder / "new"] == list(folder.iterdir())
    assert [folder] == list(tmp_path.iterdir())


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[str] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_text()), daemon=True)
    reader.start()
    write_text(pipe, "text")
    reader.join(10)
    assert ["text"] == received
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_device_is_written_to_and_stays_a_device() -> None:
    write_text("/dev/null", "text")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="this system has no device that is always full")
def test_a_full_disk_is_told_with_the_file_that_was_to_be_written() -> None:
    with pytest.raises(OSError, match="No space left on device") as caught:
        write_text("/dev/full", "text")
    assert "/dev/full" == caught.value.filename


def test_a_missing_folder_is_told_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="does not exist; make it first"):
        check_place(tmp_path / "nothing" / "a.txt")
    check_place(tmp_path / "a.txt")
    assert [] == list(tmp_path.iterdir())


def test_a_link_is_followed_and_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "a.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to(target)
    write_text(link, "new")
    assert link.is_symlink()
    assert "new" == target.read_text()
