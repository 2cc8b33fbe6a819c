/* Filters, one job of rows at a time; see native.cdef. */
#ifndef US_FILTER_H
#define US_FILTER_H
#include "dispatch.h"

/* Kinds that us_filter chooses: the two passes of a wide mean apart, which are source rows into `spare` and floats of each
 * row from there; taps that halve. */
enum { US_BOX_ROWS = 16, US_BOX_COLUMNS, US_HALVE };

/* Compute output rows [first, first + rows), or what the kind says. Returns 1 if the caller asked to stop, 2 without memory. */
typedef int (*us_filter_rows)(const struct us_filter *filter, int32_t first, int32_t rows);
#endif
