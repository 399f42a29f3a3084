#include "analysis/diff.h"

#include <stdlib.h>

#include "base/arena.h"
#include "bytes/io.h"
#include "formats/folded.h"
#include "tree/group.h"
#include "tree/treefile.h"

#include "tap.h"

static struct tree
tree_of(struct str text, const char *type)
{
	struct group_opts go = { 0 };
	struct folded_opts fo = { .type = type };
	struct folded_stats stats;
	struct groups *g = groups_new(&go);
	struct source *in = source_mem("text", text, NULL);
	struct err e = { 0 };
	struct tree *all = NULL, t;
	size_t n = 0;

	if (!ok(folded_read(in, &fo, groups_sink(g), &stats, &e)) ||
	    !ok(groups_finish(g, &all, &n, &e)) || !ok(n == 1))
		exit(1);
	t = all[0];
	free(all);
	groups_free(g);
	source_close(in);
	return t;
}

static struct tree
folded(const char *text)
{
	return tree_of(str_of(text), NULL);
}

static struct tree
differ(const struct tree *b, const struct tree *t, enum diff_norm norm)
{
	struct diff_opts o = { .norm = norm };
	struct tree d = { 0 };
	struct err e = { 0 };

	ok(diff_trees(b, t, &o, &d, &e));
	ok(tree_check(&d, &e));
	ok(tree_canonical(&d));
	return d;
}

static void
label(struct tree *t, const char *key, const char *value)
{
	meta_label(&t->meta, str_of(key), str_of(value), &t->arena);
}

/* The tree as text: depth, name, values; kinds where there are some. */
static bool
looks(const struct tree *t, const char *want)
{
	uint32_t *depth = xmalloc(t->n * sizeof *depth);
	struct buf b = { 0 };
	bool same;

	tree_depths(t, depth);
	for (uint32_t i = 0; i < t->n; i++) {
		buf_printf(&b, "%u %.*s", depth[i],
		           i ? (int)t->frames[t->frame[i]].name.n : 3,
		           i ? t->frames[t->frame[i]].name.p : "all");
		if (t->kind)
			buf_printf(&b, " (%s)", frame_kind_name[t->kind[i]]);
		for (uint32_t k = 0; k < t->meta.ntypes; k++)
			buf_printf(&b, " %lld", (long long)t->self[k][i]);
		buf_char(&b, '\n');
	}
	same = str_eq(buf_view(&b), str_of(want));
	if (!same)
		fprintf(stderr, "%.*s", (int)b.n, b.p);
	buf_clear(&b);
	free(depth);
	return same;
}

static bool
fails(const struct tree *b, const struct tree *t, const char *want)
{
	struct diff_opts o = { 0 };
	struct tree d = { 0 };
	struct err e = { 0 };
	bool failed = !diff_trees(b, t, &o, &d, &e);

	if (failed && strcmp(e.text, want) != 0)
		fprintf(stderr, "%s\n", e.text);
	failed = failed && strcmp(e.text, want) == 0 && !d.n;
	tree_clear(&d);
	return failed;
}

static void
two_sides(void)
{
	struct tree b = folded("main;foo 1\n"),
	            t = folded("main;foo 2\nmain;foo;bar 4\n");
	struct tree d = differ(&b, &t, DIFF_NONE);

	ok(looks(&d, "0 all 0 0\n1 main 0 0\n2 foo 1 2\n3 bar 0 4\n"));
	ok(d.meta.ntypes == 2 && str_eq(d.meta.types[1].type, STR("samples")));
	ok(d.sides && str_eq(d.sides[0].name, STR("base")) &&
	   str_eq(d.sides[1].name, STR("target")));
	ok(str_eq(d.norm, STR("none")) && d.nscale == 1 && d.scale[0] == 1);
	ok(diff_differs(&d, 0));
	tree_clear(&d);
	d = differ(&b, &t, DIFF_SHARE);
	ok(str_eq(d.norm, STR("share")) && d.scale[0] == 1.0 / 6);
	tree_clear(&d);
	d = differ(&t, &b, DIFF_SHARE);
	ok(looks(&d, "0 all 0 0\n1 main 0 0\n2 foo 2 1\n3 bar 4 0\n"));
	ok(d.scale[0] == 6);
	tree_clear(&d);
	tree_clear(&b);
	tree_clear(&t);
}

