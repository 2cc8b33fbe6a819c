/* The instructions of the register program, each written once: X(name). Functions follow in generated/function_list.h.
 *
 * PAIRS_OF: two operations as one, the second between the first one's result and a third argument, which rsub
 * subtracts from.
 *
 * Suffixes: f float32, i int32, u uint32, b condition (all bits of a lane set where true); no suffix: any bits.
 */
#define PAIRS_OF(X, first)                                                                                            \
    X(first##_add_f) X(first##_sub_f) X(first##_rsub_f) X(first##_mul_f) X(first##_min_f) X(first##_max_f)
#define OP_LIST(X)                                                                                                    \
    X(end) X(loop_begin) X(loop_end) X(move) X(pixel_x) X(pixel_y)                                                    \
    X(load) X(load_planes) X(store) X(store_planes) X(widen) X(pattern) X(component) X(sample) X(fetch)                          \
    X(lattice_columns) X(lattice_row)                                                                                 \
    X(add_f) X(sub_f) X(mul_f) X(div_f) X(mod_f) X(min_f) X(max_f) X(eq_f) X(ne_f) X(lt_f) X(le_f)                    \
    X(neg_f) X(abs_f) X(floor_f) X(ceil_f) X(trunc_f) X(round_f) X(sqrt_f)                                            \
    X(add_i) X(sub_i) X(mul_i) X(div_i) X(mod_i) X(div_u) X(mod_u) X(neg_i) X(abs_i)                                  \
    X(min_i) X(max_i) X(min_u) X(max_u) X(eq_i) X(ne_i) X(lt_i) X(le_i) X(lt_u) X(le_u)                               \
    X(and) X(or) X(xor) X(not) X(shl) X(shr_i) X(shr_u) X(select)                                                     \
    PAIRS_OF(X, add) PAIRS_OF(X, sub) PAIRS_OF(X, mul) PAIRS_OF(X, min) PAIRS_OF(X, max)                              \
    X(to_f_i) X(to_f_u) X(to_f_b) X(to_i_f) X(to_u_f) X(to_i_b)
