"""Files of floats, JPEG, and what holds for every format: whole or not at all, and errors that help."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import OpenEXR
import pytest
import zarr
from PIL import Image
from references import Array

from unshape_core.errors import InvalidArgumentError
from unshape_image import ImageFileError, MissingExtraError, read_image, write_image

RNG = np.random.default_rng(14)
SPECIAL = np.array([np.inf, -np.inf, np.nan, -0.0, 1e-45, 3.4e38, -1000.0, 0.1], np.float32)


def picture(channels: int) -> Array:
    values = RNG.normal(0.0, 100.0, (9, 13, channels)).astype(np.float32)
    values.reshape(-1)[:8] = SPECIAL
    return values


@pytest.mark.parametrize("suffix", [".exr", ".npy", ".zarr"])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_floats_survive_bit_for_bit(tmp_path: Path, suffix: str, channels: int) -> None:
    written = picture(channels)
    path = tmp_path / f"a{suffix}"
    for _ in range(2):
        write_image(path, written)
        read = read_image(path)
        assert read.dtype == np.float32
        assert read.shape == written.shape
        np.testing.assert_array_equal(read, written)
        np.testing.assert_array_equal(np.signbit(read), np.signbit(written))
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_other_programs_find_the_channels_of_an_exr_by_name(tmp_path: Path) -> None:
    written = picture(4)
    write_image(tmp_path / "a.exr", written)
    channels = OpenEXR.File(str(tmp_path / "a.exr"), separate_channels=True).channels()
    assert set(channels) == {"R", "G", "B", "A"}
    np.testing.assert_array_equal(channels["G"].pixels, written[..., 1])


def test_half_floats_and_single_channels_of_an_exr_are_read(tmp_path: Path) -> None:
    depth = RNG.random((5, 6)).astype(np.float16)
    OpenEXR.File({"type": OpenEXR.scanlineimage}, {"Z": depth}).write(str(tmp_path / "z.exr"))
    np.testing.assert_array_equal(read_image(tmp_path / "z.exr")[..., 0], depth.astype(np.float32))


@pytest.mark.parametrize(
    ("channels", "reason"),
    [
        ({"X": np.zeros((2, 3), np.float32), "Q": np.zeros((2, 3), np.float32)}, "expected channels R, G, B"),
        ({"Y": np.zeros((2, 3), np.uint32)}, "channel 'Y': expected floats for every pixel, got uint32"),
    ],
)
def test_an_exr_of_other_channels_is_refused(tmp_path: Path, channels: dict[str, Array], reason: str) -> None:
    OpenEXR.File({"type": OpenEXR.scanlineimage}, channels).write(str(tmp_path / "a.exr"))
    with pytest.raises(ImageFileError, match=reason):
        read_image(tmp_path / "a.exr")


def test_a_zarr_store_holds_axes_and_attributes(tmp_path: Path) -> None:
    write_image(tmp_path / "a.zarr", picture(3), attributes={"seed": 7, "graph": {"version": 1}})
    array = zarr.open_array(tmp_path / "a.zarr", mode="r")
    assert array.metadata.zarr_format == 3
    assert array.metadata.dimension_names == ("height", "width", "channel")
    assert dict(array.attrs) == {"seed": 7, "graph": {"version": 1}}


@pytest.mark.parametrize("suffix", [".npy", ".zarr"])
@pytest.mark.parametrize("shape", [(0, 5, 3), (5, 0, 1)])
def test_arrays_may_be_empty(tmp_path: Path, suffix: str, shape: tuple[int, int, int]) -> None:
    write_image(tmp_path / f"a{suffix}", np.empty(shape, np.float32))
    assert read_image(tmp_path / f"a{suffix}").shape == shape


@pytest.mark.parametrize("suffix", [".png", ".exr"])
def test_pictures_that_need_a_pixel_say_so(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(InvalidArgumentError, match="expected at least one pixel, got 5 x 0"):
        write_image(tmp_path / f"a{suffix}", np.empty((0, 5, 3), np.float32))
    assert list(tmp_path.iterdir()) == []


def test_wider_floats_of_an_npy_file_are_rounded_and_two_axes_are_one_channel(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([[0.1, 0.2]], ">f8"))
    read = read_image(tmp_path / "a.npy")
    np.testing.assert_array_equal(read, np.array([[[0.1], [0.2]]], np.float32), strict=True)


@pytest.mark.parametrize(
    ("array", "reason"),
    [
        (np.zeros((2, 2, 3), np.uint8), "expected floats, got uint8; save integers divided by their largest value"),
        (np.zeros((2, 2, 5), np.float32), r"1 to 4 channels, got shape \[2, 2, 5\]"),
        (np.zeros(7, np.float32), r"got shape \[7\]"),
        (np.array([{}], object), "expected an .npy file of floats"),
    ],
)
def test_an_npy_file_of_other_things_is_refused(tmp_path: Path, array: Array, reason: str) -> None:
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(ImageFileError, match=reason):
        read_image(tmp_path / "a.npy")


def test_an_archive_is_no_npy_file(tmp_path: Path) -> None:
    with (tmp_path / "a.npy").open("wb") as file:
        np.savez(file, x=np.zeros((2, 2, 3), np.float32))
    with pytest.raises(ImageFileError, match="expected one array"):
        read_image(tmp_path / "a.npy")


@pytest.mark.parametrize("suffix", [".jpg", ".exr", ".npy", ".zarr"])
@pytest.mark.parametrize("content", [b"", b"rubbish" * 30])
def test_damaged_files_are_refused_in_one_sentence(tmp_path: Path, suffix: str, content: bytes) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_bytes(content)
    with pytest.raises(ImageFileError) as caught:
        read_image(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def cut_exr(path: Path) -> None:
    write_image(path, picture(3))
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 2 // 3])


def cut_jpeg(path: Path) -> None:
    Image.fromarray(RNG.integers(0, 256, (64, 64, 3)).astype(np.uint8)).save(path)
    path.write_bytes(path.read_bytes()[:700])


@pytest.mark.parametrize(("suffix", "cut"), [(".exr", cut_exr), (".jpg", cut_jpeg)])
def test_files_that_are_cut_off_are_refused(tmp_path: Path, suffix: str, cut: Callable[[Path], None]) -> None:
    cut(tmp_path / f"a{suffix}")
    with pytest.raises(ImageFileError, match="data are damaged"):
        read_image(tmp_path / f"a{suffix}")


@pytest.mark.parametrize("suffix", [".exr", ".npy", ".zarr"])
def test_the_size_is_checked_before_the_memory_is_taken(tmp_path: Path, suffix: str) -> None:
    write_image(tmp_path / f"a{suffix}", picture(3))
    with pytest.raises(ImageFileError, match="at most 1000 bytes as float32, got 1404 bytes"):
        read_image(tmp_path / f"a{suffix}", max_bytes=1000)


def test_a_jpeg_is_read_as_pillow_does_and_turned_as_it_says(tmp_path: Path) -> None:
    image = Image.fromarray(RNG.integers(0, 256, (16, 24, 3)).astype(np.uint8))
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter, clockwise
    image.save(tmp_path / "a.jpg", exif=exif)
    expected = np.rot90(np.asarray(Image.open(tmp_path / "a.jpg")), -1) / np.float32(255.0)
    np.testing.assert_array_equal(read_image(tmp_path / "a.jpg"), expected.astype(np.float32))


def test_a_jpeg_of_printing_colours_is_refused_with_the_remedy(tmp_path: Path) -> None:
    Image.new("CMYK", (4, 4)).save(tmp_path / "a.jpg")
    with pytest.raises(ImageFileError, match="got colours of kind 'CMYK'; convert it to RGB"):
        read_image(tmp_path / "a.jpg")


@pytest.mark.parametrize(("suffix", "module", "extra"), [(".exr", "OpenEXR", "exr"), (".zarr", "zarr", "zarr")])
def test_a_missing_library_is_named_with_the_command_that_gets_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, module: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    path = tmp_path / f"a{suffix}"
    with pytest.raises(MissingExtraError, match=rf"pip install 'unshape\[{extra}\]'"):
        write_image(path, picture(3))
    assert list(tmp_path.iterdir()) == []
    path.write_bytes(b"x")
    with pytest.raises(MissingExtraError, match=rf"pip install 'unshape\[{extra}\]'"):
        read_image(path)


def test_an_unknown_ending_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ImageFileError, match=r"ends in .png, .jpg, .jpeg, .exr, .npy, .zarr, got '.gif'"):
        read_image(tmp_path / "a.gif")
    with pytest.raises(InvalidArgumentError, match=r"ends in .png, .exr, .npy, .zarr, got '.jpg'"):
        write_image(tmp_path / "a.jpg", picture(3))


def test_endings_may_be_capitals(tmp_path: Path) -> None:
    write_image(tmp_path / "a.PNG", np.zeros((1, 1, 1), np.float32))
    assert read_image(tmp_path / "a.PNG").shape == (1, 1, 1)


def test_a_file_that_does_not_exist_is_said_not_to(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"a.png: no such file"):
        read_image(tmp_path / "a.png")


@pytest.mark.parametrize(
    ("array", "got"),
    [
        (np.zeros((2, 2, 3), np.uint8), "uint8"),
        (np.zeros((2, 2, 5), np.float32), r"float32\[2, 2, 5\]"),
        (np.zeros(4, np.float32), r"float32\[4\]"),
        ([["a"]], "<U1"),
    ],
)
def test_what_is_no_picture_is_not_written(tmp_path: Path, array: Array, got: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"expected a picture .*, got {got}"):
        write_image(tmp_path / "a.png", array)


@pytest.mark.parametrize(
    ("suffix", "options", "reason"),
    [
        (".png", {"bit_depth": 12}, "bit_depth: expected 8 or 16, got 12"),
        (".exr", {"transfer": "srgb"}, ".exr holds numbers as they are"),
        (".png", {"attributes": {"a": 1}}, ".png cannot hold them; use .zarr"),
    ],
)
def test_what_a_format_cannot_hold_is_refused(
    tmp_path: Path, suffix: str, options: dict[str, object], reason: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=reason):
        write_image(tmp_path / f"a{suffix}", picture(3), **options)  # type: ignore[arg-type]


def test_two_axes_float64_and_strided_memory_are_written(tmp_path: Path) -> None:
    wide = RNG.random((6, 8))
    write_image(tmp_path / "a.npy", wide[::2, ::-3])
    np.testing.assert_array_equal(read_image(tmp_path / "a.npy")[..., 0], wide[::2, ::-3].astype(np.float32))


@pytest.mark.parametrize("suffix", [".png", ".exr", ".npy"])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    path = tmp_path / f"a{suffix}"
    write_image(path, np.zeros((2, 2, 3), np.float32))
    before = path.read_bytes()

    def fail(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(ImageFileError, match="cannot be written: No space left on device"):
        write_image(path, np.ones((2, 2, 3), np.float32))
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_a_folder_that_is_no_store_is_never_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "a.zarr"
    folder.mkdir()
    (folder / "precious.txt").write_text("kept", encoding="utf-8")
    with pytest.raises(ImageFileError, match="is a folder but no Zarr store"):
        write_image(folder, picture(1))
    assert (folder / "precious.txt").read_text(encoding="utf-8") == "kept"


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ImageFileError, match=r"the folder .*nowhere does not exist; make it first"):
        write_image(tmp_path / "nowhere" / "a.png", np.zeros((1, 1, 1), np.float32))


def test_errors_can_be_pickled() -> None:
    import pickle

    for error in (ImageFileError(Path("a.png"), "why"), MissingExtraError("x", "exr")):
        copy = pickle.loads(pickle.dumps(error))
        assert str(copy) == str(error)


def test_the_photograph_of_the_examples_is_read() -> None:
    photo = read_image(Path(__file__).parents[3] / "examples" / "photo.png")
    assert photo.shape == (336, 448, 3)
    assert 0.0 <= photo.min() < photo.max() <= 1.0


def test_a_file_written_to_memory_by_pillow_is_the_same(tmp_path: Path) -> None:
    codes = RNG.integers(0, 256, (4, 4, 4)).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(codes).save(file, "PNG")
    (tmp_path / "a.png").write_bytes(file.getvalue())
    np.testing.assert_array_equal(np.rint(read_image(tmp_path / "a.png") * 255.0), codes)