static void
deeper_first(void)
{
	struct tree b = folded("a;x 1\na;x;m 2\nb 3\nc;a 4\n");
	struct tree t = folded("a;x;k 1\na;x;m;n 2\na;y 3\nab 4\nc 5\n 6\n");
	struct tree d = differ(&b, &t, DIFF_NONE);

	ok(looks(&d,
	         "0 all 0 6\n"
	         "1 a 0 0\n"
	         "2 x 1 0\n"
	         "3 k 0 1\n"
	         "3 m 2 0\n"
	         "4 n 0 2\n"
	         "2 y 0 3\n"
	         "1 ab 0 4\n"
	         "1 b 3 0\n"
	         "1 c 0 5\n"
	         "2 a 4 0\n"));
	tree_clear(&d);
	tree_clear(&b);
	tree_clear(&t);
}

static void
names(void)
{
	/* Folded, two siblings of base are one, and their order among others changes.
	 */
	struct tree b = folded("A$$Lambda$2/1.run;x 1\nA$$Lambda$2/1.run;z 2\n"
	                       "A$$Lambda$9/5.run;x 4\nA$$Lambda$9/5.run 8\n"
	                       "A$$Lambda$a 16\n");
	struct tree t = folded("A$$Lambda$7/3.run;x 32\n");
	struct diff_opts plain = { .no_canon = true };
	struct tree d = differ(&b, &t, DIFF_NONE);
	struct err e = { 0 };

	ok(looks(&d,
	         "0 all 0 0\n"
	         "1 A$$Lambda$a 16 0\n"
	         "1 A$$Lambda.run 8 0\n"
	         "2 x 5 32\n"
	         "2 z 2 0\n"));
	tree_clear(&d);
	ok(diff_trees(&b, &t, &plain, &d, &e));
	ok(d.n == 1 + 1 + 3 + 2 + 2);
	tree_clear(&d);
	tree_clear(&b);
	tree_clear(&t);
	/* Folded twice this would be A$$Lambda: it is folded once, then sorted again.
	 */
	b = folded(
	        "A$$Lambda::h0123456789abcdef$1 1\nA$$Lambda::h0123456789abcdee$1 2\n");
	t = folded("w 1\n");
	d = differ(&b, &t, DIFF_NONE);
	ok(looks(&d, "0 all 0 0\n1 A$$Lambda$1 3 0\n1 w 0 1\n"));
	tree_clear(&d);
	tree_clear(&b);
	tree_clear(&t);
}

/* Frames that no node has are left out, also where a side is sorted anew. */
static void
unused_frames(void)
{
	struct tree b = folded("f$$Lambda$1;p 1\nf$$Lambda$2;q 2\n");
	struct tree t = folded("f$$Lambda$3;p 5\n"), d;
	struct frame *frames = arena_calloc(&b.arena, b.nframes + 1UL, sizeof *frames);

	memcpy(frames, b.frames, b.nframes * sizeof *frames);
	frames[b.nframes++] = (struct frame){ .name = STR("unused") };
	b.frames = frames;
	d = differ(&b, &t, DIFF_NONE);
	ok(d.nframes == 3);
	ok(looks(&d, "0 all 0 0\n1 f$$Lambda 0 0\n2 p 1 5\n2 q 2 0\n"));
	tree_clear(&b);
	tree_clear(&t);
	tree_clear(&d);
}

