#include "tree/treepb.h"

#include <endian.h>
#include <stdlib.h>

#include "base/caps.h"
#include "base/map.h"
#include "bytes/utf8.h"
#include "tree/treefile.h"

#include "tree.pb-c.h"

typedef Flamepipe__V1__Tree Pb;
typedef Flamepipe__V1__Column PbColumn;

/*
 * What protobuf-c allocates belongs to the arena. A message may claim many empty parts
 * in few bytes: what it makes us take is held in proportion to its size.
 */
struct budget {
	struct arena *arena;
	size_t left;
};

static void *
take(void *ctx, size_t n)
{
	struct budget *b = ctx;

	if (n > b->left)
		return NULL;
	b->left -= n;
	return arena_alloc(b->arena, n);
}

static void
give(void *ctx, void *p)
{
	(void)ctx;
	(void)p;
}

static ProtobufCAllocator
allocator(struct budget *b, struct arena *a, size_t message)
{
	*b = (struct budget){ .arena = a, .left = ((size_t)1 << 16) + 16 * message };
	return (ProtobufCAllocator){ .alloc = take, .free = give, .allocator_data = b };
}

/* ---- writing ---- */

/* protobuf-c has no const, and does not write to what it packs. */
static uint8_t *
bytes_of(struct str s)
{
	union {
		const char *text;
		uint8_t *bytes;
	} p = { .text = s.p };

	return p.bytes;
}

static uint32_t
string(struct intern *t, struct str s)
{
	return intern_id(t, s);
}

static Flamepipe__V1__Label **
put_labels(struct arena *a, struct intern *t, const struct label *l, size_t n)
{
	Flamepipe__V1__Label **out = arena_calloc(a, n, sizeof *out);

	for (size_t i = 0; i < n; i++) {
		out[i] = arena_alloc(a, sizeof **out);
		flamepipe__v1__label__init(out[i]);
		out[i]->key = string(t, l[i].key);
		out[i]->value = string(t, l[i].value);
	}
	return out;
}

static PbColumn **
put_columns(struct arena *a, int64_t **self, uint32_t ntypes, size_t n)
{
	PbColumn **out = arena_calloc(a, ntypes, sizeof *out);

	for (uint32_t k = 0; k < ntypes; k++) {
		out[k] = arena_alloc(a, sizeof **out);
		flamepipe__v1__column__init(out[k]);
		out[k]->value = self[k];
		out[k]->n_value = n;
	}
	return out;
}

static void
put_meta(Pb *p, const struct meta *m, struct arena *a, struct intern *t)
{
	p->version = 1;
	p->n_sample_types = m->ntypes;
	p->sample_types = arena_calloc(a, m->ntypes, sizeof *p->sample_types);
	for (uint32_t i = 0; i < m->ntypes; i++) {
		Flamepipe__V1__SampleType *s = arena_alloc(a, sizeof *s);

		flamepipe__v1__sample_type__init(s);
		s->type = string(t, m->types[i].type);
		s->unit = string(t, m->types[i].unit);
		s->agg = (Flamepipe__V1__Agg)m->types[i].agg;
		p->sample_types[i] = s;
	}
	p->shown = m->shown == NO_TYPE ? 0 : m->shown + 1;
	p->n_labels = m->nlabels;
	p->labels = put_labels(a, t, m->labels, m->nlabels);
	p->start_ns = m->start_ns;
	p->end_ns = m->end_ns;
	p->duration_ns = m->duration_ns;
	p->profiles = m->profiles;
	p->identity = m->identity;
	p->truncated = m->truncated;
	if (m->period || m->period_type.type.n || m->period_type.unit.n) {
		p->period = arena_alloc(a, sizeof *p->period);
		flamepipe__v1__period__init(p->period);
		p->period->type = string(t, m->period_type.type);
		p->period->unit = string(t, m->period_type.unit);
		p->period->value = m->period;
	}
}

