"""Random typed expressions that use every operation and every function of the language.

What may be built follows from :data:`unshape_expr.op_table.OPS`, so an operation that is added takes part by existing.
The source of randomness is a :class:`random.Random`: a seeded one gives the same expressions on every machine, one of
Hypothesis gives expressions that shrink.

Left out is what no backend promises: which pattern of bits a NaN has.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from unshape_expr import build
from unshape_expr.function_table import default_functions
from unshape_expr.functions import Function, Parameter
from unshape_expr.ir import Border, Expr, Filter
from unshape_expr.op_table import OPS
from unshape_expr.ops import Op
from unshape_expr.pictures import fetch, sample, texture_height, texture_width
from unshape_expr.traverse import postorder
from unshape_expr.types import Type

FLOAT_LITERALS = (0.0, -0.0, 1.0, -1.0, 0.5, 1.5, -2.5, 3.0, 0.1, 1e-3, 255.0, 1e9, -1e30, float("inf"), float("nan"))
INTEGER_LITERALS = (0, 1, 2, 3, 7, 31, 32, 255, 65535, 2**31 - 1)
STRUCTURAL = frozenset({Op.ARGUMENT, Op.LOOP_INDEX, Op.LOOP_STATE, Op.LOOP_RESULT, Op.LOOP})
"""Operations that only occur inside of something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaves:
    """What an expression may read.

    Parameters
    ----------
    pictures : mapping of str to Type
        Type of one texel of each picture input.
    scalars : mapping of str to Type
        Inputs that are numbers or vectors.
    """

    pictures: Mapping[str, Type]
    scalars: Mapping[str, Type]


def random_expression(
    rng: Random,
    leaves: Leaves,
    *,
    size: int,
    result: Type,
    operations: Sequence[Op] = (),
    functions: Sequence[Function] = (),
    has_structures: bool = False,
) -> Expr:
    """Return an expression of a type.

    Parameters
    ----------
    rng : Random
        The source of randomness.
    leaves : Leaves
        What may be read.
    size : int
        Number of operations to try; some end unused.
    result : Type
        Its type; f32 or a vector.
    operations : sequence of Op
        Operations without attribute that it has to contain.
    functions : sequence of Function
        Functions that it has to call.
    has_structures : bool
        Whether it has to contain a loop that uses its index, a component, and every way to read a picture.
    """
    pool = _Pool(rng, leaves)
    for _ in range(size):
        pool.grow()
    for op in operations:
        pool.keep(pool.grow_plain(op))
    for function in functions:
        pool.keep(pool.grow_call(function))
    if has_structures:
        pool.grow_structures()
    return pool.summary(result)


def operations_in(expressions: Sequence[Expr]) -> frozenset[Op]:
    """Return the operations that expressions use, also within the functions that they call."""
    found: set[Op] = set()
    waiting, seen = list(expressions), set[Function]()
    while waiting:
        for expr in postorder((waiting.pop(),)):
            found.add(expr.op)
            if isinstance(expr.attr, Function) and expr.attr not in seen:
                seen.add(expr.attr)
                waiting.append(expr.attr.definition)
    return frozenset(found)


def functions_in(expressions: Sequence[Expr]) -> frozenset[Function]:
    """Return the functions that expressions call themselves."""
    return frozenset(expr.attr for expr in postorder(tuple(expressions)) if isinstance(expr.attr, Function))


@cache
def signatures(op: Op) -> tuple[tuple[Type, tuple[Type, ...]], ...]:
    """Return every result type of an operation without attribute, with the types of its arguments."""
    info = OPS[op]
    least, most = info.arity
    return tuple(
        (result, arguments)
        for count in range(least, most + 1)
        for result, *rest in itertools.product(Type, repeat=count + 1)
        if info.types(result, (arguments := tuple(rest))) is None
    )


@cache
def plain_operations() -> tuple[Op, ...]:
    """Return the operations that take arguments and no attribute."""
    return tuple(op for op, info in OPS.items() if info.arity[0] > 0 and info.attr(None, Type.F32) is None)


