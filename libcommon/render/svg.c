/*
 * The page: what stands without script (title, facts, frames, a line of advice), and
 * behind it the data and the script that replaces it. Positions are percentages, so the
 * picture is fluid and text is never scaled; text is fitted for three widths and media
 * queries show one of them.
 */
#include "render/svg.h"

#include <math.h>

#include "base/num.h"
#include "render/svg_parts.h"

/*
 * Text is fitted for three widths, of which media queries show one: below 700 px, below
 * 1000 and from there. The last is svg_opts.width.
 */
#define FITS 3
static const unsigned fit_width[FITS - 1] = { 360, 700 };
#define EMBED_LEVELS 12U
#define DOT " \xc2\xb7 "
#define ARROW " \xe2\x86\x92 "
#define MINUS "\xe2\x88\x92"

static const unsigned char css[] = {
#include "flame.css.inc"
};
static const unsigned char live_css[] = {
#include "flame_live.css.inc"
};
static const unsigned char label_js[] = {
#include "flame_label.js.inc"
};
static const unsigned char doc_js[] = {
#include "flame_doc.js.inc"
};
static const unsigned char page_js[] = {
#include "flame_page.js.inc"
};
static const unsigned char frames_js[] = {
#include "flame_frames.js.inc"
};
static const unsigned char bars_js[] = {
#include "flame_bars.js.inc"
};
static const unsigned char flame_js[] = {
#include "flame.js.inc"
};

/* One program, in the order in which its parts build on each other. */
static const struct {
	const unsigned char *p;
	size_t n;
} script_parts[] = {
	{ label_js, sizeof label_js }, { doc_js, sizeof doc_js },
	{ page_js, sizeof page_js },   { frames_js, sizeof frames_js },
	{ bars_js, sizeof bars_js },   { flame_js, sizeof flame_js },
};

const struct svg_opts svg_defaults = {
	.width = 1000,
	.min_width = 0.05,
	.max_frames = 20000,
};

/* The frames of the first document while they are drawn. */
struct page {
	struct buf *out;
	const struct svg_opts *o;
	const struct plan *p;
	enum svg_colour colour;
	const int64_t *width, *total; /* of the pair shown */
	uint32_t rows;
	unsigned row, font; /* pixels */
	struct label_parts parts;
	struct label_fit fit;
	struct buf label[FITS];
};

static void
put(struct page *g, const char *s)
{
	buf_str(g->out, str_of(s));
}

/* "<0.01 %" is text too. */
static void
put_share(struct page *g, int64_t part, int64_t whole)
{
	struct buf text = { 0 };

	svg_percent(&text, part, whole);
	svg_escape(g->out, buf_view(&text));
	buf_clear(&text);
}

/* A unit that is not known stands as the data has it. */
static void
put_value(struct page *g, int64_t v, struct str unit)
{
	struct buf text = { 0 };

	svg_value(&text, v, unit);
	svg_escape(g->out, buf_view(&text));
	buf_clear(&text);
}

static struct str
name_of(const struct page *g, uint32_t i)
{
	return i ? g->p->tree->frames[g->p->frame[i]].name : STR("all");
}

static enum frame_kind
kind_of(const struct page *g, uint32_t i)
{
	const struct tree *t = g->p->tree;

	return t->kind && i ? (enum frame_kind)t->kind[g->p->node[i]] : KIND_NONE;
}

static bool
is_diff(const struct page *g)
{
	return g->p->tree->sides != NULL;
}

/* Of the pair shown, target made comparable with base. */
static int64_t
target_of(const struct page *g, uint32_t i)
{
	const struct plan *p = g->p;

	return plan_scaled(p->tree, p->shown, p->total[p->npairs + p->shown][i]);
}

/* --- labels --- */

/* Columns of text in a box that has this share of a picture of some width. */
static size_t
room_in(const struct page *g, int64_t width, unsigned picture)
{
	/* The frames have 98 % of the picture; a box is 1 px narrower than its share.
	 */
	num_i128 px = (num_i128)width * picture * 980 / g->width[0] - 1000;

	/* 4 px on both sides; a column of a monospaced font is 0.602 em. */
	return px < 8000 ? 0 : (size_t)((px - 8000) / (602 * (num_i128)g->font));
}

/* The width of picture that a fit is for. */
static unsigned
fitted(const struct page *g, unsigned fit)
{
	return fit < FITS - 1 ? fit_width[fit] : g->o->width;
}

/* The class of what is the same in the fits from one to another; none if in all. */
static void
put_fits(struct buf *out, unsigned first, unsigned last)
{
	if (first == 0 && last == FITS - 1)
		return;
	buf_char(out, 'v');
	for (; first <= last; first++)
		buf_printf(out, " v%u", first);
}