static void
put_frames(Pb *p, const struct tree *t, struct arena *a, struct intern *names)
{
	Flamepipe__V1__Frames *f = arena_alloc(a, sizeof *f);
	size_t n = t->nframes;
	bool file = false, line = false, module = false, address = false, class = false;

	flamepipe__v1__frames__init(f);
	f->name = arena_alloc(a, n * sizeof *f->name);
	f->file = arena_alloc(a, n * sizeof *f->file);
	f->line = arena_alloc(a, n * sizeof *f->line);
	f->module = arena_alloc(a, n * sizeof *f->module);
	f->address = arena_alloc(a, n * sizeof *f->address);
	f->class_ = arena_alloc(a, n * sizeof *f->class_);
	for (size_t i = 0; i < n; i++) {
		const struct frame *x = &t->frames[i];

		f->name[i] = string(names, x->name);
		f->file[i] = string(names, x->file);
		f->line[i] = (uint64_t)x->line;
		f->module[i] = string(names, x->module);
		f->address[i] = x->address;
		f->class_[i] = (uint32_t)x->class;
		file |= x->file.n != 0;
		line |= x->line != 0;
		module |= x->module.n != 0;
		address |= x->address != 0;
		class |= x->class != CLASS_NONE;
	}
	f->n_name = n;
	f->n_file = file ? n : 0;
	f->n_line = line ? n : 0;
	f->n_module = module ? n : 0;
	f->n_address = address ? n : 0;
	f->n_class_ = class ? n : 0;
	p->frames = f;
}

static void
put_events(Pb *p, const struct tree *t, struct arena *a, struct intern *names)
{
	const struct tree_events *v = t->events;
	Flamepipe__V1__Events *e = arena_alloc(a, sizeof *e);

	flamepipe__v1__events__init(e);
	e->n_t = e->n_node = e->n_thread = v->n;
	e->t = arena_alloc(a, v->n * sizeof *e->t);
	for (size_t i = 0; i < v->n; i++)
		e->t[i] =
		        (int64_t)((uint64_t)v->t[i] - (i ? (uint64_t)v->t[i - 1] : 0));
	e->node = v->node;
	e->thread = v->thread;
	e->n_self = t->meta.ntypes;
	e->self = put_columns(a, v->self, t->meta.ntypes, v->n);
	e->n_threads = v->nthreads;
	e->threads = arena_alloc(a, v->nthreads * sizeof *e->threads);
	for (size_t i = 0; i < v->nthreads; i++)
		e->threads[i] = string(names, v->threads[i]);
	p->events = e;
}

static void
put_sides(Pb *p, const struct tree *t, struct arena *a, struct intern *names)
{
	p->n_sides = 2;
	p->sides = arena_calloc(a, 2, sizeof *p->sides);
	for (int i = 0; i < 2; i++) {
		Flamepipe__V1__Side *s = arena_alloc(a, sizeof *s);
		const struct tree_side *x = &t->sides[i];

		flamepipe__v1__side__init(s);
		s->name = string(names, x->name);
		s->n_labels = x->nlabels;
		s->labels = put_labels(a, names, x->labels, x->nlabels);
		s->start_ns = x->start_ns;
		s->end_ns = x->end_ns;
		s->duration_ns = x->duration_ns;
		s->profiles = x->profiles;
		p->sides[i] = s;
	}
	p->norm = string(names, t->norm);
	p->n_scale = t->nscale;
	p->scale = t->scale;
}

static void
put_marks(Pb *p, const struct tree *t, struct arena *a, struct intern *names)
{
	p->n_marks = t->nmarks;
	p->marks = arena_calloc(a, t->nmarks, sizeof *p->marks);
	for (size_t i = 0; i < t->nmarks; i++) {
		p->marks[i] = arena_alloc(a, sizeof **p->marks);
		flamepipe__v1__mark__init(p->marks[i]);
		p->marks[i]->name = string(names, t->marks[i].name);
		p->marks[i]->n_value = t->n;
		p->marks[i]->value = t->marks[i].value;
	}
}