static void
heads(void)
{
	struct tree b = folded("f 1\n"), t = folded("f 1\n");
	struct tree d;

	label(&b, "event", "cpu");
	label(&t, "event", "cpu");
	label(&b, "version", "1");
	label(&t, "version", "2");
	label(&t, "host", "h");
	b.meta.start_ns = 100;
	b.meta.end_ns = 200;
	b.meta.duration_ns = 90;
	t.meta.duration_ns = 95;
	t.meta.profiles = 3;
	b.meta.shown = t.meta.shown = 0;
	b.meta.period = t.meta.period = 10;
	b.meta.truncated = 1;
	t.meta.truncated = 2;
	d = differ(&b, &t, DIFF_NONE);
	ok(d.meta.nlabels == 1 && str_eq(d.meta.labels[0].value, STR("cpu")));
	ok(d.sides[0].nlabels == 2 && d.sides[1].nlabels == 3);
	ok(str_eq(label_get(d.sides[1].labels, 3, STR("version")), STR("2")));
	ok(d.sides[0].start_ns == 100 && d.sides[0].end_ns == 200 &&
	   d.sides[0].duration_ns == 90 && d.sides[1].duration_ns == 95);
	ok(d.sides[0].profiles == 1 && d.sides[1].profiles == 3);
	ok(!d.meta.start_ns && !d.meta.duration_ns && !d.meta.profiles);
	ok(d.meta.shown == 0 && d.meta.period == 10 && d.meta.truncated == 3);
	tree_clear(&d);
	t.meta.shown = NO_TYPE;
	t.meta.period = 20;
	d = differ(&b, &t, DIFF_NONE);
	ok(d.meta.shown == NO_TYPE && d.meta.period == 0);
	tree_clear(&d);
	ok(diff_trees(&b, &t, &(struct diff_opts){ 0 }, &d, &(struct err){ 0 }));
	ok(fails(&d, &b, "a differential document cannot be compared"));
	ok(fails(&b, &d, "a differential document cannot be compared"));
	tree_clear(&d);
	t.meta.truncated = UINT64_MAX;
	ok(fails(&b, &t, "truncated overflows"));
	tree_clear(&b);
	tree_clear(&t);
}

static void
types(void)
{
	struct tree b = tree_of(STR("f 1\n"), "cpu/nanoseconds");
	struct tree t = tree_of(STR("f 1\n"), "samples/count");
	struct sample_type two[2], other[2];
	int64_t one[] = { 0, 10 }, more[] = { 0, 20 };
	int64_t *columns[] = { one, more }, *swapped[] = { more, one };
	struct tree d;

	ok(!diff_comparable(&b.meta, &t.meta));
	ok(fails(&b, &t,
	         "sample types differ: only base has cpu/nanoseconds, only target has "
	         "samples/count (-t compares one that both have)"));
	two[0] = other[1] = t.meta.types[0];
	two[1] = other[0] = b.meta.types[0];
	b.meta.types = two;
	b.meta.ntypes = 2;
	b.self = columns;
	ok(fails(&b, &t,
	         "sample types differ: only base has cpu/nanoseconds (-t compares one "
	         "that "
	         "both have)"));
	ok(fails(
	        &t, &b,
	        "sample types differ: only target has cpu/nanoseconds (-t compares one "
	        "that both have)"));
	/* The same types in another order are the same types. */
	t.meta.types = other;
	t.meta.ntypes = 2;
	t.self = swapped;
	b.meta.shown = 0;
	t.meta.shown = 1;
	d = differ(&b, &t, DIFF_NONE);
	ok(looks(&d, "0 all 0 0 0 0\n1 f 10 20 10 20\n"));
	ok(str_eq(d.meta.types[2].type, STR("samples")) && d.meta.shown == 0);
	tree_clear(&d);
	tree_clear(&b);
	tree_clear(&t);
}

/* Kinds join, and what one side alone tells frames apart by is dropped. */
static void
identity(void)
{
	struct tree b = folded("f_[j];g_[i] 1\nf_[j];h 2\n");
	struct tree t = folded("f_[0];g_[0] 4\nf_[0];k_[1] 8\n");
	struct tree c = folded("a 1\nb 2\n"), d;

	d = differ(&b, &t, DIFF_NONE);
	ok(looks(&d,
	         "0 all () 0 0\n1 f (jit) 0 0\n2 g (inlined) 1 4\n2 h () 2 0\n"
	         "2 k (c1) 0 8\n"));
	tree_clear(&d);
	tree_clear(&b);
	tree_clear(&t);

	/* a:1 and a:2 are siblings of c, under the identity of name and line. */
	t = folded("a 4\n");
	c.meta.identity = ID_LINE;
	c.frames[1].name = c.frames[0].name;
	c.frames[0].line = 1;
	c.frames[1].line = 2;
	c.frames[0].module = STR("z");
	c.frames[1].module = STR("y");
	d = differ(&c, &t, DIFF_NONE);
	ok(looks(&d, "0 all 0 0\n1 a 3 4\n"));
	ok(d.meta.identity == 0 && d.frames[0].line == 1);
	ok(str_eq(d.frames[0].module, STR("y")));
	tree_clear(&d);
	t.meta.identity = ID_LINE | ID_FILE;
	d = differ(&t, &c, DIFF_NONE);
	ok(looks(&d, "0 all 0 0\n1 a 4 0\n1 a 0 1\n1 a 0 2\n"));
	ok(d.meta.identity == ID_LINE);
	tree_clear(&d);
	tree_clear(&t);
	tree_clear(&c);
}

