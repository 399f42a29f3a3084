/*
 * The frames of both sides go into one table under the coarser identity and get ranks
 * in canonical order, so that nodes compare as numbers. Then one walk over the columns:
 * of the next node of each side the deeper one goes first, for it still belongs to the
 * subtree that is open; at equal depth both have the same parent, so the smaller rank
 * goes first, and equal ranks are one node.
 *
 * Folding names or dropping identity fields can put siblings out of order or make them
 * equal: only then a side is sorted again before the walk.
 */
#include "analysis/diff.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/canon.h"
#include "base/arena.h"
#include "base/caps.h"
#include "base/num.h"

static const struct {
	const char *name;
	enum diff_norm norm;
} norms[] = { { "none", DIFF_NONE }, { "share", DIFF_SHARE } };

const char diff_norms[] = "none, share";

enum { NNORMS = sizeof norms / sizeof norms[0] };

bool
diff_norm(const char *name, enum diff_norm *out)
{
	for (size_t i = 0; i < NNORMS; i++)
		if (strcmp(name, norms[i].name) == 0) {
			*out = norms[i].norm;
			return true;
		}
	return false;
}

/* ---- sample types ---- */

/* For each type of a its place in b, the n-th of a name being the n-th in both. */
static bool
match_types(const struct meta *a, const struct meta *b, uint32_t *place,
            uint32_t *missing)
{
	bool used[CAP_TYPES] = { false };
	bool all = true;

	for (uint32_t i = 0; i < a->ntypes; i++) {
		uint32_t k = 0;

		while (k < b->ntypes &&
		       (used[k] || !str_eq(a->types[i].type, b->types[k].type) ||
		        !str_eq(a->types[i].unit, b->types[k].unit)))
			k++;
		place[i] = k;
		if (k < b->ntypes) {
			used[k] = true;
		} else {
			*missing = i;
			all = false;
		}
	}
	return all;
}

bool
diff_comparable(const struct meta *base, const struct meta *target)
{
	uint32_t place[CAP_TYPES], missing;

	return base->ntypes == target->ntypes && base->ntypes <= CAP_TYPES &&
	        match_types(base, target, place, &missing);
}

/* "a/b, c/d": the types of m that other has not. */
static const char *
only_types(const struct meta *m, const struct meta *other, char *buf, size_t size)
{
	uint32_t place[CAP_TYPES], missing;
	size_t at = 0;

	buf[0] = '\0';
	match_types(m, other, place, &missing);
	for (uint32_t i = 0; i < m->ntypes && at < size; i++)
		if (place[i] == other->ntypes)
			at += (size_t)snprintf(
			        buf + at, size - at, "%s%.*s/%.*s", at ? ", " : "",
			        (int)m->types[i].type.n, m->types[i].type.p,
			        (int)m->types[i].unit.n, m->types[i].unit.p);
	return buf;
}

static bool
types_differ(const struct meta *base, const struct meta *target, struct err *e)
{
	char b[96], t[96];

	only_types(base, target, b, sizeof b);
	only_types(target, base, t, sizeof t);
	return err_set(e, ERR_FORMAT, "sample types differ:%s%s%s%s%s%s",
	               *b ? " only base has " : "", b, *b && *t ? "," : "",
	               *t ? " only target has " : "", t,
	               " (-t compares one that both have)");
}

/* ---- sides ---- */

struct side {
	struct tree t; /* columns of the input, or sorted ones of its own */
	uint32_t *id;  /* frame to place in the union */
	uint32_t *depth, max_depth;
};

struct differ {
	const struct diff_opts *opts;
	unsigned identity;
	struct frames all;  /* canonical names, identity fields alone */
	struct frame *kept; /* the same with the smallest attributes */
	uint32_t *rank;
	struct buf name;
	struct side side[2];
	/* The nodes of the union: where they come from, 0 being nowhere but for the
	 * root. */
	uint32_t n, *from[2], *parent, *frame;
};

static struct frame
canonical(struct differ *d, const struct frame *f, bool fold)
{
	struct frame c = { .name = f->name, .class = f->class };

	if (fold)
		c.name = names_canon(f->name, f->class, &d->name);
	if (d->identity & ID_FILE)
		c.file = f->file;
	if (d->identity & ID_MODULE)
		c.module = f->module;
	if (d->identity & ID_LINE)
		c.line = f->line;
	if (d->identity & ID_ADDRESS)
		c.address = f->address;
	return c;
}