/*
 * The columns of nodes are nearly all of a record: they are written by hand, straight
 * from the tree, behind what protobuf-c packs of the rest.
 */
struct column {
	unsigned field;
	bool nested; /* Column { 1: values } */
	size_t n, bytes;
	const uint32_t *parent; /* one of the three */
	const uint32_t *plain;
	const int64_t *values;
};

/* AHEAD: what is to be fetched meanwhile, for columns fit no cache. */
enum { EIGHT = 8, AHEAD = 512 };

static inline uint64_t
zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (0 - (uint64_t)(v < 0));
}

static uint64_t
column_one(const struct column *c, size_t i)
{
	if (c->values)
		return zigzag(c->values[i]);
	if (c->plain)
		return c->plain[i];
	return i ? i - c->parent[i] : 0;
}

/*
 * Eight values from i on as they go on the wire; returns all of their bits. Most values
 * of a node are zero, and most parents stand right before it: what is small is found
 * out for eight at once.
 */
static inline uint64_t
column_eight(const struct column *c, size_t i, uint64_t out[EIGHT])
{
	if (c->values) {
		const int64_t *v = c->values + i;

		__builtin_prefetch(v + AHEAD);
		if (!(v[0] | v[1] | v[2] | v[3] | v[4] | v[5] | v[6] | v[7]))
			return 0;
		for (size_t k = 0; k < EIGHT; k++)
			out[k] = zigzag(v[k]);
	} else if (c->plain) {
		const uint32_t *v = c->plain + i;

		__builtin_prefetch(v + AHEAD);
		for (size_t k = 0; k < EIGHT; k++)
			out[k] = v[k];
	} else {
		const uint32_t *v = c->parent + i;

		__builtin_prefetch(v + AHEAD);
		for (size_t k = 0; k < EIGHT; k++)
			out[k] = i + k - v[k];
		if (i == 0)
			out[0] = 0;
	}
	return out[0] | out[1] | out[2] | out[3] | out[4] | out[5] | out[6] | out[7];
}

static size_t
varint_size(uint64_t v)
{
	return (size_t)(70 - __builtin_clzll(v | 1)) / 7;
}

static char *
put_varint(char *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (char)(v | 0x80);
	*p++ = (char)v;
	return p;
}

/* Bytes of the whole field, its tag included. */
static size_t
column_size(struct column *c)
{
	size_t i = 0, n;

	c->bytes = c->n; /* and what each has more than a byte */
	for (; i + EIGHT <= c->n; i += EIGHT) {
		uint64_t v[EIGHT], bits = column_eight(c, i, v);

		if (bits < 1U << 7)
			continue;
		for (size_t k = 0; k < EIGHT; k++)
			c->bytes += bits < 1U << 14 ? v[k] >> 7 != 0
			                            : varint_size(v[k]) - 1;
	}
	for (; i < c->n; i++)
		c->bytes += varint_size(column_one(c, i)) - 1;
	n = c->bytes;
	if (c->nested)
		n += 1 + varint_size(c->bytes);
	return varint_size(c->field << 3) + varint_size(n) + n;
}

static inline char *
put_eight(char *p, const uint64_t v[EIGHT], uint64_t bits)
{
	if (!bits)
		return (char *)memset(p, 0, EIGHT) + EIGHT;
	if (bits < 1U << 7) {
		uint64_t w = v[0] | v[1] << 8 | v[2] << 16 | v[3] << 24 | v[4] << 32 |
		        v[5] << 40 | v[6] << 48 | v[7] << 56;

		w = htole64(w);
		return (char *)memcpy(p, &w, sizeof w) + sizeof w;
	}
	for (size_t k = 0; k < EIGHT && bits < 1U << 14; k++) {
		bool two = v[k] >= 1U << 7;

		/* The second byte is written in any case. */
		p[0] = (char)(v[k] | (uint64_t)two << 7);
		p[1] = (char)(v[k] >> 7);
		p += 1 + two;
	}
	for (size_t k = 0; k < EIGHT && bits >= 1U << 14; k++)
		p = put_varint(p, v[k]);
	return p;
}

