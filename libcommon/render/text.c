/* Folded text and the table of functions. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/num.h"
#include "bytes/utf8.h"
#include "render/output.h"
#include "render/quantity.h"

/* Separators and line ends cannot stand in a frame of folded text. */
static void
put_name(struct buf *b, struct str name, bool escape)
{
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (escape && (c == ';' || c == '\\')) {
			buf_char(b, '\\');
			buf_char(b, c);
		} else if (c == ';') {
			buf_char(b, ':');
		} else if (escape && c == '\n') {
			buf_put(b, "\\n", 2);
		} else if (c == '\n' || c == '\r') {
			buf_char(b, ' ');
		} else {
			buf_char(b, c);
		}
	}
}

static void
put_annotation(struct buf *b, const struct tree *t, uint32_t node, bool all)
{
	static const char letter[KIND_COUNT] = { [KIND_JIT] = 'j',
		                                 [KIND_C1] = '1',
		                                 [KIND_INLINED] = 'i',
		                                 [KIND_INTERPRETED] = '0' };
	char text[] = "_[k]";

	if (t->frames[t->frame[node]].class != CLASS_KERNEL) {
		if (!all || !t->kind || !t->kind[node])
			return;
		text[2] = letter[t->kind[node]];
	}
	buf_put(b, text, 4);
}

bool
folded_write(const struct tree *t, uint32_t type, const struct output_opts *o,
             struct sink *sink, struct err *e)
{
	/* path holds the names of the way to a node; ends[d] where the d-th begins. */
	struct buf path = { 0 };
	size_t *ends = NULL, cap = 0;
	uint32_t *node = NULL, depth = 0;
	size_t cnode = 0;

	(void)e;
	for (uint32_t i = 0; i < t->n; i++) {
		ends = xgrow(ends, &cap, depth + 2UL, sizeof *ends);
		node = xgrow(node, &cnode, depth + 2UL, sizeof *node);
		if (i == 0) {
			node[0] = 0;
			ends[0] = 0;
		} else {
			while (node[depth] != t->parent[i])
				depth--;
			path.n = ends[depth];
			if (depth)
				buf_char(&path, ';');
			put_name(&path, t->frames[t->frame[i]].name, o->escape);
			put_annotation(&path, t, i, o->annotate);
			node[++depth] = i;
			ends[depth] = path.n;
		}
		if (!t->self[type][i])
			continue;
		sink_write(sink, path.p, path.n);
		sink_printf(sink, " %lld\n", (long long)t->self[type][i]);
	}
	buf_clear(&path);
	free(ends);
	free(node);
	return true;
}

struct row {
	uint32_t frame;
	int64_t self, total;
};

static int64_t
magnitude(int64_t v)
{
	return v < 0 ? (v == INT64_MIN ? INT64_MAX : -v) : v;
}

static int
row_cmp(const struct row *x, const struct row *y, const struct tree *t, bool cumulative)
{
	int64_t a = magnitude(cumulative ? x->total : x->self);
	int64_t b = magnitude(cumulative ? y->total : y->self);

	if (a == b) {
		a = magnitude(cumulative ? x->self : x->total);
		b = magnitude(cumulative ? y->self : y->total);
	}
	if (a != b)
		return a > b ? -1 : 1;
	return frame_cmp(&t->frames[x->frame], &t->frames[y->frame], ID_ALL);
}

struct order {
	const struct tree *t;
	bool cumulative;
};

static int
by_order(const void *a, const void *b, void *ctx)
{
	const struct order *o = ctx;

	return row_cmp(a, b, o->t, o->cumulative);
}

/* Sum self by frame, and totals where no caller is the same frame. */
static bool
fill_rows(const struct tree *t, uint32_t type, struct row *rows, int64_t *all,
          struct err *e)
{
	int64_t *total = xmalloc(t->n * sizeof *total);
	uint32_t *open = xcalloc(t->nframes + 1UL, sizeof *open);
	uint32_t *node = NULL, depth = 0;
	size_t cap = 0;
	bool ok = tree_totals(t, type, total, e);

