#include "tree/keysort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { SMALL = 24, COUNTING = 512, BAD_LEVELS = 60, MAX_BITS = 11 };

/* A stretch of items that agree in all pieces before depth. */
struct job {
	size_t from, n, depth;
	unsigned bad; /* levels of partitioning at this depth */
	bool fresh;   /* keys of this depth are not loaded yet */
};

struct work {
	const struct keysort *how;
	struct keyed *all, *spare;
	struct job *jobs;
	size_t njobs, cap;
};

static void
push(struct work *w, struct job j)
{
	if (j.n < 2)
		return;
	w->jobs = xgrow(w->jobs, &w->cap, w->njobs + 1, sizeof *w->jobs);
	w->jobs[w->njobs++] = j;
}

static void
push_deeper(struct work *w, const struct job *j, size_t from, size_t n, uint64_t key)
{
	if (key & w->how->end)
		push(w,
		     (struct job){ .from = j->from + from,
		                   .n = n,
		                   .depth = j->depth + w->how->step,
		                   .fresh = true });
}

/* The keys are in order: each run of equal ones is a job one piece deeper. */
static void
push_runs(struct work *w, const struct job *j)
{
	const struct keyed *p = w->all + j->from;

	for (size_t i = 0, k; i < j->n; i = k) {
		for (k = i + 1; k < j->n && p[k].key == p[i].key; k++)
			;
		push_deeper(w, j, i, k - i, p[i].key);
	}
}

static void
insertion(struct keyed *p, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct keyed t = p[i];
		size_t k = i;

		for (; k && p[k - 1].key > t.key; k--)
			p[k] = p[k - 1];
		p[k] = t;
	}
}

static void
sift(struct keyed *p, size_t at, size_t n)
{
	struct keyed t = p[at];

	for (size_t child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && p[child + 1].key > p[child].key)
			child++;
		if (t.key >= p[child].key)
			break;
		p[at] = p[child];
	}
	p[at] = t;
}

static void
heapsort_keys(struct keyed *p, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift(p, i, n);
	for (size_t end = n - 1; end > 0; end--) {
		struct keyed t = p[0];

		p[0] = p[end];
		p[end] = t;
		sift(p, 0, end);
	}
}

/* One counting pass over the top differing bits. False: all keys are equal. */
static bool
counting(struct work *w, const struct job *j)
{
	size_t count[(1 << MAX_BITS) + 1] = { 0 }, pos[1 << MAX_BITS];
	struct keyed *p = w->all + j->from;
	unsigned top, bits, shift;
	uint64_t differ = 0;
	size_t mask;

	for (size_t i = 1; i < j->n; i++)
		differ |= p[i].key ^ p[0].key;
	if (!differ)
		return false;
	top = 64 - (unsigned)__builtin_clzll(differ);
	bits = j->n >= 1 << 14 ? MAX_BITS : 8;
	shift = top > bits ? top - bits : 0;
	mask = ((size_t)1 << bits) - 1;
	for (size_t i = 0; i < j->n; i++)
		count[(p[i].key >> shift & mask) + 1]++;
	for (size_t i = 0; i <= mask; i++)
		count[i + 1] += count[i];
	memcpy(pos, count, sizeof pos[0] << bits);
	for (size_t i = 0; i < j->n; i++)
		w->spare[pos[p[i].key >> shift & mask]++] = p[i];
	memcpy(p, w->spare, j->n * sizeof *p);
	for (size_t i = 0; i <= mask; i++)
		push(w,
		     (struct job){ .from = j->from + count[i],
		                   .n = count[i + 1] - count[i],
		                   .depth = j->depth,
		                   .bad = j->bad + 1 });
	return true;
}

static uint64_t
median(uint64_t x, uint64_t y, uint64_t z)
{
	if (x < y)
		return y < z ? y : x < z ? z : x;
	return x < z ? x : y < z ? z : y;
}

static void
partition(struct work *w, const struct job *j)
{
	struct keyed *p = w->all + j->from, t;
	uint64_t pivot =
	        median(p[j->n / 4].key, p[j->n / 2].key, p[j->n - j->n / 4].key);
	size_t less = 0, i = 0, more = j->n;

	while (i < more) {
		if (p[i].key < pivot) {
			t = p[less];
			p[less++] = p[i];
			p[i++] = t;
		} else if (p[i].key > pivot) {
			t = p[--more];
			p[more] = p[i];
			p[i] = t;
		} else {
			i++;
		}
	}
	push(w,
	     (struct job){ .from = j->from,
	                   .n = less,
	                   .depth = j->depth,
	                   .bad = j->bad + 1 });
	push(w,
	     (struct job){ .from = j->from + more,
	                   .n = j->n - more,
	                   .depth = j->depth,
	                   .bad = j->bad + 1 });
	push_deeper(w, j, less, more - less, pivot);
}

void
keysort(struct keyed *items, size_t n, const struct keysort *how)
{
	struct work w = { .how = how, .all = items };

	if (n < 2)
		return;
	if (n >= COUNTING)
		w.spare = xmalloc(n * sizeof *w.spare);
	push(&w, (struct job){ .n = n, .fresh = true });
	while (w.njobs) {
		struct job j = w.jobs[--w.njobs];
		struct keyed *p = items + j.from;

		if (j.fresh)
			how->load(how->ctx, p, j.n, j.depth);
		if (j.n >= COUNTING && j.bad < BAD_LEVELS) {
			if (!counting(&w, &j))
				push_deeper(&w, &j, 0, j.n, p[0].key);
			continue;
		}
		if (j.n > SMALL && j.bad < BAD_LEVELS) {
			partition(&w, &j);
			continue;
		}
		if (j.n > SMALL)
			heapsort_keys(p, j.n);
		else
			insertion(p, j.n);
		push_runs(&w, &j);
	}
	free(w.spare);
	free(w.jobs);
}
