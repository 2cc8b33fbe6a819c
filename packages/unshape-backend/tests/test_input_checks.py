"""What a task is given is held to the memory, the types and the sizes that it was made ready for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from unshape_backend.identity import BackendId
from unshape_backend.input_checks import HOST_MEMORY, Memory, as_kernel_input, make_input_checks, shape_at_hand
from unshape_backend.single_task import make_job
from unshape_core.context import EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.spec import ValueSpec
from unshape_core.value_type import F32, TEXTURE, ArrayType
from unshape_core.window import Window
from unshape_expr.picture_input import PictureInput
from unshape_testing.nodes import Gain

PICTURE = np.zeros((4, 6, 3), np.float32)


@dataclass(frozen=True)
class DeviceArray:
    """An array that a backend named ``owner`` holds."""

    array: npt.NDArray[Any]
    owner: str = "toy"

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.array.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape


TOY = Memory(
    name="the memory of 'toy'",
    array_type=DeviceArray,
    is_own=lambda array: array.owner == "toy",
    remedy="upload it first",
)


def check(value: Any, memory: Memory = TOY) -> None:
    task = make_job(Gain(2.0), (PICTURE,), EvalContext()).task
    make_input_checks(task, backend=BackendId("toy"), memory=memory)([value])


@pytest.mark.parametrize("value", [PICTURE, PICTURE.astype(">f4"), np.broadcast_to(np.float32(0), (4, 6, 3))])
def test_any_layout_and_byte_order_is_taken_on_the_host(value: npt.NDArray[Any]) -> None:
    check(value, HOST_MEMORY)


def test_own_array_is_taken() -> None:
    check(DeviceArray(PICTURE))


@pytest.mark.parametrize(
    ("value", "got"),
    [
        (PICTURE, "float32[4, 6, 3]; upload it first"),
        (DeviceArray(PICTURE, owner="other"), "DeviceArray; upload it first"),
        (1.0, "float; upload it first"),
        (DeviceArray(PICTURE[:3]), "float32[3, 6, 3]"),
        (DeviceArray(PICTURE.astype(np.float64)), "float64[4, 6, 3]"),
    ],
)
def test_foreign_array_is_refused_in_one_sentence(value: Any, got: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        check(value)
    where = f"node '{Gain.type_name}' on 'toy': input '{Gain(2.0).inputs[0].name}'"
    assert str(caught.value) == f"{where}: expected float32[4, 6, 3] in the memory of 'toy', got {got}"


@pytest.mark.parametrize(
    ("spec", "window", "shape"),
    [
        (ValueSpec(TEXTURE, (4, 6, 3)), Window(1, 2, 3, 2), (2, 3, 3)),
        (ValueSpec(TEXTURE, (4, 6, 3)), None, (4, 6, 3)),
        (ValueSpec(ArrayType("float32", ("n",)), (5,)), Window(0, 0, 1, 1), (5,)),
        (ValueSpec(F32), None, None),
    ],
)
def test_shape_at_hand_is_that_of_the_window(
    spec: ValueSpec, window: Window | None, shape: tuple[int, ...] | None
) -> None:
    assert shape == shape_at_hand(spec, window)


def test_an_expression_takes_a_picture_with_its_place_and_a_number_as_it_is() -> None:
    part, window = PICTURE[1:3, 2:5], Window(2, 1, 3, 2)
    taken = as_kernel_input(part, window, ValueSpec(TEXTURE, (4, 6, 3)))
    assert isinstance(taken, PictureInput)
    assert taken.array is part
    assert (window, 6, 4) == (taken.window, taken.width_px, taken.height_px)
    assert as_kernel_input(0.5, None, ValueSpec(F32)) == 0.5
