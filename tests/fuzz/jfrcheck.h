/*
 * What must hold for any bytes that are read as a recording, into real groups. What
 * comes out must be what was pushed: the selves of a kind's tree add up to the values
 * of its stacks, whether stacks are told apart by labels or not, one event at a time or
 * summed; and strictly read, nothing that was damaged passes.
 */
#ifndef JFRCHECK_H
#define JFRCHECK_H

#include <stdint.h>
#include <stdlib.h>

#include "base/num.h"
#include "formats/jfr.h"
#include "formats/jfr_summary.h"
#include "render/jfrconv.h"
#include "render/jfrsummary.h"
#include "tree/group.h"

enum { COLUMNS = 3 };

/* A sink before the groups that sums what goes by. */
struct tally {
	struct stack_sink sink, *to;
	unsigned kind[JFR_ALL_KINDS]; /* by series */
	uint32_t ntypes[JFR_ALL_KINDS];
	uint32_t n;
	num_i128 sum[JFR_ALL_KINDS][COLUMNS];
};

static void
must(bool good)
{
	if (!good)
		abort();
}

static const struct jfr_custom custom[] = { { "jdk.ThreadPark", "duration" },
	                                    { "jdk.Custom", NULL } };

static unsigned
kind_of(const struct meta *m)
{
	struct str event = label_get(m->labels, m->nlabels, STR("event"));

	for (unsigned k = 0; k < JFR_KINDS; k++)
		if (str_eq(event, str_of(jfr_kind_name((enum jfr_kind)k))))
			return k;
	for (unsigned i = 0; i < sizeof custom / sizeof *custom; i++)
		if (str_eq(event, str_of(custom[i].type)))
			return JFR_KINDS + i;
	abort();
}

static bool
tally_begin(struct stack_sink *s, const struct meta *m, uint32_t *series, struct err *e)
{
	struct tally *t = (struct tally *)s;
	unsigned kind = kind_of(m);
	uint32_t id;

	must(m->ntypes >= 1 && m->ntypes <= COLUMNS && t->n < JFR_ALL_KINDS);
	if (!t->to->begin(t->to, m, &id, e))
		return false;
	must(id < JFR_ALL_KINDS);
	t->kind[id] = kind;
	t->ntypes[id] = m->ntypes;
	t->n++;
	*series = id;
	return true;
}

static bool
tally_push(struct stack_sink *s, uint32_t series, const struct stack *k, struct err *e)
{
	struct tally *t = (struct tally *)s;

	for (size_t i = 0; i < k->depth; i++)
		must(FRAME_INDEX(k->frames[i]) < t->to->frames->n);
	for (uint32_t i = 0; i < t->ntypes[series]; i++)
		t->sum[t->kind[series]][i] += k->values[i];
	return t->to->push(t->to, series, k, e);
}

static bool
tally_end(struct stack_sink *s, uint32_t series, const struct meta *m, struct err *e)
{
	struct tally *t = (struct tally *)s;

	return t->to->end(t->to, series, m, e);
}

static void
write_lines(const struct tree *t)
{
	struct buf lines = { 0 };
	struct sink *s = sink_buf(&lines);
	struct err e = { 0 };

	must(jfrconv_write(t, 0, 0.5, s, &e) || e.text[0]);
	sink_discard(s);
	buf_clear(&lines);
}

/* Kinds whose trees forget what is not the last of an instance. */
static bool
is_gauge(unsigned kind)
{
	return kind == JFR_LIVE || kind == JFR_OLD || kind == JFR_OAP_LIVE;
}

/* Read, and check that the trees hold what was pushed. */
static bool
read_once(const struct jfr_opts *o, const char *const *by, size_t nby,
          const uint8_t *data, size_t size, struct tally *t, struct jfr_stats *stats)
{
	struct group_opts go = { .by = by,
		                 .nby = nby,
		                 .max_groups = 1 << 20,
		                 .kinds_apart = o->names.jfrconv };
	struct groups *g = groups_new(&go);
	struct source *in =
	        source_mem("fuzz", (struct str){ (const char *)data, size }, NULL);
	struct tree *trees = NULL;
	struct err e = { 0 };
	num_i128 sum[JFR_ALL_KINDS][COLUMNS] = { 0 };
	size_t n = 0;
	bool ok;

	*t = (struct tally){ .to = groups_sink(g) };
	t->sink = (struct stack_sink){ .frames = t->to->frames,
		                       .labels = t->to->labels,
		                       .want = t->to->want,
		                       .nwant = t->to->nwant,
		                       .begin = tally_begin,
		                       .push = tally_push,
		                       .end = tally_end };
	ok = jfr_read(in, o, &t->sink, stats, &e);
	must(ok || e.text[0]);
	must(!ok || !o->strict || !stats->partial);
	if (ok && groups_finish(g, &trees, &n, &e)) {
		for (size_t i = 0; i < n; i++) {
			unsigned kind = kind_of(&trees[i].meta);

			must(tree_check(&trees[i], &e));
			for (uint32_t k = 0; k < trees[i].meta.ntypes; k++)
				for (uint32_t j = 0; j < trees[i].n; j++)
					sum[kind][k] += trees[i].self[k][j];
			if (o->names.jfrconv)
				write_lines(&trees[i]);
			tree_clear(&trees[i]);
		}
		for (unsigned k = 0; k < JFR_ALL_KINDS; k++)
			for (int i = 0; i < COLUMNS; i++)
				must(is_gauge(k) || sum[k][i] == t->sum[k][i]);
	} else {
		ok = false;
	}
	free(trees);
	source_close(in);
	groups_free(g);
	return ok;
}