static void
put_text(struct buf *out, const struct page *g, unsigned x)
{
	unsigned box = g->row - 1, y = (box * 10 + g->font * 7 + 10) / 20;

	buf_printf(out, " x=\"%u\" y=\"%u\">", x, y);
}

/* "▲ +13 %", "new" and the like; empty where nothing changed beyond noise. */
static void
put_change(struct buf *out, const struct page *g, uint32_t i)
{
	int64_t a = g->total[i], b = target_of(g, i);
	int step = plan_step(g->p, g->p->shown, i);

	if (step == 0 || i == 0)
		return;
	if (a == 0) {
		buf_str(out, STR("new"));
	} else if (b == 0) {
		buf_str(out, STR("gone"));
	} else {
		num_i128 base = a < 0 ? -(num_i128)a : a, by = (num_i128)b - a;
		num_i128 percent = ((by < 0 ? -by : by) * 200 + base) / (base * 2);

		buf_str(out,
		        step > 0 ? STR("\xe2\x96\xb2 +") : STR("\xe2\x96\xbc " MINUS));
		svg_count(out, percent > INT64_MAX ? INT64_MAX : (int64_t)percent);
		buf_str(out, STR("\xe2\x80\xaf%"));
	}
}

static const char *
arrow(int step)
{
	return step > 0 ? "\xe2\x96\xb2" : "\xe2\x96\xbc";
}

/* The parsed name within room columns, with what changed if there is room for it. */
static void
put_label(struct buf *out, struct page *g, uint32_t i, size_t room)
{
	struct buf change = { 0 };
	bool negative = g->total[i] < 0 && !is_diff(g);
	unsigned x = g->colour == SVG_COLOUR_KIND && i && !is_diff(g) &&
	                g->p->tree->frames[g->p->frame[i]].class == CLASS_KERNEL
	        ? 6
	        : 4;
	size_t fn = label_columns(g->parts.fn), need;

	if (is_diff(g))
		put_change(&change, g, i);
	need = label_columns(buf_view(&change)) + 1;
	if (change.n && room < fn + need) {
		change.n = 0;
		buf_str(&change, str_of(arrow(plan_step(g->p, g->p->shown, i))));
		need = 2;
		if (room < fn + need)
			change.n = 0;
	}
	if (change.n)
		room -= need;
	room -= negative && room ? 1 : 0;
	if (label_fit(&g->parts, room, &g->fit)) {
		put_text(out, g, x);
		if (negative)
			buf_str(out, STR(MINUS));
		if (g->fit.head.n) {
			buf_str(out, STR("<tspan class=\"m\">"));
			svg_escape(out, buf_view(&g->fit.head));
			buf_str(out, STR("</tspan>"));
		}
		svg_escape(out, buf_view(&g->fit.strong));
		if (g->fit.tail.n) {
			buf_str(out, STR("<tspan class=\"m\">"));
			svg_escape(out, g->fit.tail);
			buf_str(out, STR("</tspan>"));
		}
		if (change.n) {
			buf_str(out, STR("<tspan class=\"dl\"> "));
			buf_str(out, buf_view(&change));
			buf_str(out, STR("</tspan>"));
		}
		buf_str(out, STR("</text>"));
	}
	buf_clear(&change);
}

/* What g->label holds, each text once. */
static void
put_each(struct page *g)
{
	for (unsigned first = 0, last; first < FITS; first = last + 1) {
		struct str text = buf_view(&g->label[first]);

		last = first;
		while (last + 1 < FITS && str_eq(text, buf_view(&g->label[last + 1])))
			last++;
		if (text.n == 0)
			continue;
		put(g, "<text");
		if (first > 0 || last < FITS - 1) {
			put(g, " class=\"");
			put_fits(g->out, first, last);
			put(g, "\"");
		}
		buf_str(g->out, text);
	}
}

static void
put_labels(struct page *g, uint32_t i, int64_t width)
{
	size_t most = 0;

	for (unsigned k = 0; k < FITS; k++) {
		size_t room = room_in(g, width, fitted(g, k));

		most = room > most ? room : most;
	}
	if (most < 2)
		return;
	label_parse(&g->parts, name_of(g, i));
	for (unsigned k = 0; k < FITS; k++) {
		g->label[k].n = 0;
		put_label(&g->label[k], g, i, room_in(g, width, fitted(g, k)));
	}
	put_each(g);
}

/* --- boxes --- */

/* Position in hundredths of a percent. */
static int64_t
place(const struct page *g, int64_t at)
{
	num_i128 whole = g->width[0];

	return (int64_t)(((num_i128)at * 20000 + whole) / (whole * 2));
}

