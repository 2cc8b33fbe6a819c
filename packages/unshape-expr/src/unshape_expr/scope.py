"""What the names in a text mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from unshape_expr.ir import Expr
from unshape_expr.leaves import input_pixel, input_scalar
from unshape_expr.types import Type

_NO_VALUES: Mapping[str, Expr] = MappingProxyType({})
_NO_TEXTURES: Mapping[str, Type] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The inputs of a text, beside the names of the language.

    Parameters
    ----------
    values : mapping of str to Expr
        Names that stand for a value, for example a picture input at this pixel. They come before the names of the
        language. If one is called ``color``, its components are called ``r``, ``g``, ``b`` and ``a`` as well.
    textures : mapping of str to Type
        Picture inputs that may be read at computed positions, and the types of their texels.
    """

    values: Mapping[str, Expr] = field(default_factory=lambda: _NO_VALUES)
    textures: Mapping[str, Type] = field(default_factory=lambda: _NO_TEXTURES)

    @classmethod
    def of(cls, *, pictures: Mapping[str, Type] | None = None, numbers: Mapping[str, Type] | None = None) -> Scope:
        """Return the scope of inputs by name and type.

        Parameters
        ----------
        pictures : mapping of str to Type
            Picture inputs, read at the pixel by name and elsewhere by ``sample`` and ``fetch``.
        numbers : mapping of str to Type
            Inputs that are numbers or vectors.
        """
        values = {name: input_pixel(name, type_) for name, type_ in (pictures or {}).items()}
        values.update({name: input_scalar(name, type_) for name, type_ in (numbers or {}).items()})
        return cls(values=values, textures=dict(pictures or {}))
