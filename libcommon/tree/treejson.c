/*
 * {"tree":1,"sample_types":[{"type":T,"unit":U,"agg":A}],"default":I,"labels":{K:V},
 *  "start_ns":N,"end_ns":N,"duration_ns":N,"profiles":N,
 *  "period":{"type":T,"unit":U,"value":N},"identity":[FIELD],"truncated":N,
 *  "sides":[{"name":S,"labels":{K:V},"start_ns":N,...}],"norm":S,"scale":[X],
 *  "frames":[{"name":S,"class":S,"file":S,"line":N,"module":S,"address":"0x1f"}],
 *  "nodes":{"parent":[-1,...],"frame":[0,...],"self":[[...],...],"kind":[S,...]},
 *  "events":{"threads":[S],"t":[N],"node":[N],"thread":[N],"self":[[N],...]},
 *  "marks":{NAME:[X,...]}}
 */
#include "tree/treejson.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/caps.h"
#include "bytes/json.h"
#include "tree/treefile.h"

static const char *const agg_name[] = { "sum", "gauge", "final" };
static const struct {
	const char *name;
	unsigned bit;
} identity_name[] = {
	{ "file", ID_FILE },
	{ "line", ID_LINE },
	{ "module", ID_MODULE },
	{ "address", ID_ADDRESS },
};

enum { NIDENTITY = sizeof identity_name / sizeof identity_name[0] };

/* ---- writing ---- */

static void
put_labels(struct json_out *w, const struct label *l, size_t n)
{
	json_key(w, "labels");
	json_obj(w);
	for (size_t i = 0; i < n; i++) {
		json_key_str(w, l[i].key);
		json_str(w, l[i].value);
	}
	json_obj_end(w);
}

static void
put_nonzero(struct json_out *w, const char *key, int64_t v)
{
	if (!v)
		return;
	json_key(w, key);
	json_int(w, v);
}

static void
put_meta(struct json_out *w, const struct meta *m)
{
	json_key(w, "sample_types");
	json_arr(w);
	for (uint32_t i = 0; i < m->ntypes; i++) {
		json_obj(w);
		json_key(w, "type");
		json_str(w, m->types[i].type);
		json_key(w, "unit");
		json_str(w, m->types[i].unit);
		if (m->types[i].agg != AGG_SUM)
			json_key_text(w, "agg", str_of(agg_name[m->types[i].agg]));
		json_obj_end(w);
	}
	json_arr_end(w);
	if (m->shown != NO_TYPE) {
		json_key(w, "default");
		json_int(w, m->shown);
	}
	if (m->nlabels)
		put_labels(w, m->labels, m->nlabels);
	put_nonzero(w, "start_ns", m->start_ns);
	put_nonzero(w, "end_ns", m->end_ns);
	put_nonzero(w, "duration_ns", m->duration_ns);
	put_nonzero(w, "profiles", (int64_t)m->profiles);
	if (m->period || m->period_type.type.n || m->period_type.unit.n) {
		json_key(w, "period");
		json_obj(w);
		json_key(w, "type");
		json_str(w, m->period_type.type);
		json_key(w, "unit");
		json_str(w, m->period_type.unit);
		json_key(w, "value");
		json_int(w, m->period);
		json_obj_end(w);
	}
	if (m->identity) {
		json_key(w, "identity");
		json_arr(w);
		json_str(w, STR("name"));
		for (size_t i = 0; i < NIDENTITY; i++)
			if (m->identity & identity_name[i].bit)
				json_str(w, str_of(identity_name[i].name));
		json_arr_end(w);
	}
	put_nonzero(w, "truncated", (int64_t)m->truncated);
}

static void
put_sides(struct json_out *w, const struct tree *t)
{
	json_key(w, "sides");
	json_arr(w);
	for (int i = 0; i < 2; i++) {
		const struct tree_side *s = &t->sides[i];

		json_obj(w);
		json_key(w, "name");
		json_str(w, s->name);
		if (s->nlabels)
			put_labels(w, s->labels, s->nlabels);
		put_nonzero(w, "start_ns", s->start_ns);
		put_nonzero(w, "end_ns", s->end_ns);
		put_nonzero(w, "duration_ns", s->duration_ns);
		put_nonzero(w, "profiles", (int64_t)s->profiles);
		json_obj_end(w);
	}
	json_arr_end(w);
	json_key_text(w, "norm", t->norm);
	json_key(w, "scale");
	json_arr(w);
	for (uint32_t i = 0; i < t->nscale; i++)
		json_num(w, t->scale[i]);
	json_arr_end(w);
}

