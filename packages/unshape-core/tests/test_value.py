"""Values: float32 rounding, and what is accepted from outside."""

from __future__ import annotations

import math
import pickle
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unshape_core import (
    BOOL,
    F32,
    F64,
    I32,
    TEXTURE,
    VEC2,
    VEC3,
    VEC4,
    ArrayType,
    CustomType,
    InvalidArgumentError,
    Port,
    PortTypeError,
    ValueType,
    Vec2,
    Vec3,
    Vec4,
    as_host_array,
    coerce_value,
    round_to_f32,
)


@given(st.floats(allow_nan=False, allow_infinity=False, width=64))
def test_rounding_is_that_of_ieee(value: float) -> None:
    try:
        expected = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        expected = math.copysign(math.inf, value)
    assert struct.pack("<d", expected) == struct.pack("<d", round_to_f32(value))


@pytest.mark.parametrize("value", [math.inf, -math.inf, -0.0, 0.0, 1e39, -1e39, 1e-46, -1e-46])
def test_rounding_keeps_signs_and_infinities(value: float) -> None:
    with np.errstate(over="ignore"):
        assert str(float(np.float32(value))) == str(round_to_f32(value))
    assert math.isnan(round_to_f32(math.nan))


@given(st.lists(st.floats(width=32, allow_nan=False), min_size=4, max_size=4))
def test_vectors_round_trip_through_tuples_arrays_and_pickle(numbers: list[float]) -> None:
    for cls in (Vec2, Vec3, Vec4):
        part = numbers[: {Vec2: 2, Vec3: 3, Vec4: 4}[cls]]
        vector = cls(*part)
        assert part == list(vector)
        assert np.asarray(vector).tolist() == part
        assert np.asarray(vector).dtype == np.float32
        assert vector == cls(*np.asarray(vector)) == pickle.loads(pickle.dumps(vector))


def test_vector_components_are_float32() -> None:
    assert struct.unpack("f", struct.pack("f", 0.1))[0] == Vec2(0.1, 0).x
    assert Vec2(np.float64(0.1), np.int8(3)) == Vec2(0.1, 3)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", ["1", None, True, 1j, [1.0]])
def test_vector_of_something_else_is_refused(bad: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"Vec3\.y: expected a number"):
        Vec3(0.0, bad, 0.0)


@pytest.mark.parametrize(
    ("value", "value_type", "expected"),
    [
        (1, F32, 1.0),
        (2**24, F32, 16777216.0),
        (np.float64(0.5), F32, 0.5),
        (np.array(0.5), F32, 0.5),
        (np.int16(3), F64, 3.0),
        (0.1, F64, 0.1),
        (np.int64(5), I32, 5),
        (-(2**31), I32, -(2**31)),
        (np.bool_(True), BOOL, True),
        ((1, 2), VEC2, Vec2(1, 2)),
        ([1.0, 2.0, 3.0], VEC3, Vec3(1, 2, 3)),
        (np.arange(4), VEC4, Vec4(0, 1, 2, 3)),
    ],
)
def test_what_means_the_value_exactly_is_accepted(value: Any, value_type: ValueType, expected: Any) -> None:
    result = coerce_value(value, value_type, where="x")
    assert expected == result
    assert type(expected) is type(result)


