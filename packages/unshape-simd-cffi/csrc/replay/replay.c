/* Replays recorded programs and filters with every instruction set of the machine, and compares every result bit for
 * bit: how an instruction set is checked under emulation, and what sanitizers watch.
 *
 * replay FILE: int32 words and float32 data as tools/record_programs.py writes them. Exit code 1 if anything differs.
 * Memory is exactly as long as what it holds, so that a sanitizer sees every step beyond.
 */
#include "../dispatch.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *file;

static void *words(size_t count) {
    void *memory = malloc(count ? count * 4 : 1);
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

/* What was read for one program or filter, until it is done with. */
static void *kept[512];
static int kept_count;

static void *keep(void *memory) {
    if (kept_count == (int)(sizeof kept / sizeof *kept)) exit(2);
    return kept[kept_count++] = memory;
}

static void free_kept(void) {
    while (kept_count) free(kept[--kept_count]);
}

static const int32_t *array(void) { return keep(words((size_t)word())); }

/* A NaN equals a NaN: which pattern it has is not promised. */
static long differing(const float *got, const float *expected, size_t count) {
    long found = 0;
    for (size_t i = 0; i < count; i++)
        if (memcmp(got + i, expected + i, 4) && !(got[i] != got[i] && expected[i] != expected[i])) found++;
    return found;
}

struct program {
    struct us_program program;
    struct us_call call;
    struct us_picture pictures[64];
    struct us_output outputs[64];
    const float *expected[64];
};

static void read_program(struct program *p) {
    struct us_program *program = &p->program;
    struct us_call *call = &p->call;
    memset(p, 0, sizeof *p);
    program->columns = array();
    program->rows = array();
    program->pixels = array();
    program->registers = array();
    program->row_values = array();
    program->moving = array();
    const int32_t *sizes = array();
    program->register_count = sizes[0], program->row_value_count = sizes[1], program->moving_count = sizes[2];
    program->block = sizes[3], program->units = sizes[4], program->splats = sizes[5];
    program->row_units = sizes[6], program->column_units = sizes[7], program->tiles = sizes[8];
    program->picture_count = sizes[9], program->output_count = sizes[10], program->number_count = sizes[11];
    program->is_anywhere = sizes[12];
    call->numbers = (const uint32_t *)array();
    const int32_t *window = array();
    call->x = window[0], call->y = window[1], call->width = window[2], call->height = window[3];
    call->threads = 2;
    for (int k = 0; k < program->picture_count; k++) {
        const int32_t *w = array();
        struct us_picture *picture = p->pictures + k;
        picture->channels = w[0], picture->x = w[1], picture->y = w[2];
        picture->width = w[3], picture->height = w[4], picture->whole_width = w[5], picture->whole_height = w[6];
        picture->pixel_stride = w[0], picture->row_stride = (int64_t)w[0] * w[3];
        picture->data = (const float *)array();
    }
    for (int k = 0; k < program->output_count; k++) {
        struct us_output *output = p->outputs + k;
        output->channels = word();
        output->row_stride = (int64_t)output->channels * call->width;
        p->expected[k] = keep(words((size_t)output->row_stride * (size_t)call->height));
    }
    call->pictures = p->pictures;
    call->outputs = p->outputs;
}

static long run_program(struct program *p, int isa) {
    long found = 0;
    p->call.isa = isa;
    for (int k = 0; k < p->program.output_count; k++)
        p->outputs[k].data = calloc((size_t)p->outputs[k].row_stride * (size_t)p->call.height, 4);
    if (us_run(&p->program, &p->call)) found = 1;
    for (int k = 0; k < p->program.output_count; k++) {
        found += differing(p->outputs[k].data, p->expected[k], (size_t)p->outputs[k].row_stride * (size_t)p->call.height);
        free(p->outputs[k].data);
    }
    return found;
}

static const float *read_filter(struct us_filter *f) {
    const int32_t *sizes = array();
    memset(f, 0, sizeof *f);
    f->kind = sizes[0], f->channels = sizes[1], f->width = sizes[2], f->height = sizes[3];
    f->reach_x = sizes[4], f->reach_y = sizes[5], f->x_taps = sizes[6], f->y_taps = sizes[7];
    f->pixel_stride = sizes[1], f->row_stride = (int64_t)sizes[1] * sizes[8];
    f->threads = 2;
    f->columns = array();
    f->rows = array();
    f->weights = (const float *)array();
    f->row_weights = (const float *)array();
    f->data = (const float *)array();
    return (const float *)array();
}

static long run_filter(struct us_filter *f, const float *expected, int isa) {
    const size_t count = (size_t)f->width * (size_t)f->height * (size_t)f->channels;
    f->isa = isa;
    f->out = calloc(count ? count : 1, 4);
    const long found = us_filter(f) ? 1 : differing(f->out, expected, count);
    free(f->out);
    return found;
}

int main(int argc, char **argv) {
    if (argc != 2 || !(file = fopen(argv[1], "rb"))) {
        fprintf(stderr, "replay: expected the name of a file of recorded programs\n");
        return 2;
    }
    int wrong[16] = {0}, any_wrong = 0;
    const int isas = us_isa_count(), programs = word();
    for (int k = 0; k < programs; k++) {
        static struct program program;
        read_program(&program);
        for (int isa = 0; isa < isas; isa++) wrong[isa] += us_isa_works(isa) && run_program(&program, isa);
        free_kept();
    }
    const int filters = word();
    for (int k = 0; k < filters; k++) {
        struct us_filter filter;
        const float *expected = read_filter(&filter);
        for (int isa = 0; isa < isas; isa++) wrong[isa] += us_isa_works(isa) && run_filter(&filter, expected, isa);
        free_kept();
    }
    for (int isa = 0; isa < isas; isa++) {
        if (us_isa_works(isa)) printf("%s: %d programs, %d filters, %d with other bits\n", us_isa_name(isa), programs, filters, wrong[isa]);
        else printf("%s: not on this machine\n", us_isa_name(isa));
        any_wrong |= wrong[isa];
    }
    fclose(file);
    return any_wrong != 0;
}
