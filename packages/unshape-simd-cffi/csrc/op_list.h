/* The instructions of the register program, each written once: X(name). Functions follow in generated/function_list.h.
 * Arithmetic is done by runs, whose steps step_list.h has.
 *
 * Suffixes: i int32, u uint32; no suffix: any bits.
 */
#define OP_LIST(X)                                                                                                    \
    X(end) X(loop_begin) X(loop_end) X(move) X(pixel_x) X(pixel_y) X(each_x) X(each_y)                                                    \
    X(load) X(load_planes) X(store) X(store_planes) X(widen) X(pattern) X(component) X(sample) X(fetch)               \
    X(lattice_columns) X(lattice_row) X(noise_at) X(run) X(div_i) X(mod_i) X(div_u) X(mod_u)
