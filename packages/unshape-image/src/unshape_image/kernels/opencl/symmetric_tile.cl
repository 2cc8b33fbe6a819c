/* A weighted sum whose weights are equal to both sides, in tiles: w[0]*x[0], then outward + w[d]*(x[-d] + x[d]).
 *
 * A work-item computes four places that follow each other, `blocks` times; going outward, they need two new floats at
 * each step. A float is left out now and then, so that work-items that read four places apart meet in no bank.
 *
 * weights  float[radius + 1]
 */
#define US_SLOT(place, other) (((place) + ((place) >> 2)) * US_STRIP + (other))

__kernel __attribute__((reqd_work_group_size(US_ITEMS, 1, 1))) void us_symmetric(
    US_AXIS, __global const float *restrict weights, const int blocks, __local float *restrict tile) {
    const int lane = get_local_id(0), other = lane % US_STRIP, run = lane / US_STRIP;
    const int runs = US_ITEMS / US_STRIP, start = (int)get_group_id(0) * 4 * runs * blocks;
    const int held = min(4 * runs * blocks, (length - start + 3) / 4 * 4) + 2 * radius;
    for (int strip = get_group_id(1); strip < strips; strip += (int)get_num_groups(1)) {
        __global const float *restrict line = source + first + strip * source_strip;
        const int width = min(US_STRIP, limit - strip * US_STRIP);
        for (int k = lane; k < held * US_STRIP; k += US_ITEMS) {
            const int place = k / US_STRIP, beside = k - place * US_STRIP;
            if (beside < width)
                tile[US_SLOT(place, beside)] =
                    us_stands_at(line + beside, places, start + place, length + 2 * radius, source_hop);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int block = 0; block < blocks; ++block) {
            const int near = 4 * (block * runs + run), middle = near + radius;
            if (other >= width || run >= runs || start + near >= length) break;
            float low[4], high[4], sum[4];
            for (int k = 0; k < 4; ++k) {
                low[k] = high[k] = tile[US_SLOT(middle + k, other)];
                sum[k] = low[k] * weights[0];
            }
            for (int d = 1; d <= radius; ++d) {
                const float w = weights[d];
                low[3] = low[2]; low[2] = low[1]; low[1] = low[0];
                low[0] = tile[US_SLOT(middle - d, other)];
                high[0] = high[1]; high[1] = high[2]; high[2] = high[3];
                high[3] = tile[US_SLOT(middle + 3 + d, other)];
                for (int k = 0; k < 4; ++k) {
                    const float pair = low[k] + high[k];
                    const float product = pair * w;
                    sum[k] = sum[k] + product;
                }
            }
            __global float *restrict r = out + strip * out_strip + (start + near) * out_hop + other;
            for (int k = 0; k < 4 && start + near + k < length; ++k) r[k * out_hop] = sum[k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