static void
column_write(const struct column *c, struct sink *sink)
{
	enum { LONGEST = 10, SOME = 256 };
	char head[32], *h = put_varint(head, c->field << 3 | 2);

	if (c->nested) {
		h = put_varint(h, c->bytes + 1 + varint_size(c->bytes));
		h = put_varint(h, 1 << 3 | 2);
	}
	h = put_varint(h, c->bytes);
	sink_write(sink, head, (size_t)(h - head));
	for (size_t i = 0; i < c->n;) {
		char *p = sink_room(sink, (size_t)SOME * LONGEST), *q = p;
		size_t end = c->n - i < SOME ? c->n : i + SOME;

		for (; i + EIGHT <= end; i += EIGHT) {
			uint64_t v[EIGHT], bits = column_eight(c, i, v);

			q = put_eight(q, v, bits);
		}
		for (; i < end; i++)
			q = put_varint(q, column_one(c, i));
		sink_fill(sink, (size_t)(q - p));
	}
}

static bool
put_record(const char magic[4], const ProtobufCMessage *m, struct column *columns,
           size_t ncolumns, struct sink *sink, struct err *e)
{
	size_t n = protobuf_c_message_get_packed_size(m), all = n;
	char head[16], *h;
	unsigned char *packed;

	for (size_t i = 0; i < ncolumns; i++)
		all += column_size(&columns[i]);
	if (all > CAP_RECORD)
		return err_set(e, ERR_LIMIT, "a record of %zu bytes is over 1 GiB",
		               all);
	memcpy(head, magic, 4);
	h = put_varint(head + 4, all);
	packed = xmalloc(n);
	protobuf_c_message_pack(m, packed);
	sink_write(sink, head, (size_t)(h - head));
	sink_write(sink, packed, n);
	free(packed);
	for (size_t i = 0; i < ncolumns; i++)
		column_write(&columns[i], sink);
	return true;
}

bool
treefile_pb(const struct tree *t, struct sink *sink, struct err *e)
{
	struct column columns[CAP_TYPES + 2];
	struct intern names = { 0 };
	struct arena a = { 0 };
	size_t n = 2 + (size_t)t->meta.ntypes;
	Pb p;
	bool ok;

	columns[0] = (struct column){ .field = 14, .n = t->n, .parent = t->parent };
	columns[1] = (struct column){ .field = 15, .n = t->n, .plain = t->frame };
	for (uint32_t k = 0; k < t->meta.ntypes; k++)
		columns[2 + k] = (struct column){
			.field = 16, .nested = true, .n = t->n, .values = t->self[k]
		};
	flamepipe__v1__tree__init(&p);
	string(&names, STR(""));
	put_meta(&p, &t->meta, &a, &names);
	put_frames(&p, t, &a, &names);
	if (t->kind)
		p.kind = (ProtobufCBinaryData){ .len = t->n, .data = t->kind };
	if (t->events)
		put_events(&p, t, &a, &names);
	if (t->sides)
		put_sides(&p, t, &a, &names);
	put_marks(&p, t, &a, &names);
	p.n_strings = names.n;
	p.strings = arena_calloc(&a, names.n, sizeof *p.strings);
	for (size_t i = 0; i < names.n; i++) {
		p.strings[i].len = names.str[i].n;
		p.strings[i].data = bytes_of(names.str[i]);
	}
	ok = put_record("FPT1", &p.base, columns, n, sink, e);
	intern_clear(&names);
	arena_clear(&a);
	return ok;
}

/* ---- reading ---- */

struct reader {
	const Pb *p;
	struct tree *t;
	struct str *strings;
	struct err *e;
};

static bool
fail(const struct reader *r, const char *what)
{
	return err_set(r->e, ERR_FORMAT, "%s", what);
}

