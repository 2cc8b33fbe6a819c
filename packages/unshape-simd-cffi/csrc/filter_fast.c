/* Filters, fast: the compiler may contract a multiplication and an addition. The same source. */
#if defined(__clang__)
#pragma clang fp contract(fast)
#else
#pragma GCC optimize("fp-contract=fast")
#endif
#define FILTER_NAME us_filter_fast
#define ISA_FILE "kernels/filter.inc"
#include "foreach_isa.h"
