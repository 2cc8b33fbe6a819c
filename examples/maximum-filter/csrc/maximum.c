#include "maximum.h"

#define ISA_FILE "maximum.inc"
#include "foreach_isa.h"
#include "isa_list.h"

static void (*const variants[])(float *, const float *, int64_t, int64_t, int64_t) = {
#define X(level, suffix, name, test) maximum_rows_##suffix,
    ISA_LIST(X)
#undef X
};

void maximum(int isa, float *out, const float *padded, int64_t width, int64_t height, int64_t step) {
    variants[isa](out, padded, width, height, step);
}
