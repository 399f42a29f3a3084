#include "tree/stack.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/num.h"

static int
label_cmp(const void *a, const void *b)
{
	const struct label *x = a, *y = b;

	return str_cmp(x->key, y->key);
}

void
labels_sort(struct label *l, size_t n)
{
	if (n)
		qsort(l, n, sizeof *l, label_cmp);
}

struct str
label_get(const struct label *l, size_t n, struct str key)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(l[i].key, key))
			return l[i].value;
	return (struct str){ 0 };
}

struct str
stack_label(const struct stack *k, const struct meta *m, struct str key)
{
	struct str v = label_get(k->labels, k->nlabels, key);

	if (v.p)
		return v;
	if (k->timed && k->thread.p && str_eq(key, STR("thread")))
		return k->thread;
	return label_get(m->labels, m->nlabels, key);
}

uint32_t
stack_label_frame(struct frames *f, const char *key, struct str value)
{
	struct buf none = { 0 };
	uint32_t id;

	if (!value.p) {
		buf_printf(&none, "(no %s)", key);
		value = buf_view(&none);
	}
	id = FRAME_ID(frames_name(f, value, CLASS_LABEL), 0);
	buf_clear(&none);
	return id;
}

static void
type_copy(struct sample_type *to, const struct sample_type *from, struct arena *a)
{
	*to = (struct sample_type){ .type = arena_str(a, from->type),
		                    .unit = arena_str(a, from->unit),
		                    .agg = from->agg };
}

void
meta_copy(struct meta *to, const struct meta *from, struct arena *a)
{
	struct meta m = *from;

	m.types = arena_calloc(a, from->ntypes, sizeof *m.types);
	for (uint32_t i = 0; i < from->ntypes; i++)
		type_copy(&m.types[i], &from->types[i], a);
	m.labels = arena_calloc(a, from->nlabels, sizeof *m.labels);
	for (size_t i = 0; i < from->nlabels; i++)
		m.labels[i] = (struct label){ arena_str(a, from->labels[i].key),
			                      arena_str(a, from->labels[i].value) };
	type_copy(&m.period_type, &from->period_type, a);
	*to = m;
}

void
meta_label(struct meta *m, struct str key, struct str value, struct arena *a)
{
	struct label *l;
	size_t at = 0;

	while (at < m->nlabels && str_cmp(m->labels[at].key, key) < 0)
		at++;
	if (at < m->nlabels && str_eq(m->labels[at].key, key)) {
		m->labels[at].value = value;
		return;
	}
	l = arena_calloc(a, m->nlabels + 1, sizeof *l);
	if (at)
		memcpy(l, m->labels, at * sizeof *l);
	l[at] = (struct label){ key, value };
	if (at < m->nlabels)
		memcpy(l + at + 1, m->labels + at, (m->nlabels - at) * sizeof *l);
	m->labels = l;
	m->nlabels++;
}

uint32_t
meta_shown(const struct meta *m)
{
	return m->shown < m->ntypes ? m->shown : m->ntypes - 1;
}

/* TYPE, TYPE/UNIT or /UNIT. */
static bool
type_matches(const struct sample_type *t, struct str name)
{
	const char *slash = name.n ? memchr(name.p, '/', name.n) : NULL;
	struct str type = name, unit = { 0 };

	if (!slash)
		return str_eq(t->type, name);
	type.n = (size_t)(slash - name.p);
	unit = (struct str){ slash + 1, name.n - type.n - 1 };
	return (!type.n || str_eq(t->type, type)) && str_eq(t->unit, unit);
}

bool
meta_type(const struct meta *m, const char *name, uint32_t *out, struct err *e)
{
	struct str s = str_of(name);
	char have[160] = "";
	size_t at = 0;
	uint32_t found = 0;
	uint64_t index;

	if (!m->ntypes)
		return err_set(e, ERR_USAGE, "the document has no sample types");
	*out = meta_shown(m);
	if (!name)
		return true;
	for (uint32_t i = 0; i < m->ntypes; i++)
		if (type_matches(&m->types[i], s)) {
			*out = i;
			found++;
		}
	if (found == 1 || (found > 1 && !memchr(s.p, '/', s.n)))
		return true; /* a type that stands twice: the last one */
	if (!found && num_u64(s, &index) && index < m->ntypes) {
		*out = (uint32_t)index;
		return true;
	}
	if (!found)
		for (uint32_t i = 0; i < m->ntypes; i++)
			if (str_eq(m->types[i].unit, s)) {
				*out = i;
				found++;
			}
	if (found == 1)
		return true;
	for (uint32_t i = 0; i < m->ntypes && at + 2 < sizeof have; i++)
		at += (size_t)snprintf(have + at, sizeof have - at, "%s%.*s/%.*s",
		                       i ? ", " : "", (int)m->types[i].type.n,
		                       m->types[i].type.p ? m->types[i].type.p : "",
		                       (int)m->types[i].unit.n,
		                       m->types[i].unit.p ? m->types[i].unit.p : "");
	return err_set(e, ERR_USAGE, "%s sample type '%.60s'; there %s %s",
	               found ? "more than one" : "no", name,
	               m->ntypes == 1 ? "is" : "are", have);
}
