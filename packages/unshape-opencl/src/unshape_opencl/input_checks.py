"""Checks of what a task is given: arrays of this device, of the types and sizes that it was made ready for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unshape_backend.task import Task
from unshape_core.errors import InvalidArgumentError
from unshape_core.spec import ValueSpec
from unshape_core.value import Value, Vec2, Vec3, Vec4
from unshape_core.value_type import ArrayType, ScalarType, ValueType
from unshape_core.window import Window
from unshape_opencl.buffer import ArrayOwner, ClArray

_SCALARS: dict[ValueType, tuple[type, ...]] = {
    ScalarType.F32: (float, int),
    ScalarType.F64: (float, int),
    ScalarType.I32: (int,),
    ScalarType.BOOL: (bool, np.bool_),
    ScalarType.VEC2: (Vec2,),
    ScalarType.VEC3: (Vec3,),
    ScalarType.VEC4: (Vec4,),
}


class InputChecks:
    """What the inputs of a task must be.

    Parameters
    ----------
    task : Task
        The task.
    owner : ArrayOwner
        The backend whose arrays are taken.
    """

    __slots__ = ("_expected", "_owner", "_task", "where")

    def __init__(self, task: Task, owner: ArrayOwner) -> None:
        self.where = f"node '{task.node.type_name}' on '{owner.id}'"
        self._task = task
        self._owner = owner
        self._expected = [
            (spec.value_type, shape_at_hand(spec, window))
            for spec, window in zip(task.input_specs, task.region.inputs, strict=True)
        ]

    def __call__(self, inputs: Sequence[Value]) -> None:
        """Check the inputs.

        Raises
        ------
        InvalidArgumentError
            In one sentence that names node, input and backend.
        """
        if len(inputs) != len(self._expected):
            raise self._error(f"expected {len(self._expected)} inputs, got {len(inputs)}")
        for index, (value, (value_type, shape)) in enumerate(zip(inputs, self._expected, strict=True)):
            if isinstance(value_type, ArrayType):
                self._check_array(index, value, value_type.dtype, shape)
            elif value_type in _SCALARS and not isinstance(value, _SCALARS[value_type]):
                raise self._error(f"input {self._name(index)}: expected {value_type}, got {type(value).__name__}")

    def _check_array(self, index: int, value: Value, dtype: str, shape: tuple[int, ...] | None) -> None:
        wanted = f"{dtype}{list(shape) if shape is not None else ''}"
        if not isinstance(value, ClArray) or value.owner is not self._owner:
            raise self._error(
                f"input {self._name(index)}: expected {wanted} in the memory of '{self._owner.id}', "
                f"got {type(value).__name__}; upload it first"
            )
        if value.dtype.name != dtype or (shape is not None and value.shape != shape):
            raise self._error(f"input {self._name(index)}: expected {wanted}, got {value.dtype}{list(value.shape)}")

    def _name(self, index: int) -> str:
        return f"'{self._task.input_names[index]}'" if index < len(self._task.input_names) else str(index)

    def _error(self, what: str) -> InvalidArgumentError:
        return InvalidArgumentError(
            f"{self.where}: {what}", node_id=self._task.node_ids[-1], type_name=self._task.node.type_name
        )


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
