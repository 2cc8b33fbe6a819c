/* Filters, one job of rows at a time; see native.cdef. */
#ifndef US_FILTER_H
#define US_FILTER_H
#include "dispatch.h"

/* Compute output rows [first, first + rows). Returns 1 if the caller asked to stop, 2 without memory. */
typedef int (*us_filter_rows)(const struct us_filter *filter, int32_t first, int32_t rows);
#endif
