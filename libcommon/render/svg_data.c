/*
 * The documents as JSON, for the script:
 *
 *   names, class, place     frames of all documents, by frame
 *   docs[]                  one document: how it is called, its facts, its types and
 *                           columns of nodes in preorder
 *     up[i]                 levels to climb from node i - 1 to the parent of node i
 *     frame[i]              -1: frames that were cut; how many says small
 *     self[column][i]
 *
 * "<", ">" and "&" are written as \u escapes, so no name can end the element that
 * holds the data, in XML or in HTML.
 */
#include "render/svg_parts.h"

#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/num.h"
#include "bytes/json.h"

#define DOT " \xc2\xb7 "
#define ARROW " \xe2\x86\x92 "
#define THIN "\xe2\x80\xaf"

/* --- words about a document --- */

static struct str
label_of(const struct tree *t, struct str key)
{
	return label_get(t->meta.labels, t->meta.nlabels, key);
}

static void
sep(struct buf *out)
{
	if (out->n)
		buf_str(out, STR(DOT));
}

static void
part(struct buf *out, struct str s)
{
	if (s.n == 0)
		return;
	sep(out);
	buf_str(out, s);
}

static struct str
type_name(const struct tree *t)
{
	return t->meta.ntypes ? t->meta.types[meta_shown(&t->meta)].type
	                      : STR("profile");
}

void
svg_doc_title(struct buf *out, const struct tree *t)
{
	struct buf title = { 0 };
	struct str event = label_of(t, STR("event"));

	part(&title, label_of(t, STR("service")));
	part(&title, event.n ? event : type_name(t));
	buf_str(out, buf_view(&title));
	buf_clear(&title);
}

/* How many documents have each label. */
struct shared {
	struct intern labels; /* length of the key, key, value */
	size_t *count, cap;
	struct buf text;
};

static size_t *
shared_count(struct shared *s, const struct label *l)
{
	uint32_t id;

	s->text.n = 0;
	buf_int(&s->text, (int64_t)l->key.n);
	buf_char(&s->text, ':');
	buf_str(&s->text, l->key);
	buf_str(&s->text, l->value);
	id = intern_id(&s->labels, buf_view(&s->text));
	if (id >= s->cap) {
		size_t old = s->cap;

		s->count = xgrow(s->count, &s->cap, id + 1UL, sizeof *s->count);
		memset(s->count + old, 0, (s->cap - old) * sizeof *s->count);
	}
	return &s->count[id];
}

static void
shared_make(struct shared *s, const struct plan *plans, size_t n)
{
	for (size_t d = 0; d < n; d++) {
		const struct meta *m = &plans[d].tree->meta;

		for (size_t i = 0; i < m->nlabels; i++)
			++*shared_count(s, &m->labels[i]);
	}
}

static void
shared_clear(struct shared *s)
{
	intern_clear(&s->labels);
	free(s->count);
	buf_clear(&s->text);
}

/* The event and the labels that not all of n documents share. */
static void
put_name(struct buf *out, const struct tree *t, struct shared *shared, size_t n)
{
	struct buf name = { 0 };
	struct str event = label_of(t, STR("event"));

	part(&name, event.n ? event : type_name(t));
	for (size_t i = 0; i < t->meta.nlabels; i++) {
		const struct label *l = &t->meta.labels[i];

		if (!str_eq(l->key, STR("event")) && *shared_count(shared, l) < n)
			part(&name, l->value);
	}
	buf_str(out, buf_view(&name));
	buf_clear(&name);
}

static void
put_profiles(struct buf *out, uint64_t n)
{
	svg_count(out, n > INT64_MAX ? INT64_MAX : (int64_t)n);
	buf_str(out, n == 1 ? STR(" profile") : STR(" profiles"));
}

/* The labels of a side that tell it from the other one; else all but the event. */
static void
put_side(struct buf *out, const struct tree_side *s, const struct tree_side *other)
{
	for (int pass = 0; pass < 2 && out->n == 0; pass++) {
		for (size_t i = 0; i < s->nlabels; i++) {
			struct str theirs = label_get(other->labels, other->nlabels,
			                              s->labels[i].key);

			if (pass == 0 ? str_eq(theirs, s->labels[i].value)
			              : str_eq(s->labels[i].key, STR("event")))
				continue;
			if (out->n)
				buf_str(out, STR(", "));
			buf_str(out, s->labels[i].value);
		}
	}
	if (s->start_ns || s->end_ns) {
		if (out->n)
			buf_str(out, STR(", "));
		svg_window(out, s->start_ns, s->end_ns);
	}
	if (s->profiles > 1) {
		if (out->n)
			buf_str(out, STR(", "));
		put_profiles(out, s->profiles);
	}
}

