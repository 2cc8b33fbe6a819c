/* The expression engine, exact: no multiplication and addition is contracted. */
#define ENGINE_NAME us_engine_exact
#define FUNCTIONS_NAME us_functions_exact
#define NOISES_AT_NAME us_noises_at_exact
#define ISA_FILE "kernels/engine.inc"
#include "foreach_isa.h"
