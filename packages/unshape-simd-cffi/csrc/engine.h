/* What the expression engine is given: programs, pictures, outputs. Shared by C and, through native.cdef, by Python. */
#ifndef US_ENGINE_H
#define US_ENGINE_H
#include <stdint.h>
#include "op_list.h"
#include "step_list.h"
#include "generated/function_list.h"

enum us_op {
#define X(name) OP_##name,
    OP_LIST(X)
#undef X
    US_FIRST_FUNCTION,
    US_BEFORE_FIRST_FUNCTION = US_FIRST_FUNCTION - 1,
#define X(name, digest) FUNCTION_##name,
    FUNCTION_LIST(X)
#undef X
    US_OP_COUNT
};

/* Steps of a run: most at once, words of each (number, two operands). */
enum { US_MAX_STEPS = 128, US_STEP_WORDS = 3 };
enum us_step {
#define X(name, ...) STEP_##name,
    STEP_LIST(X)
#undef X
    US_STEP_COUNT
};

/* How many operands a step has in memory, the place where it stores included. */
int us_step_operands(int step);

#include "native.cdef"

/* One part of a picture, computed by one thread: `width` pixels from column `x` of each row. */
struct us_block_job {
    const struct us_program *program;
    const struct us_call *call;
    const char *numbers; /* one vector of 64 bytes for each number */
    char *scratch;
    int32_t x, width, row, rows;
};
typedef int (*us_engine)(const struct us_block_job *job);

enum { US_TILE_BYTES = 8 * 64 };

/* Where registers are, for the block at (x, y). */
struct us_machine {
    const struct us_call *call;
    char **pointers;     /* of each register, now */
    char **homes;        /* of each register, its own memory */
    const long *steps;   /* of each register, 0 or the bytes of a vector */
    int32_t x, y, count; /* first pixel, pixels (in the stage of rows: rows) */
    const char *tiles, *tiles_end; /* where registers lie that hold one tile */
};

/* Computes the function of the instruction at `code` for so many vectors. */
typedef void (*us_function)(const struct us_machine *machine, const int32_t *code, long count);

/* Computes lattice noise at the positions of a block; the words are those of kernels/noise_at.inc. */
typedef void (*us_noise_at)(const struct us_machine *machine, const int32_t *words, float *to);
#endif
