/*
 * Merging in any order and in any tree of merges gives the same bytes, and those of a
 * reference that adds up stacks in a sorted list, the slow and plain way.
 */
#include <stdlib.h>

#include "tap.h"

#include "base/buf.h"
#include "bytes/io.h"
#include "tree/group.h"
#include "tree/treefile.h"

/* ---- a small generator, the same numbers everywhere ---- */

static uint64_t state;

static uint32_t
roll(uint32_t n)
{
	state = state * 6364136223846793005U + 1442695040888963407U;
	return (uint32_t)(state >> 33) % n;
}

static const char *const names[] = {
	"a", "b", "main", "f", "f\xc3\xa9", "", "a;b", "zz"
};
static const char *const texts[] = { "", "x.c", "y.c" };

static struct str
pick(const char *const *from, uint32_t n)
{
	return str_of(from[roll(n)]);
}

/* A random document: mixed kinds, classes, labels, zero times, gauges. */
static void
make(struct tree *t, bool gauges, uint32_t chain)
{
	struct arena *a = &t->arena;
	uint32_t n = 1 + roll(12) + chain, depth[16] = { 0 };
	struct meta *m = &t->meta;

	m->ntypes = 2;
	m->types = arena_calloc(a, 2, sizeof *m->types);
	m->types[0] = (struct sample_type){ STR("samples"), STR("count"), AGG_SUM };
	m->types[1] = (struct sample_type){ STR("x"), STR("bytes"),
		                            gauges ? AGG_GAUGE : AGG_SUM };
	m->shown = roll(3) ? 1 : NO_TYPE;
	meta_label(m, STR("event"), roll(2) ? STR("cpu") : STR("wall"), a);
	if (roll(2))
		meta_label(m, STR("service"), roll(2) ? STR("s") : STR("t"), a);
	if (roll(2))
		meta_label(m, STR("zone"), roll(4) ? STR("1") : STR("2"), a);
	m->start_ns = roll(3) ? 1000 + roll(100) : 0;
	m->end_ns = roll(3) ? 2000 + roll(100) : 0;
	m->duration_ns = roll(50);
	m->profiles = roll(3);
	m->truncated = roll(2);
	if (roll(4)) {
		m->period = 10;
		m->period_type = (struct sample_type){ STR("cpu"), STR("ns"), AGG_SUM };
	}
	m->identity = roll(5) ? 0 : ID_FILE | ID_LINE;
	t->nframes = 1 + roll(10);
	t->frames = arena_calloc(a, t->nframes, sizeof *t->frames);
	for (uint32_t i = 0; i < t->nframes; i++)
		t->frames[i] =
		        (struct frame){ .name = pick(names, 8),
			                .class = (enum frame_class)roll(CLASS_COUNT),
			                .file = pick(texts, 3),
			                .line = roll(3),
			                .module = pick(texts, 2) };
	/* Of frames that are name and class alone, trees can be taken whole. */
	if (chain)
		m->identity = 0;
	for (uint32_t i = 0; i < t->nframes && chain; i++)
		t->frames[i] =
		        (struct frame){ .name = i ? t->frames[i].name : STR("main"),
			                .class = i ? t->frames[i].class : 0 };
	t->n = n;
	t->parent = arena_alloc(a, n * sizeof *t->parent);
	t->frame = arena_calloc(a, n, sizeof *t->frame);
	t->self = arena_calloc(a, 2, sizeof *t->self);
	t->kind = roll(2) ? arena_calloc(a, n, 1) : NULL;
	for (int k = 0; k < 2; k++)
		t->self[k] = arena_calloc(a, n, sizeof **t->self);
	t->parent[0] = NO_PARENT;
	/* Below the chain, if any, each node is at most one deeper than the one before.
	 */
	for (uint32_t i = 0, d = 0; i < n; i++) {
		if (i && i <= chain) {
			t->parent[i] = i - 1;
		} else if (i) {
			d = 1 + roll(d + 1);
			t->parent[i] = depth[d - 1];
			t->frame[i] = roll(t->nframes);
		}
		depth[d] = i;
		for (int k = 0; k < 2; k++)
			t->self[k][i] = roll(3) ? (int64_t)roll(9) - 2 : 0;
		if (t->kind && i)
			t->kind[i] = (uint8_t)roll(KIND_COUNT);
	}
}

static void
bytes(struct tree *t, size_t n, struct buf *out)
{
	struct sink *s = sink_buf(out);
	struct err e;

	for (size_t i = 0; i < n; i++)
		treefile_json(&t[i], s);
	sink_close(s, &e);
}

