"""The inputs that a body is built from, as their specs tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from unshape_core.errors import InvalidArgumentError
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value_type import TEXTURE, ScalarType
from unshape_expr.ir import Expr
from unshape_expr.leaves import input_pixel, input_scalar
from unshape_expr.types import Type, float_type

_SCALARS = {
    ScalarType.F32: Type.F32,
    ScalarType.I32: Type.I32,
    ScalarType.BOOL: Type.BOOL,
    ScalarType.VEC2: Type.VEC2,
    ScalarType.VEC3: Type.VEC3,
    ScalarType.VEC4: Type.VEC4,
}


class SpecInputs:
    """Inputs by port name; each is one expression, however often it is asked for.

    Parameters
    ----------
    type_name : str
        The node's, for messages.
    ports : sequence of Port
        Its input ports.
    specs : sequence of ValueSpec
        Specs of the whole inputs, in port order.
    """

    def __init__(self, type_name: str, ports: Sequence[Port], specs: Sequence[ValueSpec]) -> None:
        if len(ports) != len(specs):
            msg = f"{type_name}: expected {len(ports)} input specs, got {len(specs)}"
            raise InvalidArgumentError(msg, type_name=type_name)
        self._type_name = type_name
        self._specs = {port.name: spec for port, spec in zip(ports, specs, strict=True)}
        self._made: dict[str, Expr] = {}

    def __getitem__(self, port: str) -> Expr:
        if port not in self._made:
            spec = self.spec(port)
            if isinstance(spec.value_type, ScalarType):
                scalar = _SCALARS.get(spec.value_type)
                if scalar is None:
                    self._refuse(port, spec)
                self._made[port] = input_scalar(port, scalar)
            else:
                self._made[port] = input_pixel(port, self.texture_type(port))
        return self._made[port]

    def spec(self, port: str) -> ValueSpec:
        """Return the spec of the whole input."""
        if port not in self._specs:
            msg = f"{self._type_name}: no input is called {port!r}; inputs: {', '.join(self._specs) or 'none'}"
            raise InvalidArgumentError(msg, type_name=self._type_name)
        return self._specs[port]

    def texture_type(self, port: str) -> Type:
        """Return the type of one texel of a picture input."""
        spec = self.spec(port)
        if spec.value_type != TEXTURE:
            self._refuse(port, spec)
        if spec.shape is None or len(spec.shape) != 3 or not 1 <= spec.shape[2] <= 4:
            msg = (
                f"{self._type_name}: input {port!r}: expected a picture [height, width, channel] of 1 to 4 channels "
                f"whose shape is known before it runs, got shape {spec.shape}"
            )
            raise InvalidArgumentError(msg, type_name=self._type_name)
        return float_type(spec.shape[2])

    def _refuse(self, port: str, spec: ValueSpec) -> NoReturn:
        expected = f"{TEXTURE} or {', '.join(s.value for s in _SCALARS)}"
        msg = f"{self._type_name}: input {port!r}: expected {expected}, got {spec.value_type}"
        raise InvalidArgumentError(msg, type_name=self._type_name)
