#include "render/output.h"

#include "tree/treefile.h"

static const struct {
	const char *name;
	enum output_format format;
	bool one; /* holds one document */
	bool all; /* holds all sample types */
	bool negative;
} formats[] = {
	{ "json", OUTPUT_JSON, false, true, true },
	{ "pb", OUTPUT_PB, false, true, true },
	{ "folded", OUTPUT_FOLDED, true, false, true },
	{ "top", OUTPUT_TOP, false, false, true },
	{ "pprof", OUTPUT_PPROF, true, true, true },
	{ "nested", OUTPUT_NESTED, false, false, true },
	{ "nested-jfr", OUTPUT_NESTED_JFR, false, false, true },
	{ "d3", OUTPUT_D3, false, false, false },
};

const char output_formats[] = "json, pb, folded, top, pprof, nested, nested-jfr, d3";

enum { NFORMATS = sizeof formats / sizeof formats[0] };

bool
output_format(const char *name, enum output_format *out)
{
	for (size_t i = 0; i < NFORMATS; i++)
		if (strcmp(name, formats[i].name) == 0) {
			*out = formats[i].format;
			return true;
		}
	return false;
}

bool
output_binary(enum output_format f)
{
	return f == OUTPUT_PB || f == OUTPUT_PPROF;
}

static bool
no_negative(struct tree *t, uint32_t type, const struct output_opts *o, struct err *e)
{
	for (uint32_t i = 0; i < t->n; i++) {
		if (t->self[type][i] >= 0)
			continue;
		if (!o->drop_negative)
			return err_set(e, ERR_FORMAT,
			               "negative values, which %s cannot hold "
			               "(--drop-negative leaves them out)",
			               formats[o->format].name);
		t->self[type][i] = 0;
	}
	return true;
}

static bool
write_one(struct tree *t, const struct output_opts *o, struct sink *sink, struct err *e)
{
	uint32_t type = meta_shown(&t->meta);

	if (!formats[o->format].negative && !no_negative(t, type, o, e))
		return false;
	switch (o->format) {
	case OUTPUT_JSON:
		treefile_json(t, sink);
		return true;
	case OUTPUT_PB:
		return treefile_pb(t, sink, e);
	case OUTPUT_FOLDED:
		return folded_write(t, type, o, sink, e);
	case OUTPUT_TOP:
		return top_write(t, type, o, sink, e);
	case OUTPUT_PPROF:
		return pprof_write(t, sink, e);
	case OUTPUT_NESTED:
		return nested_write(t, type, NESTED_PPROF, sink, e);
	case OUTPUT_NESTED_JFR:
		return nested_write(t, type, NESTED_JFR, sink, e);
	case OUTPUT_D3:
		return nested_write(t, type, NESTED_D3, sink, e);
	}
	return true;
}

/* The documents by event, for a message: "cpu, alloc". */
static void
name_documents(const struct tree *t, size_t n, char *buf, size_t size)
{
	size_t at = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		struct str ev =
		        label_get(t[i].meta.labels, t[i].meta.nlabels, STR("event"));

		if (at + ev.n + 8 > size) {
			snprintf(buf + at, size - at, ", ...");
			break;
		}
		at += (size_t)snprintf(buf + at, size - at, "%s%.*s", i ? ", " : "",
		                       ev.p ? (int)ev.n : 3, ev.p ? ev.p : "(?)");
	}
}

/* With -t: the documents that have the type move to the front, the others go. */
static bool
typed(struct tree *t, size_t *n, const struct output_opts *o, struct err *e)
{
	struct err why = { 0 };
	size_t kept = 0;
	uint32_t type;

	for (size_t i = 0; i < *n; i++) {
		struct tree one = t[i];

		t[i] = (struct tree){ 0 };
		if (meta_type(&one.meta, o->type, &type, &why))
			t[kept++] = one;
		else
			tree_clear(&one);
	}
	if (*n && !kept) {
		*e = why;
		return false;
	}
	if (kept < *n)
		warn_say(&o->warn, "%zu of %zu documents have no sample type '%s'",
		         *n - kept, *n, o->type);
	*n = kept;
	return true;
}

bool
output_trees(struct tree *t, size_t n, const struct output_opts *o, struct sink *sink,
             struct err *e)
{
	char names[96];

	if (o->type && !typed(t, &n, o, e))
		return false;
	if (formats[o->format].one && n > 1) {
		name_documents(t, n, names, sizeof names);
		return err_set(
		        e, ERR_USAGE,
		        "-o %s holds one document, there are %zu (%s); choose with "
		        "-e, -t or a label",
		        formats[o->format].name, n, names);
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t type;

		if (o->type || !formats[o->format].all) {
			if (!meta_type(&t[i].meta, o->type, &type, e))
				return false;
			if (!t[i].sides || !formats[o->format].all)
				tree_keep_type(&t[i], type);
		}
		if (!write_one(&t[i], o, sink, e))
			return false;
		if (!sink_flush(sink))
			return true; /* sink_close says why */
	}
	return true;
}