@pytest.mark.parametrize(
    ("value", "value_type", "error", "words"),
    [
        (True, F32, PortTypeError, "x: expected f32, got True of type bool"),
        ("1", F32, PortTypeError, "x: expected f32, got '1' of type str"),
        (None, F32, PortTypeError, "got None"),
        (2**24 + 1, F32, InvalidArgumentError, "f32 cannot hold 16777217 exactly; pass float(16777217) to round it"),
        (10**400, F64, InvalidArgumentError, "cannot hold"),
        (1.0, I32, PortTypeError, "expected i32, got 1.0 of type float"),
        (2**31, I32, InvalidArgumentError, "from -2147483648 to 2147483647, got 2147483648"),
        (1, BOOL, PortTypeError, "expected bool, got 1"),
        ((1, 2, 3), VEC2, PortTypeError, "expected vec2"),
        ((1, "2"), VEC2, PortTypeError, "expected vec2"),
        ("ab", VEC2, PortTypeError, "expected vec2"),
        (Vec2(1, 2), VEC3, PortTypeError, "expected vec3"),
        (np.zeros((2, 1)), VEC2, PortTypeError, "expected vec2, got float64[2, 1]"),
        (3, CustomType(dict), PortTypeError, "expected builtins.dict, got 3"),
        ([[1.0]], TEXTURE, PortTypeError, "expected float32[height, width, channel]"),
    ],
)
def test_what_would_lose_something_is_refused(
    value: Any, value_type: ValueType, error: type[Exception], words: str
) -> None:
    with pytest.raises(error) as caught:
        coerce_value(value, value_type, where="x")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def _layouts() -> dict[str, np.ndarray[Any, Any]]:
    base = np.arange(4 * 6 * 2, dtype=np.float32).reshape(4, 6, 2)
    read_only = base.copy()
    read_only.flags.writeable = False
    return {
        "contiguous": base,
        "strided": base[::2, 1::3],
        "transposed": base.transpose(1, 0, 2),
        "reversed": base[::-1, ::-1],
        "broadcast": np.broadcast_to(base[:1, :1], (3, 5, 2)),
        "read-only": read_only,
        "big-endian": base.astype(">f4"),
        "fortran": np.asfortranarray(base),
        "matrix": base[:, :, 0],
        "empty": base[:0],
        "no columns": base[:, :0],
    }


@pytest.mark.parametrize("layout", _layouts())
def test_every_layout_becomes_rows_of_native_float32(layout: str) -> None:
    given_array = _layouts()[layout]
    before = given_array.copy()
    result = coerce_value(given_array, TEXTURE, where="x")
    assert isinstance(result, np.ndarray)
    expected = given_array if given_array.ndim == 3 else given_array[:, :, None]
    assert np.array_equal(expected, result)
    assert expected.shape == result.shape
    assert result.dtype == np.dtype(np.float32)
    assert result.dtype.isnative
    assert result.flags.c_contiguous
    assert np.array_equal(before, given_array)


def test_array_of_the_right_layout_is_not_copied() -> None:
    array = np.zeros((2, 3, 4), np.float32)
    assert coerce_value(array, TEXTURE, where="x") is array


def test_anything_that_gives_an_array_is_accepted() -> None:
    class WithArray:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.ones((2, 2), np.float32)

    class WithDlpack:
        def __init__(self) -> None:
            self.array = np.ones((2, 2), np.float32)

        def __dlpack__(self, **options: Any) -> Any:
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self) -> Any:
            return self.array.__dlpack_device__()

    buffer = np.ones((2, 2), np.float32).data
    for value in (WithArray(), WithDlpack(), buffer):
        assert np.array_equal(np.ones((2, 2, 1)), np.asarray(coerce_value(value, TEXTURE, where="x")))
        assert as_host_array(value).shape == (2, 2)
    with pytest.raises(TypeError, match="expected an array"):
        as_host_array(3)


def test_array_type_checks_dtype_and_number_of_axes() -> None:
    counts = ArrayType("int32", ("bin",))
    assert coerce_value(np.arange(3, dtype=np.int32), counts, where="x") is not None
    with pytest.raises(PortTypeError, match=r'use \.astype\("int32"\)'):
        coerce_value(np.arange(3), counts, where="x")
    with pytest.raises(PortTypeError, match=r"expected int32\[bin\], got an array of shape \(1, 3\)"):
        coerce_value(np.zeros((1, 3), np.int32), counts, where="x")


def test_port_default_is_checked_and_copied() -> None:
    array = np.zeros((2, 2), np.float32)
    port = Port("picture", TEXTURE, array)
    array[...] = 1.0
    assert not np.asarray(port.default).any()
    with pytest.raises(PortTypeError, match="default of port 'x': expected f32"):
        Port("x", F32, "one")  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="port 'a b': expected a name"):
        Port("a b", F32)
