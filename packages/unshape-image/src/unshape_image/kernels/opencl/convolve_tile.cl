/* A weighted sum over a small rectangle, in tiles, on GPUs: the order of `convolve.cl`.
 *
 * A group of US_WIDE by 4 work-items copies what 4*US_TALL rows need to local memory. A work-item computes US_TALL rows
 * below each other, which share what they read. Arguments are those of `convolve.cl`, and
 *
 * tile     float[4*US_TALL + kernel_height - 1, US_WIDE + (kernel_width - 1)*step]   local memory
 */
__kernel __attribute__((reqd_work_group_size(US_WIDE, 4, 1))) void us_convolve(
    __global const float *restrict source, __global const int *restrict columns, __global const int *restrict lines,
    __global const float *restrict weights, __global float *restrict out, const int source_floats, const int row_floats,
    const int rows, const int kernel_width, const int kernel_height, const int step, __local float *restrict tile) {
    const int lane = get_local_id(0), band = get_local_id(1), x = (int)get_group_id(0) * US_WIDE;
    const int wide = US_WIDE + (kernel_width - 1) * step, tall = 4 * US_TALL + kernel_height - 1;
    const int last_column = row_floats + (kernel_width - 1) * step, last_line = rows + kernel_height - 1;
    const int bands = (rows + 4 * US_TALL - 1) / (4 * US_TALL);
    for (int number = get_group_id(1); number < bands; number += (int)get_num_groups(1)) {
        const int top = number * 4 * US_TALL;
        for (int i = band; i < tall; i += 4) {
            const int line = top + i < last_line ? lines[top + i] : -1;
            __global const float *restrict q = source + (long)max(line, 0) * source_floats;
            for (int j = lane; j < wide; j += US_WIDE) {
                const int column = line >= 0 && x + j < last_column ? columns[x + j] : -1;
                tile[i * wide + j] = column < 0 ? 0.0f : q[column];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        float sum[US_TALL];
        for (int i = 0; i < US_TALL + kernel_height - 1; ++i) {
            for (int j = 0; j < kernel_width; ++j) {
                const float v = tile[(band * US_TALL + i) * wide + lane + j * step];
                for (int k = 0; k < US_TALL; ++k) {
                    const int row = i - k;
                    if (row >= 0 && row < kernel_height) {
                        const float product = v * weights[row * kernel_width + j];
                        sum[k] = row + j == 0 ? product : sum[k] + product;
                    }
                }
            }
        }
        const int y = top + band * US_TALL;
        for (int k = 0; k < US_TALL; ++k)
            if (x + lane < row_floats && y + k < rows) out[(long)(y + k) * row_floats + x + lane] = sum[k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
