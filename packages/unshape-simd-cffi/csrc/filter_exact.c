/* Filters, exact: no multiplication and addition is contracted. */
#define FILTER_NAME us_filter_exact
#define ISA_FILE "kernels/filter.inc"
#include "foreach_isa.h"
