/* Functions of the expression language, exact: no multiplication and addition is contracted. */
#define FUNCTIONS_NAME us_functions_exact
#define NOISES_AT_NAME us_noises_at_exact
#define ISA_FILE "kernels/functions.inc"
#include "foreach_isa.h"
