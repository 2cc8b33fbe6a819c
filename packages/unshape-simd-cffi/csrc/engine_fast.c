/* The expression engine, fast: the compiler may contract a multiplication and an addition. The same source. */
#if defined(__clang__)
#pragma clang fp contract(fast)
#else
#pragma GCC optimize("fp-contract=fast")
#endif
#define ENGINE_NAME us_engine_fast
#define FUNCTIONS_NAME us_functions_fast
#define NOISES_AT_NAME us_noises_at_fast
#define ISA_FILE "kernels/engine.inc"
#include "foreach_isa.h"
