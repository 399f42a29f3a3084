/*
 * A tree as profile.proto, gzip'd: a function and a location for each frame, a sample
 * for each node with a value, location ids leaf first and numbered from 1. Of a
 * differential document the base goes in negated, under the label pprof::base=true,
 * which is how google/pprof itself saves one.
 *
 * Profile: 1 sample_type, 2 sample, 3 mapping, 4 location, 5 function, 6 string_table,
 * 9 time_nanos, 10 duration_nanos, 11 period_type, 12 period, 14 default_sample_type.
 */
#include <stdlib.h>
#include <zlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "render/output.h"

static void
varint(struct buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		buf_char(b, (char)(v | 0x80));
	buf_char(b, (char)v);
}

static void
number(struct buf *b, unsigned field, uint64_t v)
{
	if (!v)
		return;
	varint(b, field << 3);
	varint(b, v);
}

static void
message(struct buf *b, unsigned field, const struct buf *m)
{
	varint(b, field << 3 | 2);
	varint(b, m->n);
	buf_put(b, m->p, m->n);
}

struct writer {
	const struct tree *t;
	struct buf out, part, inner;
	struct intern strings, modules;
	bool *wanted; /* frames that a sample reaches */
};

static void
value_type(struct writer *w, unsigned field, const struct sample_type *s)
{
	w->part.n = 0;
	number(&w->part, 1, intern_id(&w->strings, s->type));
	number(&w->part, 2, intern_id(&w->strings, s->unit));
	message(&w->out, field, &w->part);
}

/* Sample: 1 location_id, 2 value, 3 label. Columns from..from+n, times sign. */
static bool
sample(struct writer *w, uint32_t node, uint32_t from, uint32_t n, bool base)
{
	const struct tree *t = w->t;
	/* A leaf counts even with zeros: it is part of the tree. */
	bool any = node + 1 == t->n || t->parent[node + 1] != node;

	for (uint32_t k = 0; k < n; k++)
		any = any || t->self[from + k][node];
	if (!any)
		return true;
	w->part.n = w->inner.n = 0;
	for (uint32_t x = node; x; x = t->parent[x]) {
		varint(&w->inner, t->frame[x] + 1UL);
		w->wanted[t->frame[x]] = true;
	}
	if (w->inner.n)
		message(&w->part, 1, &w->inner);
	w->inner.n = 0;
	for (uint32_t k = 0; k < n; k++) {
		int64_t v = t->self[from + k][node];

		if (base && v == INT64_MIN)
			return false;
		varint(&w->inner, (uint64_t)(base ? -v : v));
	}
	message(&w->part, 2, &w->inner);
	if (base) {
		w->inner.n = 0;
		number(&w->inner, 1, intern_id(&w->strings, STR("pprof::base")));
		number(&w->inner, 2, intern_id(&w->strings, STR("true")));
		message(&w->part, 3, &w->inner);
	}
	message(&w->out, 2, &w->part);
	return true;
}

static void
tables(struct writer *w)
{
	const struct tree *t = w->t;

	for (uint32_t i = 0; i < t->nframes; i++) {
		const struct frame *f = &t->frames[i];
		uint32_t module = 0;

		if (!w->wanted[i])
			continue;
		if (f->module.n)
			module = intern_id(&w->modules, f->module) + 1;
		/* Location: 1 id, 2 mapping_id, 3 address, 4 line {1 function, 2 line}
		 */
		w->part.n = w->inner.n = 0;
		number(&w->inner, 1, i + 1UL);
		number(&w->inner, 2, (uint64_t)f->line);
		number(&w->part, 1, i + 1UL);
		number(&w->part, 2, module);
		number(&w->part, 3, f->address);
		message(&w->part, 4, &w->inner);
		message(&w->out, 4, &w->part);
		/* Function: 1 id, 2 name, 3 system_name, 4 filename */
		w->part.n = 0;
		number(&w->part, 1, i + 1UL);
		number(&w->part, 2, intern_id(&w->strings, f->name));
		number(&w->part, 3, intern_id(&w->strings, f->name));
		if (f->file.n)
			number(&w->part, 4, intern_id(&w->strings, f->file));
		message(&w->out, 5, &w->part);
	}
	for (size_t i = 0; i < w->modules.n; i++) {
		/* Mapping: 1 id, 5 filename, 7 has_functions */
		w->part.n = 0;
		number(&w->part, 1, i + 1UL);
		number(&w->part, 5, intern_id(&w->strings, w->modules.str[i]));
		number(&w->part, 7, 1);
		message(&w->out, 3, &w->part);
	}
	for (size_t i = 0; i < w->strings.n; i++) {
		varint(&w->out, 6 << 3 | 2);
		varint(&w->out, w->strings.str[i].n);
		buf_str(&w->out, w->strings.str[i]);
	}
}

static void
header(struct writer *w)
{
	const struct meta *m = &w->t->meta;

	number(&w->out, 9, (uint64_t)m->start_ns);
	number(&w->out, 10, (uint64_t)m->duration_ns);
	if (m->period_type.type.n || m->period_type.unit.n)
		value_type(w, 11, &m->period_type);
	number(&w->out, 12, (uint64_t)m->period);
	if (m->shown < m->ntypes)
		number(&w->out, 14, intern_id(&w->strings, m->types[m->shown].type));
}

static bool
gzip(const struct buf *in, struct sink *sink, struct err *e)
{
	z_stream z = { 0 };
	unsigned char out[1 << 15];
	size_t left = in->n;
	int rc = Z_OK;

	/* Level 1, as Go writes it; no name and no time in the header. */
	if (deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return err_set(e, ERR_IO, "gzip: cannot deflate");
	z.next_in = (Bytef *)in->p;
	while (rc != Z_STREAM_END) {
		if (!z.avail_in) {
			z.avail_in = left > 1U << 30 ? 1U << 30 : (uInt)left;
			left -= z.avail_in;
		}
		z.next_out = out;
		z.avail_out = sizeof out;
		rc = deflate(&z, left ? Z_NO_FLUSH : Z_FINISH);
		sink_write(sink, out, sizeof out - z.avail_out);
	}
	deflateEnd(&z);
	return true;
}

bool
pprof_write(const struct tree *t, struct sink *sink, struct err *e)
{
	struct writer w = { .t = t };
	uint32_t n = t->sides ? t->meta.ntypes / 2 : t->meta.ntypes;
	bool ok = true;

	w.wanted = xcalloc(t->nframes + 1UL, sizeof *w.wanted);
	intern_id(&w.strings, STR(""));
	for (uint32_t k = 0; k < n; k++)
		value_type(&w, 1, &t->meta.types[k]);
	for (uint32_t i = 0; i < t->n && ok; i++) {
		ok = sample(&w, i, t->sides ? n : 0, n, false) &&
		        (!t->sides || sample(&w, i, 0, n, true));
		if (!ok)
			err_set(e, ERR_LIMIT, "a value that cannot be negated");
	}
	if (ok) {
		header(&w);
		tables(&w);
		ok = gzip(&w.out, sink, e);
	}
	buf_clear(&w.out);
	buf_clear(&w.part);
	buf_clear(&w.inner);
	intern_clear(&w.strings);
	intern_clear(&w.modules);
	free(w.wanted);
	return ok;
}
