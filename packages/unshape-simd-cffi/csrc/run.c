/* Runs a program over a picture: numbers are spread over vectors, rows are shared out to the threads. */
#include "dispatch.h"
#include "stream.h"
#include "threads.h"
#include <stdlib.h>

enum { MAX_ROWS = 64, ROWS_OF_PIXELS = 16384 };

struct run {
    const struct us_program *program;
    const struct us_call *call;
    char *numbers;
    size_t scratch_bytes;
    int32_t rows;
    us_engine engine;
};

static int run_rows(void *context, int index) {
    const struct run *run = context;
    const int32_t first = index * run->rows;
    int32_t rows = run->call->height - first;
    if (rows > run->rows) rows = run->rows;
    char *scratch = us_scratch(run->scratch_bytes);
    if (!scratch) return 2;
    const struct us_block_job job = {run->program, run->call, run->numbers, scratch, run->call->y + first, rows};
    const int status = run->engine(&job);
    if (run->call->is_streamed) us_stream_end();
    return status;
}

/* Whether the outputs are larger than the caches and lie so that they can be stored past them. */
static int is_streamed(const struct us_program *program, const struct us_call *call) {
    size_t bytes = 0;
    for (int k = 0; k < program->output_count; k++) {
        if (!us_is_aligned(call->outputs[k].data, call->outputs[k].row_stride)) return 0;
        bytes += (size_t)call->outputs[k].row_stride * (size_t)call->height * 4;
    }
    return us_streams(bytes);
}

int us_run(const struct us_program *program, const struct us_call *call) {
    if (call->width <= 0 || call->height <= 0) return 0;
    void *numbers = NULL;
    if (posix_memalign(&numbers, 64, (size_t)(program->number_count + 1) * 64)) return 2;
    for (int k = 0; k < program->number_count; k++)
        for (int lane = 0; lane < 16; lane++) ((uint32_t *)numbers)[16 * k + lane] = call->numbers[k];
    /* Enough rows for what is computed once for all of them, few enough for the threads to share. */
    const int threads = call->threads > 0 ? call->threads : us_threads();
    int32_t rows = (int32_t)(ROWS_OF_PIXELS / call->width) + 1;
    if (rows < call->height / (4 * threads)) rows = call->height / (4 * threads);
    if (rows > MAX_ROWS) rows = MAX_ROWS;
    if (rows > call->height) rows = call->height;
    const size_t columns = ((size_t)call->width + 127) & ~(size_t)63;
    struct us_call chosen = *call;
    chosen.is_streamed = is_streamed(program, call);
    const struct run run = {
        .program = program,
        .call = &chosen,
        .numbers = numbers,
        .scratch_bytes = (size_t)program->register_count * 3 * sizeof(void *) + 64 + (size_t)program->units * (size_t)program->block * 4 +
                         (size_t)program->splats * 64 + (size_t)program->row_units * MAX_ROWS * 4 +
                         (size_t)program->column_units * columns * 4 + 256,
        .rows = rows,
        .engine = us_engine_of(call->isa, call->is_fast),
    };
    const int status = us_parallel(run_rows, (void *)&run, (call->height + rows - 1) / rows, call->threads);
    free(numbers);
    return status;
}
