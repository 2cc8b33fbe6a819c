/* The pool of threads of this process.
 *
 * `us_parallel` runs task(context, 0) ... task(context, count - 1), each once, on the calling thread and on those of the
 * pool that are free, and returns when all are done. A task that returns something else than 0 keeps those that have
 * not begun from running; that value is returned. Several callers share the pool: no more threads run than were asked
 * for with us_set_threads, apart from the callers themselves. In a forked child the pool starts anew.
 */
#ifndef US_THREADS_H
#define US_THREADS_H
#include <stddef.h>

typedef int (*us_task)(void *context, int index);
int us_parallel(us_task task, void *context, int count, int threads);

/* At least so many bytes of this thread's own memory, aligned to 64; what was in it is lost. NULL: out of memory. */
void *us_scratch(size_t bytes);

/* Fresh memory for many pages, to be freed; NULL: out of memory. Pages come as they are touched. */
void *us_large(size_t bytes);
#endif
