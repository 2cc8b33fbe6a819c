"""Checks of what a task is given: values of the memory, types and sizes that it was made ready for.

For the authors of backends; the errors are worded alike on all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from unshape_backend.identity import REFERENCE, BackendId
from unshape_backend.task import Task
from unshape_core.errors import InvalidArgumentError
from unshape_core.spec import ValueSpec
from unshape_core.value import Value, Vec2, Vec3, Vec4
from unshape_core.value_type import ArrayType, CustomType, ScalarType
from unshape_core.window import Window
from unshape_expr.picture_input import PictureInput

CheckInputs: TypeAlias = Callable[[Sequence[Value]], None]

_SCALARS: dict[ScalarType, tuple[type, ...]] = {
    ScalarType.F32: (float, int),
    ScalarType.F64: (float, int),
    ScalarType.I32: (int,),
    ScalarType.BOOL: (bool, np.bool_),
    ScalarType.VEC2: (Vec2,),
    ScalarType.VEC3: (Vec3,),
    ScalarType.VEC4: (Vec4,),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Where a backend wants its arrays.

    Parameters
    ----------
    name : str
        As errors name it.
    array_type : type
        What its arrays are; they have ``dtype`` and ``shape`` as NumPy's have.
    is_own : callable or None
        Whether such an array belongs to this very backend; None takes any.
    remedy : str
        What to do with an array that is elsewhere.
    """

    name: str
    array_type: type
    is_own: Callable[[Any], bool] | None = None
    remedy: str = ""


HOST_MEMORY = Memory(name="host memory", array_type=np.ndarray)


def make_input_checks(task: Task, *, backend: BackendId = REFERENCE, memory: Memory = HOST_MEMORY) -> CheckInputs:
    """Return what checks the inputs of a task.

    It raises InvalidArgumentError in one sentence that names node, input and backend.

    Parameters
    ----------
    task : Task
        The task.
    backend : BackendId
        Who runs it, for the error.
    memory : Memory
        Where arrays have to be.
    """
    expected = [
        _expectation(spec, window, memory) for spec, window in zip(task.input_specs, task.region.inputs, strict=True)
    ]
    where = f"node '{task.node.type_name}' on '{backend}'"

    def check(inputs: Sequence[Value]) -> None:
        if len(inputs) != len(expected):
            raise _error(task, f"{where}: expected {len(expected)} inputs, got {len(inputs)}")
        for index, (value, wanted) in enumerate(zip(inputs, expected, strict=True)):
            if not wanted.is_met_by(value):
                raise _error(task, f"{where}: {_mismatch(task, index, wanted, value, memory)}")

    return check


def shape_at_hand(spec: ValueSpec, window: Window | None) -> tuple[int, ...] | None:
    """Return the shape of the part of an array that a window covers, None for a scalar and where it is unknown.

    Parameters
    ----------
    spec : ValueSpec
        Spec of the whole value.
    window : Window or None
        The part of a picture; None, and any window of what is no picture, means all of it.
    """
    if not isinstance(spec.value_type, ArrayType) or spec.shape is None:
        return None
    if window is None or spec.picture_px is None:
        return spec.shape
    return (window.height_px, window.width_px, *spec.shape[2:])


def as_kernel_input(
    value: Value, window: Window | None, spec: ValueSpec
) -> PictureInput | bool | int | float | Vec2 | Vec3 | Vec4:
    """Return a checked input in host memory as expressions take it.

    Parameters
    ----------
    value : Value
        What a task was given.
    window : Window or None
        The part of a picture that is at hand.
    spec : ValueSpec
        Spec of the whole value.
    """
    if isinstance(value, np.ndarray) and window is not None and spec.picture_px is not None:
        return PictureInput(value, window, *spec.picture_px)
    assert isinstance(value, bool | int | float | Vec2 | Vec3 | Vec4)  # inputs were checked
    return value


@dataclass(frozen=True, slots=True)
class _Expected:
    """What one input has to be; ``dtype`` is None for what is no array."""

    types: tuple[type, ...]
    dtype: np.dtype[Any] | None = None
    shape: tuple[int, ...] | None = None
    is_own: Callable[[Any], bool] | None = None

    def is_met_by(self, value: object) -> bool:
        """Return whether a value is of the right type, in the right place, and of the right size."""
        array: Any = value
        if not isinstance(value, self.types):
            return False
        if self.dtype is None:
            return True
        # an array of another byte order holds the same numbers
        return (
            (self.is_own is None or self.is_own(array))
            and (array.dtype == self.dtype or array.dtype.newbyteorder("=") == self.dtype)
            and (self.shape is None or array.shape == self.shape)
        )


def _expectation(spec: ValueSpec, window: Window | None, memory: Memory) -> _Expected:
    match spec.value_type:
        case ArrayType(dtype):
            return _Expected((memory.array_type,), np.dtype(dtype), shape_at_hand(spec, window), memory.is_own)
        case CustomType(cls):
            return _Expected((cls,))
        case scalar:
            return _Expected(_SCALARS[scalar])


def _mismatch(task: Task, index: int, wanted: _Expected, value: Any, memory: Memory) -> str:
    name = task.input_names[index] if index < len(task.input_names) else str(index)
    expected = str(task.input_specs[index].value_type)
    if wanted.dtype is not None and wanted.shape is not None:
        expected = f"{wanted.dtype}{list(wanted.shape)}"
    got, remedy = type(value).__name__, ""
    if wanted.dtype is not None:
        is_at_hand = isinstance(value, wanted.types) and (wanted.is_own is None or wanted.is_own(value))
        if is_at_hand or isinstance(value, np.ndarray):
            got = f"{value.dtype}{list(value.shape)}"
        if not is_at_hand:
            remedy = memory.remedy
        elif isinstance(value, np.ndarray) and value.dtype != wanted.dtype:
            remedy = f'use .astype("{wanted.dtype}")'
    return f"input '{name}': expected {expected} in {memory.name}, got {got}" + (remedy and f"; {remedy}")


def _error(task: Task, message: str) -> InvalidArgumentError:
    return InvalidArgumentError(message, node_id=task.node_ids[-1], type_name=task.node.type_name)