static void
put_sides(struct buf *out, const struct tree *t)
{
	struct buf side[2] = { 0 };

	put_side(&side[0], &t->sides[0], &t->sides[1]);
	put_side(&side[1], &t->sides[1], &t->sides[0]);
	/* Their names alone stand beside the totals already. */
	for (int k = 0; k < 2 && (side[0].n || side[1].n); k++) {
		if (k)
			buf_str(out, STR(ARROW));
		else
			sep(out);
		buf_str(out, t->sides[k].name);
		if (side[k].n)
			buf_char(out, ' ');
		buf_str(out, buf_view(&side[k]));
	}
	buf_clear(&side[0]);
	buf_clear(&side[1]);
	if (t->norm.n == 0)
		return;
	sep(out);
	if (str_eq(t->norm, STR("none"))) {
		buf_str(out, STR("not scaled"));
	} else if (str_eq(t->norm, STR("share"))) {
		buf_str(out, STR("scaled to equal totals"));
	} else {
		buf_str(out, STR("scaled by "));
		buf_str(out, t->norm);
	}
}

static void
put_duration(struct buf *out, int64_t ns)
{
	sep(out);
	if (ns % 1000000000 == 0) {
		svg_count(out, ns / 1000000000);
		buf_str(out, STR(THIN "s"));
	} else {
		svg_value(out, ns, STR("nanoseconds"));
	}
}

/* "cpu" says nothing beside "2.85 s cpu". */
static bool
is_type(const struct tree *t, struct str name)
{
	for (uint32_t k = 0; k < t->meta.ntypes; k++)
		if (str_eq(t->meta.types[k].type, name))
			return true;
	return false;
}

/* Labels that have a place of their own. */
static bool
is_named(struct str key)
{
	return str_eq(key, STR("event")) || str_eq(key, STR("service")) ||
	        str_eq(key, STR("instance"));
}

void
svg_doc_facts(struct buf *out, const struct tree *t, const struct svg_opts *o)
{
	const struct meta *m = &t->meta;
	struct str event = label_of(t, STR("event"));
	struct buf f = { 0 };

	part(&f, o->subtitle);
	if (o->title.n && !is_type(t, event))
		part(&f, event);
	if (t->sides)
		put_sides(&f, t);
	if (m->start_ns || m->end_ns) {
		sep(&f);
		svg_window(&f, m->start_ns, m->end_ns);
	}
	if (m->duration_ns > 0)
		put_duration(&f, m->duration_ns);
	if (m->profiles > 1) {
		sep(&f);
		put_profiles(&f, m->profiles);
	}
	if (o->title.n)
		part(&f, label_of(t, STR("service")));
	if (label_of(t, STR("instance")).n) {
		part(&f, STR("instance "));
		buf_str(&f, label_of(t, STR("instance")));
	}
	for (size_t i = 0; i < m->nlabels; i++) {
		if (is_named(m->labels[i].key))
			continue;
		part(&f, m->labels[i].key);
		buf_char(&f, '=');
		buf_str(&f, m->labels[i].value);
	}
	buf_str(out, buf_view(&f));
	buf_clear(&f);
}

static void
sentence(struct buf *out)
{
	if (out->n)
		buf_char(out, ' ');
}

void
svg_doc_notes(struct buf *out, const struct plan *p)
{
	const struct tree *t = p->tree;
	uint32_t negative = 0, changed = 0;
	int64_t lost = 0;

	for (uint32_t i = 0; i < p->n && p->npairs; i++) {
		if (p->frame[i] == PLAN_SMALL)
			lost += p->width[p->shown][i];
		else if (t->sides)
			changed += i > 0 && plan_step(p, p->shown, i) != 0;
		else
			negative += p->total[p->shown][i] < 0;
	}
	if (p->kept < p->all) {
		buf_str(out, STR("Drawn: "));
		svg_count(out, p->kept);
		buf_str(out, STR(" of "));
		svg_count(out, p->all);
		buf_str(out,
		        STR(" frames. The others are in the boxes marked small: "));
		svg_percent(out, lost, p->npairs ? p->width[p->shown][0] : 0);
		buf_str(out, STR(" of the total."));
	}
	if (t->meta.truncated) {
		sentence(out);
		svg_count(out, (int64_t)t->meta.truncated);
		buf_str(out, STR(" stacks were cut at the profiler's depth limit."));
	}
	if (negative) {
		sentence(out);
		svg_count(out, negative);
		buf_str(out,
		        negative == 1
		                ? STR(" frame has a negative value; it is hatched and "
		                      "drawn at its size.")
		                : STR(" frames have negative values; they are hatched "
		                      "and "
		                      "drawn at their size."));
	}
	if (t->sides && !changed) {
		sentence(out);
		buf_str(out, p->z ? STR("No change beyond noise.") : STR("No change."));
	}
}