static void
put_frames(struct json_out *w, const struct tree *t)
{
	char text[24];

	json_key(w, "frames");
	json_arr(w);
	for (uint32_t i = 0; i < t->nframes; i++) {
		const struct frame *f = &t->frames[i];

		json_obj(w);
		json_key(w, "name");
		json_str(w, f->name);
		json_key_text(w, "class", str_of(frame_class_name[f->class]));
		json_key_text(w, "file", f->file);
		put_nonzero(w, "line", f->line);
		json_key_text(w, "module", f->module);
		if (f->address) {
			snprintf(text, sizeof text, "0x%llx",
			         (unsigned long long)f->address);
			json_key_text(w, "address", str_of(text));
		}
		json_obj_end(w);
	}
	json_arr_end(w);
}

static void
put_columns(struct json_out *w, int64_t *const *self, uint32_t ntypes, size_t n)
{
	json_key(w, "self");
	json_arr(w);
	for (uint32_t k = 0; k < ntypes; k++)
		json_ints(w, self[k], n);
	json_arr_end(w);
}

static void
put_nodes(struct json_out *w, const struct tree *t)
{
	json_key(w, "nodes");
	json_obj(w);
	json_key(w, "parent");
	sink_write(w->sink, "[-1", 3);
	for (uint32_t i = 1; i < t->n; i++) {
		w->comma = true;
		json_int(w, t->parent[i]);
	}
	sink_write(w->sink, "]", 1);
	w->comma = true;
	json_key(w, "frame");
	json_u32s(w, t->frame, t->n);
	put_columns(w, t->self, t->meta.ntypes, t->n);
	if (t->kind) {
		json_key(w, "kind");
		json_arr(w);
		for (uint32_t i = 0; i < t->n; i++)
			json_str(w, str_of(frame_kind_name[t->kind[i]]));
		json_arr_end(w);
	}
	json_obj_end(w);
}

static void
put_events(struct json_out *w, const struct tree *t)
{
	const struct tree_events *v = t->events;

	json_key(w, "events");
	json_obj(w);
	json_key(w, "threads");
	json_arr(w);
	for (size_t i = 0; i < v->nthreads; i++)
		json_str(w, v->threads[i]);
	json_arr_end(w);
	json_key(w, "t");
	json_ints(w, v->t, v->n);
	json_key(w, "node");
	json_u32s(w, v->node, v->n);
	json_key(w, "thread");
	json_u32s(w, v->thread, v->n);
	put_columns(w, v->self, t->meta.ntypes, v->n);
	json_obj_end(w);
}

void
treefile_json(const struct tree *t, struct sink *sink)
{
	struct json_out w = { .sink = sink };

	json_obj(&w);
	json_key(&w, "tree");
	json_int(&w, 1);
	put_meta(&w, &t->meta);
	if (t->sides)
		put_sides(&w, t);
	put_frames(&w, t);
	put_nodes(&w, t);
	if (t->events)
		put_events(&w, t);
	if (t->nmarks) {
		json_key(&w, "marks");
		json_obj(&w);
		for (size_t i = 0; i < t->nmarks; i++) {
			json_key_str(&w, t->marks[i].name);
			json_arr(&w);
			for (uint32_t k = 0; k < t->n; k++)
				json_num(&w, t->marks[i].value[k]);
			json_arr_end(&w);
		}
		json_obj_end(&w);
	}
	json_obj_end(&w);
	sink_write(sink, "\n", 1);
}

/* ---- reading ---- */

struct reader {
	struct json_in j;
	struct tree *t;
	struct err *e;
	int64_t *ints;
	size_t n, cap;
	bool version, has_nodes, has_types;
	size_t nself, nevents_self; /* columns given */
	size_t nkind;
	size_t nmark; /* values of the shortest mark, if any */
};

static bool
fail(struct reader *r, const char *what)
{
	return err_at(r->e, ERR_FORMAT, r->j.at, "%s", what);
}

