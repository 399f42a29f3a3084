#include "formats/input.h"

#include "bytes/io.h"
#include "tree/treefile.h"

enum { HEAD = 1 << 16 };

static const struct {
	const char *name;
	enum input_format format;
} formats[] = {
	{ "tree", INPUT_TREE },
	{ "folded", INPUT_FOLDED },
	{ "pprof", INPUT_PPROF },
	{ "jfr", INPUT_JFR },
};

const char input_formats[] = "tree, folded, pprof, jfr";

enum { NFORMATS = sizeof formats / sizeof formats[0] };

bool
input_format(const char *name, enum input_format *out)
{
	for (size_t i = 0; i < NFORMATS; i++)
		if (strcmp(name, formats[i].name) == 0) {
			*out = formats[i].format;
			return true;
		}
	return false;
}

static bool read_source(struct source *, enum input_format, const struct input_opts *,
                        struct stack_sink *, bool *partial, unsigned nested,
                        struct err *);

/* ---- envelopes: their labels and window go onto every series inside ---- */

struct labelled {
	struct stack_sink sink, *to;
	const struct envelope *v;
	struct arena arena;
};

static void
with_envelope(struct labelled *l, const struct meta *m, struct meta *out)
{
	*out = *m;
	for (size_t i = 0; i < l->v->nlabels; i++)
		meta_label(out, l->v->labels[i].key, l->v->labels[i].value, &l->arena);
	if (l->v->task_id.n)
		meta_label(out, STR("task_id"), l->v->task_id, &l->arena);
	if (!out->start_ns)
		out->start_ns = l->v->start_ns;
	if (!out->end_ns)
		out->end_ns = l->v->end_ns;
}

static bool
labelled_begin(struct stack_sink *s, const struct meta *m, uint32_t *series,
               struct err *e)
{
	struct labelled *l = (struct labelled *)s;
	struct meta with;

	with_envelope(l, m, &with);
	return l->to->begin(l->to, &with, series, e);
}

static bool
labelled_push(struct stack_sink *s, uint32_t series, const struct stack *k,
              struct err *e)
{
	struct labelled *l = (struct labelled *)s;

	return l->to->push(l->to, series, k, e);
}

static bool
labelled_end(struct stack_sink *s, uint32_t series, const struct meta *m, struct err *e)
{
	struct labelled *l = (struct labelled *)s;
	struct meta with;

	with_envelope(l, m, &with);
	return l->to->end(l->to, series, &with, e);
}

static bool
read_envelope(const char *name, const struct envelope *v, const struct input_opts *o,
              struct stack_sink *to, bool *partial, unsigned nested, struct err *e)
{
	struct source_opts so = { .warn = o->warn };
	struct input_opts inner = *o;
	struct labelled l = { .to = to, .v = v };
	enum input_format format = INPUT_AUTO;
	struct source *in;
	char text[32];
	bool ok;

	if (nested)
		return err_set(e, ERR_FORMAT, "an envelope within an envelope");
	if (v->format.n && v->format.n < sizeof text) {
		memcpy(text, v->format.p, v->format.n);
		text[v->format.n] = '\0';
		if (!input_format(text, &format))
			return err_set(e, ERR_FORMAT, "an envelope of format '%s'",
			               text);
	}
	l.sink = (struct stack_sink){ .frames = to->frames,
		                      .labels = to->labels,
		                      .want = to->want,
		                      .nwant = to->nwant,
		                      .begin = labelled_begin,
		                      .push = labelled_push,
		                      .end = labelled_end };
	inner.take = NULL; /* its documents need the labels too */
	in = source_mem(name, v->data, &so);
	ok = read_source(in, format, &inner, &l.sink, partial, nested + 1, e);
	source_close(in);
	arena_clear(&l.arena);
	return ok;
}

static bool
read_trees(struct source *in, const struct input_opts *o, struct stack_sink *to,
           bool *partial, unsigned nested, struct err *e)
{
	struct treefile f = { .source = in, .max_record = o->max_record };
	enum treefile_kind what;
	struct envelope v = { 0 };
	struct tree t = { 0 };
	bool ok = true;

	while (ok) {
		if (!treefile_next(&f, &what, &t, &v, e))
			return false;
		if (what == TREEFILE_END)
			break;
		if (what == TREEFILE_ENVELOPE)
			ok = read_envelope(source_name(in), &v, o, to, partial, nested,
			                   e);
		else if (o->take)
			ok = o->take(o->ctx, &t, e);
		else if (t.sides)
			ok = err_set(
			        e, ERR_FORMAT,
			        "a differential document has no stacks to select from");
		else
			ok = tree_push(&t, to, e);
		if (!ok)
			err_record(e, "record", f.record);
		tree_clear(&t);
		envelope_clear(&v);
	}
	return ok || err_in(e, source_name(in));
}

/* ---- telling formats apart ---- */