static void
open_box(struct page *g, const char *class, int64_t at, int64_t width, uint32_t depth,
         bool flush)
{
	uint32_t row = g->o->flame ? g->rows - 1 - depth : depth;
	unsigned y = row * g->row, high = g->row - 1;
	int64_t x = place(g, at);

	/* An inlined call touches its caller. */
	if (flush) {
		high++;
		y -= g->o->flame ? 0 : 1;
	}
	buf_printf(g->out, "<svg class=\"%s\" x=\"", class);
	svg_fixed(g->out, x);
	buf_printf(g->out, "%%\" y=\"%u\" width=\"", y);
	svg_fixed(g->out, place(g, at + width) - x);
	buf_printf(g->out, "%%\" height=\"%u\">", high);
}

static void
put_fill(struct page *g, uint32_t i)
{
	struct str name = name_of(g, i);

	if (i == 0) {
		put(g, "root");
	} else if (is_diff(g)) {
		buf_printf(g->out, "d%d", 4 + plan_step(g->p, g->p->shown, i));
	} else if (g->colour == SVG_COLOUR_KIND) {
		svg_fill_kind(g->out, name, g->p->tree->frames[g->p->frame[i]].class,
		              kind_of(g, i));
	} else {
		label_parse(&g->parts, name);
		if (g->colour == SVG_COLOUR_PACKAGE)
			svg_fill_package(g->out, label_package(&g->parts));
		else
			svg_fill_name(g->out, name, label_package(&g->parts));
	}
}

static void
put_rect(struct page *g, unsigned high)
{
	buf_printf(g->out, "\" width=\"100%%\" height=\"%u\" rx=\"2\"/>", high);
}

/*
 * What both sides have in the tint of the step; then what was added, solid behind a
 * tick, or removed, hatched.
 */
static void
put_diff_box(struct page *g, uint32_t i, unsigned high)
{
	int64_t a = g->total[i], b = target_of(g, i), most = a > b ? a : b, common;
	int step = i ? plan_step(g->p, g->p->shown, i) : 0;

	put(g, "<rect class=\"b ");
	if (a != 0 && b == 0) {
		put(g, "gone");
		put_rect(g, high);
		return;
	}
	if (step == 0) {
		put_fill(g, i);
		put_rect(g, high);
		return;
	}
	put(g, step > 0 ? "more" : "hless");
	put_rect(g, high);
	if (a < 0 || b < 0 || most == 0)
		return;
	common = (int64_t)((num_i128)(a < b ? a : b) * 10000 / most);
	if (common > 0) {
		put(g, "<rect class=\"o ");
		put_fill(g, i);
		put(g, "\" width=\"");
		svg_fixed(g->out, common);
		buf_printf(g->out, "%%\" height=\"%u\" rx=\"2\"/>", high);
	}
	if (step > 0) {
		put(g, "<rect class=\"tick\" x=\"");
		svg_fixed(g->out, common);
		buf_printf(g->out, "%%\" width=\"1.4\" height=\"%u\"/>", high);
	}
}

/* The value of a frame in words: "44.4 GiB, 59.3 %, self 1.2 GiB". */
static void
put_values(struct page *g, uint32_t i)
{
	const struct plan *p = g->p;
	struct str unit = p->tree->meta.types[p->shown].unit;
	int64_t self = p->self[p->shown][i];

	if (is_diff(g)) {
		const int64_t *target = p->total[p->npairs + p->shown];

		svg_escape(g->out, p->tree->sides[0].name);
		put(g, " ");
		put_value(g, g->total[i], unit);
		put(g, ", ");
		svg_escape(g->out, p->tree->sides[1].name);
		put(g, " ");
		put_value(g, target[i], unit);
		if (i && plan_step(p, p->shown, i)) {
			put(g, ", ");
			put_change(g->out, g, i);
		}
		return;
	}
	put_value(g, g->total[i], unit);
	put(g, ", ");
	put_share(g, g->total[i], g->width[0]);
	if (self != g->total[i] && self != 0) {
		put(g, ", self ");
		put_value(g, self, unit);
	}
}

