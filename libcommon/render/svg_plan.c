/*
 * What of a document is kept and how wide it is. A box is as wide as its own weight and
 * its children's widths together, so nothing ever overflows its parent:
 *
 *   plain          own weight = |self|
 *   differential   own weight = max(|base|, |target * scale|)
 *
 * Where nothing is negative the first is the total. The widest frames are kept, by the
 * greatest share they have in any sample type; a frame is never wider than its caller,
 * so what is kept is a tree.
 */
#include "render/svg_parts.h"

#include <math.h>

#include "base/num.h"

int64_t
plan_scaled(const struct tree *t, uint32_t pair, int64_t target)
{
	double scale = t->scale && pair < t->nscale ? t->scale[pair] : 1;
	double v = (double)target * scale;

	if (scale == 1)
		return target;
	if (!(v > -9e18 && v < 9e18))
		return v < 0 ? INT64_MIN / 2 : v > 0 ? INT64_MAX / 2 : 0;
	return llround(v);
}

static bool
size_of(int64_t v, int64_t *out)
{
	*out = v == INT64_MIN ? INT64_MAX : v < 0 ? -v : v;
	return v != INT64_MIN;
}

static bool
too_much(uint32_t pair, struct err *e)
{
	return err_set(e, ERR_LIMIT,
	               "the values of sample type %u add up to more than 63 bits",
	               (unsigned)pair);
}

/* Widths of one pair for nodes with these columns; parents stand before children. */
static bool
widths(const struct tree *t, uint32_t pair, uint32_t npairs, int64_t *const *self,
       const uint32_t *parent, uint32_t n, int64_t *out, struct err *e)
{
	bool good = true;

	for (uint32_t i = 0; i < n; i++) {
		good &= size_of(self[pair][i], &out[i]);
		if (t->sides) {
			int64_t target;

			good &= size_of(plan_scaled(t, pair, self[npairs + pair][i]),
			                &target);
			if (target > out[i])
				out[i] = target;
		}
	}
	for (uint32_t i = n; i-- > 1 && good;)
		good = num_add_i64(out[parent[i]], out[i], &out[parent[i]]);
	return good || too_much(pair, e);
}

/* A scale may make values fit that do not as they stand. */
static bool
fits(const struct tree *t, uint32_t column, uint32_t pair, struct err *e)
{
	num_i128 sum = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		num_i128 v = t->self[column][i];

		sum += v < 0 ? -v : v;
	}
	return sum <= INT64_MAX || too_much(pair, e);
}

/*
 * The k-th greatest of n numbers (k from 1): quickselect, the pivot being the middle
 * one of three. a is reordered.
 */
static double
kth_greatest(double *a, size_t n, size_t k)
{
	size_t lo = 0, hi = n - 1, want = k - 1;

	while (lo < hi) {
		double x = a[lo], y = a[lo + (hi - lo) / 2], z = a[hi];
		double pivot = x < y ? (y < z           ? y
		                                : x < z ? z
		                                        : x)
		                     : (x < z           ? x
		                                : y < z ? z
		                                        : y);
		size_t i = lo, j = hi;

		for (;;) {
			while (a[i] > pivot)
				i++;
			while (a[j] < pivot)
				j--;
			if (i >= j)
				break;

			double swap = a[i];

			a[i++] = a[j];
			a[j--] = swap;
		}
		if (want <= j)
			hi = j;
		else
			lo = j + 1;
	}
	return a[want];
}

/* Greatest share that each node has in any pair. */
static bool
shares(const struct plan *p, double *share, struct err *e)
{
	const struct tree *t = p->tree;
	int64_t *w = xcalloc(t->n, sizeof *w);
	bool good = true;

	for (uint32_t k = 0; k < p->npairs && good; k++) {
		good = widths(t, k, p->npairs, t->self, t->parent, t->n, w, e) &&
		        (!t->sides || fits(t, p->npairs + k, k, e));
		if (!good || w[0] == 0)
			continue;
		for (uint32_t i = 0; i < t->n; i++) {
			double s = (double)w[i] / (double)w[0];

			if (s > share[i])
				share[i] = s;
		}
	}
	free(w);
	return good;
}

