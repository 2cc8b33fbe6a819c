/* The mean of 2*radius + 1 neighbours, in tiles, by the tree of sums of `box.cl`: all levels in local memory.
 *
 * A tile is four floats for each work-item and what they reach; `tile` has room for two levels of it.
 */
__kernel __attribute__((reqd_work_group_size(US_ITEMS, 1, 1))) void us_box(
    US_AXIS, const float scale, __local float *restrict tile) {
    const int lane = get_local_id(0), count = 2 * radius + 1;
    const int along = 4 * (US_ITEMS / US_STRIP), start = (int)get_group_id(0) * along;
    const int floats = along * US_STRIP, held = (along + 2 * radius) * US_STRIP;
    for (int strip = get_group_id(1); strip < strips; strip += (int)get_num_groups(1)) {
        __global const float *restrict line = source + first + strip * source_strip;
        const int width = min(US_STRIP, limit - strip * US_STRIP);
        __local float *sums = tile, *doubled = tile + held;
        for (int k = lane; k < held; k += US_ITEMS) {
            const int place = k / US_STRIP, beside = k - place * US_STRIP;
            sums[k] = beside < width
                ? us_stands_at(line + beside, places, start + place, length + 2 * radius, source_hop) : 0.0f;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        float mean[4];
        int done = 0;
        for (int size = 1; size <= count; size *= 2) {
            if (count & size) {
                for (int k = 0; k < 4; ++k) {
                    const int i = lane + k * US_ITEMS;
                    if (i < floats) {
                        const float part = sums[i + done * US_STRIP];
                        mean[k] = done == 0 ? part : mean[k] + part;
                    }
                }
                done += size;
            }
            for (int k = lane; k + size * US_STRIP < held; k += US_ITEMS) doubled[k] = sums[k] + sums[k + size * US_STRIP];
            barrier(CLK_LOCAL_MEM_FENCE);
            __local float *next = doubled;
            doubled = sums;
            sums = next;
        }
        for (int k = 0; k < 4; ++k) {
            const int i = lane + k * US_ITEMS, place = i / US_STRIP, beside = i - place * US_STRIP;
            if (i < floats && beside < width && start + place < length)
                out[strip * out_strip + (start + place) * out_hop + beside] = mean[k] * scale;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