static void
put_box(struct page *g, uint32_t i, int64_t at, uint32_t depth)
{
	enum frame_class class =
	        i ? g->p->tree->frames[g->p->frame[i]].class : CLASS_NONE;
	bool by_kind = g->colour == SVG_COLOUR_KIND && !is_diff(g) && i;
	bool flush = by_kind && kind_of(g, i) == KIND_INLINED && depth > 0;
	unsigned high = g->row - 1 + flush;

	open_box(g, i && !is_diff(g) ? "f" : "f lo", at, g->width[i], depth, flush);
	put(g, "<title>");
	svg_escape(g->out, name_of(g, i));
	put(g, DOT);
	put_values(g, i);
	put(g, "</title>");
	if (is_diff(g)) {
		put_diff_box(g, i, high);
	} else {
		put(g, "<rect class=\"b ");
		put_fill(g, i);
		put_rect(g, high);
		if (g->total[i] < 0) {
			put(g, "<rect class=\"b neg");
			put_rect(g, high);
		}
	}
	if (by_kind && class == CLASS_KERNEL &&
	    room_in(g, g->width[i], g->o->width) >= 2)
		buf_printf(g->out, "<rect class=\"tick\" width=\"2.5\" height=\"%u\"/>",
		           high);
	put_labels(g, i, g->width[i]);
	put(g, "</svg>");
}

static void
put_small(struct page *g, int64_t at, int64_t width, uint32_t depth, uint32_t count)
{
	struct buf text = { 0 };
	size_t columns;

	svg_count(&text, count);
	buf_str(&text, STR(" small"));
	columns = label_columns(buf_view(&text));
	open_box(g, "f lo", at, width, depth, false);
	put(g, "<title>");
	buf_str(g->out, buf_view(&text));
	put(g, DOT);
	put_share(g, width, g->width[0]);
	put(g, "</title><rect class=\"b small");
	put_rect(g, g->row - 1);
	for (unsigned k = 0; k < FITS; k++) {
		g->label[k].n = 0;
		if (room_in(g, width, fitted(g, k)) < columns)
			continue;
		put_text(&g->label[k], g, 4);
		buf_str(&g->label[k], buf_view(&text));
		buf_str(&g->label[k], STR("</text>"));
	}
	put_each(g);
	put(g, "</svg>");
	buf_clear(&text);
}

/*
 * Which frames are drawn, in one pass up and one down: a child narrower than least goes
 * into its parent's box of small ones, which stands behind the others.
 */
struct layout {
	uint32_t *depth;
	int64_t *next; /* where the next child begins */
	bool *drawn;
	int64_t *small;   /* width of what is too small below a node */
	uint32_t *hidden; /* how many frames that is */
	uint32_t levels;
};

static int64_t
least_width(const struct page *g)
{
	double least = ceil((double)g->width[0] * g->o->min_width / 100);

	return least < 1 ? 1 : least > 9e18 ? INT64_MAX : (int64_t)least;
}

static void
layout_make(struct layout *l, const struct page *g, struct arena *a)
{
	const struct plan *p = g->p;
	int64_t least = least_width(g);
	uint32_t *inside;

	l->depth = arena_calloc(a, p->n, sizeof *l->depth);
	l->next = arena_calloc(a, p->n, sizeof *l->next);
	l->drawn = arena_calloc(a, p->n, sizeof *l->drawn);
	l->small = arena_calloc(a, p->n, sizeof *l->small);
	l->hidden = arena_calloc(a, p->n, sizeof *l->hidden);
	inside = arena_calloc(a, p->n, sizeof *inside);
	l->drawn[0] = true;
	l->levels = 1;
	for (uint32_t i = p->n; i-- > 1;) {
		inside[i] += g->width[i] ? p->count[i] : 0;
		inside[p->parent[i]] += inside[i];
	}
	for (uint32_t i = 1; i < p->n; i++) {
		uint32_t up = p->parent[i];

		l->depth[i] = l->depth[up] + 1;
		if (!l->drawn[up] || g->width[i] == 0)
			continue;
		if (g->o->embed && l->depth[i] >= EMBED_LEVELS)
			continue;
		l->drawn[i] = g->width[i] >= least && p->frame[i] != PLAN_SMALL;
		if (!l->drawn[i]) {
			l->small[up] += g->width[i];
			l->hidden[up] += inside[i];
		}
		if ((l->drawn[i] || l->small[up] >= least) && l->depth[i] >= l->levels)
			l->levels = l->depth[i] + 1;
	}
}

static void
put_frames(struct page *g, const struct layout *l)
{
	const struct plan *p = g->p;
	int64_t least = least_width(g);

	for (uint32_t i = 0; i < p->n; i++) {
		int64_t at = 0;

		if (!l->drawn[i])
			continue;
		if (i) {
			at = l->next[p->parent[i]];
			l->next[p->parent[i]] += g->width[i];
		}
		l->next[i] = at;
		put_box(g, i, at, l->depth[i]);
	}
	/* Behind all that is drawn of a parent. */
	for (uint32_t i = 0; i < p->n; i++)
		if (l->drawn[i] && l->small[i] >= least)
			put_small(g, l->next[i], l->small[i], l->depth[i] + 1,
			          l->hidden[i]);
}