static bool
is_text(struct str head)
{
	for (size_t i = 0; i < head.n && i < 4096; i++) {
		unsigned char c = (unsigned char)head.p[i];

		if (c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != 0x1b)
			return false;
	}
	return true;
}

/* What people hand in by mistake, and what to do instead. */
static const struct {
	const char *begins, *advice;
	bool sure; /* even where it could be read as folded text */
} mistakes[] = {
	{ "heap profile:", "pprof's debug text; fetch the profile without debug=",
	  true },
	{ "goroutine profile:", "pprof's debug text; fetch the profile without debug=",
	  true },
	{ "threadcreate profile:",
	  "pprof's debug text; fetch the profile without debug=", true },
	{ "goroutine ",
	  "a dump of goroutines; fetch the profile without debug=", true },
	{ "--- ", "pprof's debug text; fetch the profile without debug=", false },
	{ "<", "a page, perhaps of an error", false },
	{ "BZh", "packed with bzip2; unpack it with: bzip2 -dc", false },
	{ "\x7f"
	  "ELF",
	  "a program", false },
	{ "PERFILE2", "perf's own data; give the output of: perf script", false },
	{ "go 1.", "an execution trace, not a profile", false },
};

static const char *
mistaken(struct str head, bool sure)
{
	for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++)
		if ((mistakes[i].sure || !sure) &&
		    str_starts(head, str_of(mistakes[i].begins)))
			return mistakes[i].advice;
	return NULL;
}

static bool
unknown(struct str head, uint64_t offset, struct err *e)
{
	const char *advice = mistaken(head, false);
	char text[64];
	size_t n = 0;

	if (head.n > 262 && memcmp(head.p + 257, "ustar", 5) == 0)
		advice = "a tar file; unpack it with: tar -xO";
	if (!is_text(head))
		return err_at(e, ERR_FORMAT, offset, "%s",
		              advice ? advice : "not a format that is known");
	while (n < head.n && n < sizeof text - 1 && head.p[n] != '\n') {
		text[n] = head.p[n];
		n++;
	}
	text[n] = '\0';
	return err_at(e, ERR_FORMAT, offset, "not a profile%s%s%s; it begins: %s",
	              advice ? " (" : "", advice ? advice : "", advice ? ")" : "",
	              text);
}

static bool
recognise(struct source *in, enum input_format *format, struct err *e)
{
	struct str head;
	bool mistake, pprof;

	if (!source_peek(in, HEAD, &head, e))
		return false;
	if (!head.n)
		return err_set(e, ERR_FORMAT, "empty input");
	mistake = mistaken(head, true) != NULL;
	pprof = !mistake && pprof_sniff(head);
	if (treefile_sniff(head))
		*format = INPUT_TREE;
	else if (jfr_sniff(head))
		*format = INPUT_JFR;
	else if (head.n >= 2 && (unsigned char)head.p[0] == 0x1f &&
	         (unsigned char)head.p[1] == 0x8b)
		return err_set(e, ERR_FORMAT, "gzip within %s: unpack it once",
		               source_packed(in) ? source_packed(in) : "nothing");
	else if (!mistake && folded_sniff(head) && (is_text(head) || !pprof))
		*format = INPUT_FOLDED; /* names may hold control characters */
	else if (pprof)
		*format = INPUT_PPROF;
	else
		return unknown(head, source_offset(in), e);
	return true;
}

static bool
read_source(struct source *in, enum input_format format, const struct input_opts *o,
            struct stack_sink *to, bool *partial, unsigned nested, struct err *e)
{
	struct folded_stats folded;
	struct jfr_stats jfr;

	if (format == INPUT_AUTO && !recognise(in, &format, e))
		return err_in(e, source_name(in));
	switch (format) {
	case INPUT_FOLDED:
		if (!folded_read(in, &o->folded, to, &folded, e))
			return false;
		*partial = *partial || folded.rejected;
		return true;
	case INPUT_PPROF:
		return pprof_read(in, &o->pprof, to, e);
	case INPUT_JFR:
		if (!jfr_read(in, &o->jfr, to, &jfr, e))
			return false;
		*partial = *partial || jfr.partial;
		if (o->jfr_stats)
			*o->jfr_stats = jfr;
		return true;
	case INPUT_TREE:
	case INPUT_AUTO:
		break;
	}
	return read_trees(in, o, to, partial, nested, e);
}

bool
input_read_source(struct source *in, const struct input_opts *o, struct stack_sink *to,
                  bool *partial, struct err *e)
{
	return read_source(in, o->format, o, to, partial, 0, e);
}

bool
input_read(const char *path, const struct input_opts *o, struct stack_sink *to,
           bool *partial, struct err *e)
{
	struct source_opts so = { .warn = o->warn, .progress = o->progress };
	struct source *in;
	bool ok;

	if (!source_open(&in, path, &so, e))
		return false;
	ok = input_read_source(in, o, to, partial, e);
	source_close(in);
	return ok;
}
