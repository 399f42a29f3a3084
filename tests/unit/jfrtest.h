/*
 * What tests of the JFR reader share: a sink that writes down what it gets, and the
 * constants that most recordings here use.
 */
#ifndef JFRTEST_H
#define JFRTEST_H

#include "formats/jfr.h"
#include "jfrwrite.h"
#include "tap.h"

/* A sink that writes down all it gets. */
struct record {
	struct stack_sink sink;
	struct frames frames;
	struct str event[JFR_ALL_KINDS];
	uint32_t ntypes[JFR_ALL_KINDS];
	uint32_t n;
	struct buf text;
	bool heads; /* also the heads of series */
	bool fail;  /* refuse the first stack */
};

static inline bool
record_begin(struct stack_sink *s, const struct meta *m, uint32_t *id, struct err *e)
{
	struct record *r = (struct record *)s;

	(void)e;
	*id = r->n;
	r->ntypes[r->n] = m->ntypes;
	r->event[r->n++] = label_get(m->labels, m->nlabels, STR("event"));
	return true;
}

static inline bool
record_push(struct stack_sink *s, uint32_t id, const struct stack *k, struct err *e)
{
	struct record *r = (struct record *)s;

	if (r->fail)
		return err_set(e, ERR_LIMIT, "the sink is full");
	buf_str(&r->text, r->event[id]);
	for (size_t i = 0; i < k->nlabels; i++)
		buf_printf(&r->text, " %.*s=%.*s", (int)k->labels[i].key.n,
		           k->labels[i].key.p, (int)k->labels[i].value.n,
		           k->labels[i].value.p);
	buf_char(&r->text, ' ');
	for (size_t i = 0; i < k->depth; i++) {
		const struct frame *f = &r->frames.at[FRAME_INDEX(k->frames[i])];

		buf_printf(&r->text, "%s%.*s", i ? ";" : "", (int)f->name.n, f->name.p);
		if (f->line)
			buf_printf(&r->text, ":%lld", (long long)f->line);
		if (f->module.n)
			buf_printf(&r->text, "@%.*s", (int)f->module.n, f->module.p);
		buf_printf(&r->text, "<%.1s%.2s>", frame_class_name[f->class],
		           frame_kind_name[FRAME_KIND(k->frames[i])]);
	}
	for (uint32_t i = 0; i < r->ntypes[id]; i++)
		buf_printf(&r->text, " %lld", (long long)k->values[i]);
	if (k->timed)
		buf_printf(&r->text, " @%lld %.*s", (long long)k->time_ns,
		           (int)k->thread.n, k->thread.p);
	buf_char(&r->text, '\n');
	return true;
}

static inline bool
record_end(struct stack_sink *s, uint32_t id, const struct meta *m, struct err *e)
{
	struct record *r = (struct record *)s;

	(void)e;
	if (!r->heads)
		return true;
	buf_printf(&r->text, "[%.*s", (int)r->event[id].n, r->event[id].p);
	for (uint32_t i = 0; i < m->ntypes; i++)
		buf_printf(&r->text, " %.*s/%.*s%s", (int)m->types[i].type.n,
		           m->types[i].type.p, (int)m->types[i].unit.n,
		           m->types[i].unit.p, m->types[i].agg == AGG_GAUGE ? "!" : "");
	buf_printf(&r->text,
	           " period %lld start %lld end %lld duration %lld profiles %llu "
	           "truncated %llu]\n",
	           (long long)m->period, (long long)m->start_ns, (long long)m->end_ns,
	           (long long)m->duration_ns, (unsigned long long)m->profiles,
	           (unsigned long long)m->truncated);
	return true;
}

static char warning[512];
static unsigned warnings;

static inline void
note(void *ctx, const char *text)
{
	(void)ctx;
	warnings++;
	snprintf(warning, sizeof warning, "%s", text);
}

struct result {
	bool ok;
	struct jfr_stats stats;
	char error[512];
	char text[1 << 17];
};

/* The labels that the sink looks at; none: all. */
static struct {
	const struct str *at;
	size_t n;
} wanted_labels;

/* Where inputs go as seeds for the fuzzer, each once. */
static struct {
	const char *dir, *prefix;
	struct map written;
} seeds;

