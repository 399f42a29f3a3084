#include "base/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/arena.h"

struct worker {
	void (*work)(void *ctx);
	void *ctx;
	bool threaded; /* else the caller does it all */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool busy, ended;
};

static void *
run(void *arg)
{
	struct worker *w = arg;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		while (!w->busy && !w->ended)
			pthread_cond_wait(&w->changed, &w->lock);
		if (!w->busy)
			break;
		pthread_mutex_unlock(&w->lock);
		w->work(w->ctx);
		pthread_mutex_lock(&w->lock);
		w->busy = false;
		pthread_cond_broadcast(&w->changed);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

struct worker *
worker_new(void (*work)(void *ctx), void *ctx)
{
	struct worker *w = xcalloc(1, sizeof *w);
	sigset_t all, old;

	w->work = work;
	w->ctx = ctx;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	/* Signals are for the caller's thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	w->threaded = pthread_create(&w->thread, NULL, run, w) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return w;
}

void
worker_start(struct worker *w)
{
	if (!w->threaded) {
		w->work(w->ctx);
		return;
	}
	pthread_mutex_lock(&w->lock);
	w->busy = true;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

void
worker_wait(struct worker *w)
{
	if (!w->threaded)
		return;
	pthread_mutex_lock(&w->lock);
	while (w->busy)
		pthread_cond_wait(&w->changed, &w->lock);
	pthread_mutex_unlock(&w->lock);
}

void
worker_free(struct worker *w)
{
	if (!w)
		return;
	if (w->threaded) {
		worker_wait(w);
		pthread_mutex_lock(&w->lock);
		w->ended = true;
		pthread_cond_broadcast(&w->changed);
		pthread_mutex_unlock(&w->lock);
		pthread_join(w->thread, NULL);
	}
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->changed);
	free(w);
}