/* keep[i]: whether node i stands alone. */
static void
choose(struct plan *p, const double *share, uint32_t max_frames, bool *keep)
{
	const struct tree *t = p->tree;
	double least = 0;
	uint32_t above = 0, ties;

	for (uint32_t i = 1; i < t->n; i++)
		p->all += share[i] > 0;
	if (p->all > max_frames) {
		double *copy = xmalloc((size_t)t->n * sizeof *copy);

		memcpy(copy, share + 1, (size_t)(t->n - 1) * sizeof *copy);
		least = max_frames ? kth_greatest(copy, t->n - 1, max_frames)
		                   : INFINITY;
		free(copy);
	}
	for (uint32_t i = 1; i < t->n; i++)
		above += share[i] > least;
	/* Of equal ones the first in the order of the tree, callers before callees. */
	ties = p->all > max_frames ? max_frames - above : 0;
	keep[0] = true;
	for (uint32_t i = 1; i < t->n; i++) {
		keep[i] = share[i] > least;
		if (!keep[i] && ties && share[i] == least && share[i] > 0) {
			keep[i] = true;
			ties--;
		}
		p->kept += keep[i];
	}
}

static uint32_t
add(struct plan *p, uint32_t parent, uint32_t node, uint32_t frame, uint32_t count)
{
	p->parent[p->n] = parent;
	p->node[p->n] = node;
	p->frame[p->n] = frame;
	p->count[p->n] = count;
	return p->n++;
}

/* The kept nodes and, behind the last child of each, what it lost. */
static void
build(struct plan *p, const double *share, const bool *keep)
{
	const struct tree *t = p->tree;
	uint32_t ncols = t->meta.ntypes, prev = 0;
	uint32_t *owner = xcalloc(t->n, sizeof *owner),
	         *lost = xcalloc(t->n, sizeof *lost);
	uint32_t *at = xcalloc(t->n, sizeof *at), *small = xcalloc(t->n, sizeof *small);
	size_t room = 2 * ((size_t)p->kept + 1);

	for (uint32_t i = 1; i < t->n; i++) {
		owner[i] = keep[t->parent[i]] ? t->parent[i] : owner[t->parent[i]];
		lost[owner[i]] += !keep[i] && share[i] > 0;
	}
	p->parent = arena_calloc(&p->arena, room, sizeof *p->parent);
	p->node = arena_calloc(&p->arena, room, sizeof *p->node);
	p->frame = arena_calloc(&p->arena, room, sizeof *p->frame);
	p->count = arena_calloc(&p->arena, room, sizeof *p->count);

	add(p, NO_PARENT, 0, 0, 1);
	for (uint32_t i = 1; i <= t->n; i++) {
		if (i < t->n && !keep[i])
			continue;
		/* Leave what does not hold i, innermost first; at the end, everything.
		 */
		uint32_t up = i < t->n ? t->parent[i] : NO_PARENT;

		for (; prev != up; prev = t->parent[prev])
			if (lost[prev])
				small[prev] =
				        add(p, at[prev], prev, PLAN_SMALL, lost[prev]);
		if (i < t->n) {
			at[i] = add(p, at[up], i, t->frame[i], 1);
			prev = i;
		}
	}

	p->self = arena_calloc(&p->arena, ncols, sizeof *p->self);
	for (uint32_t k = 0; k < ncols; k++) {
		int64_t *self = p->self[k] =
		        arena_calloc(&p->arena, p->n, sizeof *self);

		for (uint32_t i = 0; i < p->n; i++)
			if (p->frame[i] != PLAN_SMALL)
				self[i] = t->self[k][p->node[i]];
		for (uint32_t i = 1; i < t->n; i++)
			if (!keep[i] && share[i] > 0)
				self[small[owner[i]]] += t->self[k][i];
	}
	free(owner);
	free(lost);
	free(at);
	free(small);
}