static void
changes(void)
{
	static const struct {
		int64_t base, target;
		double scale, want;
	} row[] = {
		{ 0, 0, 1, 0 },
		{ 1, 3, 1, 2 },
		{ 3, 1, 1, -2 },
		{ INT64_MAX, INT64_MAX, 1, 0 },
		{ INT64_MAX - 1, INT64_MAX, 1, 1 },
		{ INT64_MIN, INT64_MAX, 1, 0x1p64 },
		{ -5, 5, 1, 10 },
		{ 3, 7, 3.0 / 7, 0 },
		{ 3, 49, 3.0 / 49, 0 },
		{ 1, 10, 0.5, 4 },
		{ 0, 7, 0.5, 3.5 },
		{ 1000000000000, 3000000000001, 1.0 / 3, 1.0 / 3 },
	};
	struct tree a = folded("f 2\ng 4\n"), b = folded("f 3\ng 6\n"), d;
	struct tree zero = folded("f 0\n"), minus = folded("f -2\n");

	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		double c = diff_change(row[i].base, row[i].target, row[i].scale);

		ok(c == row[i].want ||
		   (row[i].want != 0 && c / row[i].want > 0.999 &&
		    c / row[i].want < 1.001));
	}
	d = differ(&a, &b, DIFF_NONE);
	ok(diff_differs(&d, 0));
	tree_clear(&d);
	d = differ(&a, &b, DIFF_SHARE);
	ok(!diff_differs(&d, 0));
	tree_clear(&d);
	d = differ(&a, &zero, DIFF_SHARE);
	ok(d.scale[0] == 1 && diff_differs(&d, 0));
	tree_clear(&d);
	d = differ(&zero, &a, DIFF_SHARE);
	ok(d.scale[0] == 1);
	tree_clear(&d);
	d = differ(&minus, &a, DIFF_SHARE);
	ok(d.scale[0] == 1);
	tree_clear(&d);
	tree_clear(&a);
	tree_clear(&b);
	tree_clear(&zero);
	tree_clear(&minus);
}

/* ---- properties over generated text ---- */

static uint64_t state = 1;

static unsigned
random_below(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state % n);
}

static struct tree
random_tree(void)
{
	static const char *const name[] = {
		"a",    "a.isra.0",       "b",         "ab",
		"a::b", "X$$Lambda$1/2",  "a_[j]",     "a_[i]",
		"",     "X$$Lambda$10/2", "f+0x1/0x2", "z"
	};
	unsigned lines = 1 + random_below(30);
	struct buf b = { 0 };
	struct tree t;

	for (unsigned i = 0; i < lines; i++) {
		unsigned depth = 1 + random_below(6);

		for (unsigned k = 0; k < depth; k++)
			buf_printf(&b, "%s%s", k ? ";" : "", name[random_below(12)]);
		buf_printf(&b, " %d\n", (int)random_below(9) - 2);
	}
	t = tree_of(buf_view(&b), NULL);
	buf_clear(&b);
	return t;
}

static int64_t
sum(const struct tree *t, uint32_t k)
{
	int64_t s = 0;

	for (uint32_t i = 0; i < t->n; i++)
		s += t->self[k][i];
	return s;
}