static void
summarise(const uint8_t *data, size_t size, bool readable)
{
	struct source *in =
	        source_mem("fuzz", (struct str){ (const char *)data, size }, NULL);
	struct buf text = { 0 };
	struct sink *out = sink_buf(&text);
	uint64_t bytes, want = 0;
	struct jfr_summary s;
	struct err e = { 0 };
	bool ok = jfr_summary_read(in, &s, &e);

	must(ok || (e.text[0] && !readable));
	if (ok) {
		bytes = s.unknown_bytes + s.unread;
		for (size_t i = 0; i < s.ntypes; i++)
			bytes += s.types[i].bytes;
		for (size_t i = 0; i < s.nchunks; i++)
			want += s.chunks[i].bytes - 68;
		must(bytes == want);
		jfrsummary_text(&s, "fuzz", out);
		jfrsummary_json(&s, "fuzz", out);
		jfr_summary_clear(&s);
	}
	sink_discard(out);
	buf_clear(&text);
	source_close(in);
}

/* Strings 1 "traceId" and 2 "abc"; context 1 has (1, 2) for a label. */
#define CONTEXTS                                                                       \
	"\x12\x0b\x08\x01\x12\x07traceId\x12\x07\x08\x02\x12\x03"                      \
	"abc\x0a\x0a\x08\x01\x12\x06\x0a\x04\x08\x01\x10\x02"

static void
jfr_check(const uint8_t *data, size_t size)
{
	static const char *const labels[] = { "thread", "state",    "class",
		                              "path",   "traceId",  "category",
		                              "tag",    "operation" };
	const uint64_t all = JFR_KIND(JFR_KINDS) - 1;
	struct jfr_opts plain = { .kinds = all,
		                  .custom = custom,
		                  .ncustom = sizeof custom / sizeof *custom,
		                  .keep_stackless = true };
	struct jfr_opts other = plain;
	struct tally a, b, c;
	struct jfr_stats stats;
	struct err e = { 0 };
	bool first, second;

	first = read_once(&plain, NULL, 0, data, size, &a, &stats);
	/* What is too large to be added up depends on what it is added to. */
	first = first && !stats.too_large;
	other.names.jfrconv = true;
	second = read_once(&other, labels, 1, data, size, &b, &stats);
	second = second && !stats.too_large;
	/* Counts do not depend on what is told apart; ticks are rounded by the group.
	 */
	for (int k = 0; first && second && k < JFR_ALL_KINDS; k++)
		must(a.sum[k][0] == b.sum[k][0] || k == JFR_OAP_TLAB ||
		     k == JFR_OAP_OUTSIDE || k == JFR_OAP_LOCK || k == JFR_OAP_LIVE);
	other = plain;
	other.times = other.show_cut = true;
	second = read_once(&other, labels, sizeof labels / sizeof *labels, data, size,
	                   &b, &stats);
	for (int k = 0; first && second && k < JFR_OAP_EXEC; k++)
		must(a.sum[k][0] == b.sum[k][0]);
	/* From half way of the first second on, in spans, of threads that run. */
	other = plain;
	other.from = true;
	other.from_time = (struct when){ WHEN_FROM_START, 500000000 };
	other.min_duration_ns = 1000;
	other.states = "run";
	other.rescue = true;
	other.grain = 2;
	second = read_once(&other, NULL, 0, data, size, &b, &stats);
	other = plain;
	other.spans = true;
	other.span_ns = 10;
	other.names = (struct jfr_naming){ true, true, true, true, true, true };
	read_once(&other, labels, 2, data, size, &b, &stats);
	/* The same bytes as labels of contexts. */
	other = plain;
	other.ahead = true;
	other.contexts = jfr_contexts_of((struct str){ (const char *)data, size }, &e);
	must(other.contexts || e.text[0]);
	if (!other.contexts)
		other.contexts = jfr_contexts_of(STR(CONTEXTS), &e);
	must(other.contexts);
	read_once(&other, labels + 3, 2, data, size, &b, &stats);
	jfr_contexts_free(other.contexts);
	read_once(&(struct jfr_opts){ .strict = true, .identity = ID_LINE | ID_MODULE },
	          NULL, 0, data, size, &c, &stats);
	summarise(data, size, first);
}

#endif
