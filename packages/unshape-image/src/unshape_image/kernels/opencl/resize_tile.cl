/* Weighted sums by tables of taps, across and then down, in tiles, on GPUs: the order of `resize.cl`.
 *
 * A group of US_WIDE by 4 work-items computes US_TALL rows of the result. It resizes the rows that these need across and
 * keeps them in local memory, where `resize.cl` has an array between; from there it resizes down. A work-item takes four
 * rows at once, which share the taps that it looks up.
 *
 * source        float[..., source_floats]   the rows at hand
 * columns       int[taps_across, row_floats]   the float of each tap
 * weights_across   float[taps_across, row_floats]
 * lines         int[taps_down, rows]   the row at hand of each tap
 * weights_down  float[taps_down, rows]
 * spans         int[bands, 2]   the first row at hand that a group's rows need, and how many they need
 * out           float[rows, row_floats]
 * tile          float[..., US_WIDE]   local memory, for as many rows as a group needs at most
 */
__kernel __attribute__((reqd_work_group_size(US_WIDE, 4, 1))) void us_resize(
    __global const float *restrict source, __global const int *restrict columns,
    __global const float *restrict weights_across, __global const int *restrict lines,
    __global const float *restrict weights_down, __global const int *restrict spans, __global float *restrict out,
    const int source_floats, const int row_floats, const int rows, const int taps_across, const int taps_down,
    __local float *restrict tile) {
    const int lane = get_local_id(0), band = get_local_id(1), x = (int)get_group_id(0) * US_WIDE + lane;
    const int bands = (rows + US_TALL - 1) / US_TALL;
    for (int number = get_group_id(1); number < bands; number += (int)get_num_groups(1)) {
        const int first = spans[2 * number], count = spans[2 * number + 1];
        for (int r = 4 * band; x < row_floats && r < count; r += 16) {
            float sum[4];
            for (int t = 0; t < taps_across; ++t) {
                const int column = columns[t * row_floats + x];
                const float weight = weights_across[t * row_floats + x];
                for (int k = 0; k < 4; ++k) {
                    const int row = min(r + k, count - 1);
                    const float product = source[(long)(first + row) * source_floats + column] * weight;
                    sum[k] = t == 0 ? product : sum[k] + product;
                }
            }
            for (int k = 0; k < 4 && r + k < count; ++k) tile[(r + k) * US_WIDE + lane] = sum[k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const int stop = min((number + 1) * US_TALL, rows);
        for (int y = number * US_TALL + band; x < row_floats && y < stop; y += 4) {
            float sum = 0.0f;
            for (int t = 0; t < taps_down; ++t) {
                const int row = lines[t * rows + y] - first;
                const float product = tile[row * US_WIDE + lane] * weights_down[t * rows + y];
                sum = t == 0 ? product : sum + product;
            }
            out[(long)y * row_floats + x] = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
