"""The primitive operations, once: every interpreter, emitter and checker works from this list.

Everything else (sin, pow, mix, noise ...) is a :class:`~unshape_expr.functions.Function` defined from these, so a
backend that implements this list runs everything. Semantics, also for NaN, infinities, zero division and overflow, are
stated in ``semantics.md`` beside this file.
"""

from __future__ import annotations

from enum import StrEnum


class Op(StrEnum):
    """A primitive operation. ``T`` below is any of the types named; vectors work component by component."""

    # Leaves
    CONST = "const"  #: attr: bool | int | float; a literal. Literals are numbered slots of the structure, see lower.py
    UNIFORM = "uniform"  #: attr: name; a value given at run time, equal for all pixels
    INPUT = "input"  #: attr: port name; a picture input at this very pixel
    SCALAR_INPUT = "scalar_input"  #: attr: port name; a number or vector input, equal for all pixels
    PIXEL_X = "pixel_x"  #: -> i32, absolute column of the picture
    PIXEL_Y = "pixel_y"  #: -> i32, absolute row of the picture
    WIDTH = "width"  #: -> i32, width of the whole picture that is computed, in pixels
    HEIGHT = "height"  #: -> i32
    ARGUMENT = "argument"  #: attr: parameter name; inside a function's definition only
    LOOP_INDEX = "loop_index"  #: -> i32, attr: LoopScope
    LOOP_STATE = "loop_state"  #: attr: LoopState(scope, k); the k-th carried value at the start of an iteration

    # Pictures; the first argument of none of them is the picture: attr names the port
    SAMPLE = "sample"  #: attr: Sampling(port, filter, border); args: uv: vec2
    FETCH = "fetch"  #: attr: Fetching(port, border); args: x: i32, y: i32; one texel at absolute coordinates
    TEXTURE_WIDTH = "texture_width"  #: attr: port name; -> i32, of the whole picture
    TEXTURE_HEIGHT = "texture_height"

    # Arithmetic on f32, vec, i32, u32 (both arguments of one type)
    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"  #: f32, vec: IEEE, correctly rounded; i32, u32: floor, x/0 = 0
    MOD = "mod"  #: f32, vec: x - y*floor(x/y); i32, u32: floor, sign of the divisor, x%0 = 0
    NEG = "neg"
    ABS = "abs"
    MIN = "min"  #: a < b ? a : b, but a if a is NaN
    MAX = "max"  #: a > b ? a : b, but a if a is NaN

    # f32, vec
    FLOOR = "floor"
    CEIL = "ceil"
    TRUNC = "trunc"
    ROUND = "round"  #: half to even
    SQRT = "sqrt"  #: correctly rounded; NaN below zero

    # Comparison of f32, i32, u32, bool (EQ, NE) -> bool; IEEE for NaN
    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LE = "le"

    # bool; not on numbers
    AND = "and"
    OR = "or"
    NOT = "not"

    # u32, i32
    BIT_AND = "bit_and"
    BIT_OR = "bit_or"
    BIT_XOR = "bit_xor"
    BIT_NOT = "bit_not"
    SHL = "shl"  #: shift amount u32, taken modulo 32
    SHR = "shr"  #: arithmetic for i32, logical for u32

    SELECT = "select"  #: (bool, T, T): first if true; never mixes in the other

    # Conversions
    TO_F32 = "to_f32"  #: from i32, u32 (nearest even), bool
    TO_I32 = "to_i32"  #: from f32: toward zero, saturating, NaN gives 0; from u32: same bits; from bool
    TO_U32 = "to_u32"  #: from f32: toward zero, saturating, NaN gives 0; from i32: same bits; from bool
    BITCAST_F32 = "bitcast_f32"  #: from u32
    BITCAST_U32 = "bitcast_u32"  #: from f32; of a NaN: some NaN pattern

    # Vectors
    VEC = "vec"  #: 2 to 4 f32
    SPLAT = "splat"  #: f32 to a vector
    COMPONENT = "component"  #: attr: 0..3; vec to f32

    # Structure
    CALL = "call"  #: attr: Function; scalar functions apply to vectors component by component
    LOOP = "loop"  #: attr: LoopScope; args: count: i32 (uniform), then the initial states; type: the first state's
    LOOP_RESULT = "loop_result"  #: attr: k; args: the LOOP; the k-th carried value after the last iteration


OUTSIDE_OPS = frozenset(
    {
        Op.UNIFORM,
        Op.INPUT,
        Op.SCALAR_INPUT,
        Op.PIXEL_X,
        Op.PIXEL_Y,
        Op.WIDTH,
        Op.HEIGHT,
        Op.SAMPLE,
        Op.FETCH,
        Op.TEXTURE_WIDTH,
        Op.TEXTURE_HEIGHT,
    }
)
"""What reads something that is neither literal nor argument: inputs, the context, the pixel's place."""