/* Whether colouring by kind says anything. */
static bool
has_kinds(const struct tree *t)
{
	bool seen[CLASS_COUNT] = { false };
	unsigned code = 0;

	for (uint32_t i = 0; t->kind && i < t->n; i++)
		if (t->kind[i] != KIND_NONE)
			return true;
	for (uint32_t i = 0; i < t->nframes; i++)
		seen[t->frames[i].class] = true;
	for (unsigned c = 0; c < CLASS_COUNT; c++)
		code += seen[c] && c != CLASS_NONE && c != CLASS_LABEL;
	return code > 1;
}

static double *
find_z(const struct tree *t)
{
	for (size_t i = 0; i < t->nmarks; i++)
		if (str_eq(t->marks[i].name, STR("z")))
			return t->marks[i].value;
	return NULL;
}

bool
plan_make(struct plan *p, const struct tree *t, uint32_t max_frames, struct err *e)
{
	double *share = xcalloc(t->n, sizeof *share), *z = find_z(t);
	bool *keep = xcalloc(t->n, sizeof *keep), good;
	uint32_t ncols = t->meta.ntypes;

	*p = (struct plan){ .tree = t, .npairs = t->sides ? ncols / 2 : ncols };
	p->shown = t->meta.shown < ncols ? t->meta.shown : ncols ? ncols - 1 : 0;
	if (p->npairs)
		p->shown %= p->npairs;
	good = shares(p, share, e);
	if (good) {
		choose(p, share, max_frames, keep);
		build(p, share, keep);
	}
	free(share);
	free(keep);
	p->width = arena_calloc(&p->arena, p->npairs, sizeof *p->width);
	for (uint32_t k = 0; k < p->npairs && good; k++) {
		p->width[k] = arena_calloc(&p->arena, p->n, sizeof **p->width);
		good = widths(t, k, p->npairs, p->self, p->parent, p->n, p->width[k],
		              e);
	}
	if (!good) {
		plan_clear(p);
		return false;
	}
	/* Sums of magnitudes fit, so these do. */
	p->total = arena_calloc(&p->arena, ncols, sizeof *p->total);
	for (uint32_t k = 0; k < ncols; k++) {
		int64_t *total = p->total[k] =
		        arena_calloc(&p->arena, p->n, sizeof *total);

		memcpy(total, p->self[k], (size_t)p->n * sizeof *total);
		for (uint32_t i = p->n; i-- > 1;)
			if (!num_add_i64(total[p->parent[i]], total[i],
			                 &total[p->parent[i]]))
				total[p->parent[i]] = INT64_MAX;
	}
	if (z) {
		p->z = arena_calloc(&p->arena, p->n, sizeof *p->z);
		for (uint32_t i = 0; i < p->n; i++)
			p->z[i] = p->frame[i] == PLAN_SMALL ? NAN : z[p->node[i]];
	}
	p->kinds = has_kinds(t);
	return true;
}

int
plan_step(const struct plan *p, uint32_t pair, uint32_t node)
{
	static const int from[] = { 2, 10, 25, 50 };
	int64_t a = p->total[pair][node];
	int64_t b = plan_scaled(p->tree, pair, p->total[p->npairs + pair][node]);
	num_i128 change = (num_i128)b - a, size = change < 0 ? -change : change;
	num_i128 base = a < 0 ? -(num_i128)a : a;
	int step = 0;

	if (change == 0 || (p->z && fabs(p->z[node]) < 2))
		return 0;
	while (step < 4 && size * 100 >= base * from[step])
		step++;
	return change < 0 ? -step : step;
}

void
plan_clear(struct plan *p)
{
	arena_clear(&p->arena);
	*p = (struct plan){ 0 };
}
