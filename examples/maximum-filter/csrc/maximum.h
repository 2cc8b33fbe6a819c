#include <stdint.h>

/* The largest of 3 x 3 floats: out[y][x] of padded[y..y+2][x, x + step, x + 2*step]. Rows of `padded` are width + 2*step
 * floats long; `out` is [height][width]; both overlap nowhere. `isa` is backend.isa.number. */
void maximum(int isa, float *out, const float *padded, int64_t width, int64_t height, int64_t step);