static inline void
write_seed(struct str bytes)
{
	char path[512];
	bool fresh;
	FILE *f;

	map_put(&seeds.written, hash_bytes(bytes.p, bytes.n, 1), &fresh);
	if (!fresh)
		return;
	snprintf(path, sizeof path, "%s/%s%03zu", seeds.dir,
	         seeds.prefix ? seeds.prefix : "", seeds.written.n);
	f = fopen(path, "wb");
	if (!f || fwrite(bytes.p, 1, bytes.n, f) != bytes.n || fclose(f) != 0)
		fprintf(stderr, "%s: not written\n", path);
}

static inline struct result
read_with(struct str bytes, struct jfr_opts o, bool heads, bool labels)
{
	struct record r = { .sink = { .labels = labels,
		                      .want = wanted_labels.at,
		                      .nwant = labels ? wanted_labels.n : 0,
		                      .begin = record_begin,
		                      .push = record_push,
		                      .end = record_end },
		            .heads = heads };
	struct result out = { 0 };
	struct source *s = source_mem("rec", bytes, NULL);
	struct err e = { 0 };

	if (seeds.dir)
		write_seed(bytes);
	warnings = 0;
	warning[0] = '\0';
	o.warn.say = note;
	r.sink.frames = &r.frames;
	out.ok = jfr_read(s, &o, &r.sink, &out.stats, &e);
	if (!out.ok)
		err_text(&e, out.error, sizeof out.error);
	snprintf(out.text, sizeof out.text, "%.*s", (int)r.text.n, r.text.p);
	source_close(s);
	frames_clear(&r.frames);
	buf_clear(&r.text);
	return out;
}

static inline struct result
read_bytes(struct str bytes, struct jfr_opts o, bool heads)
{
	return read_with(bytes, o, heads, false);
}

static inline void
same_text(const char *name, const char *got, const char *want)
{
	if (!ok_named(strcmp(got, want) == 0, name))
		fprintf(stderr, "# got:\n%s# want:\n%s", got, want);
}

/* The symbols and classes that most recordings here use. */
static inline void
names(struct jw *w)
{
	jw_pool(w, T_SYMBOL, 9);
	jw_constant(w, 1, "java/lang/Thread");
	jw_constant(w, 2, "run");
	jw_constant(w, 3, "a/B");
	jw_constant(w, 4, "work");
	jw_constant(w, 5, "libjvm.so");
	jw_constant(w, 6, "os::sleep");
	jw_constant(w, 7, "[B");
	jw_constant(w, 8, "[[Ljava/lang/String;");
	jw_constant(w, 9, "x/L$$Lambda$5/0x00ab");
	jw_pool(w, T_CLASS, 6);
	jw_class_constant(w, 1, 1);
	jw_class_constant(w, 2, 3);
	jw_class_constant(w, 3, 5);
	jw_class_constant(w, 4, 7);
	jw_class_constant(w, 5, 8);
	jw_class_constant(w, 6, 9);
	jw_pool(w, T_METHOD, 4);
	jw_method(w, 1, 1, 2);
	jw_method(w, 2, 2, 4);
	jw_method(w, 3, 3, 6);
	jw_method(w, 4, 6, 4);
}

static inline void
async_enums(struct jw *w)
{
	jw_pool(w, T_FRAME_TYPE, 7);
	jw_constant(w, 0, "Interpreted");
	jw_constant(w, 1, "JIT compiled");
	jw_constant(w, 2, "Inlined");
	jw_constant(w, 3, "Native");
	jw_constant(w, 4, "C++");
	jw_constant(w, 5, "Kernel");
	jw_constant(w, 6, "C1 compiled");
	jw_pool(w, T_STATE, 3);
	jw_constant(w, 0, "STATE_DEFAULT");
	jw_constant(w, 1, "STATE_RUNNABLE");
	jw_constant(w, 2, "STATE_SLEEPING");
}

static inline void
jdk_enums(struct jw *w)
{
	jw_pool(w, T_FRAME_TYPE, 4);
	jw_constant(w, 0, "Interpreted");
	jw_constant(w, 1, "JIT compiled");
	jw_constant(w, 2, "Inlined");
	jw_constant(w, 3, "Native");
	jw_pool(w, T_STATE, 1);
	jw_constant(w, 5, "STATE_RUNNABLE");
}

#endif
