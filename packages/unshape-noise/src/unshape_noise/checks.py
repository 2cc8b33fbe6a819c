"""Checks of the parameters that nodes of noise have in common."""

from __future__ import annotations

from unshape_core.parameter_checks import check_integer, check_number, refuse
from unshape_noise.fractal import MAX_OCTAVES

MAX_COORDINATE = 1048576.0
"""Largest scale and offset, 2**20: a coordinate then keeps three bits after the point or more."""

MAX_LACUNARITY = 8.0
"""Largest lacunarity: 30 octaves then stay below the largest float32."""


def check_scale(type_name: str, value: object) -> None:
    """Raise unless a parameter is a number of lattice cells: above 0, at most 2**20.

    Raises
    ------
    InvalidArgumentError
        If it is not.
    """
    if isinstance(value, bool) or not (isinstance(value, int | float) and 0.0 < value <= MAX_COORDINATE):
        refuse(type_name, "scale", f"a number above 0 and at most {MAX_COORDINATE:.10g}", value)


def check_seed(type_name: str, value: object) -> None:
    """Raise unless a parameter is an integer; it is taken modulo 2**32.

    Raises
    ------
    InvalidArgumentError
        If it is not.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        refuse(type_name, "seed", "an integer (taken modulo 2**32)", value)


def check_octave_sum(
    type_name: str, *, scale: object, octaves: object, persistence: object, lacunarity: object, seed: object
) -> None:
    """Raise unless the parameters of a sum of octaves are within their ranges.

    Raises
    ------
    InvalidArgumentError
        If one is not.
    """
    check_scale(type_name, scale)
    check_integer(type_name, "octaves", octaves, low=1, high=MAX_OCTAVES)
    check_number(type_name, "persistence", persistence, low=0.0, high=1.0)
    check_number(type_name, "lacunarity", lacunarity, low=1.0, high=MAX_LACUNARITY)
    check_seed(type_name, seed)


def check_flag(type_name: str, name: str, value: object) -> None:
    """Raise unless a parameter is true or false.

    Raises
    ------
    InvalidArgumentError
        If it is not.
    """
    if not isinstance(value, bool):
        refuse(type_name, name, "true or false", value)
