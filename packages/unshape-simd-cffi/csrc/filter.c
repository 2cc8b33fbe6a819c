/* Shares the rows of a filter out to the threads. */
#include "filter.h"
#include "stream.h"
#include "threads.h"
#include <stdlib.h>

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

enum { WIDEST_AT_ONCE = 32 }; /* a mean that reaches farther is computed in two passes over all */

struct run { const struct us_filter *filter; int32_t at_once, count; };

static int run_rows(void *context, int index) {
    const struct run *run = context;
    const int32_t first = index * run->at_once;
    const int32_t left = run->count - first;
    const us_filter_rows compute = variants[run->filter->isa][run->filter->is_fast != 0];
    const int status = compute(run->filter, first, left < run->at_once ? left : run->at_once);
    if (run->filter->is_streamed) us_stream_end();
    return status;
}

/* Run a filter whose kind says what `count` counts, in jobs of so many. */
static int run(const struct us_filter *filter, int32_t count, int32_t at_once, int threads) {
    struct run run = {filter, at_once, count};
    return us_parallel(run_rows, &run, (count + at_once - 1) / at_once, threads);
}

/* A wide mean: all rows along x, then columns along y. */
static int run_wide_box(struct us_filter *f, int threads) {
    int32_t first = INT32_MAX, last = -1;
    for (int32_t k = 0; k < f->height + 2 * f->reach_y; k++) {
        if (f->rows[k] < 0) continue;
        if (f->rows[k] < first) first = f->rows[k];
        if (f->rows[k] > last) last = f->rows[k];
    }
    const int32_t rows = last < 0 ? 0 : last - first + 1;
    const int64_t row_floats = (int64_t)f->width * f->channels;
    float *spare = us_large((size_t)row_floats * (size_t)rows * 4);
    if (!spare) return 2;
    f->spare = spare;
    f->spare_row = first;
    f->kind = US_BOX_ROWS;
    int status = rows ? run(f, rows, 4, threads) : 0;
    f->kind = US_BOX_COLUMNS;
    if (!status) status = run(f, (int32_t)row_floats, f->reach_y > 512 ? 64 : 256, threads);
    free(spare);
    return status;
}

static void find_run(struct us_filter *f) {
    const int32_t places = f->width + 2 * f->reach_x;
    if (f->pixel_stride != f->channels) return;
    for (int32_t first = 0, stop; first < places; first = stop) {
        stop = first + 1;
        if (f->columns[first] < 0) continue;
        while (stop < places && f->columns[stop] == f->columns[stop - 1] + 1) stop++;
        if (stop - first <= f->run_stop - f->run_first) continue;
        f->run_first = first;
        f->run_stop = stop;
    }
}

/* Whether kernels/halve.inc computes these taps. */
static int halves(const struct us_filter *f) {
    if (f->kind != 3 || f->x_taps != 2 || f->y_taps != 2 || f->channels != 4 || f->pixel_stride != 4) return 0;
    for (int32_t k = 0; k < f->width; k++) {
        const int32_t left = f->columns[0] + 2 * k;
        if (f->columns[k] != left || f->columns[f->width + k] != left + 1) return 0;
        if (f->weights[k] != f->weights[0] || f->weights[f->width + k] != f->weights[f->width]) return 0;
    }
    return 1;
}

int us_filter(const struct us_filter *filter) {
    if (filter->width <= 0 || filter->height <= 0) return 0;
    const int threads = filter->threads > 0 ? filter->threads : us_threads();
    struct us_filter chosen = *filter;
    const int64_t row_floats = (int64_t)filter->width * filter->channels;
    chosen.is_streamed = us_is_aligned(filter->out, row_floats) && us_streams((size_t)row_floats * (size_t)filter->height * 4);
    chosen.run_first = chosen.run_stop = 0;
    find_run(&chosen);
    if (halves(filter)) chosen.kind = US_HALVE;
    if (filter->kind == 2 && filter->reach_y > WIDEST_AT_ONCE) return run_wide_box(&chosen, threads);
    /* What a job computes beyond its rows is as much as the filter reaches: few, tall jobs. */
    int32_t rows = (filter->height + threads - 1) / threads;
    const int32_t most = 8 * filter->reach_y + 64;
    if (rows > most) rows = rows / 2 > most ? most : (rows + 1) / 2;
    if (threads == 1) rows = filter->height;
    return run(&chosen, filter->height, rows, threads);
}