/* Go through an object: each(r, key) reads the value of each key. */
static bool
object(struct reader *r, bool (*each)(struct reader *, struct str key, void *),
       void *ctx, const char *what)
{
	char name[64];

	if (!json_want(&r->j, TOK_OBJ, what, r->e))
		return false;
	for (;;) {
		enum json_tok tok = json_next(&r->j, r->e);
		struct str key = r->j.str;

		if (tok == TOK_OBJ_END)
			return true;
		if (tok != TOK_KEY)
			return false;
		if (key.n < sizeof name) { /* the text moves with the next token */
			if (key.n)
				memcpy(name, key.p, key.n);
			key.p = name;
		} else {
			key = arena_str(&r->t->arena, key);
		}
		if (!each(r, key, ctx))
			return false;
	}
}

static bool
is(struct str key, const char *name)
{
	return str_eq(key, str_of(name));
}

static bool
text(struct reader *r, struct str *out, const char *what)
{
	if (!json_want(&r->j, TOK_STR, what, r->e))
		return false;
	*out = arena_str(&r->t->arena, r->j.str);
	return true;
}

static bool
integer(struct reader *r, int64_t *out, const char *what)
{
	if (!json_want(&r->j, TOK_INT, what, r->e))
		return false;
	*out = r->j.i;
	return true;
}

static bool
count(struct reader *r, uint64_t *out, const char *what)
{
	int64_t v;

	if (!integer(r, &v, what))
		return false;
	if (v < 0)
		return fail(r, "a count cannot be negative");
	*out = (uint64_t)v;
	return true;
}

static bool
ints(struct reader *r, const char *what)
{
	r->n = 0;
	return json_want(&r->j, TOK_ARR, what, r->e) &&
	        json_read_ints(&r->j, &r->ints, &r->n, &r->cap, r->e);
}

/* An array of indices below 2^32 - 1. */
static bool
indices(struct reader *r, uint32_t **out, size_t *n, const char *what)
{
	if (!ints(r, what))
		return false;
	*out = arena_alloc(&r->t->arena, r->n * sizeof **out);
	for (size_t i = 0; i < r->n; i++) {
		if (r->ints[i] < 0 || r->ints[i] >= UINT32_MAX)
			return err_at(r->e, ERR_FORMAT, r->j.at,
			              "%s %zu is %lld, not an index", what, i,
			              (long long)r->ints[i]);
		(*out)[i] = (uint32_t)r->ints[i];
	}
	*n = r->n;
	return true;
}

static bool
same_length(struct reader *r, bool *have, size_t *n, size_t got, const char *what)
{
	if (*have && *n != got)
		return err_at(r->e, ERR_FORMAT, r->j.at,
		              "%zu entries in %s, %zu before", got, what, *n);
	*have = true;
	*n = got;
	return true;
}

static bool
columns(struct reader *r, int64_t ***out, size_t *ncols, bool *have, size_t *n)
{
	size_t cap = 0;
	int64_t **cols = NULL;
	bool ok = json_want(&r->j, TOK_ARR, "an array of columns", r->e);

	*ncols = 0;
	while (ok) {
		enum json_tok tok = json_next(&r->j, r->e);

		if (tok == TOK_ARR_END)
			break;
		r->n = 0;
		ok = tok == TOK_ARR || (tok != TOK_BAD && fail(r, "a column expected"));
		ok = ok && json_read_ints(&r->j, &r->ints, &r->n, &r->cap, r->e) &&
		        same_length(r, have, n, r->n, "self");
		if (ok && *ncols >= CAP_TYPES)
			ok = fail(r, "more than 256 sample types");
		if (!ok)
			break;
		cols = xgrow(cols, &cap, *ncols + 1, sizeof *cols);
		cols[*ncols] = arena_alloc(&r->t->arena, r->n * sizeof **cols);
		if (r->n)
			memcpy(cols[*ncols], r->ints, r->n * sizeof **cols);
		++*ncols;
	}
	*out = arena_calloc(&r->t->arena, *ncols, sizeof **out);
	if (*ncols && ok)
		memcpy(*out, cols, *ncols * sizeof **out);
	free(cols);
	return ok;
}

struct label_list {
	struct label **l;
	size_t *n;
	size_t cap;
	struct label *heap;
};

static bool
one_label(struct reader *r, struct str key, void *ctx)
{
	struct label_list *list = ctx;
	struct str k = arena_str(&r->t->arena, key), v;

	if (*list->n >= CAP_LABELS)
		return fail(r, "more than 1024 labels");
	if (!text(r, &v, "a label's text"))
		return false;
	list->heap = xgrow(list->heap, &list->cap, *list->n + 1, sizeof *list->heap);
	list->heap[(*list->n)++] = (struct label){ k, v };
	return true;
}

