/* Which instruction sets there are, what this machine has, and the table of the engine's variants. */
#include "dispatch.h"
#include <stddef.h>

#define X(level, suffix, name, test) int us_engine_exact_##suffix(const struct us_block_job *); int us_engine_fast_##suffix(const struct us_block_job *);
ISA_LIST(X)
#undef X

static const struct { const char *name; us_engine exact, fast; } variants[] = {
#define X(level, suffix, name, test) {name, us_engine_exact_##suffix, us_engine_fast_##suffix},
    ISA_LIST(X)
#undef X
};

int us_isa_count(void) { return (int)(sizeof variants / sizeof *variants); }
const char *us_isa_name(int isa) { return isa >= 0 && isa < us_isa_count() ? variants[isa].name : NULL; }

int us_isa_works(int isa) {
    int k = 0;
#if defined(__x86_64__)
    __builtin_cpu_init();
#endif
#define X(level, suffix, name, test) if (k++ == isa) return (test) != 0;
    ISA_LIST(X)
#undef X
    return 0;
}

us_engine us_engine_of(int isa, int is_fast) { return is_fast ? variants[isa].fast : variants[isa].exact; }

static const char *const op_names[] = {
#define X(name) #name,
    OP_LIST(X)
#undef X
#define X(name, digest) #name,
    FUNCTION_LIST(X)
#undef X
};
static const char *const digests[] = {
#define X(name) NULL,
    OP_LIST(X)
#undef X
#define X(name, digest) digest,
    FUNCTION_LIST(X)
#undef X
};

static const struct { const char *name; int operands; } steps[] = {
#define X(name, ...) {#name, 0},
    UNARY_STEPS(X)
#undef X
#define X(name, ...) {#name, 1},
    BINARY_STEPS(X)
    POWER_STEPS(X)
#undef X
#define X(name, ...) {#name, 2},
    TERNARY_STEPS(X)
#undef X
    {"store", 1},
    {"output", 0},
    {"call", 0},
};

int us_step_count(void) { return US_STEP_COUNT; }
const char *us_step_name(int step) { return step >= 0 && step < US_STEP_COUNT ? steps[step].name : NULL; }
int us_step_operands(int step) { return steps[step].operands; }
int us_max_steps(void) { return US_MAX_STEPS; }

int us_op_count(void) { return US_OP_COUNT; }
const char *us_op_name(int op) { return op >= 0 && op < US_OP_COUNT ? op_names[op] : NULL; }
const char *us_function_digest(int op) { return op >= 0 && op < US_OP_COUNT ? digests[op] : NULL; }