	for (uint32_t i = 1; i < t->n && ok; i++) {
		struct row *r = &rows[t->frame[i]];

		node = xgrow(node, &cap, depth + 2UL, sizeof *node);
		node[0] = 0;
		while (node[depth] != t->parent[i])
			open[t->frame[node[depth--]]]--;
		ok = num_add_i64(r->self, t->self[type][i], &r->self);
		if (!open[t->frame[i]]++)
			ok = ok && num_add_i64(r->total, total[i], &r->total);
		node[++depth] = i;
		if (!ok)
			err_set(e, ERR_LIMIT, "a sum overflows 64 bits");
	}
	*all = ok ? total[0] : 0;
	free(total);
	free(open);
	free(node);
	return ok;
}

/* A name for a terminal: what could steer it becomes '?'. */
static void
put_line(struct sink *sink, struct str name)
{
	size_t from = 0;

	for (size_t i = 0; i < name.n; i++) {
		unsigned char c = (unsigned char)name.p[i];

		/* C0, DEL, and C1 in its UTF-8 form. */
		if (c >= 0x20 && c != 0x7f &&
		    !(c == 0xc2 && i + 1 < name.n && (unsigned char)name.p[i + 1] < 0xa0))
			continue;
		sink_write(sink, name.p + from, i - from);
		sink_write(sink, "?", 1);
		i += c == 0xc2;
		from = i + 1;
	}
	if (from < name.n)
		sink_write(sink, name.p + from, name.n - from);
	sink_write(sink, "\n", 1);
}

static void
put_head(const struct tree *t, uint32_t type, int64_t all, struct sink *sink)
{
	const struct meta *m = &t->meta;
	const struct sample_type *s = &m->types[type];
	char num[48];

	for (size_t i = 0; i < m->nlabels; i++)
		sink_printf(sink, "%s%.*s=%.*s", i ? " " : "# ", (int)m->labels[i].key.n,
		            m->labels[i].key.p, (int)m->labels[i].value.n,
		            m->labels[i].value.p);
	sink_printf(sink, "%s%.*s/%.*s, total %s\n", m->nlabels ? ", " : "# ",
	            (int)s->type.n, s->type.p, (int)s->unit.n, s->unit.p,
	            quantity(num, all, s->unit));
	sink_printf(sink, "%12s %8s %12s %8s  %s\n", "self", "%", "total", "%", "function");
}

bool
top_write(const struct tree *t, uint32_t type, const struct output_opts *o,
          struct sink *sink, struct err *e)
{
	struct row *rows = xcalloc(t->nframes, sizeof *rows);
	struct order order = { t, o->cumulative };
	struct str unit = t->meta.types[type].unit;
	size_t n = t->nframes, shown = o->rows && o->rows < n ? o->rows : n;
	int64_t all;
	bool ok;

	for (uint32_t i = 0; i < t->nframes; i++)
		rows[i].frame = i;
	ok = fill_rows(t, type, rows, &all, e);
	if (ok) {
		qsort_r(rows, n, sizeof *rows, by_order, &order);
		put_head(t, type, all, sink);
	}
	for (size_t i = 0; i < shown && ok; i++) {
		char self[48], total[48], ps[16], pt[16];

		sink_printf(sink, "%12s %8s %12s %8s  ", quantity(self, rows[i].self, unit),
		            percent(ps, (double)rows[i].self, (double)all),
		            quantity(total, rows[i].total, unit),
		            percent(pt, (double)rows[i].total, (double)all));
		put_line(sink, t->frames[rows[i].frame].name);
	}
	if (ok && shown < n)
		sink_printf(sink, "# %zu more (--rows)\n", n - shown);
	free(rows);
	return ok;
}
