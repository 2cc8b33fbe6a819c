"""Bodies of nodes as expressions, with what fusion and windows need to know of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import TypeGuard

from unshape_backend.plan.infer import LiveGraph, is_unknown
from unshape_core.nodes import Constant
from unshape_core.port import Port
from unshape_core.protocols import Node
from unshape_core.spec import ValueSpec
from unshape_core.value import Vec2, Vec3, Vec4
from unshape_core.value_type import BOOL, F32, I32
from unshape_core.window import Window
from unshape_expr.body import SupportsBody, build_body
from unshape_expr.body_inputs import SpecInputs
from unshape_expr.body_windows import read_windows
from unshape_expr.bounds import Circumstances
from unshape_expr.ir import Expr
from unshape_expr.kernel import InputUse
from unshape_expr.kernel_inputs import input_uses
from unshape_expr.literal import literal
from unshape_expr.ops import Op
from unshape_expr.shared_bodies import kept_body
from unshape_expr.traverse import postorder
from unshape_expr.types import Type
from unshape_expr.vectors import vector

_CHEAP_INSTRUCTIONS = 8
_RECENT = 64
_LITERALS: dict[object, Type] = {F32: Type.F32, I32: Type.I32, BOOL: Type.BOOL}
_EXPENSIVE = frozenset({Op.CALL, Op.LOOP, Op.SAMPLE, Op.FETCH, Op.DIV, Op.MOD, Op.SQRT})

SlotValues = tuple[bool | int | float, ...]
KnownBodies = dict[tuple[type, tuple[ValueSpec, ...]], "SharedBody | None"]
"""By type of node and input specs: a body that such nodes may share."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NodeBody:
    """The expression of one node for inputs of known specs.

    Parameters
    ----------
    outputs : tuple of Expr
        One for each output port, over the node's own port names.
    order : tuple of Expr
        Every operation once, each after all that it needs.
    uses : tuple of InputUse
        How each input that is read is read.
    literals : tuple of Expr
        The literals, in the order in which they are met.
    pixel_ports : frozenset of str
        Picture inputs that are read at the very pixel and nowhere else.
    reads_elsewhere : bool
        Whether some picture is read at computed positions.
    is_cheap : bool
        Whether computing it again costs no more than reading it: a few simple operations on no picture.
    """

    outputs: tuple[Expr, ...]
    order: tuple[Expr, ...]
    uses: tuple[InputUse, ...]
    literals: tuple[Expr, ...]
    pixel_ports: frozenset[str]
    reads_elsewhere: bool
    is_cheap: bool

    @property
    def slot_values(self) -> SlotValues:
        """Values of the literals."""
        return tuple([literal.attr for literal in self.literals])  # type: ignore[misc]  # a literal's attr is its value

    @property
    def instruction_count(self) -> int:
        """Number of operations."""
        return len(self.order)

    def input_windows(
        self, window: Window, ports: Sequence[Port], input_specs: Sequence[ValueSpec], size_px: tuple[int, int]
    ) -> tuple[Window | None, ...]:
        """Return what is read of each input to compute a window of a picture of that size.

        Time, frame and seed are taken as unknown, so that a plan holds for all of them.
        """
        sizes = {port.name: spec.picture_px for port, spec in zip(ports, input_specs, strict=True)}
        if not self.reads_elsewhere:
            return tuple([window if port.name in self.pixel_ports else _at_hand(sizes[port.name]) for port in ports])
        pictures = {name: size for name, size in sizes.items() if size is not None}
        known = Circumstances(window=window, size_px=size_px, picture_px=pictures)
        read = read_windows(self.outputs, known)
        return tuple(read.get(port.name, _NOTHING) if port.name in pictures else None for port in ports)


_NOTHING = Window(0, 0, 0, 0)


def _at_hand(size: tuple[int, int] | None) -> Window | None:
    """Return what is read of an input that is no picture, or of a picture of which no pixel is read."""
    return None if size is None else _NOTHING


def body_of(node: Node, input_specs: Sequence[ValueSpec], *, known: KnownBodies | None = None) -> NodeBody | None:
    """Return the expression of a node, None if it has none or if the shape of an input is not known.

    A constant scalar is an expression as well: a literal, which fuses into whatever reads it.

    Parameters
    ----------
    node : Node
        The node.
    input_specs : sequence of ValueSpec
        Specs of the whole inputs.
    known : dict or None
        Types of nodes and specs of which a body was found to fit its ports; they are not checked again.
    """
    if isinstance(node, Constant):
        return _constant_body(node)
    if not has_body(node) or any(map(is_unknown, input_specs)):
        return None
    form = (type(node), tuple(input_specs))
    if known is not None and form in known:
        shared = known[form]
        if shared is not None and shared.is_of(node):
            return shared.body
        kept = kept_body(node, input_specs, takes=True)
        if kept is not None:
            return _analysed(kept.outputs, kept.order, kept.uses)
        outputs = tuple(node.body(SpecInputs(node.type_name, node.inputs, input_specs)))
        order = tuple(postorder(outputs))
        return _analysed(outputs, order, input_uses(order))
    built = build_body(node, input_specs)
    body = _analysed(built.outputs, built.order, built.uses)
    if known is not None:
        names = None if body.literals else _parameter_names(node)
        known[form] = None if names is None else SharedBody(node, names, body)
    return body


