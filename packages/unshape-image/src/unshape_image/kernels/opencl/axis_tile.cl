/* One pass of a filter along one axis, in tiles, on GPUs: a group of US_ITEMS work-items copies so many places along the
 * axis, in a strip of US_STRIP floats beside each other, to local memory, and computes from there.
 *
 * source   float[...]   float `o` of strip `s` at place `p` is source[first + s*source_strip + places[p]*source_hop + o]
 * places   int[length + 2*radius]   what stands at each place, -1 for 0
 * out      float[...]   the same is out[s*out_strip + p*out_hop + o]
 * limit    how many floats all strips have together; the last strip may be narrower
 * tile     float[...]   local memory
 */
#define US_AXIS \
    __global const float *restrict source, __global const int *restrict places, __global float *restrict out, \
    const long first, const long source_strip, const long source_hop, const long out_strip, const long out_hop, \
    const int length, const int strips, const int limit, const int radius

inline float us_stands_at(__global const float *restrict line, __global const int *restrict places, const int place,
                          const int count, const long hop) {
    const int held = place < count ? places[place] : -1;
    return held < 0 ? 0.0f : line[held * hop];
}
