/* Folded text and the table of functions. */
#include <stdlib.h>

#include "base/arena.h"
#include "render/output.h"
#include "render/quantity.h"
#include "render/rows.h"

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
	struct buf path = { 0 }, name = { 0 };
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
			put_name(&path,
			         rows_name(&name, &t->frames[t->frame[i]],
			                   t->meta.identity),
			         o->escape);
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
	buf_clear(&name);
	free(ends);
	free(node);
	return true;
}

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

static void
put_head(const struct tree *t, uint32_t type, int64_t all, struct sink *sink)
{
	const struct meta *m = &t->meta;
	const struct sample_type *s = &m->types[type];
	char num[48], span[48];

	sink_printf(sink, "# ");
	for (size_t i = 0; i < m->nlabels; i++)
		rows_label(sink, &m->labels[i], i ? " " : "");
	sink_printf(sink, "%s", m->nlabels ? ", " : "");
	rows_type(sink, s);
	sink_printf(sink, ", total %s", quantity(num, all, s->unit));
	if (m->duration_ns)
		sink_printf(sink, " in %s",
		            quantity(span, m->duration_ns, STR("nanoseconds")));
	sink_write(sink, "\n", 1);
	sink_printf(sink, "%12s %8s %12s %8s  %s\n", "self", "%", "total", "%",
	            "function");
}

bool
top_write(const struct tree *t, uint32_t type, const struct output_opts *o,
          struct sink *sink, struct err *e)
{
	struct row *rows = xcalloc(t->nframes, sizeof *rows);
	struct order order = { t, o->cumulative };
	struct str unit = t->meta.types[type].unit;
	struct buf name = { 0 };
	size_t n = t->nframes, shown = o->rows && o->rows < n ? o->rows : n;
	int64_t all;
	bool ok;

	ok = rows_fill(t, type, rows, &all, e);
	if (ok) {
		qsort_r(rows, n, sizeof *rows, by_order, &order);
		put_head(t, type, all, sink);
	}
	for (size_t i = 0; i < shown && ok; i++) {
		char self[48], total[48], ps[16], pt[16];

		rows_cell(sink, quantity(self, rows[i].self, unit), 12);
		rows_cell(sink, percent(ps, (double)rows[i].self, (double)all), 9);
		rows_cell(sink, quantity(total, rows[i].total, unit), 13);
		rows_cell(sink, percent(pt, (double)rows[i].total, (double)all), 9);
		sink_write(sink, "  ", 2);
		rows_text(
		        sink,
		        rows_name(&name, &t->frames[rows[i].frame], t->meta.identity));
		sink_write(sink, "\n", 1);
	}
	if (ok && shown < n)
		sink_printf(sink, "# %zu more (--rows)\n", n - shown);
	buf_clear(&name);
	free(rows);
	return ok;
}