/* Columns, sides and scales the other way round. */
static void
swap_sides(struct tree *d)
{
	uint32_t n = d->meta.ntypes / 2;
	struct tree_side side = d->sides[0];
	struct str name = side.name;

	for (uint32_t k = 0; k < n; k++) {
		int64_t *self = d->self[k];

		d->self[k] = d->self[n + k];
		d->self[n + k] = self;
	}
	d->sides[0] = d->sides[1];
	d->sides[1] = side;
	d->sides[1].name = d->sides[0].name;
	d->sides[0].name = name;
}

static bool
same_bytes(const struct tree *x, const struct tree *y)
{
	struct buf a = { 0 }, b = { 0 };
	struct sink *s = sink_buf(&a);
	struct err e = { 0 };
	bool same;

	treefile_json(x, s);
	sink_close(s, &e);
	s = sink_buf(&b);
	treefile_json(y, s);
	sink_close(s, &e);
	same = str_eq(buf_view(&a), buf_view(&b));
	buf_clear(&a);
	buf_clear(&b);
	return same;
}

/* Both trees merged: the union by another way, with the values added. */
static struct tree
merged(const struct tree *x, const struct tree *y)
{
	struct group_opts go = { 0 };
	struct groups *g = groups_new(&go);
	struct tree *all = NULL, t = { 0 };
	struct err e = { 0 };
	size_t n = 0;

	if (tree_push(x, groups_sink(g), &e) && tree_push(y, groups_sink(g), &e) &&
	    groups_finish(g, &all, &n, &e) && n == 1)
		t = all[0];
	free(all);
	groups_free(g);
	return t;
}

static bool
same_union(const struct tree *d, const struct tree *m)
{
	bool same = d->n == m->n && d->nframes == m->nframes && !d->kind == !m->kind;

	for (uint32_t i = 0; i < d->n && same; i++)
		same = d->parent[i] == m->parent[i] && d->frame[i] == m->frame[i] &&
		        (!d->kind || d->kind[i] == m->kind[i]) &&
		        d->self[0][i] + d->self[1][i] == m->self[0][i];
	for (uint32_t i = 0; i < d->nframes && same; i++)
		same = frame_cmp(&d->frames[i], &m->frames[i], ID_ALL) == 0;
	return same;
}

static void
properties(void)
{
	struct diff_opts plain = { .no_canon = true };
	struct err e = { 0 };

	for (int round = 0; round < 200; round++) {
		struct tree x = random_tree(), y = random_tree(), d, v;

		d = differ(&x, &y, DIFF_NONE);
		ok(sum(&d, 0) == sum(&x, 0) && sum(&d, 1) == sum(&y, 0));
		v = differ(&y, &x, DIFF_NONE);
		swap_sides(&v);
		ok(same_bytes(&d, &v));
		tree_clear(&d);
		tree_clear(&v);
		ok(diff_trees(&x, &y, &plain, &d, &e));
		v = merged(&x, &y);
		ok(same_union(&d, &v));
		tree_clear(&d);
		tree_clear(&v);
		d = differ(&x, &x, DIFF_SHARE);
		ok(!diff_differs(&d, 0));
		tree_clear(&d);
		tree_clear(&x);
		tree_clear(&y);
	}
}

static void
deep(void)
{
	struct buf b = { 0 };
	struct tree x, y, d;

	for (int i = 0; i < 3000; i++)
		buf_printf(&b, "%sf", i ? ";" : "");
	buf_printf(&b, " 1\n");
	x = tree_of(buf_view(&b), NULL);
	buf_printf(&b, "g 1\n");
	y = tree_of(buf_view(&b), NULL);
	d = differ(&x, &y, DIFF_NONE);
	ok(d.n == 3002 && diff_differs(&d, 0));
	ok(d.self[0][3000] == 1 && d.self[1][3000] == 1 && d.self[1][3001] == 1);
	tree_clear(&d);
	tree_clear(&x);
	tree_clear(&y);
	buf_clear(&b);
}

int
main(void)
{
	enum diff_norm norm;

	two_sides();
	deeper_first();
	names();
	unused_frames();
	heads();
	types();
	identity();
	changes();
	properties();
	deep();
	ok(diff_norm("share", &norm) && norm == DIFF_SHARE);
	ok(!diff_norm("shares", &norm));
	return done();
}
