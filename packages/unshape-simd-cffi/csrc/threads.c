/* See threads.h. One lock, one list of jobs; tasks are claimed by an atomic counter, so an idle thread costs nothing. */
#define _GNU_SOURCE
#include "threads.h"
#include "dispatch.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
#if defined(__linux__)
#include <sched.h>
#include <sys/mman.h>
#endif

#define MAX_THREADS 256
#define LARGEST_KEPT ((size_t)32 << 20) /* bytes of scratch that a thread keeps between jobs */

struct job {
    us_task task;
    void *context;
    int count, helpers_left; /* helpers_left: how many more threads of the pool may join */
    int running;             /* threads of the pool that are at it; under the lock */
    atomic_int next, status;
    struct job *following;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static struct job *jobs;
static int wanted, started;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t scratch_key;

struct scratch { size_t bytes; void *memory; };

static void free_scratch(void *value) {
    struct scratch *scratch = value;
    free(scratch->memory);
    free(scratch);
}

static void restart_in_child(void) {
    /* The threads are gone, and some may have held the lock. */
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&work, NULL);
    pthread_cond_init(&done, NULL);
    jobs = NULL;
    started = 0;
}

static void prepare(void) {
    pthread_key_create(&scratch_key, free_scratch);
    pthread_atfork(NULL, NULL, restart_in_child);
}

static int processors(void) {
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (int)count;
}

int us_threads(void) { return wanted ? wanted : processors(); }

void us_set_threads(int threads) {
    pthread_mutex_lock(&lock);
    wanted = threads < 1 ? 0 : threads > MAX_THREADS ? MAX_THREADS : threads;
    pthread_mutex_unlock(&lock);
}

void *us_scratch(size_t bytes) {
    pthread_once(&once, prepare);
    struct scratch *scratch = pthread_getspecific(scratch_key);
    if (!scratch) {
        scratch = calloc(1, sizeof *scratch);
        if (!scratch) return NULL;
        pthread_setspecific(scratch_key, scratch);
    }
    if (scratch->bytes < bytes) {
        free(scratch->memory);
        scratch->memory = NULL;
        scratch->bytes = 0;
        if (posix_memalign(&scratch->memory, 64, bytes)) { scratch->memory = NULL; return NULL; }
        scratch->bytes = bytes;
    }
    return scratch->memory;
}

void *us_large(size_t bytes) {
    void *memory = NULL;
    if (posix_memalign(&memory, 2 << 20, bytes ? bytes : 1)) return NULL;
#if defined(MADV_HUGEPAGE)
    madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
}

/* Threads live long: what one picture of unusual size needed is not kept for all others. */
static void drop_large_scratch(void) {
    struct scratch *scratch = pthread_getspecific(scratch_key);
    if (!scratch || scratch->bytes <= LARGEST_KEPT) return;
    free(scratch->memory);
    scratch->memory = NULL;
    scratch->bytes = 0;
}

static void run_tasks(struct job *job) {
    for (;;) {
        const int index = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
        if (index >= job->count || atomic_load_explicit(&job->status, memory_order_relaxed)) break;
        const int status = job->task(job->context, index);
        if (status) atomic_store(&job->status, status);
    }
    drop_large_scratch();
}

static void *serve(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;) {
        struct job *job = jobs;
        while (job && (job->helpers_left == 0 || atomic_load(&job->next) >= job->count)) job = job->following;
        if (!job) {
            pthread_cond_wait(&work, &lock);
            continue;
        }
        job->helpers_left--;
        job->running++;
        pthread_mutex_unlock(&lock);
        run_tasks(job);
        pthread_mutex_lock(&lock);
        if (--job->running == 0) pthread_cond_broadcast(&done);
    }
    return NULL;
}

/* Have so many threads in the pool, with the lock held. They live as long as the process. */
static void start(int threads) {
    while (started < threads) {
        pthread_t thread;
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        const int failed = pthread_create(&thread, &attributes, serve, NULL);
        pthread_attr_destroy(&attributes);
        if (failed) return; /* the caller does the work */
        started++;
    }
}

int us_parallel(us_task task, void *context, int count, int threads) {
    pthread_once(&once, prepare);
    struct job job = {.task = task, .context = context, .count = count};
    const int most = us_threads();
    if (threads < 1 || threads > most) threads = most;
    const int helpers = (threads < count ? threads : count) - 1;
    if (helpers < 1) {
        run_tasks(&job);
        return atomic_load(&job.status);
    }
    job.helpers_left = helpers;
    pthread_mutex_lock(&lock);
    start(most - 1);
    job.following = jobs;
    jobs = &job;
    if (helpers == 1) pthread_cond_signal(&work);
    else pthread_cond_broadcast(&work);
    pthread_mutex_unlock(&lock);
    run_tasks(&job);
    pthread_mutex_lock(&lock);
    job.helpers_left = 0;
    struct job **link = &jobs;
    while (*link != &job) link = &(*link)->following;
    *link = job.following;
    while (job.running) pthread_cond_wait(&done, &lock);
    pthread_mutex_unlock(&lock);
    return atomic_load(&job.status);
}