/* --- the data --- */

/* Frames of all documents that are drawn, each once. */
struct table {
	struct intern ids; /* class, name, place */
	struct frame *frame;
	size_t cap;
};

static void
put_place(struct buf *out, const struct frame *f)
{
	buf_str(out, f->file);
	if (f->file.n && f->line) {
		buf_char(out, ':');
		buf_int(out, f->line);
	} else if (f->file.n == 0) {
		buf_str(out, f->module);
	}
}

static uint32_t
table_id(struct table *tab, const struct frame *f, struct buf *key)
{
	uint32_t id;

	key->n = 0;
	buf_char(key, (char)f->class);
	put_place(key, f);
	buf_char(key, 0);
	buf_str(key, f->name);
	id = intern_id(&tab->ids, buf_view(key));
	tab->frame = xgrow(tab->frame, &tab->cap, (size_t)id + 1, sizeof *tab->frame);
	tab->frame[id] = *f;
	return id;
}

static void
put_buf(struct json_out *j, const char *key, struct buf *b)
{
	json_key(j, key);
	json_str(j, buf_view(b));
	b->n = 0;
}

static void
put_types(struct json_out *j, const struct plan *p)
{
	json_key(j, "types");
	json_arr(j);
	for (uint32_t k = 0; k < p->npairs; k++) {
		json_arr(j);
		json_str(j, p->tree->meta.types[k].type);
		json_str(j, p->tree->meta.types[k].unit);
		json_arr_end(j);
	}
	json_arr_end(j);
	json_key(j, "shown");
	json_int(j, p->shown);
}

static void
put_nodes(struct json_out *j, const struct plan *p, const int64_t *frame)
{
	const struct tree *t = p->tree;
	uint32_t *depth = xcalloc(p->n, sizeof *depth);

	json_key(j, "up");
	json_arr(j);
	for (uint32_t i = 1; i < p->n; i++) {
		depth[i] = depth[p->parent[i]] + 1;
		json_int(j, (int64_t)depth[i - 1] + 1 - depth[i]);
	}
	json_arr_end(j);
	json_key(j, "frame");
	json_ints(j, frame, p->n);
	if (t->kind) {
		json_key(j, "kind");
		json_arr(j);
		for (uint32_t i = 0; i < p->n; i++)
			json_int(j,
			         p->frame[i] == PLAN_SMALL ? 0 : t->kind[p->node[i]]);
		json_arr_end(j);
	}
	json_key(j, "small");
	json_arr(j);
	for (uint32_t i = 0; i < p->n; i++)
		if (p->frame[i] == PLAN_SMALL)
			json_int(j, p->count[i]);
	json_arr_end(j);
	json_key(j, "self");
	json_arr(j);
	for (uint32_t k = 0; k < t->meta.ntypes; k++)
		json_ints(j, p->self[k], p->n);
	json_arr_end(j);
	if (p->z) {
		json_key(j, "z");
		json_arr(j);
		/* Two decimals are what is shown. */
		for (uint32_t i = 0; i < p->n; i++)
			json_num(j,
			         isfinite(p->z[i]) ? round(p->z[i] * 100) / 100
			                           : p->z[i]);
		json_arr_end(j);
	}
	free(depth);
}