static void
unite_frames(struct differ *d, struct side *s, bool fold)
{
	const struct tree *t = &s->t;
	bool *used = xcalloc(t->nframes + 1UL, sizeof *used);

	/* Frames without a node are anyone. */
	s->id = xcalloc(t->nframes + 1UL, sizeof *s->id);
	for (uint32_t i = 1; i < t->n; i++)
		used[t->frame[i]] = true;
	for (uint32_t i = 0; i < t->nframes; i++) {
		struct frame c;
		uint32_t n = d->all.n;

		if (!used[i])
			continue;
		c = canonical(d, &t->frames[i], fold);
		s->id[i] = frames_index(&d->all, &c);
		if (d->all.n > n)
			d->kept[n] = d->all.at[n];
		frame_attributes(&d->kept[s->id[i]], &t->frames[i], d->identity);
	}
	free(used);
}

static void
rank_frames(struct differ *d)
{
	uint32_t *index = xmalloc((d->all.n + 1UL) * sizeof *index);

	d->rank = xmalloc((d->all.n + 1UL) * sizeof *d->rank);
	for (uint32_t i = 0; i < d->all.n; i++)
		index[i] = i;
	frames_rank(&d->all, index, d->all.n, d->identity, d->rank);
	free(index);
}

/* Whether siblings ascend. last[d]: the rank of the last node at depth d. */
static bool
ascends(const struct differ *d, const struct side *s)
{
	uint32_t *last = xcalloc(s->max_depth + 1UL, sizeof *last);
	bool ok = true;

	for (uint32_t i = 1; i < s->t.n && ok; i++) {
		uint32_t depth = s->depth[i], r = d->rank[s->id[s->t.frame[i]]];

		ok = s->depth[i - 1] < depth || last[depth] < r;
		last[depth] = r;
	}
	free(last);
	return ok;
}

static void
measure(struct side *s)
{
	s->depth = xmalloc(s->t.n * sizeof *s->depth);
	s->max_depth = tree_depths(&s->t, s->depth);
}

/* The side under its canonical frames, in order, equal siblings joined. */
static bool
sort_side(struct differ *d, struct side *s, struct err *e)
{
	struct tree *t = &s->t;
	struct frame *frames = arena_calloc(&t->arena, t->nframes, sizeof *frames);

	for (uint32_t i = 0; i < t->nframes; i++) {
		frames[i] = t->frames[i];
		frames[i].name = d->all.at[s->id[i]].name;
	}
	t->frames = frames;
	t->meta.identity = d->identity;
	if (!tree_sort(t, e))
		return false;
	free(s->id);
	free(s->depth);
	/* These frames, as they stand, are known already: ranks stay true. */
	unite_frames(d, s, false);
	measure(s);
	return true;
}

/* ---- the walk ---- */

static void
walk(struct differ *d)
{
	const struct side *b = &d->side[0], *t = &d->side[1];
	uint32_t i = 1, j = 1, x = 0;
	uint32_t deepest = b->max_depth > t->max_depth ? b->max_depth : t->max_depth;
	uint32_t *path = xmalloc((deepest + 1UL) * sizeof *path);
	size_t most = (size_t)b->t.n + t->t.n;

	d->from[0] = xmalloc(most * sizeof *path);
	d->from[1] = xmalloc(most * sizeof *path);
	d->parent = xmalloc(most * sizeof *path);
	d->frame = xmalloc(most * sizeof *path);
	d->from[0][0] = d->from[1][0] = d->frame[0] = path[0] = 0;
	d->parent[0] = NO_PARENT;
	while (i < b->t.n || j < t->t.n) {
		uint32_t db = i < b->t.n ? b->depth[i] : 0;
		uint32_t dt = j < t->t.n ? t->depth[j] : 0;
		uint32_t fb = db ? b->id[b->t.frame[i]] : 0;
		uint32_t ft = dt ? t->id[t->t.frame[j]] : 0;
		bool base = db > dt || (db == dt && d->rank[fb] <= d->rank[ft]);
		bool target = dt > db || (dt == db && d->rank[ft] <= d->rank[fb]);
		uint32_t depth = base ? db : dt;

		d->parent[++x] = path[depth - 1];
		d->frame[x] = base ? fb : ft;
		d->from[0][x] = base ? i : 0;
		d->from[1][x] = target ? j : 0;
		path[depth] = x;
		i += base;
		j += target;
	}
	d->n = x + 1;
	free(path);
}

/* ---- the document ---- */

static void
put_frames(struct differ *d, struct tree *out)
{
	uint32_t *place = xmalloc((d->all.n + 1UL) * sizeof *place);

	memset(place, 0xff, (d->all.n + 1UL) * sizeof *place);
	out->frames = arena_calloc(&out->arena, d->all.n, sizeof *out->frames);
	out->frame = arena_alloc(&out->arena, d->n * sizeof *out->frame);
	out->frame[0] = 0;
	for (uint32_t i = 1; i < d->n; i++) {
		uint32_t id = d->frame[i];

		if (place[id] == UINT32_MAX) {
			struct frame *f = &out->frames[out->nframes];

			place[id] = out->nframes++;
			*f = d->kept[id];
			f->file = arena_str(&out->arena, f->file);
			f->module = arena_str(&out->arena, f->module);
		}
		out->frame[i] = place[id];
	}
	/* Names stay where they are: the text of the table moves over. */
	arena_join(&out->arena, &d->all.text.text);
	free(place);
}