def _parameter_names(node: object) -> tuple[str, ...] | None:
    return tuple([field.name for field in fields(node)]) if is_dataclass(node) else None


class SharedBody:
    """A body without literals, which all nodes may have whose parameters are the same objects."""

    __slots__ = ("_names", "_node", "body")

    def __init__(self, node: object, names: tuple[str, ...], body: NodeBody) -> None:
        self._node, self._names, self.body = node, names, body

    def is_of(self, node: object) -> bool:
        """Return whether another node of that type has this body."""
        return all(getattr(node, name) is getattr(self._node, name) for name in self._names)


def has_body(node: Node) -> TypeGuard[SupportsBody]:
    """Return whether a node's meaning is an expression.

    Asked of thousands of nodes of few types: a protocol with properties takes its time to be checked, a method none.
    """
    return callable(getattr(type(node), "body", None))


def _constant_body(node: Constant) -> NodeBody | None:
    value, kind = node.value, _LITERALS.get(node.value_type)
    match value:
        case bool() | int() | float() if kind is not None:
            literals: tuple[Expr, ...] = (literal(value, kind),)
            output = literals[0]
        case Vec2() | Vec3() | Vec4():
            literals = tuple([literal(component) for component in value])
            output = vector(*literals)
        case _:
            return None
    return NodeBody(
        outputs=(output,),
        order=literals if output in literals else (*literals, output),
        uses=(),
        literals=literals,
        pixel_ports=frozenset(),
        reads_elsewhere=False,
        is_cheap=True,
    )


def _analysed(outputs: tuple[Expr, ...], order: tuple[Expr, ...], uses: tuple[InputUse, ...]) -> NodeBody:
    return NodeBody(
        outputs=outputs,
        order=order,
        uses=uses,
        literals=tuple([expr for expr in order if expr.op is Op.CONST]),
        pixel_ports=frozenset([use.port for use in uses if use.is_pixel and not use.is_sampled]),
        reads_elsewhere=any(use.is_sampled for use in uses),
        is_cheap=len(order) <= _CHEAP_INSTRUCTIONS
        and all(use.is_scalar for use in uses)
        and not any(expr.op in _EXPENSIVE for expr in order),
    )


class RecentLiterals:
    """The literals of nodes that came into a graph lately, found by whoever looks at a change for whoever runs it."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[int, tuple[Node, tuple[ValueSpec, ...], SlotValues]] = {}

    def keep(self, node: Node, input_specs: tuple[ValueSpec, ...], values: SlotValues) -> None:
        """Keep the literals of a node's body."""
        if len(self._known) >= _RECENT:
            self._known.clear()
        self._known[id(node)] = (node, input_specs, values)

    def of(self, node: Node, input_specs: tuple[ValueSpec, ...]) -> SlotValues:
        """Return the literals of a node's body, which is built if they are not known."""
        known = self._known.get(id(node))
        if known is not None and known[0] is node and known[1] == input_specs:
            return known[2]
        body = body_of(node, input_specs)
        assert body is not None  # a node that differs in parameters only has a body as well
        self.keep(node, input_specs, body.slot_values)
        return body.slot_values

    def __reduce__(self) -> tuple[type[RecentLiterals], tuple[()]]:
        return RecentLiterals, ()


class BodyTable:
    """The bodies of the nodes of one plan.

    Every node of the graph that has literals has a body of its own, also where two nodes are equal: literals are slots
    by identity, and one of the two nodes may be changed later.

    Attributes
    ----------
    by_id : dict of int to NodeBody
        The bodies of the nodes that have one, and whose inputs are of known shape.
    recent : RecentLiterals
        The literals of nodes that took the place of others since.
    """

    __slots__ = ("by_id", "recent")

    def __init__(self, live: LiveGraph) -> None:
        known: KnownBodies = {}
        bodies = {each.id: body_of(each.node, each.input_specs, known=known) for each in live.values()}
        self.by_id = {node_id: body for node_id, body in bodies.items() if body is not None}
        self.recent = RecentLiterals()

    def get(self, node_id: int) -> NodeBody | None:
        """Return the body of a node, None if it has none or if the shape of an input is not known."""
        return self.by_id.get(node_id)
