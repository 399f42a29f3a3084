/*
 * A thread beside the caller's, for work that is done ahead: the only place that knows
 * of threads. What the work touches is the worker's from worker_start to worker_wait,
 * and the caller's otherwise; so nothing needs a lock.
 */
#ifndef POOL_H
#define POOL_H

#include <stdbool.h>

struct worker;

/* Where the system gives no thread, worker_start does the work itself. */
struct worker *worker_new(void (*work)(void *ctx), void *ctx);
/* Begin one run of the work. The one before must have been waited for. */
void worker_start(struct worker *);
/* Until the run is done. */
void worker_wait(struct worker *);
/* Wait, and end the thread. NULL is fine. */
void worker_free(struct worker *);

#endif