static bool
labels(struct reader *r, struct label **l, size_t *n)
{
	struct label_list list = { .l = l, .n = n };
	bool ok;

	*n = 0;
	ok = object(r, one_label, &list, "an object of labels");
	if (ok) {
		*l = arena_calloc(&r->t->arena, *n, sizeof **l);
		if (*n)
			memcpy(*l, list.heap, *n * sizeof **l);
		labels_sort(*l, *n);
	}
	free(list.heap);
	return ok;
}

static bool
type_field(struct reader *r, struct str key, void *ctx)
{
	struct sample_type *t = ctx;

	if (is(key, "type"))
		return text(r, &t->type, "text");
	if (is(key, "unit"))
		return text(r, &t->unit, "text");
	if (is(key, "agg")) {
		if (!json_want(&r->j, TOK_STR, "text", r->e))
			return false;
		for (int i = 0; i < 3; i++)
			if (is(r->j.str, agg_name[i])) {
				t->agg = (enum agg)i;
				return true;
			}
		return fail(r, "agg is none of sum, gauge, final");
	}
	return json_skip(&r->j, r->e);
}

/* Elements of an array, each read by object(); the tokens are put back by hand. */
static bool
types(struct reader *r)
{
	struct meta *m = &r->t->meta;
	struct json_in at;

	if (r->has_types)
		return fail(r, "sample_types stands twice");
	if (!json_want(&r->j, TOK_ARR, "an array of sample types", r->e))
		return false;
	m->types = arena_calloc(&r->t->arena, CAP_TYPES, sizeof *m->types);
	m->ntypes = 0;
	for (;;) {
		at = r->j;
		if (json_next(&r->j, r->e) == TOK_ARR_END)
			break;
		at.open = r->j.open;
		at.text = r->j.text;
		r->j = at;
		if (m->ntypes == CAP_TYPES)
			return fail(r, "more than 256 sample types");
		if (!object(r, type_field, &m->types[m->ntypes], "a sample type"))
			return false;
		m->ntypes++;
	}
	r->has_types = true;
	return true;
}

static bool
period_field(struct reader *r, struct str key, void *ctx)
{
	(void)ctx;
	if (is(key, "value"))
		return integer(r, &r->t->meta.period, "an integer");
	return type_field(r, key, &r->t->meta.period_type);
}

static bool
identity(struct reader *r)
{
	if (!json_want(&r->j, TOK_ARR, "an array of field names", r->e))
		return false;
	r->t->meta.identity = 0;
	for (;;) {
		enum json_tok tok = json_next(&r->j, r->e);
		bool known = tok == TOK_STR && is(r->j.str, "name");

		if (tok == TOK_ARR_END)
			return true;
		for (size_t i = 0; tok == TOK_STR && i < NIDENTITY; i++)
			if (is(r->j.str, identity_name[i].name)) {
				r->t->meta.identity |= identity_name[i].bit;
				known = true;
			}
		if (!known)
			return tok != TOK_BAD && fail(r, "not a field of frames");
	}
}

static bool
side_field(struct reader *r, struct str key, void *ctx)
{
	struct tree_side *s = ctx;

	if (is(key, "name"))
		return text(r, &s->name, "text");
	if (is(key, "labels"))
		return labels(r, &s->labels, &s->nlabels);
	if (is(key, "start_ns"))
		return integer(r, &s->start_ns, "an integer");
	if (is(key, "end_ns"))
		return integer(r, &s->end_ns, "an integer");
	if (is(key, "duration_ns"))
		return integer(r, &s->duration_ns, "an integer");
	if (is(key, "profiles"))
		return count(r, &s->profiles, "a count");
	return json_skip(&r->j, r->e);
}

static bool
sides(struct reader *r)
{
	if (!json_want(&r->j, TOK_ARR, "an array of two sides", r->e))
		return false;
	r->t->sides = arena_calloc(&r->t->arena, 2, sizeof *r->t->sides);
	for (int i = 0; i < 2; i++)
		if (!object(r, side_field, &r->t->sides[i], "a side"))
			return false;
	return json_want(&r->j, TOK_ARR_END, "the end of two sides", r->e);
}

