/*
 * Four numbers a row: base, target, how much more or less, and by what part of base.
 * Target is shown as it compares, that is, scaled.
 */
#include "render/difftext.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/diff.h"
#include "base/arena.h"
#include "render/quantity.h"
#include "render/rows.h"

enum { VALUE_WIDTH = 13, RELATIVE_WIDTH = 11, SIDE_WIDTH = 10 };

struct change {
	uint32_t frame;
	int64_t base, target;
	double change;
	bool only_base, only_target; /* nothing of the function on the other side */
};

struct report {
	const struct tree *t;
	uint32_t type, ntypes; /* of one side */
	double scale;
	struct str unit;
	struct row *base, *target; /* by frame */
	int64_t all_base, all_target;
	size_t rows;
	struct sink *sink;
};

static int
change_cmp(const void *a, const void *b, void *ctx)
{
	const struct change *x = a, *y = b;
	const struct tree *t = *(const struct tree *const *)ctx;
	double dx = fabs(x->change), dy = fabs(y->change);

	if (dx != dy)
		return dx > dy ? -1 : 1;
	return frame_cmp(&t->frames[x->frame], &t->frames[y->frame], ID_ALL);
}

static bool
nothing(const struct row *r)
{
	return !r->self && !r->total;
}

/* ---- cells ---- */

static void
put_change(const struct report *r, double change)
{
	char text[64];

	text[0] = '+';
	quantity_real(change < 0 ? text : text + 1, change, r->unit);
	rows_cell(r->sink, text, VALUE_WIDTH);
}

static void
put_relative(const struct report *r, const struct change *c)
{
	char text[32] = "+";
	double part = c->base ? c->change / fabs((double)c->base) : 0;

	percent(part < 0 ? text : text + 1, part, 1);
	rows_cell(r->sink,
	          c->only_target             ? "new"
	                  : c->only_base     ? "gone"
	                  : !c->base         ? "-"
	                  : fabs(part) < 100 ? text
	                  : part < 0         ? "< -9999 %"
	                                     : "> 9999 %",
	          RELATIVE_WIDTH);
}

static void
put_row(const struct report *r, const struct change *c)
{
	struct buf name = { 0 };
	char text[48];

	rows_cell(r->sink, quantity(text, c->base, r->unit), VALUE_WIDTH);
	rows_cell(r->sink,
	          r->scale == 1
	                  ? quantity(text, c->target, r->unit)
	                  : quantity_real(text, (double)c->target * r->scale, r->unit),
	          VALUE_WIDTH);
	put_change(r, c->change);
	put_relative(r, c);
	sink_write(r->sink, "  ", 2);
	rows_text(r->sink,
	          rows_name(&name, &r->t->frames[c->frame], r->t->meta.identity));
	sink_write(r->sink, "\n", 1);
	buf_clear(&name);
}

/* ---- the head ---- */

static void
put_side(const struct report *r, uint32_t which, int64_t all)
{
	const struct tree_side *s = &r->t->sides[which];
	const struct meta *m = &r->t->meta;
	char text[48];

	sink_printf(r->sink, "# %-6.*s", (int)s->name.n, s->name.p);
	rows_cell(r->sink, quantity(text, all, r->unit), VALUE_WIDTH);
	rows_cell(r->sink,
	          s->duration_ns ? quantity(text, s->duration_ns, STR("nanoseconds"))
	                         : "-",
	          SIDE_WIDTH);
	rows_cell(r->sink,
	          s->profiles ? quantity(text, (int64_t)s->profiles, STR("count"))
	                      : "-",
	          SIDE_WIDTH);
	/* Of the labels those in which the sides differ. */
	for (size_t i = 0; i < s->nlabels; i++)
		if (!label_get(m->labels, m->nlabels, s->labels[i].key).p)
			rows_label(r->sink, &s->labels[i], " ");
	sink_write(r->sink, "\n", 1);
}

