"""Lowering: order, slots, loops, dependence on the pixel, keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from unshape_expr import build as e
from unshape_expr.errors import ExpressionError
from unshape_expr.functions import Function, Parameter
from unshape_expr.ir import Expr
from unshape_expr.kernel import Instruction, Kernel, Varies
from unshape_expr.lower import lower
from unshape_expr.ops import Op
from unshape_expr.types import Type

K = e.input_scalar("k", Type.F32)


def all_steps(body: Sequence[Instruction]) -> Iterator[Instruction]:
    for step in body:
        yield step
        if step.loop is not None:
            yield from all_steps(step.loop.body)


def find(kernel: Kernel, op: Op) -> Instruction:
    return next(s for s in all_steps(kernel.body) if s.op is op)


def test_every_value_is_defined_before_it_is_used() -> None:
    (a, b) = e.loop(3, [0.0, 1.0], lambda i, s, t: (s + e.u(), t * s), max_count=5)
    kernel = lower([a + b, e.uv()]).kernel
    known: set[int] = set()

    def walk(body: Sequence[Instruction]) -> None:
        for step in body:
            assert set(step.args) <= known
            if step.loop is None:
                assert step.result not in known
                known.add(step.result)
            else:
                known.update((step.loop.index, *step.loop.states))
                walk(step.loop.body)
                assert set(step.loop.next_states) <= known
                known.update(step.loop.results)

    walk(kernel.body)
    assert set(kernel.outputs) <= known == set(range(len(kernel.value_types)))


def test_literals_are_slots_and_do_not_change_the_key() -> None:
    one, other = (lower([e.uv() * x + y]) for x, y in ((0.5, 2.0), (0.25, -1.0)))
    assert one.kernel.key == other.kernel.key
    assert [one.slot_values, other.slot_values] == [(0.5, 2.0), (0.25, -1.0)]
    assert one.kernel.slots == (Type.F32, Type.F32)


@pytest.mark.parametrize(
    "other",
    [
        lambda: e.uv() * 0.5 - 2.0,
        lambda: e.vec2(e.v(), e.u()) * 0.5 + 2.0,
        lambda: e.vec3(e.uv(), 0.0) * 0.5 + 2.0,
        lambda: e.uv() * K + 2.0,
        lambda: e.uv() * e.input_scalar("j", Type.F32) + 2.0,
    ],
)
def test_another_structure_has_another_key(other: object) -> None:
    assert callable(other)
    assert lower([e.uv() * 0.5 + 2.0]).kernel.key != lower([other()]).kernel.key


def test_a_literal_used_twice_is_one_slot() -> None:
    half = e.literal(0.5)
    assert lower([half * K + half]).kernel.slots == (Type.F32,)
    assert lower([0.5 * K + 0.5]).kernel.slots == (Type.F32, Type.F32)


def test_the_definition_of_a_function_is_part_of_the_key() -> None:
    def kernel(factor: float) -> Kernel:
        scaled = Function("scaled", (Parameter("x", Type.F32),), Type.F32, lambda x: x * factor)
        return lower([scaled(K)]).kernel

    assert kernel(2.0).key == kernel(2.0).key != kernel(3.0).key


def test_values_vary_along_the_axes_they_depend_on() -> None:
    kernel = lower([e.u(), e.v(), K + e.time(), e.u() * e.v(), e.input_pixel("color", Type.F32)]).kernel
    varies = {s.result: s.varies for s in kernel.body}
    assert [varies[n] for n in kernel.outputs] == [Varies.X, Varies.Y, Varies.NONE, Varies.BOTH, Varies.BOTH]


def test_a_carried_value_varies_as_its_start_or_any_successor() -> None:
    a, b, c = e.loop(4, [0.0, 0.0, 0.0], lambda i, x, y, z: (y, e.u(), z + e.to_f32(i)), max_count=9)
    kernel = lower([a, b, c]).kernel
    loop = find(kernel, Op.LOOP).loop
    assert loop is not None
    assert loop.state_varies == (Varies.X, Varies.X, Varies.NONE)


def test_invariant_code_is_computed_before_the_loop() -> None:
    (total,) = e.loop(4, [0.0], lambda i, s: s + e.fract(e.u() * K), max_count=9)
    kernel = lower([total]).kernel
    loop = find(kernel, Op.LOOP).loop
    assert loop is not None
    assert [s.op for s in loop.body] == [Op.ADD]


def test_an_inner_loop_that_needs_the_outer_one_stays_inside_and_another_does_not() -> None:
    def outer(i: Expr, s: Expr) -> Expr:
        (needs,) = e.loop(2, [s], lambda j, t: t + 1.0, max_count=4)
        (free,) = e.loop(2, [K], lambda j, t: t + 1.0, max_count=4)
        return needs + free

    kernel = lower(e.loop(3, [0.0], outer, max_count=4)).kernel
    top = [s for s in kernel.body if s.op is Op.LOOP]
    assert len(top) == 2
    assert sorted((sum(s.op is Op.LOOP for s in t.loop.body) for t in top if t.loop), reverse=True) == [1, 0]


def test_a_carried_value_outside_of_its_loop_is_refused() -> None:
    leaked: list[Expr] = []

    def body(_: Expr, state: Expr) -> Expr:
        leaked.append(state)
        return state

    e.loop(2, [0.0], body, max_count=4)
    with pytest.raises(ExpressionError, match="outside of its loop"):
        lower([leaked[0] + 1.0])


def test_a_count_that_varies_through_a_carried_value_is_refused() -> None:
    def outer(i: Expr, n: Expr) -> Expr:
        e.loop(n, [0.0], lambda j, t: t, max_count=4)
        (t,) = e.loop(n, [0.0], lambda j, t: t + 1.0, max_count=4)
        return n + e.pixel_x() + e.to_i32(t)

    with pytest.raises(ExpressionError, match="equal for all pixels"):
        lower(e.loop(3, [e.literal(1, Type.I32)], outer, max_count=4))


def test_inputs_and_uniforms_are_listed_with_their_use() -> None:
    color = e.input_pixel("color", Type.VEC3)
    kernel = lower([color + e.sample("map", e.uv(), type=Type.VEC3) * K * e.time(), e.texture_size("size")]).kernel
    uses = {u.port: (u.type, u.is_pixel, u.is_sampled, u.is_scalar) for u in kernel.inputs}
    assert uses == {
        "color": (Type.VEC3, True, False, False),
        "map": (Type.VEC3, False, True, False),
        "k": (Type.F32, False, False, True),
        "size": (Type.F32, False, False, False),
    }
    assert kernel.uniforms == (("time_s", Type.F32),)


@pytest.mark.parametrize("pair", [(Type.F32, Type.VEC3), (Type.VEC2, Type.VEC3)])
def test_one_input_of_two_types_is_refused(pair: tuple[Type, Type]) -> None:
    with pytest.raises(ExpressionError, match="one type"):
        lower([e.input_pixel("color", t) for t in pair])


def test_functions_come_callees_first_and_recursion_is_refused() -> None:
    kernel = lower([e.smoothstep(0.0, 1.0, K)]).kernel
    assert [f.name for f in kernel.functions] == ["saturate", "smoothstep"]
    again: list[Function] = []
    again.append(Function("again", (Parameter("x", Type.F32),), Type.F32, lambda x: 1.0 * again[0](x)))
    with pytest.raises(ExpressionError, match="calls itself"):
        lower([again[0](K)])


def test_literals_of_definitions_are_fixed() -> None:
    kernel = e.smoothstep.kernel
    assert [s for s in all_steps(kernel.body) if s.slot is not None] == []
    assert {2.0, 3.0} == {s.attr for s in kernel.body if s.op is Op.CONST}


def test_a_parameter_outside_of_a_definition_is_refused() -> None:
    with pytest.raises(ExpressionError, match="outside of its definition"):
        lower([e.argument("x", Type.F32)])


def chain(length: int) -> Expr:
    expr = e.input_pixel("color", Type.F32)
    for _ in range(length // 2):
        expr = expr * 0.99 + K
    return expr


def test_a_chain_of_100000_operations_lowers() -> None:
    assert len(lower([chain(100_000)]).kernel.body) > 100_000


def test_a_diamond_of_10000_levels_is_computed_once() -> None:
    expr: Expr = K
    for _ in range(10_000):
        expr = expr + expr
    assert len(lower([expr]).kernel.body) == 10_001


def test_only_what_reads_no_picture_at_a_position_may_be_contracted() -> None:
    assert lower([e.input_pixel("color", Type.VEC3) * K + e.u()]).kernel.may_contract
    assert not lower([e.sample("map", e.uv() * K, type=Type.VEC3)]).kernel.may_contract