class _Pool:
    """Expressions by type, from which further ones are built."""

    def __init__(self, rng: Random, leaves: Leaves) -> None:
        self._rng = rng
        self._leaves = leaves
        self._by_type: dict[Type, list[Expr]] = {type_: [] for type_ in Type}
        self._uniform: dict[Type, list[Expr]] = {type_: [] for type_ in Type}
        self._kept: list[Expr] = []
        for name, type_ in leaves.pictures.items():
            self._add(build.input_pixel(name, type_))
        for name, type_ in leaves.scalars.items():
            self._add(build.input_scalar(name, type_), is_uniform=True)
        for leaf in (build.pixel_x(), build.pixel_y(), build.u(), build.v()):
            self._add(leaf)
        for leaf in (build.width(), build.height(), build.time(), build.frame(), build.seed(), build.preview()):
            self._add(leaf, is_uniform=True)

    def _add(self, expr: Expr, *, is_uniform: bool = False) -> Expr:
        self._by_type[expr.type].append(expr)
        if is_uniform:
            self._uniform[expr.type].append(expr)
        return expr

    def _literal(self, type_: Type) -> Expr:
        match type_:
            case Type.BOOL:
                return build.literal(self._rng.choice((False, True)), Type.BOOL)
            case Type.I32:
                return build.literal(self._rng.choice(INTEGER_LITERALS) * self._rng.choice((1, -1)), Type.I32)
            case Type.U32:
                return build.literal(self._rng.choice(INTEGER_LITERALS), Type.U32)
            case Type.F32 | Type.VEC2 | Type.VEC3 | Type.VEC4:
                return build.literal(self._rng.choice(FLOAT_LITERALS), type_)

    def _pick(self, type_: Type) -> Expr:
        """Return an expression of a type, young ones rather than old ones, sometimes a literal."""
        known = self._by_type[type_]
        if not known or self._rng.random() < 0.15:
            return self._literal(type_)
        recent = known[-6:] if self._rng.random() < 0.7 else known
        return self._rng.choice(recent)

    def grow(self) -> None:
        """Add one operation."""
        chance = self._rng.random()
        if chance < 0.60:
            self.grow_plain(self._rng.choice(plain_operations()))
        elif chance < 0.80:
            self.grow_call(self._rng.choice(default_functions().functions()))
        elif chance < 0.86:
            self._grow_component()
        elif chance < 0.94 and self._leaves.pictures:
            self._grow_read()
        else:
            self._grow_loop()

    def keep(self, expr: Expr) -> None:
        """Let the summary depend on an expression."""
        self._kept.append(expr)

    def grow_plain(self, op: Op) -> Expr:
        """Add an operation without attribute."""
        # Operations of few types would else be drowned by those of many.
        result = self._rng.choice(sorted({result for result, _ in signatures(op)}))
        arguments = self._rng.choice([types for each, types in signatures(op) if each is result])
        args = tuple(self._pick(type_) for type_ in arguments)
        if op is Op.BITCAST_U32:
            args = (build.select(build.is_nan(args[0]), 0.0, args[0]),)
        return self._add(Expr(op, result, args))

    def grow_call(self, function: Function) -> Expr:
        """Add the call of a function."""
        if function.is_componentwise:
            type_ = self._rng.choice((Type.F32, Type.VEC2, Type.VEC3, Type.VEC4))
            return self._add(function(*(self._pick(type_) for _ in function.parameters)))
        return self._add(function(*(self._argument(parameter) for parameter in function.parameters)))

    def _argument(self, parameter: Parameter) -> Expr:
        if not parameter.is_uniform:
            return self._pick(parameter.type)
        if parameter.type.is_integer:
            return build.literal(self._rng.randint(1, 4), parameter.type)
        known = self._uniform[parameter.type]
        return self._rng.choice(known) if known else self._literal(parameter.type)

    def grow_structures(self) -> None:
        """Add one of each operation that has an attribute or an inside."""
        self.keep(build.component(self._pick(Type.VEC3), 2))
        for port, type_ in sorted(self._leaves.pictures.items()):
            self.keep(fetch(port, self._pick(Type.I32), self._pick(Type.I32), type=type_))
            self.keep(sample(port, self._pick(Type.VEC2), type=type_))
            self.keep(texture_width(port))
            self.keep(texture_height(port))
        (total,) = build.loop(3, [self._pick(Type.F32)], lambda index, x: x + build.to_f32(index), max_count=4)
        self.keep(total)

    def _grow_component(self) -> None:
        whole = self._pick(self._rng.choice((Type.VEC2, Type.VEC3, Type.VEC4)))
        self._add(build.component(whole, self._rng.randrange(whole.type.components)))

    def _grow_read(self) -> None:
        port, type_ = self._rng.choice(sorted(self._leaves.pictures.items()))
        border = self._rng.choice(list(Border))
        match self._rng.randrange(4):
            case 0:
                self._add(fetch(port, self._pick(Type.I32), self._pick(Type.I32), type=type_, border=border))
            case 1:
                self._add(self._rng.choice((texture_width, texture_height))(port), is_uniform=True)
            case _:
                chosen = self._rng.choice(list(Filter))
                self._add(sample(port, self._pick(Type.VEC2), type=type_, filter=chosen, border=border))

    def _grow_loop(self) -> None:
        known = self._uniform[Type.I32]
        count = self._rng.choice(known) if known and self._rng.random() < 0.3 else self._rng.randint(0, 4)
        start = [self._pick(self._rng.choice(list(Type))) for _ in range(self._rng.randint(1, 2))]

        def body(index: Expr, *states: Expr) -> list[Expr]:
            inner = _Pool(self._rng, Leaves(pictures={}, scalars={}))
            inner._by_type = {type_: list(exprs) for type_, exprs in self._by_type.items()}
            for expr in (index, *states):
                inner._by_type[expr.type].append(expr)
            for _ in range(self._rng.randint(1, 3)):
                inner.grow_plain(self._rng.choice(plain_operations()))
            return [inner._pick(state.type) for state in states]

        for result in build.loop(count, start, body, max_count=5):
            self._add(result)

    def summary(self, type_: Type) -> Expr:
        """Return an expression that depends on the youngest ones of every type."""
        total = self._pick(type_)
        recent = [expr for exprs in self._by_type.values() for expr in exprs[-3:]]
        for expr in dict.fromkeys((*recent, *self._kept)):
            total = build.add(total, _as_float(expr, expr.type))
        return total


def _as_float(expr: Expr, kind: Type) -> Expr:
    match kind:
        case Type.F32:
            return expr
        case Type.I32 | Type.U32 | Type.BOOL:
            return build.to_f32(expr)
        case Type.VEC2 | Type.VEC3 | Type.VEC4:
            return build.component(expr, kind.components - 1)
