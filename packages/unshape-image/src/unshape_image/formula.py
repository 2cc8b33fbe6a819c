"""Nodes that are written as a formula: the names in it, their ports, and what it depends on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from unshape_core.argument_checks import shown
from unshape_core.context import ContextField
from unshape_core.errors import InvalidArgumentError, UnshapeError
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value_type import F32, TEXTURE
from unshape_expr.body import BodyInputs, SupportsBody, build_body
from unshape_expr.builtins_in_text import BUILTINS
from unshape_expr.ir import Expr
from unshape_expr.parse import parse
from unshape_expr.scope import Scope
from unshape_expr.text_form import form_of
from unshape_expr.tokens import tokenize
from unshape_expr.types import Type

MAX_INPUTS = 16

_FIELDS: Mapping[str, ContextField] = {
    "time": ContextField.TIME,
    "frame": ContextField.FRAME,
    "dt": ContextField.DT,
    "preview": ContextField.PREVIEW,
    "seed": ContextField.SEED,
}


def check_formula(type_name: str, text: str, *, pictures: Sequence[str], numbers: Sequence[str]) -> None:
    """Raise unless the names of inputs can be used and the text consists of words of the language.

    Raises
    ------
    InvalidArgumentError
        If a name is no identifier, is taken, or comes twice.
    ExpressionSyntaxError
        If the text holds a character that means nothing.
    """
    names = (*pictures, *numbers)
    if len(names) > MAX_INPUTS or len(set(names)) < len(names):
        msg = f"{type_name}: expected at most {MAX_INPUTS} inputs of different names, got {shown(names)}"
        raise InvalidArgumentError(msg, type_name=type_name)
    for name in names:
        if not (name.isidentifier() and name.isascii()) or name in BUILTINS:
            msg = f"{type_name}: expected names of letters and digits that the language does not use, got {shown(name)}"
            raise InvalidArgumentError(msg, type_name=type_name)
    tokenize(text)


def formula_ports(pictures: Sequence[str], numbers: Sequence[str]) -> tuple[Port, ...]:
    """Return the input ports of a formula: pictures, then numbers."""
    return (
        *(Port(name, TEXTURE, doc=f"What {name!r} stands for, at the pixel.") for name in pictures),
        *(Port(name, F32, doc=f"What {name!r} stands for, a number equal for all pixels.") for name in numbers),
    )


def formula_fields(node: SupportsBody, text: str) -> frozenset[ContextField]:
    """Return the context fields that a formula depends on.

    The resolution is one of them unless the formula reads a picture, whose size it then takes. What a formula reads
    does not depend on the channels of its pictures, so any number of channels with which it makes sense will tell; if
    it makes sense only with different numbers, everything that its words may mean is counted.
    """
    return _fields(_Formula(node, text))


class _Formula:
    """A node with its formula, equal to others of its type, ports and form: their formulas depend on the same."""

    __slots__ = ("_key", "node", "text")

    def __init__(self, node: SupportsBody, text: str) -> None:
        form = form_of(text)
        self.node, self.text = node, text
        self._key = type(node), node.inputs, form.words, form.counts

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Formula) and self._key == other._key


@lru_cache(maxsize=64)
def _fields(formula: _Formula) -> frozenset[ContextField]:
    node = formula.node
    for channels in (3, 1, 4, 2):
        specs = [
            ValueSpec(TEXTURE, (1, 1, channels)) if p.value_type == TEXTURE else ValueSpec(F32) for p in node.inputs
        ]
        try:
            body = build_body(node, specs)
        except UnshapeError:
            continue
        reads_picture = bool(body.pixel_ports or body.sampled_ports)
        return body.context_fields | (frozenset() if reads_picture else {ContextField.RESOLUTION})
    words = {token.text for token in tokenize(formula.text)}
    return frozenset({ContextField.RESOLUTION} | {field for name, field in _FIELDS.items() if name in words})


def formula(
    text: str,
    inputs: BodyInputs,
    *,
    pictures: Sequence[str],
    numbers: Sequence[str],
    textures: Sequence[str] = (),
    expected: Type | None = None,
) -> Expr:
    """Return the expression of a formula.

    Parameters
    ----------
    text : str
        The formula.
    inputs : BodyInputs
        The inputs of the node.
    pictures : sequence of str
        Ports whose names stand for their pixel, and which may be sampled; the first one is ``color`` as well.
    numbers : sequence of str
        Ports whose names stand for a number.
    textures : sequence of str
        Further ports that may be sampled only.
    expected : Type or None
        Type of the result; None takes any.
    """
    values = {name: inputs[name] for name in (*pictures, *numbers)}
    if pictures:
        values.setdefault("color", inputs[pictures[0]])
    types = {name: inputs.texture_type(name) for name in (*textures, *pictures)}
    return parse(text, scope=Scope(values=values, textures=types), expected=expected)