static bool
get(const struct reader *r, uint32_t id, struct str *out)
{
	if (id == 0 && r->p->n_strings == 0) {
		*out = (struct str){ "", 0 };
		return true;
	}
	if (id >= r->p->n_strings)
		return err_set(r->e, ERR_FORMAT, "string %u of %zu", id,
		               r->p->n_strings);
	*out = r->strings[id];
	return true;
}

static bool
get_labels(const struct reader *r, Flamepipe__V1__Label **from, size_t n,
           struct label **out, size_t *nout)
{
	if (n > CAP_LABELS)
		return fail(r, "more than 1024 labels");
	*out = arena_calloc(&r->t->arena, n, sizeof **out);
	*nout = n;
	for (size_t i = 0; i < n; i++)
		if (!get(r, from[i]->key, &(*out)[i].key) ||
		    !get(r, from[i]->value, &(*out)[i].value))
			return false;
	labels_sort(*out, n);
	return true;
}

static bool
get_meta(const struct reader *r)
{
	struct meta *m = &r->t->meta;
	const Pb *p = r->p;

	if (p->version != 1)
		return fail(r, "a version of the tree stream other than 1");
	if (!p->n_sample_types || p->n_sample_types > CAP_TYPES)
		return fail(r, "no sample types, or more than 256");
	m->ntypes = (uint32_t)p->n_sample_types;
	m->types = arena_calloc(&r->t->arena, m->ntypes, sizeof *m->types);
	for (uint32_t i = 0; i < m->ntypes; i++) {
		const Flamepipe__V1__SampleType *s = p->sample_types[i];

		if ((unsigned)s->agg > AGG_FINAL)
			return fail(r, "agg is none of sum, gauge, final");
		m->types[i].agg = (enum agg)s->agg;
		if (!get(r, s->type, &m->types[i].type) ||
		    !get(r, s->unit, &m->types[i].unit))
			return false;
	}
	m->shown = p->shown ? p->shown - 1 : NO_TYPE;
	m->start_ns = p->start_ns;
	m->end_ns = p->end_ns;
	m->duration_ns = p->duration_ns;
	if (p->profiles > INT64_MAX || p->truncated > INT64_MAX)
		return fail(r, "profiles or truncated beyond 2^63");
	m->profiles = p->profiles;
	m->identity = p->identity & ID_ALL;
	m->truncated = p->truncated;
	if (p->period) {
		m->period = p->period->value;
		if (!get(r, p->period->type, &m->period_type.type) ||
		    !get(r, p->period->unit, &m->period_type.unit))
			return false;
	}
	return get_labels(r, p->labels, p->n_labels, &m->labels, &m->nlabels);
}

static bool
get_frames(const struct reader *r)
{
	const Flamepipe__V1__Frames *f = r->p->frames;
	size_t n = f ? f->n_name : 0;

	if (!n)
		return true;
	if ((f->n_file && f->n_file != n) || (f->n_line && f->n_line != n) ||
	    (f->n_module && f->n_module != n) || (f->n_address && f->n_address != n) ||
	    (f->n_class_ && f->n_class_ != n) || n > CAP_FRAMES)
		return fail(r, "columns of frames differ in length");
	r->t->nframes = (uint32_t)n;
	r->t->frames = arena_calloc(&r->t->arena, n, sizeof *r->t->frames);
	for (size_t i = 0; i < n; i++) {
		struct frame *x = &r->t->frames[i];

		if (!get(r, f->name[i], &x->name) ||
		    (f->n_file && !get(r, f->file[i], &x->file)) ||
		    (f->n_module && !get(r, f->module[i], &x->module)))
			return false;
		if (f->n_line && f->line[i] > INT64_MAX)
			return fail(r, "a line beyond 2^63");
		x->line = f->n_line ? (int64_t)f->line[i] : 0;
		x->address = f->n_address ? f->address[i] : 0;
		if (f->n_class_ && f->class_[i] < CLASS_COUNT)
			x->class = (enum frame_class)f->class_[i];
	}
	return true;
}