static void
put_columns(const struct differ *d, int side, const uint32_t *place, struct tree *out)
{
	const struct tree *t = &d->side[side].t;
	const uint32_t *from = d->from[side];

	for (uint32_t k = 0; k < t->meta.ntypes; k++) {
		const int64_t *self = t->self[place[k]];
		int64_t *to = arena_alloc(&out->arena, d->n * sizeof *to);

		to[0] = self[0];
		for (uint32_t i = 1; i < d->n; i++)
			to[i] = from[i] ? self[from[i]] : 0;
		out->self[(uint32_t)side * t->meta.ntypes + k] = to;
	}
}

/* The first in the order jit, c1, inlined, interpreted; none is last. */
static uint8_t
join_kinds(uint8_t a, uint8_t b)
{
	return ((b - 1) & 7) < ((a - 1) & 7) ? b : a;
}

static void
put_kinds(const struct differ *d, struct tree *out)
{
	const uint8_t *b = d->side[0].t.kind, *t = d->side[1].t.kind;

	if (!b && !t)
		return;
	out->kind = arena_calloc(&out->arena, d->n, 1);
	for (uint32_t i = 1; i < d->n; i++) {
		uint32_t x = d->from[0][i], y = d->from[1][i];

		out->kind[i] = join_kinds(b && x ? b[x] : KIND_NONE,
		                          t && y ? t[y] : KIND_NONE);
	}
}

static void
put_side(struct tree_side *s, const char *name, const struct meta *m, struct arena *a)
{
	*s = (struct tree_side){ .name = str_of(name),
		                 .start_ns = m->start_ns,
		                 .end_ns = m->end_ns,
		                 .duration_ns = m->duration_ns,
		                 .profiles = m->profiles,
		                 .nlabels = m->nlabels };
	s->labels = arena_calloc(a, m->nlabels, sizeof *s->labels);
	for (size_t i = 0; i < m->nlabels; i++)
		s->labels[i] = (struct label){ arena_str(a, m->labels[i].key),
			                       arena_str(a, m->labels[i].value) };
}

static bool
same_period(const struct meta *a, const struct meta *b)
{
	return a->period == b->period &&
	        str_eq(a->period_type.type, b->period_type.type) &&
	        str_eq(a->period_type.unit, b->period_type.unit);
}

/* What both sides say; windows, durations and profiles are the sides' own. */
static bool
put_meta(const struct differ *d, const uint32_t *place, struct tree *out, struct err *e)
{
	const struct meta *b = &d->side[0].t.meta, *t = &d->side[1].t.meta;
	struct meta m = *b, *to = &out->meta;
	size_t n = 0;

	m.types = arena_calloc(&out->arena, 2UL * b->ntypes, sizeof *m.types);
	m.ntypes = 2 * b->ntypes;
	for (uint32_t k = 0; k < b->ntypes; k++) {
		m.types[k] = b->types[k];
		m.types[b->ntypes + k] = t->types[place[k]];
	}
	if (b->shown == NO_TYPE || t->shown != place[b->shown])
		m.shown = NO_TYPE;
	if (!same_period(b, t)) {
		m.period = 0;
		m.period_type = (struct sample_type){ 0 };
	}
	m.identity = d->identity;
	m.start_ns = m.end_ns = m.duration_ns = 0;
	m.profiles = 0;
	if (__builtin_add_overflow(b->truncated, t->truncated, &m.truncated))
		return err_set(e, ERR_LIMIT, "truncated overflows");
	meta_copy(to, &m, &out->arena);
	for (size_t i = 0; i < to->nlabels; i++) {
		struct str v = label_get(t->labels, t->nlabels, to->labels[i].key);

		if (v.p && str_eq(v, to->labels[i].value))
			to->labels[n++] = to->labels[i];
	}
	to->nlabels = n;
	return true;
}

static double
total(const int64_t *self, uint32_t n)
{
	num_i128 sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += self[i];
	return (double)sum;
}

static void
put_scale(enum diff_norm norm, struct tree *out)
{
	uint32_t n = out->meta.ntypes / 2;

	out->norm = str_of(norms[norm].name);
	out->nscale = n;
	out->scale = arena_alloc(&out->arena, n * sizeof *out->scale);
	for (uint32_t k = 0; k < n; k++) {
		double b, t;

		out->scale[k] = 1;
		if (norm == DIFF_NONE)
			continue;
		b = total(out->self[k], out->n);
		t = total(out->self[n + k], out->n);
		/* A share of nothing, or of what is less than nothing, says nothing. */
		if ((b > 0 && t > 0) || (b < 0 && t < 0))
			out->scale[k] = b / t;
	}
}