/* An array of numbers; null is NaN. */
static bool
numbers(struct reader *r, double **out, size_t *n, size_t max)
{
	double *v = NULL;
	size_t cap = 0;
	bool ok = json_want(&r->j, TOK_ARR, "an array of numbers", r->e);

	*n = 0;
	while (ok) {
		enum json_tok tok = json_next(&r->j, r->e);

		if (tok == TOK_ARR_END)
			break;
		ok = tok == TOK_INT || tok == TOK_NUM || tok == TOK_NULL ||
		        (tok != TOK_BAD && fail(r, "a number expected"));
		if (ok && *n >= max)
			ok = fail(r, "too many numbers");
		if (!ok)
			break;
		v = xgrow(v, &cap, *n + 1, sizeof *v);
		v[(*n)++] = tok == TOK_INT ? (double)r->j.i
		        : tok == TOK_NUM   ? r->j.num
		                           : (double)NAN;
	}
	*out = arena_alloc(&r->t->arena, *n * sizeof **out);
	if (ok && *n)
		memcpy(*out, v, *n * sizeof **out);
	free(v);
	return ok;
}

static bool
address(struct reader *r, uint64_t *out)
{
	struct str s;
	uint64_t v = 0;

	if (!json_want(&r->j, TOK_STR, "an address as text", r->e))
		return false;
	s = r->j.str;
	if (s.n < 3 || s.n > 18 || s.p[0] != '0' || s.p[1] != 'x')
		return fail(r, "not an address such as 0x1f");
	for (size_t i = 2; i < s.n; i++) {
		unsigned c = (unsigned char)s.p[i], d;

		if (c >= '0' && c <= '9')
			d = c - '0';
		else if (c >= 'a' && c <= 'f')
			d = c - 'a' + 10;
		else
			return fail(r, "not an address such as 0x1f");
		v = v << 4 | d;
	}
	*out = v;
	return true;
}

static bool
frame_field(struct reader *r, struct str key, void *ctx)
{
	struct frame *f = ctx;

	if (is(key, "name"))
		return text(r, &f->name, "text");
	if (is(key, "file"))
		return text(r, &f->file, "text");
	if (is(key, "module"))
		return text(r, &f->module, "text");
	if (is(key, "line")) {
		if (!integer(r, &f->line, "a line number"))
			return false;
		return f->line >= 0 || fail(r, "a line cannot be negative");
	}
	if (is(key, "address"))
		return address(r, &f->address);
	if (is(key, "class")) {
		if (!json_want(&r->j, TOK_STR, "text", r->e))
			return false;
		for (int i = 0; i < CLASS_COUNT; i++)
			if (is(r->j.str, frame_class_name[i]))
				f->class = (enum frame_class)i;
		return true; /* a class that is not known yet is none */
	}
	return json_skip(&r->j, r->e);
}

static bool
frames(struct reader *r)
{
	struct frame *f = NULL;
	struct json_in at;
	size_t cap = 0, n = 0;
	bool ok = json_want(&r->j, TOK_ARR, "an array of frames", r->e);

	while (ok) {
		at = r->j;
		if (json_next(&r->j, r->e) == TOK_ARR_END)
			break;
		at.open = r->j.open;
		at.text = r->j.text;
		r->j = at;
		f = xgrow(f, &cap, n + 1, sizeof *f);
		f[n] = (struct frame){ 0 };
		ok = object(r, frame_field, &f[n], "a frame") &&
		        (f[n].name.p || fail(r, "a frame without a name"));
		if (ok && ++n > CAP_FRAMES)
			ok = fail(r, "too many frames");
	}
	r->t->frames = arena_alloc(&r->t->arena, n * sizeof *f);
	r->t->nframes = (uint32_t)n;
	if (n)
		memcpy(r->t->frames, f, n * sizeof *f);
	free(f);
	return ok;
}

static bool
parents(struct reader *r, size_t *n)
{
	struct tree *t = r->t;

	if (!ints(r, "an array of parents"))
		return false;
	if (!r->n || r->ints[0] != -1)
		return fail(r, "the first parent is not -1");
	if (r->n > CAP_NODES)
		return fail(r, "more than 2^32 nodes");
	t->parent = arena_alloc(&t->arena, r->n * sizeof *t->parent);
	t->parent[0] = NO_PARENT;
	for (size_t i = 1; i < r->n; i++) {
		if (r->ints[i] < 0 || (uint64_t)r->ints[i] >= i)
			return err_at(r->e, ERR_FORMAT, r->j.at,
			              "node %zu has parent %lld", i,
			              (long long)r->ints[i]);
		t->parent[i] = (uint32_t)r->ints[i];
	}
	*n = r->n;
	return true;
}