/* --- words around the frames --- */

/* "285 samples", "44.4 GiB alloc_space"; base and target of a differential document. */
static void
put_total(struct buf *out, const struct plan *p)
{
	const struct tree *t = p->tree;
	const struct sample_type *type = &t->meta.types[p->shown];

	if (t->sides) {
		buf_str(out, t->sides[0].name);
		buf_char(out, ' ');
		svg_value(out, p->total[p->shown][0], type->unit);
		buf_str(out, STR(ARROW));
		buf_str(out, t->sides[1].name);
		buf_char(out, ' ');
		svg_value(out, p->total[p->npairs + p->shown][0], type->unit);
		return;
	}
	svg_value(out, p->total[p->shown][0], type->unit);
	buf_char(out, ' ');
	buf_str(out, type->type);
}

/* Where a count of samples stands first, it is told beside another total. */
static void
put_samples(struct buf *out, const struct plan *p)
{
	const struct sample_type *first = p->tree->meta.types;

	if (p->shown == 0 || p->tree->sides || !str_eq(first->type, STR("samples")) ||
	    !str_eq(first->unit, STR("count")))
		return;
	buf_str(out, STR(DOT));
	svg_count(out, p->total[0][0]);
	buf_str(out, STR(" samples"));
}

/* The ten largest functions by self, for who cannot see the picture. */
static void
put_top(struct page *g)
{
	const struct tree *t = g->p->tree;
	int64_t *sum = xcalloc(t->nframes ? t->nframes : 1, sizeof *sum);
	uint32_t top[10];
	size_t n = 0;

	for (uint32_t i = 1; i < t->n; i++) {
		int64_t v = t->self[g->p->shown][i];

		if (!num_add_i64(sum[t->frame[i]], v, &sum[t->frame[i]]))
			sum[t->frame[i]] = INT64_MAX;
	}
	for (uint32_t f = 0; f < t->nframes; f++) {
		size_t at = n;

		while (at > 0 && sum[f] > sum[top[at - 1]])
			at--;
		if (sum[f] <= 0 || at == 10)
			continue;
		n += n < 10;
		memmove(top + at + 1, top + at, (n - at - 1) * sizeof *top);
		top[at] = f;
	}
	for (size_t k = 0; k < n; k++) {
		put(g, k ? ", " : " Largest by self: ");
		svg_escape(g->out, t->frames[top[k]].name);
		put(g, " ");
		put_share(g, sum[top[k]], g->width[0]);
	}
	if (n)
		put(g, ".");
	free(sum);
}

static void
put_line(struct page *g, const char *class, unsigned y, struct str text)
{
	buf_printf(g->out, "<text class=\"%s\" x=\"1%%\" y=\"%u\">", class, y);
	svg_escape(g->out, text);
	put(g, "</text>\n");
}

/* As many of the facts, which DOT joins, as fit in so many columns. */
static struct str
facts_within(struct str facts, size_t room)
{
	size_t fit = 0, used = 0;

	while (fit < facts.n) {
		const char *p = facts.p + fit;
		const char *dot = memmem(p + 1, facts.n - fit - 1, DOT, sizeof DOT - 1);
		size_t n = dot ? (size_t)(dot - p) : facts.n - fit;

		used += label_columns((struct str){ p, n });
		if (used > room)
			break;
		fit += n;
	}
	return (struct str){ facts.p, fit };
}

/*
 * The line of facts. It cannot wrap, so it is fitted like labels; a letter is at most
 * 7.4 px wide at 13 px, 6.3 at 11.
 */
static void
put_facts(struct page *g, unsigned y, struct str total, struct str facts)
{
	size_t used = label_columns(total);

	for (unsigned k = 0; k < FITS; k++) {
		size_t room = fitted(g, k) * 98U / (g->o->embed ? 630 : 740);

		buf_printf(g->out, "<text class=\"%s ", g->o->embed ? "cap" : "facts");
		put_fits(g->out, k, k);
		buf_printf(g->out, "\" x=\"1%%\" y=\"%u\">", y);
		put(g, g->o->embed ? "<tspan>" : "<tspan class=\"total\">");
		svg_escape(g->out, total);
		put(g, "</tspan>");
		svg_escape(g->out, facts_within(facts, room > used ? room - used : 0));
		put(g, "</text>\n");
	}
}

/* --- the legend --- */

