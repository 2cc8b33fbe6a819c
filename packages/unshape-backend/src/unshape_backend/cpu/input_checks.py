"""Checks of what a task is given: host values of the types and sizes that it was made ready for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from unshape_backend.identity import REFERENCE, BackendId
from unshape_backend.task import Task
from unshape_core.errors import InvalidArgumentError
from unshape_core.spec import ValueSpec
from unshape_core.value import Value, Vec2, Vec3, Vec4
from unshape_core.value_type import ArrayType, CustomType, ScalarType
from unshape_core.window import Window

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


def make_input_checks(task: Task, *, backend: BackendId = REFERENCE) -> CheckInputs:
    """Return what checks the inputs of a task on a backend that works in host memory.

    It raises InvalidArgumentError in one sentence that names node, input and backend.
    """
    expected = [_expectation(spec, window) for spec, window in zip(task.input_specs, task.region.inputs, strict=True)]

    def check(inputs: Sequence[Value]) -> None:
        if len(inputs) != len(expected):
            msg = f"node '{task.node.type_name}' on '{backend}': expected {len(expected)} inputs, got {len(inputs)}"
            raise _error(task, msg)
        for index, (value, (types, dtype, shape)) in enumerate(zip(inputs, expected, strict=True)):
            if not isinstance(value, types):
                _refuse(task, index, dtype, shape, value, backend=backend)
            # a value of another byte order holds the same numbers
            if dtype is not None and isinstance(value, np.ndarray):
                if value.dtype != dtype and value.dtype.newbyteorder("=") != dtype:
                    _refuse(task, index, dtype, shape, value, backend=backend)
                if shape is not None and value.shape != shape:
                    _refuse(task, index, dtype, shape, value, backend=backend)

    return check


_Expectation: TypeAlias = "tuple[tuple[type, ...], np.dtype[Any] | None, tuple[int, ...] | None]"


def _expectation(spec: ValueSpec, window: Window | None) -> _Expectation:
    match spec.value_type:
        case ArrayType(dtype):
            shape = spec.shape
            if shape is not None and spec.picture_px is not None and window is not None:
                shape = (window.height_px, window.width_px, *shape[2:])
            return (np.ndarray,), np.dtype(dtype), shape
        case CustomType(cls):
            return (cls,), None, None
        case scalar:
            return _SCALARS[scalar], None, None


def _refuse(
    task: Task,
    index: int,
    dtype: np.dtype[Any] | None,
    shape: tuple[int, ...] | None,
    value: object,
    *,
    backend: BackendId,
) -> None:
    name = task.input_names[index] if index < len(task.input_names) else str(index)
    wanted = str(task.input_specs[index].value_type)
    if dtype is not None and shape is not None:
        wanted = f"{dtype}{list(shape)}"
    got, remedy = type(value).__name__, ""
    if isinstance(value, np.ndarray):
        got = f"{value.dtype}{list(value.shape)}"
        remedy = f'; use .astype("{dtype}")' if dtype is not None and value.dtype != dtype else ""
    where = f"node '{task.node.type_name}' on '{backend}': input '{name}'"
    msg = f"{where}: expected {wanted} in host memory, got {got}{remedy}"
    raise _error(task, msg)


def _error(task: Task, message: str) -> InvalidArgumentError:
    return InvalidArgumentError(message, node_id=task.node_ids[-1], type_name=task.node.type_name)