static bool
put_all(struct differ *d, const uint32_t *place, struct tree *out, struct err *e)
{
	uint32_t nt = d->side[0].t.meta.ntypes, straight[CAP_TYPES] = { 0 };

	if (!put_meta(d, place, out, e))
		return false;
	for (uint32_t k = 0; k < nt; k++)
		straight[k] = k;
	out->n = d->n;
	out->parent = arena_alloc(&out->arena, d->n * sizeof *out->parent);
	memcpy(out->parent, d->parent, d->n * sizeof *out->parent);
	put_frames(d, out);
	out->self = arena_calloc(&out->arena, 2UL * nt, sizeof *out->self);
	put_columns(d, 0, straight, out);
	put_columns(d, 1, place, out);
	put_kinds(d, out);
	out->sides = arena_calloc(&out->arena, 2, sizeof *out->sides);
	put_side(&out->sides[0], "base", &d->side[0].t.meta, &out->arena);
	put_side(&out->sides[1], "target", &d->side[1].t.meta, &out->arena);
	put_scale(d->opts->norm, out);
	return true;
}

/* ---- all of it ---- */

static void
borrow(struct side *s, const struct tree *t)
{
	s->t = *t;
	s->t.arena = (struct arena){ 0 };
	s->t.events = NULL;
	s->t.marks = NULL;
	s->t.nmarks = 0;
}

static void
differ_clear(struct differ *d)
{
	for (int i = 0; i < 2; i++) {
		tree_clear(&d->side[i].t);
		free(d->side[i].id);
		free(d->side[i].depth);
		free(d->from[i]);
	}
	frames_clear(&d->all);
	free(d->kept);
	free(d->rank);
	free(d->parent);
	free(d->frame);
	buf_clear(&d->name);
}

bool
diff_trees(const struct tree *base, const struct tree *target,
           const struct diff_opts *opts, struct tree *out, struct err *e)
{
	struct differ d = { .opts = opts };
	uint32_t place[CAP_TYPES] = { 0 }, missing;
	bool ok = true;

	if (base->sides || target->sides)
		return err_set(e, ERR_FORMAT,
		               "a differential document cannot be compared");
	if (base->meta.ntypes > CAP_TYPES / 2)
		return err_set(e, ERR_LIMIT, "more than %u sample types",
		               CAP_TYPES / 2);
	if (!diff_comparable(&base->meta, &target->meta))
		return types_differ(&base->meta, &target->meta, e);
	match_types(&base->meta, &target->meta, place, &missing);
	if ((size_t)base->n + target->n > CAP_NODES)
		return err_set(e, ERR_LIMIT, "two trees of more than 2^32 nodes");
	d.identity = base->meta.identity & target->meta.identity;
	if (base->meta.identity != target->meta.identity)
		warn_say(&opts->warn,
		         "frames are told apart by more on one side: "
		         "what only that side says is left out");
	d.kept =
	        xmalloc(((size_t)base->nframes + target->nframes + 1) * sizeof *d.kept);
	borrow(&d.side[0], base);
	borrow(&d.side[1], target);
	for (int i = 0; i < 2; i++) {
		unite_frames(&d, &d.side[i], !opts->no_canon);
		measure(&d.side[i]);
	}
	rank_frames(&d);
	for (int i = 0; i < 2 && ok; i++)
		ok = ascends(&d, &d.side[i]) || sort_side(&d, &d.side[i], e);
	if (ok) {
		walk(&d);
		ok = put_all(&d, place, out, e);
	}
	if (!ok)
		tree_clear(out);
	differ_clear(&d);
	return ok;
}

double
diff_change(int64_t base, int64_t target, double scale)
{
	double scaled, change, size;

	if (scale == 1)
		return (double)((num_i128)target - base);
	/* Two statements, so that no compiler makes one rounding of two. */
	scaled = (double)target * scale;
	change = scaled - (double)base;
	size = fmax(fabs(scaled), fabs((double)base));
	return fabs(change) <= 4 * DBL_EPSILON * size ? 0 : change;
}

double
diff_scale(const struct tree *t, uint32_t k)
{
	return k < t->nscale ? t->scale[k] : 1;
}

bool
diff_differs(const struct tree *t, uint32_t k)
{
	const int64_t *b = t->self[k], *x = t->self[t->meta.ntypes / 2 + k];
	double scale = diff_scale(t, k);

	for (uint32_t i = 0; i < t->n; i++)
		if (diff_change(b[i], x[i], scale) != 0)
			return true;
	return false;
}