static bool
get_columns(const struct reader *r, PbColumn **from, size_t n, size_t rows,
            int64_t ***out)
{
	if (n != r->t->meta.ntypes)
		return fail(r, "as many self columns as sample types expected");
	*out = arena_calloc(&r->t->arena, n, sizeof **out);
	for (size_t k = 0; k < n; k++) {
		if (from[k]->n_value != rows)
			return fail(r, "columns differ in length");
		(*out)[k] = from[k]->value;
	}
	return true;
}

static bool
get_nodes(const struct reader *r)
{
	const Pb *p = r->p;
	struct tree *t = r->t;
	size_t n = p->n_parent;

	if (!n || n > CAP_NODES || p->n_frame != n || p->parent[0] != 0 ||
	    (p->kind.len && p->kind.len != n))
		return fail(r,
		            "columns of nodes differ in length, or there is no root");
	for (size_t i = 1; i < n; i++) {
		if (!p->parent[i] || p->parent[i] > i)
			return err_set(r->e, ERR_FORMAT,
			               "node %zu has its parent %u before it", i,
			               p->parent[i]);
		p->parent[i] = (uint32_t)i - p->parent[i];
	}
	p->parent[0] = NO_PARENT;
	p->frame[0] = 0;
	t->n = (uint32_t)n;
	t->parent = p->parent;
	t->frame = p->frame;
	t->kind = p->kind.len ? p->kind.data : NULL;
	if (t->kind)
		t->kind[0] = KIND_NONE;
	return get_columns(r, p->self, p->n_self, n, &t->self);
}

static bool
get_events(const struct reader *r)
{
	const Flamepipe__V1__Events *e = r->p->events;
	struct tree_events *v;

	if (!e)
		return true;
	v = r->t->events = arena_calloc(&r->t->arena, 1, sizeof *v);
	v->n = e->n_t;
	if (e->n_node != v->n || e->n_thread != v->n)
		return fail(r, "columns of events differ in length");
	v->t = e->t;
	for (size_t i = 1; i < v->n; i++)
		v->t[i] = (int64_t)((uint64_t)v->t[i] + (uint64_t)v->t[i - 1]);
	v->node = e->node;
	v->thread = e->thread;
	v->nthreads = e->n_threads;
	v->threads = arena_calloc(&r->t->arena, e->n_threads, sizeof *v->threads);
	for (size_t i = 0; i < e->n_threads; i++)
		if (!get(r, e->threads[i], &v->threads[i]))
			return false;
	return get_columns(r, e->self, e->n_self, v->n, &v->self);
}

static bool
get_sides(const struct reader *r)
{
	struct tree *t = r->t;
	const Pb *p = r->p;

	if (!p->n_sides)
		return true;
	if (p->n_sides != 2)
		return fail(r, "two sides expected");
	t->sides = arena_calloc(&t->arena, 2, sizeof *t->sides);
	for (int i = 0; i < 2; i++) {
		const Flamepipe__V1__Side *s = p->sides[i];
		struct tree_side *x = &t->sides[i];

		if (s->profiles > INT64_MAX)
			return fail(r, "profiles beyond 2^63");
		*x = (struct tree_side){ .start_ns = s->start_ns,
			                 .end_ns = s->end_ns,
			                 .duration_ns = s->duration_ns,
			                 .profiles = s->profiles };
		if (!get(r, s->name, &x->name) ||
		    !get_labels(r, s->labels, s->n_labels, &x->labels, &x->nlabels))
			return false;
	}
	if (p->n_scale > CAP_TYPES)
		return fail(r, "too many scales");
	t->nscale = (uint32_t)p->n_scale;
	t->scale = p->scale;
	return get(r, p->norm, &t->norm);
}

static bool
get_marks(const struct reader *r)
{
	struct tree *t = r->t;

	if (r->p->n_marks > CAP_LABELS)
		return fail(r, "too many marks");
	t->nmarks = r->p->n_marks;
	t->marks = arena_calloc(&t->arena, t->nmarks, sizeof *t->marks);
	for (size_t i = 0; i < t->nmarks; i++) {
		if (r->p->marks[i]->n_value != t->n)
			return fail(r, "a mark needs one value for each node");
		t->marks[i].value = r->p->marks[i]->value;
		if (!get(r, r->p->marks[i]->name, &t->marks[i].name))
			return false;
	}
	return true;
}

