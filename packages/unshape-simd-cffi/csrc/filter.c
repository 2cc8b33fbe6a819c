/* Shares the rows of a filter out to the threads. */
#include "filter.h"
#include "threads.h"

#define X(level, suffix, name, test)                                                                                  \
    int us_filter_exact_##suffix(const struct us_filter *, int32_t, int32_t);                                          \
    int us_filter_fast_##suffix(const struct us_filter *, int32_t, int32_t);
ISA_LIST(X)
#undef X

static const us_filter_rows variants[][2] = {
#define X(level, suffix, name, test) {us_filter_exact_##suffix, us_filter_fast_##suffix},
    ISA_LIST(X)
#undef X
};

struct run { const struct us_filter *filter; int32_t rows; };

static int run_rows(void *context, int index) {
    const struct run *run = context;
    const int32_t first = index * run->rows;
    const int32_t left = run->filter->height - first;
    return variants[run->filter->isa][run->filter->is_fast != 0](run->filter, first, left < run->rows ? left : run->rows);
}

int us_filter(const struct us_filter *filter) {
    if (filter->width <= 0 || filter->height <= 0) return 0;
    const int threads = filter->threads > 0 ? filter->threads : us_threads();
    /* What a job computes beyond its rows is as much as the filter reaches: few, tall jobs. */
    int32_t rows = (filter->height + threads - 1) / threads;
    if (rows > 4 * filter->reach_y + 64) rows = rows / 2 > 4 * filter->reach_y + 64 ? 4 * filter->reach_y + 64 : (rows + 1) / 2;
    if (threads == 1 && filter->kind != 2) rows = filter->height;
    struct run run = {filter, rows};
    return us_parallel(run_rows, &run, (filter->height + run.rows - 1) / run.rows, threads);
}