static bool
kinds(struct reader *r, size_t *n)
{
	uint8_t *v = NULL;
	size_t cap = 0;
	bool ok = json_want(&r->j, TOK_ARR, "an array of kinds", r->e);

	*n = 0;
	while (ok) {
		enum json_tok tok = json_next(&r->j, r->e);
		uint8_t kind = KIND_NONE;

		if (tok == TOK_ARR_END)
			break;
		ok = tok == TOK_STR || (tok != TOK_BAD && fail(r, "a kind expected"));
		for (int i = 0; ok && i < KIND_COUNT; i++)
			if (is(r->j.str, frame_kind_name[i]))
				kind = (uint8_t)i;
		v = xgrow(v, &cap, *n + 1, 1);
		v[(*n)++] = kind;
	}
	r->t->kind = arena_alloc(&r->t->arena, *n);
	if (*n)
		memcpy(r->t->kind, v, *n);
	free(v);
	return ok;
}

struct lengths {
	bool have;
	size_t n;
};

static bool
node_field(struct reader *r, struct str key, void *ctx)
{
	struct lengths *l = ctx;
	size_t n = 0;

	if (is(key, "parent"))
		return parents(r, &n) && same_length(r, &l->have, &l->n, n, "parent");
	if (is(key, "frame"))
		return indices(r, &r->t->frame, &n, "frame") &&
		        same_length(r, &l->have, &l->n, n, "frame");
	if (is(key, "self"))
		return columns(r, &r->t->self, &r->nself, &l->have, &l->n);
	if (is(key, "kind"))
		return kinds(r, &n) && same_length(r, &l->have, &l->n, n, "kind");
	return json_skip(&r->j, r->e);
}

static bool
thread_names(struct reader *r)
{
	struct tree_events *v = r->t->events;
	struct str *s = NULL;
	size_t cap = 0;
	bool ok = json_want(&r->j, TOK_ARR, "an array of names", r->e);

	v->nthreads = 0;
	while (ok) {
		enum json_tok tok = json_next(&r->j, r->e);

		if (tok == TOK_ARR_END)
			break;
		ok = tok == TOK_STR || (tok != TOK_BAD && fail(r, "a name expected"));
		if (!ok)
			break;
		s = xgrow(s, &cap, v->nthreads + 1, sizeof *s);
		s[v->nthreads++] = arena_str(&r->t->arena, r->j.str);
	}
	v->threads = arena_calloc(&r->t->arena, v->nthreads, sizeof *s);
	if (v->nthreads)
		memcpy(v->threads, s, v->nthreads * sizeof *s);
	free(s);
	return ok;
}

static bool
event_field(struct reader *r, struct str key, void *ctx)
{
	struct lengths *l = ctx;
	struct tree_events *v = r->t->events;
	size_t n = 0;

	if (is(key, "threads"))
		return thread_names(r);
	if (is(key, "t")) {
		if (!ints(r, "an array of times") ||
		    !same_length(r, &l->have, &l->n, r->n, "t"))
			return false;
		v->t = arena_alloc(&r->t->arena, r->n * sizeof *v->t);
		if (r->n)
			memcpy(v->t, r->ints, r->n * sizeof *v->t);
		return true;
	}
	if (is(key, "node"))
		return indices(r, &v->node, &n, "node") &&
		        same_length(r, &l->have, &l->n, n, "node");
	if (is(key, "thread"))
		return indices(r, &v->thread, &n, "thread") &&
		        same_length(r, &l->have, &l->n, n, "thread");
	if (is(key, "self"))
		return columns(r, &v->self, &r->nevents_self, &l->have, &l->n);
	return json_skip(&r->j, r->e);
}

static bool
events(struct reader *r)
{
	struct lengths l = { 0 };
	struct tree_events *v = arena_calloc(&r->t->arena, 1, sizeof *v);

	r->t->events = v;
	r->nevents_self = 0;
	if (!object(r, event_field, &l, "an object of events"))
		return false;
	if (!v->t || !v->node || !v->thread)
		return fail(r, "events need t, node, thread and self");
	v->n = l.n;
	return true;
}