bool
treepb_read(struct str message, struct tree *t, struct err *e)
{
	struct budget budget;
	ProtobufCAllocator alloc = allocator(&budget, &t->arena, message.n);
	struct reader r = { .t = t, .e = e };

	r.p = flamepipe__v1__tree__unpack(&alloc, message.n,
	                                  (const uint8_t *)message.p);
	if (!r.p)
		return fail(&r, "the protobuf message is not well formed");
	r.strings = arena_calloc(&t->arena, r.p->n_strings, sizeof *r.strings);
	for (size_t i = 0; i < r.p->n_strings; i++)
		r.strings[i] =
		        utf8_clean(&t->arena,
		                   (struct str){ (const char *)r.p->strings[i].data,
		                                 r.p->strings[i].len },
		                   NULL);
	return get_meta(&r) && get_frames(&r) && get_nodes(&r) && get_events(&r) &&
	        get_sides(&r) && get_marks(&r) && tree_check(t, e);
}

/* ---- envelopes ---- */

void
envelope_clear(struct envelope *v)
{
	struct arena a = v->arena;

	arena_clear(&a);
	*v = (struct envelope){ 0 };
}

bool
treefile_envelope(const struct envelope *v, struct sink *sink, struct err *e)
{
	Flamepipe__V1__Envelope p;
	struct arena a = { 0 };
	bool ok;

	flamepipe__v1__envelope__init(&p);
	p.n_labels = v->nlabels;
	p.labels = arena_calloc(&a, v->nlabels, sizeof *p.labels);
	for (size_t i = 0; i < v->nlabels; i++) {
		p.labels[i] = arena_alloc(&a, sizeof **p.labels);
		flamepipe__v1__envelope_label__init(p.labels[i]);
		p.labels[i]->key =
		        arena_strn(&a, v->labels[i].key.p, v->labels[i].key.n);
		p.labels[i]->value =
		        arena_strn(&a, v->labels[i].value.p, v->labels[i].value.n);
	}
	p.start_ns = v->start_ns;
	p.end_ns = v->end_ns;
	p.task_id = arena_strn(&a, v->task_id.p, v->task_id.n);
	p.format = arena_strn(&a, v->format.p, v->format.n);
	p.data = (ProtobufCBinaryData){ .len = v->data.n, .data = bytes_of(v->data) };
	ok = put_record("FPE1", &p.base, NULL, 0, sink, e);
	arena_clear(&a);
	return ok;
}

bool
treepb_read_envelope(struct str message, struct envelope *v, struct err *e)
{
	struct budget budget;
	ProtobufCAllocator alloc = allocator(&budget, &v->arena, message.n);
	const Flamepipe__V1__Envelope *p = flamepipe__v1__envelope__unpack(
	        &alloc, message.n, (const uint8_t *)message.p);
	struct arena *a = &v->arena;

	if (!p)
		return err_set(e, ERR_FORMAT, "the envelope is not well formed");
	if (p->n_labels > CAP_LABELS)
		return err_set(e, ERR_FORMAT, "more than 1024 labels");
	v->nlabels = p->n_labels;
	v->labels = arena_calloc(a, v->nlabels, sizeof *v->labels);
	for (size_t i = 0; i < v->nlabels; i++)
		v->labels[i] =
		        (struct label){ utf8_clean(a, str_of(p->labels[i]->key), NULL),
			                utf8_clean(a, str_of(p->labels[i]->value),
			                           NULL) };
	v->start_ns = p->start_ns;
	v->end_ns = p->end_ns;
	v->task_id = utf8_clean(a, str_of(p->task_id), NULL);
	v->format = utf8_clean(a, str_of(p->format), NULL);
	v->data = (struct str){ (const char *)p->data.data, p->data.len };
	return true;
}
