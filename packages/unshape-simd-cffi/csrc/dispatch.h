#ifndef US_DISPATCH_H
#define US_DISPATCH_H
#include "engine.h"
#include "isa_list.h"

/* The engine for an instruction set, exact or with contraction. */
us_engine us_engine_of(int isa, int is_fast);
#endif