static void
legend_text(struct page *g, unsigned *x, struct str text)
{
	buf_printf(g->out, "<text class=\"cap\" x=\"%u\" y=\"11\">", *x);
	svg_escape(g->out, text);
	put(g, "</text>");
	/* A letter of 12 px is at most 7 px wide. */
	*x += 7 * (unsigned)label_columns(text) + 12;
}

static void
legend_box(struct page *g, unsigned *x, const char *class, unsigned width)
{
	buf_printf(g->out, "<rect class=\"%s\" x=\"%u\" width=\"%u\" height=\"12\"/>",
	           class, *x, width);
	*x += width;
}

static void
legend_diff(struct page *g)
{
	unsigned x = 0;
	char class[4] = "d0";

	legend_text(g, &x, STR("less"));
	for (x -= 6; class[1] < '9'; class[1]++)
		legend_box(g, &x, class, 16);
	x += 6;
	legend_text(g, &x, STR("more"));
	legend_box(g, &x, "d6", 8);
	legend_box(g, &x, "more", 6);
	x += 5;
	legend_text(g, &x, STR("added"));
	legend_box(g, &x, "d2", 8);
	legend_box(g, &x, "hless", 6);
	x += 5;
	legend_text(g, &x, STR("removed"));
	legend_text(g, &x,
	            g->p->z ? STR("grey: within noise, |z| < 2")
	                    : STR("grey: less than 2 %"));
}

/* The share of each kind by self, largest first. */
static void
legend_kinds(struct page *g)
{
	enum { SLOTS = CLASS_COUNT * KIND_COUNT };
	int64_t sum[SLOTS] = { 0 }, cut = 0;
	const struct plan *p = g->p;
	struct buf text = { 0 };
	unsigned x = 0;

	/* Frames of one kind are one, whatever their class. */
	for (uint32_t i = 1; i < p->n; i++) {
		enum frame_kind kind;
		int64_t self = p->self[p->shown][i];
		unsigned slot;

		self = self < 0 ? -self : self;
		if (p->frame[i] == PLAN_SMALL) {
			cut += self;
			continue;
		}
		kind = kind_of(g, i);
		slot = kind != KIND_NONE ? (unsigned)kind * CLASS_COUNT
		                         : p->tree->frames[p->frame[i]].class;
		sum[slot] += self;
	}
	for (;;) {
		unsigned most = 0;
		char class[24];
		const char *name;

		for (unsigned k = 1; k < SLOTS; k++)
			if (sum[k] > sum[most])
				most = k;
		if (sum[most] == 0)
			break;
		name = svg_kind((enum frame_class)(most % CLASS_COUNT),
		                (enum frame_kind)(most / CLASS_COUNT));
		snprintf(class, sizeof class, "k-%s", name);
		legend_box(g, &x, class, 12);
		x += 5;
		buf_str(&text, str_of(name));
		buf_char(&text, ' ');
		svg_percent(&text, sum[most], g->width[0]);
		legend_text(g, &x, buf_view(&text));
		text.n = 0;
		sum[most] = 0;
	}
	if (cut) {
		legend_box(g, &x, "small", 12);
		x += 5;
		buf_str(&text, STR("small "));
		svg_percent(&text, cut, g->width[0]);
		legend_text(g, &x, buf_view(&text));
	}
	buf_clear(&text);
}

static bool
has_legend(const struct page *g)
{
	return !g->o->embed && (is_diff(g) || g->colour == SVG_COLOUR_KIND);
}

static void
put_legend(struct page *g, unsigned y)
{
	buf_printf(g->out, "<svg x=\"1%%\" y=\"%u\" width=\"98%%\" height=\"16\">", y);
	if (is_diff(g))
		legend_diff(g);
	else
		legend_kinds(g);
	put(g, "</svg>\n");
}

static void
put_pattern(struct buf *out, const char *id, const char *back, const char *fore)
{
	buf_printf(out,
	           "<pattern id=\"%s\" width=\"6\" height=\"6\" "
	           "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">",
	           id);
	if (back)
		buf_printf(out,
		           "<rect width=\"6\" height=\"6\" style=\"fill:var(--%s)\"/>",
		           back);
	buf_printf(
	        out,
	        "<rect width=\"2.2\" height=\"6\" style=\"fill:var(--%s)\"/></pattern>",
	        fore);
}

