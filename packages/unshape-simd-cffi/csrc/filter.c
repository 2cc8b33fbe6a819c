/* Shares the rows of a filter out to the threads. */
#include "filter.h"
#include "stream.h"
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
    const us_filter_rows compute = variants[run->filter->isa][run->filter->is_fast != 0];
    const int status = compute(run->filter, first, left < run->rows ? left : run->rows);
    if (run->filter->is_streamed) us_stream_end();
    return status;
}

int us_filter(const struct us_filter *filter) {
    if (filter->width <= 0 || filter->height <= 0) return 0;
    const int threads = filter->threads > 0 ? filter->threads : us_threads();
    /* What a job computes beyond its rows is as much as the filter reaches: few, tall jobs. */
    int32_t rows = (filter->height + threads - 1) / threads;
    if (rows > 4 * filter->reach_y + 64) rows = rows / 2 > 4 * filter->reach_y + 64 ? 4 * filter->reach_y + 64 : (rows + 1) / 2;
    if (threads == 1 && filter->kind != 2) rows = filter->height;
    struct us_filter chosen = *filter;
    const int64_t row_floats = (int64_t)filter->width * filter->channels;
    chosen.is_streamed = us_is_aligned(filter->out, row_floats) && us_streams((size_t)row_floats * (size_t)filter->height * 4);
    struct run run = {&chosen, rows};
    return us_parallel(run_rows, &run, (filter->height + run.rows - 1) / run.rows, threads);
}