static bool
mark(struct reader *r, struct str key, void *ctx)
{
	struct tree *t = r->t;
	struct tree_mark *m = arena_calloc(&t->arena, t->nmarks + 1, sizeof *m);
	size_t n;

	(void)ctx;
	if (t->nmarks >= CAP_LABELS)
		return fail(r, "too many marks");
	if (t->nmarks)
		memcpy(m, t->marks, t->nmarks * sizeof *m);
	t->marks = m;
	m += t->nmarks++;
	m->name = arena_str(&t->arena, key);
	if (!numbers(r, &m->value, &n, CAP_NODES))
		return false;
	if (n < r->nmark)
		r->nmark = n;
	return true;
}

static bool
meta_field(struct reader *r, struct str key)
{
	struct meta *m = &r->t->meta;
	uint64_t shown = 0;

	if (is(key, "sample_types"))
		return types(r);
	if (is(key, "default")) {
		if (!count(r, &shown, "an index"))
			return false;
		m->shown = shown < NO_TYPE ? (uint32_t)shown : NO_TYPE - 1;
		return true;
	}
	if (is(key, "labels"))
		return labels(r, &m->labels, &m->nlabels);
	if (is(key, "start_ns"))
		return integer(r, &m->start_ns, "an integer");
	if (is(key, "end_ns"))
		return integer(r, &m->end_ns, "an integer");
	if (is(key, "duration_ns"))
		return integer(r, &m->duration_ns, "an integer");
	if (is(key, "profiles"))
		return count(r, &m->profiles, "a count");
	if (is(key, "truncated"))
		return count(r, &m->truncated, "a count");
	if (is(key, "period"))
		return object(r, period_field, NULL, "a period");
	if (is(key, "identity"))
		return identity(r);
	return json_skip(&r->j, r->e);
}

static bool
tree_field(struct reader *r, struct str key, void *ctx)
{
	struct tree *t = r->t;
	struct lengths l = { 0 };
	int64_t version;
	size_t n;

	(void)ctx;
	if (is(key, "tree")) {
		r->version = true;
		return integer(r, &version, "a version") &&
		        (version == 1 ||
		         fail(r, "a version of the tree stream other than 1"));
	}
	if (is(key, "sides"))
		return sides(r);
	if (is(key, "norm"))
		return text(r, &t->norm, "text");
	if (is(key, "scale")) {
		if (!numbers(r, &t->scale, &n, CAP_TYPES))
			return false;
		t->nscale = (uint32_t)n;
		return true;
	}
	if (is(key, "frames"))
		return frames(r);
	if (is(key, "nodes")) {
		/* Columns of two tables would be taken for one. */
		if (r->has_nodes)
			return fail(r, "nodes stands twice");
		if (!object(r, node_field, &l, "an object of node columns"))
			return false;
		if (!t->parent || !t->frame || !t->self)
			return fail(r, "nodes need parent, frame and self");
		t->n = (uint32_t)l.n;
		r->has_nodes = true;
		return true;
	}
	if (is(key, "events"))
		return events(r);
	if (is(key, "marks"))
		return object(r, mark, NULL, "an object of marks");
	return meta_field(r, key);
}

static bool
complete(struct reader *r)
{
	struct tree *t = r->t;

	if (!r->version)
		return fail(r, "no \"tree\" key: not a document of the tree stream");
	if (!r->has_types || !t->meta.ntypes)
		return fail(r, "no sample types");
	if (!r->has_nodes)
		return fail(r, "no nodes");
	if (r->nself != t->meta.ntypes)
		return err_at(r->e, ERR_FORMAT, r->j.at,
		              "%zu self columns for %u sample types", r->nself,
		              t->meta.ntypes);
	if (t->events && r->nevents_self != t->meta.ntypes)
		return err_at(r->e, ERR_FORMAT, r->j.at,
		              "%zu self columns of events for %u sample types",
		              r->nevents_self, t->meta.ntypes);
	if (r->nmark < t->n)
		return fail(r, "a mark has fewer values than there are nodes");
	t->frame[0] = 0;
	if (t->kind)
		t->kind[0] = KIND_NONE;
	return tree_check(t, r->e);
}

bool
treejson_read(struct cur text_, struct tree *t, struct err *e)
{
	struct err own = { 0 };
	struct reader r = { .j = { .c = text_ }, .t = t, .e = &own, .nmark = SIZE_MAX };
	bool ok;

	t->meta.shown = NO_TYPE;
	ok = object(&r, tree_field, NULL, "an object") && complete(&r);
	free(r.ints);
	json_in_clear(&r.j);
	if (!ok && e)
		*e = own;
	return ok;
}