static void
put_style(struct page *g, bool script)
{
	struct buf *out = g->out;
	enum svg_theme theme = g->o->theme;

	put(g, "<style><![CDATA[.fg{color-scheme:");
	put(g,
	    theme == SVG_THEME_BOTH           ? "light dark"
	            : theme == SVG_THEME_DARK ? "dark"
	                                      : "light");
	put(g, ";");
	svg_variables(out, theme == SVG_THEME_DARK);
	put(g, "}\n");
	if (theme == SVG_THEME_BOTH) {
		put(g, "@media (prefers-color-scheme:dark){.fg{");
		svg_variables(out, true);
		put(g, "}}\n@media print{.fg{color-scheme:light;");
		svg_variables(out, false);
		put(g, "}}\n");
	}
	svg_fills(out);
	put(g, "\n");
	buf_put(out, css, sizeof css);
	if (script)
		buf_put(out, live_css, sizeof live_css);
	put(g, "]]></style>\n<defs>");
	put_pattern(out, "fg-less", "paper", "less");
	put_pattern(out, "fg-gone", "paper", "d2");
	put_pattern(out, "fg-neg", NULL, "fink");
	put(g,
	    "<pattern id=\"fg-dots\" width=\"4\" height=\"4\" "
	    "patternUnits=\"userSpaceOnUse\">"
	    "<rect width=\"4\" height=\"4\" style=\"fill:var(--small)\"/>"
	    "<circle cx=\"2\" cy=\"2\" r=\".8\" "
	    "style=\"fill:var(--edge)\"/></pattern></defs>\n");
}

/* "No samples for cpu/nanoseconds." and what the profile has instead. */
static void
put_nothing(struct page *g)
{
	const struct plan *p = g->p;
	const struct sample_type *types;
	struct buf text = { 0 };

	if (!p || p->npairs == 0) {
		put_line(g, "facts", 50, STR("No samples."));
		return;
	}
	types = p->tree->meta.types;
	buf_str(&text, STR("No samples for "));
	buf_str(&text, types[p->shown].type);
	buf_char(&text, '/');
	buf_str(&text, types[p->shown].unit);
	buf_char(&text, '.');
	put_line(g, "facts", 50, buf_view(&text));
	text.n = 0;
	for (uint32_t k = 0; k < p->npairs; k++) {
		if (p->width[k][0] == 0)
			continue;
		buf_str(&text, text.n ? STR(", ") : STR("This profile also has "));
		buf_str(&text, types[k].type);
		buf_char(&text, '/');
		buf_str(&text, types[k].unit);
		buf_str(&text, STR(": "));
		svg_value(&text, p->total[k][0], types[k].unit);
	}
	if (text.n) {
		buf_char(&text, '.');
		put_line(g, "facts", 72, buf_view(&text));
	}
	buf_clear(&text);
}

static void
put_root(struct page *g, unsigned height, struct str title, struct str total)
{
	buf_printf(g->out,
	           "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	           "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"fg%s\" "
	           "width=\"100%%\" "
	           "height=\"%u\" role=\"img\" aria-labelledby=\"fg-title fg-desc\">\n"
	           "<title id=\"fg-title\">",
	           g->o->embed ? " tiny" : "", height);
	svg_escape(g->out, title);
	put(g, "</title>\n<desc id=\"fg-desc\">Flame graph. ");
	svg_escape(g->out, total);
	put(g, ".");
	if (g->width && !is_diff(g))
		put_top(g);
	put(g, "</desc>\n");
}

static bool
any_value(const struct plan *plans, size_t n)
{
	for (size_t d = 0; d < n; d++)
		for (uint32_t k = 0; k < plans[d].npairs; k++)
			if (plans[d].width[k][0])
				return true;
	return false;
}

/* Where no script can widen them, say that narrow frames are not drawn. */
static void
note_narrow(const struct page *g, const struct layout *l, struct buf *notes)
{
	uint32_t hidden = 0;

	for (uint32_t i = 0; i < g->p->n; i++)
		hidden += l->hidden[i];
	if (!g->o->no_script || hidden == 0 || g->p->kept < g->p->all)
		return;
	if (notes->n)
		buf_char(notes, ' ');
	svg_count(notes, hidden);
	buf_str(notes, hidden == 1 ? STR(" frame") : STR(" frames"));
	buf_str(notes, STR(" narrower than "));
	svg_fixed(notes, llround(g->o->min_width * 100));
	buf_str(notes, STR("\xe2\x80\xaf% run together in the boxes marked small."));
}

