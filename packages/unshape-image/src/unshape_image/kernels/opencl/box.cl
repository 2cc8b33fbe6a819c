/* One level of the tree of sums of a box filter, along either axis of a padded array.
 *
 * With s[0] = x and s[k+1][i] = s[k][i] + s[k][i + 2**k]: each level makes the next sums of the present ones, and adds
 * the present ones to the result where the number of neighbours has that binary digit.
 *
 * sums     float[rows, row_floats]   s[k] of `block` = 2**k neighbours
 * doubled  float[rows, row_floats]   s[k+1]; valid as far as both halves are
 * out      float[rows, row_floats]   the result so far; only what lies at least the filter's width before the end counts
 * floats, out_floats   how many floats `sums` and `out` have
 * hop      how far in floats neighbours lie apart: channels along a row, row_floats down the columns
 * done     how many neighbours are in the result
 * has_digit, is_first, is_last   whether to add; whether to set instead; whether to multiply by `scale` afterwards
 */
__kernel void us_level(__global const float *restrict sums, __global float *restrict doubled,
                       __global float *restrict out, const long floats, const long out_floats,
                       const long hop, const long block,
                       const long done, const int has_digit, const int is_first, const int is_last, const float scale,
                       const long share) {
#ifdef US_CPU
    const long first = (long)get_global_id(0) * share;
    const long stop = min(first + share, floats);
    for (long i = first; i < stop; ++i) {
#else
    const long i = (long)get_global_id(0);
    if (i < floats) {
#endif
        const long far = i + block * hop, part = i + done * hop;
        if (!is_last && far < floats) doubled[i] = sums[i] + sums[far];
        if (has_digit && i < out_floats && part < floats) {
            float r = is_first ? sums[part] : out[i] + sums[part];
            if (is_last) r = r * scale;
            out[i] = r;
        }
    }
}
