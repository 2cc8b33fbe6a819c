"""Vectors: construction, components, and products with one stated order of operations."""

from __future__ import annotations

from unshape_expr.errors import ExpressionTypeError
from unshape_expr.ir import Expr
from unshape_expr.literal import ExprLike, lift
from unshape_expr.operators import FLOATS, add, div, mul, sqrt, sub, unify
from unshape_expr.operators import abs as magnitude
from unshape_expr.ops import Op
from unshape_expr.types import Type, float_type

_COMPONENTS = {name: index for names in ("xyzw", "rgba") for index, name in enumerate(names)}
VECTORS = FLOATS - {Type.F32}


def vec2(*parts: ExprLike) -> Expr:
    """Return a vec2 of one value, or of values and vectors with two components in all."""
    return _vector(Type.VEC2, parts)


def vec3(*parts: ExprLike) -> Expr:
    """Return a vec3 of one value, or of values and vectors with three components in all."""
    return _vector(Type.VEC3, parts)


def vec4(*parts: ExprLike) -> Expr:
    """Return a vec4 of one value, or of values and vectors with four components in all."""
    return _vector(Type.VEC4, parts)


def _vector(type: Type, parts: tuple[ExprLike, ...]) -> Expr:  # noqa: A002 - the field's word
    if len(parts) == 1 and not (isinstance(parts[0], Expr) and parts[0].type.is_vector):
        return splat(parts[0], type)
    scalars: list[Expr] = []
    for part in parts:
        if isinstance(part, Expr) and part.type.is_vector:
            scalars += components(part)
        else:
            scalars.append(lift(part, Type.F32, where=type.value))
    if len(scalars) != type.components:
        msg = f"{type.value}: expected {type.components} components in all (or one value), got {len(scalars)}"
        raise ExpressionTypeError(msg)
    return Expr(Op.VEC, type, tuple(scalars))


def vector(*parts: ExprLike) -> Expr:
    """Return the parts as one f32 or vector, as many components as there are."""
    count = sum(p.type.components if isinstance(p, Expr) else 1 for p in parts)
    if not 1 <= count <= 4:
        msg = f"vector: expected 1 to 4 components in all, got {count}"
        raise ExpressionTypeError(msg)
    return lift(parts[0], Type.F32, where="vector") if count == 1 else _vector(float_type(count), parts)


def splat(value: ExprLike, type: Type) -> Expr:  # noqa: A002 - the field's word
    """Return an f32 in every component of a vector type (of F32: itself)."""
    scalar = lift(value, Type.F32, where="splat")
    return Expr(Op.SPLAT, type, (scalar,)) if type.is_vector else scalar


def component(value: Expr, index: int) -> Expr:
    """Return one component, counted from 0; component 0 of an f32 is itself."""
    if not value.type.is_float or not 0 <= index < value.type.components:
        msg = f"component: expected an index below the number of components, got {index} of {value.type.value}"
        raise ExpressionTypeError(msg)
    return Expr(Op.COMPONENT, Type.F32, (value,), index) if value.type.is_vector else value


def components(value: Expr) -> list[Expr]:
    """Return all components of an f32 or vector."""
    return [component(value, index) for index in range(value.type.components)]


def is_swizzle(name: str) -> bool:
    """Return whether a name is made of 1 to 4 letters of ``xyzw`` or of ``rgba``."""
    return 1 <= len(name) <= 4 and (set(name) <= set("xyzw") or set(name) <= set("rgba"))


def swizzle(value: Expr, names: str) -> Expr:
    """Return components by name: ``swizzle(v, "zyx")``; letters of ``xyzw`` or of ``rgba``."""
    if not is_swizzle(names):
        msg = f"swizzle: expected 1 to 4 letters of 'xyzw' or of 'rgba', got {names!r}"
        raise ExpressionTypeError(msg)
    indices = [_COMPONENTS[name] for name in names]
    if not value.type.is_float or max(indices) >= value.type.components:
        msg = f"swizzle: {value.type.value} has no component of {names!r}"
        raise ExpressionTypeError(msg)
    if len(indices) == 1:
        return component(value, indices[0])
    parts = {index: component(value, index) for index in sorted(set(indices))}
    return Expr(Op.VEC, float_type(len(indices)), tuple(parts[index] for index in indices))


def dot(a: ExprLike, b: ExprLike) -> Expr:
    """Return the inner product, ``((a.x*b.x + a.y*b.y) + a.z*b.z) + a.w*b.w``; of f32 the product."""
    (left, right), _ = unify("dot", (a, b), FLOATS)
    products = [mul(x, y) for x, y in zip(components(left), components(right), strict=True)]
    result = products[0]
    for product in products[1:]:
        result = add(result, product)
    return result


def cross(a: Expr, b: Expr) -> Expr:
    """Return the cross product of two vec3; each component ``p*q - r*s``."""
    (left, right), _ = unify("cross", (a, b), frozenset({Type.VEC3}))
    (ax, ay, az), (bx, by, bz) = components(left), components(right)
    return vec3(
        sub(mul(ay, bz), mul(az, by)),
        sub(mul(az, bx), mul(ax, bz)),
        sub(mul(ax, by), mul(ay, bx)),
    )


def length(a: ExprLike) -> Expr:
    """Return ``sqrt(dot(a, a))``; of an f32 its magnitude."""
    (value,), common = unify("length", (a,), FLOATS)
    return sqrt(dot(value, value)) if common.is_vector else magnitude(value)


def distance(a: ExprLike, b: ExprLike) -> Expr:
    """Return ``length(a - b)``."""
    return length(sub(a, b))


def normalize(a: Expr) -> Expr:
    """Return ``a / length(a)``; NaN for a zero vector."""
    (value,), _ = unify("normalize", (a,), VECTORS)
    return div(value, length(value))


def reflect(incident: Expr, normal: Expr) -> Expr:
    """Return ``incident - (d + d)*normal`` with ``d = dot(normal, incident)``."""
    (i, n), _ = unify("reflect", (incident, normal), VECTORS)
    d = dot(n, i)
    return sub(i, mul(add(d, d), n))


def mix(a: ExprLike, b: ExprLike, t: ExprLike) -> Expr:
    """Return ``a + t*(b - a)``, the linear interpolation."""
    (low, high, amount), _ = unify("mix", (a, b, t), FLOATS)
    return add(low, mul(amount, sub(high, low)))