/* The frames of the first document with title, facts and notes around them. */
static void
put_picture(struct page *g, const struct plan *plans, size_t n)
{
	struct buf title = { 0 }, total = { 0 }, facts = { 0 }, notes = { 0 };
	struct layout l = { 0 };
	struct arena a = { 0 };
	bool script = !g->o->no_script && !g->o->embed && any_value(plans, n);
	unsigned top = g->o->embed ? 24 : 58, height = 96, y = 0;

	if (g->o->title.n)
		buf_str(&title, g->o->title);
	else if (g->p)
		svg_doc_title(&title, g->p->tree);
	else
		buf_str(&title, STR("profile"));
	if (g->p && g->p->npairs) {
		put_total(&total, g->p);
		put_samples(&facts, g->p);
		struct buf more = { 0 };

		svg_doc_facts(&more, g->p->tree, g->o);
		if (more.n)
			buf_str(&facts, STR(DOT));
		buf_str(&facts, buf_view(&more));
		buf_clear(&more);
	}
	if (g->width) {
		layout_make(&l, g, &a);
		g->rows = l.levels;
		svg_doc_notes(&notes, g->p);
		note_narrow(g, &l, &notes);
		y = top + g->rows * g->row;
		height = y + (g->o->embed ? 4 : 12);
		height += has_legend(g) ? 22 : 0;
		height += !g->o->embed && script ? 20 : 0;
		height += !g->o->embed && notes.n ? 20 : 0;
	}
	put_root(g, height, buf_view(&title), buf_view(&total));
	put_style(g, script);
	put(g,
	    "<g class=\"static\">\n<rect class=\"paper\" width=\"100%\" "
	    "height=\"100%\"/>\n");
	if (g->o->embed) {
		buf_str(&title, STR(DOT));
		buf_str(&title, buf_view(&total));
		put_facts(g, 16, buf_view(&title), buf_view(&facts));
	} else {
		put_line(g, "title", 27, buf_view(&title));
		if (g->width)
			put_facts(g, 47, buf_view(&total), buf_view(&facts));
	}
	if (l.drawn) {
		buf_printf(g->out,
		           "<svg class=\"g\" x=\"1%%\" y=\"%u\" width=\"98%%\" "
		           "height=\"%u\">",
		           top, g->rows * g->row);
		put_frames(g, &l);
		put(g, "</svg>\n");
		if (has_legend(g)) {
			put_legend(g, y + 10);
			y += 22;
		}
		if (script)
			put_line(g, "cap", y += 22,
			         STR("Open the picture itself in a browser to "
			             "zoom and search."));
		if (notes.n && !g->o->embed)
			put_line(g, "cap", y + (script ? 20 : 22), buf_view(&notes));
	} else {
		put_nothing(g);
	}
	put(g, "</g>\n");
	if (script) {
		put(g, "<metadata>");
		svg_data(g->out, plans, n, g->o);
		put(g, "</metadata>\n<script><![CDATA[(function () {\n'use strict';\n");
		for (size_t i = 0; i < sizeof script_parts / sizeof *script_parts; i++)
			buf_put(g->out, script_parts[i].p, script_parts[i].n);
		put(g, "})();]]></script>\n");
	}
	put(g, "</svg>\n");
	arena_clear(&a);
	buf_clear(&title);
	buf_clear(&total);
	buf_clear(&facts);
	buf_clear(&notes);
}

bool
svg_render(const struct tree *docs, size_t n, const struct svg_opts *o,
           struct sink *sink, struct err *e)
{
	struct plan *plans = xcalloc(n ? n : 1, sizeof *plans);
	struct buf out = { 0 };
	struct page g = { .out = &out,
		          .o = o,
		          .row = o->embed ? 18 : 20,
		          .font = o->embed ? 11 : 12 };
	size_t made = 0;
	bool good = true;

	while (made < n &&
	       (good = plan_make(&plans[made], &docs[made], o->max_frames, e)))
		made++;
	if (good) {
		if (n) {
			const struct plan *p = g.p = &plans[0];

			g.colour = o->colour != SVG_COLOUR_AUTO ? o->colour
			        : p->kinds                      ? SVG_COLOUR_KIND
			                                        : SVG_COLOUR_NAME;
			if (p->npairs && p->width[p->shown][0]) {
				g.width = p->width[p->shown];
				g.total = p->total[p->shown];
			}
		}
		put_picture(&g, plans, n);
		sink_write(sink, out.p, out.n);
	}
	label_parts_clear(&g.parts);
	label_fit_clear(&g.fit);
	for (unsigned k = 0; k < FITS; k++)
		buf_clear(&g.label[k]);
	buf_clear(&out);
	while (made-- > 0)
		plan_clear(&plans[made]);
	free(plans);
	return good;
}

bool
svg_empty(const struct tree *t)
{
	uint32_t pairs = t->sides ? t->meta.ntypes / 2 : t->meta.ntypes, shown;

	if (pairs == 0)
		return true;
	shown = meta_shown(&t->meta) % pairs;
	for (uint32_t i = 0; i < t->n; i++)
		if (t->self[shown][i] || (t->sides && t->self[pairs + shown][i]))
			return false;
	return true;
}