/* Merge documents that were written as JSON, to JSON. */
static bool
merge(const struct buf *docs, size_t n, const size_t *order, struct buf *out)
{
	struct group_opts opts = { 0 };
	struct groups *g = groups_new(&opts);
	struct tree *done_ = NULL;
	size_t ndone = 0;
	struct err e = { 0 };
	bool good = true;

	for (size_t i = 0; i < n && good; i++) {
		struct source *s = source_mem("doc", buf_view(&docs[order[i]]), NULL);
		struct treefile f = { .source = s };
		enum treefile_kind what = TREEFILE_TREE;
		struct tree t = { 0 };
		struct envelope v = { 0 };

		while (good && what != TREEFILE_END) {
			good = treefile_next(&f, &what, &t, &v, &e) &&
			        (what == TREEFILE_END || groups_take(g, &t, &e));
			tree_clear(&t);
		}
		source_close(s);
	}
	good = good && groups_finish(g, &done_, &ndone, &e);
	if (!good)
		fprintf(stderr, "# %s\n", e.text);
	out->n = 0;
	bytes(done_, ndone, out);
	for (size_t i = 0; i < ndone; i++)
		tree_clear(&done_[i]);
	free(done_);
	groups_free(g);
	return good;
}

static void
shuffle(size_t *order, size_t n)
{
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	for (size_t i = n; i > 1; i--) {
		size_t k = roll((uint32_t)i), t = order[i - 1];

		order[i - 1] = order[k];
		order[k] = t;
	}
}

/* A random tree of merges: take some of what is there, put the result back. */
static bool
merge_in_a_tree(const struct buf *docs, size_t n, struct buf *out)
{
	struct buf *left = calloc(n, sizeof *left);
	size_t nleft = n, order[16];
	bool good = true;

	for (size_t i = 0; i < n; i++)
		buf_put(&left[i], docs[i].p, docs[i].n);
	while (nleft > 1 && good) {
		size_t take = 2 + roll((uint32_t)nleft - 1);
		struct buf got = { 0 }, all[16] = { { 0 } };

		shuffle(order, nleft);
		good = merge(left, take, order, &got);
		for (size_t i = 0; i < take; i++)
			buf_clear(&left[order[i]]);
		for (size_t i = take; i < nleft; i++)
			all[i - take] = left[order[i]];
		nleft = nleft - take + 1;
		all[nleft - 1] = got;
		for (size_t i = 0; i < nleft; i++)
			left[i] = all[i];
	}
	buf_put(out, left[0].p, left[0].n);
	for (size_t i = 0; i < nleft; i++)
		buf_clear(&left[i]);
	free(left);
	return good;
}

static int64_t
sum_of(const struct buf *docs, size_t n, int type)
{
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		struct source *s = source_mem("doc", buf_view(&docs[i]), NULL);
		struct treefile f = { .source = s };
		enum treefile_kind what;
		struct tree t = { 0 };
		struct envelope v = { 0 };
		struct err e;

		while (treefile_next(&f, &what, &t, &v, &e) && what == TREEFILE_TREE) {
			for (uint32_t k = 0; k < t.n; k++)
				sum += t.self[type][k];
			tree_clear(&t);
		}
		source_close(s);
	}
	return sum;
}

static void
any_order(bool gauges, uint32_t chain)
{
	int equal = 0, trees = 0, totals = 0, rounds = chain ? 40 : 200;

	for (int round = 0; round < rounds; round++) {
		struct buf docs[8] = { { 0 } }, one = { 0 }, other = { 0 },
		           tree = { 0 };
		size_t n = 2 + roll(6), order[8];
		bool good = true;

		for (size_t i = 0; i < n; i++) {
			struct tree t = { 0 };

			make(&t, gauges, chain);
			bytes(&t, 1, &docs[i]);
			tree_clear(&t);
		}
		for (size_t i = 0; i < n; i++)
			order[i] = i;
		good = merge(docs, n, order, &one);
		shuffle(order, n);
		good = merge(docs, n, order, &other) && good;
		equal += good && str_eq(buf_view(&one), buf_view(&other));
		if (!str_eq(buf_view(&one), buf_view(&other)) && equal + 1 == round + 1)
			fprintf(stderr, "# round %d\n%.*s---\n%.*s", round, (int)one.n,
			        one.p, (int)other.n, other.p);
		good = merge_in_a_tree(docs, n, &tree);
		trees += good && str_eq(buf_view(&one), buf_view(&tree));
		totals += sum_of(docs, n, 0) == sum_of(&one, 1, 0);
		if (!str_eq(buf_view(&one), buf_view(&tree)) && trees + 1 == round + 1)
			fprintf(stderr, "# round %d\n%.*s---\n%.*s", round, (int)one.n,
			        one.p, (int)tree.n, tree.p);
		for (size_t i = 0; i < n; i++)
			buf_clear(&docs[i]);
		buf_clear(&one);
		buf_clear(&other);
		buf_clear(&tree);
	}
	ok(equal == rounds);
	ok(trees == rounds);
	ok(totals == rounds);
}

int
main(void)
{
	state = 42;
	any_order(false, 0);
	any_order(true, 0);
	/* So deep that trees are taken whole. */
	any_order(false, 700);
	any_order(true, 700);
	return done();
}
