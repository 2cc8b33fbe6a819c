/* Replays recorded programs and compares every result bit for bit: how an instruction set is checked under emulation.
 *
 * replay FILE: int32 words and float32 data as tools/record_programs.py writes them. Exit code 1 if anything differs.
 */
#include "../dispatch.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *file;

static void *words(size_t count) {
    void *memory = malloc((count + 64) * 4);
    if (!memory || fread(memory, 4, count, file) != count) {
        fprintf(stderr, "replay: the file ends early\n");
        exit(2);
    }
    return memory;
}

static int32_t word(void) {
    int32_t *memory = words(1), value = *memory;
    free(memory);
    return value;
}

static const int32_t *array(void) { return words((size_t)word()); }

/* A NaN equals a NaN: which pattern it has is not promised. */
static long differing(const float *got, const float *expected, size_t count) {
    long found = 0;
    for (size_t i = 0; i < count; i++)
        if (memcmp(got + i, expected + i, 4) && !(got[i] != got[i] && expected[i] != expected[i])) found++;
    return found;
}

static long replay(void) {
    struct us_program program = {0};
    program.columns = array();
    program.rows = array();
    program.pixels = array();
    program.registers = array();
    program.row_values = array();
    program.moving = array();
    const int32_t *sizes = array();
    program.register_count = sizes[0], program.row_value_count = sizes[1], program.moving_count = sizes[2];
    program.block = sizes[3], program.units = sizes[4], program.splats = sizes[5];
    program.row_units = sizes[6], program.column_units = sizes[7];
    program.picture_count = sizes[8], program.output_count = sizes[9], program.number_count = sizes[10];
    struct us_call call = {0};
    call.numbers = (const uint32_t *)array();
    const int32_t *window = array();
    call.x = window[0], call.y = window[1], call.width = window[2], call.height = window[3];
    call.threads = 2;
    struct us_picture pictures[64] = {{0}};
    for (int k = 0; k < program.picture_count; k++) {
        const int32_t *p = array();
        pictures[k].channels = p[0], pictures[k].x = p[1], pictures[k].y = p[2];
        pictures[k].width = p[3], pictures[k].height = p[4], pictures[k].whole_width = p[5], pictures[k].whole_height = p[6];
        pictures[k].pixel_stride = p[0], pictures[k].row_stride = (int64_t)p[0] * p[3];
        pictures[k].data = (const float *)array();
    }
    struct us_output outputs[64] = {{0}};
    float *expected[64];
    for (int k = 0; k < program.output_count; k++) {
        outputs[k].channels = word();
        outputs[k].row_stride = (int64_t)outputs[k].channels * call.width;
        const size_t count = (size_t)outputs[k].row_stride * (size_t)call.height;
        outputs[k].data = calloc(count + 64, 4);
        expected[k] = words(count);
    }
    call.pictures = pictures;
    call.outputs = outputs;
    if (us_run(&program, &call)) return 1;
    long found = 0;
    for (int k = 0; k < program.output_count; k++)
        found += differing(outputs[k].data, expected[k], (size_t)outputs[k].row_stride * (size_t)call.height);
    return found;
}

int main(int argc, char **argv) {
    if (argc != 2 || !(file = fopen(argv[1], "rb"))) {
        fprintf(stderr, "replay: expected the name of a file of recorded programs\n");
        return 2;
    }
    const int32_t count = word();
    int wrong = 0;
    for (int k = 0; k < count; k++) {
        const long found = replay();
        if (found) printf("program %d: %ld values differ\n", k, found);
        wrong += found != 0;
    }
    printf("%s: %d programs, %d with other bits\n", us_isa_name(0), count, wrong);
    return wrong != 0;
}
