/*
 * Any bytes as a recording, into real groups. What comes out must be what was pushed:
 * the selves of a kind's tree add up to the values of its stacks, whether stacks are
 * told apart by thread or not; and strictly read, nothing that was damaged passes. In a
 * summary every byte of a chunk is an event's, or said to be none.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/num.h"
#include "formats/jfr.h"
#include "formats/jfr_summary.h"
#include "render/jfrconv.h"
#include "render/jfrsummary.h"
#include "tree/group.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/* A sink before the groups that sums what goes by. */
struct tally {
	struct stack_sink sink, *to;
	uint32_t kind[JFR_KINDS]; /* by series */
	uint32_t n;
	num_i128 sum[JFR_KINDS][2];
};

static void
must(bool good)
{
	if (!good)
		abort();
}

static bool
tally_begin(struct stack_sink *s, const struct meta *m, uint32_t *series, struct err *e)
{
	struct tally *t = (struct tally *)s;
	enum jfr_kind kind;
	uint32_t id;

	must(m->ntypes == 2 && t->n < JFR_KINDS);
	must(jfr_kind(label_get(m->labels, m->nlabels, STR("event")), &kind));
	if (!t->to->begin(t->to, m, &id, e))
		return false;
	must(id < JFR_KINDS);
	t->kind[id] = (uint32_t)kind;
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
	for (int i = 0; i < 2; i++)
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

	must(jfrconv_write(t, 0, s, &e) || e.text[0]);
	sink_discard(s);
	buf_clear(&lines);
}

/* Read, and check that the trees hold what was pushed. */
static bool
read_once(const struct jfr_opts *o, bool by_thread, const uint8_t *data, size_t size,
          struct tally *t, struct jfr_stats *stats)
{
	static const char *const by[] = { "thread" };
	struct group_opts go = { .by = by,
		                 .nby = by_thread,
		                 .max_groups = 1 << 20,
		                 .kinds_apart = o->jfrconv };
	struct groups *g = groups_new(&go);
	struct source *in =
	        source_mem("fuzz", (struct str){ (const char *)data, size }, NULL);
	struct tree *trees = NULL;
	struct err e = { 0 };
	num_i128 sum[JFR_KINDS][2] = { 0 };
	size_t n = 0;
	bool ok;

	*t = (struct tally){ .to = groups_sink(g) };
	t->sink = (struct stack_sink){ .frames = t->to->frames,
		                       .labels = t->to->labels,
		                       .begin = tally_begin,
		                       .push = tally_push,
		                       .end = tally_end };
	ok = jfr_read(in, o, &t->sink, stats, &e);
	must(ok || e.text[0]);
	must(!ok || !o->strict || !stats->partial);
	/* Trees of gauges forget what is not the last of an instance. */
	if (ok && groups_finish(g, &trees, &n, &e)) {
		for (size_t i = 0; i < n; i++) {
			enum jfr_kind kind;

			must(tree_check(&trees[i], &e));
			must(jfr_kind(label_get(trees[i].meta.labels,
			                        trees[i].meta.nlabels, STR("event")),
			              &kind));
			for (uint32_t k = 0; k < 2; k++)
				for (uint32_t j = 0; j < trees[i].n; j++)
					sum[kind][k] += trees[i].self[k][j];
			if (o->jfrconv)
				write_lines(&trees[i]);
			tree_clear(&trees[i]);
		}
		for (int k = 0; k < JFR_KINDS; k++)
			for (int i = 0; i < 2; i++)
				must(k == JFR_LIVE || sum[k][i] == t->sum[k][i]);
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

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned all = (1U << JFR_KINDS) - 1;
	struct tally a, b, c;
	struct jfr_stats stats;
	bool first, second;

	first = read_once(&(struct jfr_opts){ .kinds = all, .keep_stackless = true },
	                  false, data, size, &a, &stats);
	second = read_once(&(struct jfr_opts){ .kinds = all,
	                                       .keep_stackless = true,
	                                       .jfrconv = true },
	                   true, data, size, &b, &stats);
	/* Counts do not depend on what is told apart; ticks are rounded by the group.
	 */
	for (int k = 0; first && second && k < JFR_KINDS; k++)
		must(a.sum[k][0] == b.sum[k][0]);
	read_once(&(struct jfr_opts){ .strict = true, .identity = ID_LINE | ID_MODULE },
	          false, data, size, &c, &stats);
	summarise(data, size, first);
	return 0;
}
