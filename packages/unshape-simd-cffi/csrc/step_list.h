/* The steps of runs, each written once. A run is one instruction: a straight line of steps that hand a tile of vectors
 * on in processor registers (kernels/steps.inc). A is what the step before has left there; B and C lie in memory.
 *
 * UNARY_STEPS: X(name, value); BINARY_STEPS, TERNARY_STEPS: X(name, value). Values are floats; bits_of_* and to_* below
 * are of steps.inc. A name that begins with r has its arguments the other way round.
 *
 * Suffixes: f float32, i int32, u uint32; no suffix: any bits.
 */
#define UNARY_STEPS(X)                                                                                                \
    X(square_f, A * A)                                                                                                \
    X(neg_f, -A)                                                                                                      \
    X(abs_f, vabs(A))                                                                                                 \
    X(floor_f, vfloor(A))                                                                                             \
    X(ceil_f, vceil(A))                                                                                               \
    X(trunc_f, vtrunc(A))                                                                                             \
    X(round_f, vround(A))                                                                                             \
    X(sqrt_f, vsqrt(A))                                                                                               \
    X(neg_i, (vf)(-(vu)A))                                                                                            \
    X(abs_i, (vf)absi((vi)A))                                                                                         \
    X(not, (vf)(~(vi)A))                                                                                              \
    X(to_f_i, to_f_i((vi)A))                                                                                          \
    X(to_f_u, to_f_u((vu)A))                                                                                          \
    X(to_f_b, (vf)((vi)A & (vi)splat(1.0f)))                                                                          \
    X(to_i_f, (vf)to_i_f(A))                                                                                          \
    X(to_u_f, (vf)to_u_f(A))                                                                                          \
    X(to_i_b, (vf)(-(vu)A))

/* Whose arguments may change places. */
#define SYMMETRIC_STEPS(X)                                                                                            \
    X(add_f, A + B)                                                                                                   \
    X(mul_f, A * B)                                                                                                   \
    X(eq_f, (vf)(vi)(A == B))                                                                                         \
    X(ne_f, (vf)(vi)(A != B))                                                                                         \
    X(add_i, (vf)((vu)A + (vu)B))                                                                                     \
    X(mul_i, (vf)((vu)A * (vu)B))                                                                                     \
    X(min_i, (vf)mini((vi)A, (vi)B))                                                                                  \
    X(max_i, (vf)maxi((vi)A, (vi)B))                                                                                  \
    X(min_u, (vf)minu((vu)A, (vu)B))                                                                                  \
    X(max_u, (vf)maxu((vu)A, (vu)B))                                                                                  \
    X(eq_i, (vf)((vi)A == (vi)B))                                                                                     \
    X(ne_i, (vf)((vi)A != (vi)B))                                                                                     \
    X(and, (vf)((vi)A & (vi)B))                                                                                       \
    X(or, (vf)((vi)A | (vi)B))                                                                                        \
    X(xor, (vf)((vi)A ^ (vi)B))

#define SUB_F(A, B) (A - B)
#define DIV_F(A, B) (A / B)
#define MOD_F(A, B) (A - B * vfloor(A / B))
#define LT_F(A, B) (vf)(vi)(A < B)
#define LE_F(A, B) (vf)(vi)(A <= B)
#define SUB_I(A, B) (vf)((vu)A - (vu)B)
#define LT_I(A, B) (vf)((vi)A < (vi)B)
#define LE_I(A, B) (vf)((vi)A <= (vi)B)
#define LT_U(A, B) (vf)(vi)((vu)A < (vu)B)
#define LE_U(A, B) (vf)(vi)((vu)A <= (vu)B)
#define SHL(A, B) (vf)((vu)A << ((vu)B & splatu(31)))
#define SHR_I(A, B) (vf)((vi)A >> ((vi)B & splati(31)))
#define SHR_U(A, B) (vf)((vu)A >> ((vu)B & splatu(31)))
#define BOTH_WAYS(X, name, VALUE) X(name, VALUE(A, B)) X(r##name, VALUE(B, A))
#define ORDERED_STEPS(X)                                                                                              \
    BOTH_WAYS(X, sub_f, SUB_F)                                                                                        \
    BOTH_WAYS(X, div_f, DIV_F)                                                                                        \
    BOTH_WAYS(X, mod_f, MOD_F)                                                                                        \
    BOTH_WAYS(X, min_f, vmin)                                                                                         \
    BOTH_WAYS(X, max_f, vmax)                                                                                         \
    BOTH_WAYS(X, lt_f, LT_F)                                                                                          \
    BOTH_WAYS(X, le_f, LE_F)                                                                                          \
    BOTH_WAYS(X, sub_i, SUB_I)                                                                                        \
    BOTH_WAYS(X, lt_i, LT_I)                                                                                          \
    BOTH_WAYS(X, le_i, LE_I)                                                                                          \
    BOTH_WAYS(X, lt_u, LT_U)                                                                                          \
    BOTH_WAYS(X, le_u, LE_U)                                                                                          \
    BOTH_WAYS(X, shl, SHL)                                                                                            \
    BOTH_WAYS(X, shr_i, SHR_I)                                                                                        \
    BOTH_WAYS(X, shr_u, SHR_U)

/* Smallest and largest where B is a number other than zero in all lanes, and where it is +0. */
#define BOUND_STEPS(X)                                                                                                \
    X(min_f_number, least(B, A))                                                                                      \
    X(max_f_number, greatest(B, A))                                                                                   \
    X(min_f_zero, least(B, A) + B)                                                                                    \
    X(max_f_zero, greatest(B, A) + B)

#define BINARY_STEPS(X) X(read, B) SYMMETRIC_STEPS(X) ORDERED_STEPS(X) BOUND_STEPS(X)

/* A to the power of B. */
#define POWER_STEPS(X) X(pow_f32, powers)

#define TERNARY_STEPS(X)                                                                                              \
    X(mul_add_f, A * B + C)                                                                                           \
    X(mul_sub_f, A * B - C)                                                                                           \
    X(mul_rsub_f, C - A * B)                                                                                          \
    X(mix_first_f, A + (B - A) * C)                                                                                   \
    X(mix_second_f, B + (A - B) * C)                                                                                  \
    X(mix_third_f, B + (C - B) * A)                                                                                   \
    X(ease_f, (A * A) * (C - A * B))                                                                                  \
    X(select, (vf)seli((vi)A, (vi)B, (vi)C))                                                                          \
    X(select_second, (vf)seli((vi)B, (vi)A, (vi)C))                                                                   \
    X(select_third, (vf)seli((vi)B, (vi)C, (vi)A))

/* store: A is stored to a register; output: A is stored to the output of that number; call: A is what a function gives. */
#define STEP_LIST(X) UNARY_STEPS(X) BINARY_STEPS(X) POWER_STEPS(X) TERNARY_STEPS(X) X(store, A) X(output, A) X(call, A)