static void
put_head(const struct report *r)
{
	const struct meta *m = &r->t->meta;

	sink_printf(r->sink, "# ");
	for (size_t i = 0; i < m->nlabels; i++)
		rows_label(r->sink, &m->labels[i], i ? " " : "");
	sink_printf(r->sink, "%s", m->nlabels ? ", " : "");
	rows_type(r->sink, &m->types[r->type]);
	sink_printf(r->sink, ", norm ");
	rows_text(r->sink, r->t->norm);
	if (r->scale != 1)
		sink_printf(r->sink, ": target times %.6g", r->scale);
	sink_printf(r->sink, "\n# %-6s", "");
	rows_cell(r->sink, "total", VALUE_WIDTH);
	rows_cell(r->sink, "duration", SIDE_WIDTH);
	rows_cell(r->sink, "profiles", SIDE_WIDTH);
	sink_printf(r->sink, "\n");
	put_side(r, 0, r->all_base);
	put_side(r, 1, r->all_target);
}

/* ---- the tables ---- */

static bool
put_table(const struct report *r, bool total)
{
	const struct tree *tree = r->t;
	uint32_t n = tree->nframes;
	struct change *all = xmalloc((n + 1UL) * sizeof *all);
	size_t count = 0, shown;

	for (uint32_t i = 0; i < n; i++) {
		struct change *c = &all[count];
		const struct row *b = &r->base[i], *t = &r->target[i];

		*c = (struct change){ .frame = i,
			              .base = total ? b->total : b->self,
			              .target = total ? t->total : t->self,
			              .only_base = nothing(t),
			              .only_target = nothing(b) };
		c->change = diff_change(c->base, c->target, r->scale);
		count += c->change != 0;
	}
	qsort_r(all, count, sizeof *all, change_cmp, &tree);
	shown = r->rows && r->rows < count ? r->rows : count;
	if (count) {
		sink_printf(r->sink, "\n# %zu %s changed %s\n", count,
		            count == 1 ? "function" : "functions",
		            total ? "in total" : "by self");
		rows_cell(r->sink, "base", VALUE_WIDTH);
		rows_cell(r->sink, "target", VALUE_WIDTH);
		rows_cell(r->sink, "change", VALUE_WIDTH);
		rows_cell(r->sink, "relative", RELATIVE_WIDTH);
		sink_printf(r->sink, "  function\n");
	}
	for (size_t i = 0; i < shown; i++)
		put_row(r, &all[i]);
	if (shown < count)
		sink_printf(r->sink, "# %zu more (--rows)\n", count - shown);
	free(all);
	return count != 0;
}

static void
put_same(const struct report *r)
{
	bool any = false;

	sink_printf(r->sink, "no difference");
	for (uint32_t k = 0; k < r->ntypes; k++) {
		if (k == r->type || !diff_differs(r->t, k))
			continue;
		sink_printf(r->sink, any ? ", " : " in this sample type, but in ");
		rows_type(r->sink, &r->t->meta.types[k]);
		any = true;
	}
	sink_printf(r->sink, any ? " (-t)\n" : "\n");
}

static void
put_tables(const struct report *r)
{
	bool any;

	if (!diff_differs(r->t, r->type)) {
		put_same(r);
		return;
	}
	any = put_table(r, false);
	any = put_table(r, true) || any;
	if (!any)
		sink_printf(r->sink, "no function changed, but call paths did\n");
}

bool
difftext_write(const struct tree *t, uint32_t type, size_t rows, struct sink *sink,
               struct err *e)
{
	struct report r = { .t = t,
		            .type = type,
		            .ntypes = t->meta.ntypes / 2,
		            .scale = diff_scale(t, type),
		            .unit = t->meta.types[type].unit,
		            .rows = rows,
		            .sink = sink };
	bool ok;

	r.base = xmalloc((t->nframes + 1UL) * sizeof *r.base);
	r.target = xmalloc((t->nframes + 1UL) * sizeof *r.target);
	ok = rows_fill(t, type, r.base, &r.all_base, e) &&
	        rows_fill(t, r.ntypes + type, r.target, &r.all_target, e);
	if (ok) {
		put_head(&r);
		put_tables(&r);
	}
	free(r.base);
	free(r.target);
	return ok;
}