static void
put_doc(struct json_out *j, const struct plan *p, struct shared *shared, size_t n,
        const int64_t *frame, const struct svg_opts *o)
{
	const struct tree *t = p->tree;
	struct buf text = { 0 };

	json_obj(j);
	put_name(&text, t, shared, n);
	put_buf(j, "name", &text);
	if (o->title.n)
		buf_str(&text, o->title);
	else
		svg_doc_title(&text, t);
	put_buf(j, "title", &text);
	svg_doc_facts(&text, t, o);
	put_buf(j, "facts", &text);
	svg_doc_notes(&text, p);
	put_buf(j, "notes", &text);
	buf_clear(&text);
	put_types(j, p);
	json_key(j, "kinds");
	json_bool(j, p->kinds);
	if (t->sides) {
		json_key(j, "sides");
		json_arr(j);
		json_str(j, t->sides[0].name);
		json_str(j, t->sides[1].name);
		json_arr_end(j);
		json_key(j, "scale");
		json_arr(j);
		for (uint32_t k = 0; k < p->npairs; k++)
			json_num(j, t->scale && k < t->nscale ? t->scale[k] : 1);
		json_arr_end(j);
	}
	put_nodes(j, p, frame);
	json_obj_end(j);
}

static void
put_frames(struct json_out *j, const struct table *tab)
{
	bool places = false;
	struct buf text = { 0 };

	json_key(j, "names");
	json_arr(j);
	for (size_t i = 0; i < tab->ids.n; i++)
		json_str(j, tab->frame[i].name);
	json_arr_end(j);
	json_key(j, "class");
	json_arr(j);
	for (size_t i = 0; i < tab->ids.n; i++) {
		json_int(j, tab->frame[i].class);
		places |= tab->frame[i].file.n || tab->frame[i].module.n;
	}
	json_arr_end(j);
	if (!places)
		return;
	json_key(j, "place");
	json_arr(j);
	for (size_t i = 0; i < tab->ids.n; i++) {
		put_place(&text, &tab->frame[i]);
		json_str(j, buf_view(&text));
		text.n = 0;
	}
	json_arr_end(j);
	buf_clear(&text);
}

/* What JSON leaves as it is and a page would read as markup, or XML 1.0 forbids. */
static void
put_escaped(struct buf *out, struct str s)
{
	size_t start = 0;

	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		bool noncharacter = c == 0xef && s.n - i >= 3 &&
		        (unsigned char)s.p[i + 1] == 0xbf &&
		        (unsigned char)s.p[i + 2] >= 0xbe;

		if (c != '<' && c != '>' && c != '&' && !noncharacter)
			continue;
		buf_put(out, s.p + start, i - start);
		if (noncharacter)
			buf_str(out, STR("\\ufffd"));
		else
			buf_printf(out, "\\u%04x", (unsigned)c);
		i += noncharacter ? 2 : 0;
		start = i + 1;
	}
	buf_put(out, s.p + start, s.n - start);
}

static const char *
colour_name(enum svg_colour c)
{
	static const char *const name[] = { "", "name", "kind", "package" };

	return name[c];
}

void
svg_data(struct buf *out, const struct plan *plans, size_t n, const struct svg_opts *o)
{
	struct buf text = { 0 }, key = { 0 };
	struct sink *sink = sink_buf(&text);
	struct json_out j = { .sink = sink };
	struct table tab = { 0 };
	struct shared shared = { 0 };
	int64_t **frame = xcalloc(n ? n : 1, sizeof *frame);
	struct err ignored = { 0 };

	for (size_t d = 0; d < n; d++) {
		const struct plan *p = &plans[d];
		uint32_t *id =
		        xcalloc(p->tree->nframes ? p->tree->nframes : 1, sizeof *id);

		frame[d] = xcalloc(p->n, sizeof **frame);
		for (uint32_t i = 1; i < p->n; i++) {
			uint32_t f = p->frame[i];

			if (f != PLAN_SMALL && id[f] == 0)
				id[f] = 1 + table_id(&tab, &p->tree->frames[f], &key);
			frame[d][i] = f == PLAN_SMALL ? -1 : (int64_t)id[f] - 1;
		}
		free(id);
	}
	json_obj(&j);
	json_key(&j, "flamesvg");
	json_int(&j, 1);
	json_key(&j, "colour");
	json_str(&j, str_of(colour_name(o->colour)));
	json_key(&j, "flame");
	json_bool(&j, o->flame);
	put_frames(&j, &tab);
	json_key(&j, "docs");
	json_arr(&j);
	shared_make(&shared, plans, n);
	for (size_t d = 0; d < n; d++) {
		put_doc(&j, &plans[d], &shared, n, frame[d], o);
		free(frame[d]);
	}
	json_arr_end(&j);
	json_obj_end(&j);
	sink_close(sink, &ignored);
	put_escaped(out, buf_view(&text));
	free(frame);
	free(tab.frame);
	intern_clear(&tab.ids);
	shared_clear(&shared);
	buf_clear(&key);
	buf_clear(&text);
}
