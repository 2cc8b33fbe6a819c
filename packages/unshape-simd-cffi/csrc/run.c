/* Runs a program over a picture: numbers are spread over vectors, parts of the picture are shared out to the threads. */
#include "dispatch.h"
#include "stream.h"
#include "threads.h"
#include <stdlib.h>

enum { MAX_ROWS = 64, PART_PIXELS = 16384 };

struct run {
    const struct us_program *program;
    const struct us_call *call;
    char *numbers;
    size_t scratch_bytes;
    int32_t rows, pixels; /* of a part; all of a row if there are several rows */
    us_engine engine;
};

static int run_part(void *context, int index) {
    const struct run *run = context;
    const struct us_call *call = run->call;
    const int32_t parts = (call->width + run->pixels - 1) / run->pixels; /* of a row; only if there is one row */
    struct us_block_job job = {
        .program = run->program, .call = call, .numbers = run->numbers, .scratch = us_scratch(run->scratch_bytes),
        .x = index % parts * run->pixels, .width = run->pixels, .row = index / parts * run->rows, .rows = run->rows,
    };
    if (!job.scratch) return 2;
    if (job.width > call->width - job.x) job.width = call->width - job.x;
    if (job.rows > call->height - job.row) job.rows = call->height - job.row;
    job.x += call->x;
    job.row += call->y;
    const int status = run->engine(&job);
    if (call->is_streamed) us_stream_end();
    return status;
}

/* Whether the outputs are larger than the caches and lie so that they can be stored past them. */
static int is_streamed(const struct us_program *program, const struct us_call *call) {
    size_t bytes = 0;
    for (int k = 0; k < program->output_count; k++) {
        const int64_t row = call->height > 1 ? call->outputs[k].row_stride : 0;
        if (!us_is_aligned(call->outputs[k].data, row)) return 0;
        bytes += (size_t)call->outputs[k].channels * (size_t)call->width * (size_t)call->height * 4;
    }
    return us_streams(bytes);
}

/* Take all pixels as one row, if the program allows it and all rows follow each other in memory. */
static void join_rows(const struct us_program *program, struct us_call *call) {
    const int64_t pixels = (int64_t)call->width * call->height;
    if (!program->is_anywhere || pixels > INT32_MAX / 2 || call->x > INT32_MAX / 2) return;
    for (int k = 0; k < program->picture_count; k++) {
        const struct us_picture *picture = call->pictures + k;
        if (picture->x != call->x || picture->width != call->width || picture->row_stride != picture->width * picture->pixel_stride) return;
    }
    for (int k = 0; k < program->output_count; k++)
        if (call->outputs[k].row_stride != (int64_t)call->width * call->outputs[k].channels) return;
    call->joined_width = call->width;
    call->width = (int32_t)pixels;
    call->height = 1;
}

int us_run(const struct us_program *program, const struct us_call *given) {
    if (given->width <= 0 || given->height <= 0) return 0;
    void *numbers = NULL;
    if (posix_memalign(&numbers, 64, (size_t)(program->number_count + 1) * 64)) return 2;
    for (int k = 0; k < program->number_count; k++)
        for (int lane = 0; lane < 16; lane++) ((uint32_t *)numbers)[16 * k + lane] = given->numbers[k];
    struct us_call call = *given;
    join_rows(program, &call);
    call.is_streamed = is_streamed(program, &call);
    /* Enough rows for what is computed once for all of them, few enough for the threads to share. */
    const int threads = call.threads > 0 ? call.threads : us_threads();
    int32_t rows = PART_PIXELS / call.width + 1, pixels = call.width;
    if (rows < call.height / (4 * threads)) rows = call.height / (4 * threads);
    if (rows > MAX_ROWS) rows = MAX_ROWS;
    if (rows > call.height) rows = call.height;
    if (call.height == 1 && program->is_anywhere) {
        pixels = call.width / (4 * threads) / 64 * 64;
        if (pixels < PART_PIXELS) pixels = PART_PIXELS;
    }
    const size_t columns = ((size_t)call.width + 127) & ~(size_t)63;
    const struct run run = {
        .program = program,
        .call = &call,
        .numbers = numbers,
        .scratch_bytes = (size_t)program->register_count * 3 * sizeof(void *) + 64 + (size_t)program->units * (size_t)program->block * 4 +
                         (size_t)program->splats * 64 + (size_t)program->tiles * US_TILE_BYTES +
                         (size_t)program->row_units * MAX_ROWS * 4 + (size_t)program->column_units * columns * 4 + 256,
        .rows = rows,
        .pixels = pixels,
        .engine = us_engine_of(call.isa, call.is_fast),
    };
    const int parts = (call.height + rows - 1) / rows * ((call.width + pixels - 1) / pixels);
    const int status = us_parallel(run_part, (void *)&run, parts, call.threads);
    free(numbers);
    return status;
}
