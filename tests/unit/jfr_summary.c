/* What a summary says of recordings that are made here, whole, odd and damaged. */
#include <stdlib.h>

#include "jfrwrite.h"
#include "tap.h"

#include "formats/jfr_summary.h"
#include "render/jfrsummary.h"

/* Constants by code 2: key 7 of the strings. */
static void
ref(struct jw *w, uint64_t key)
{
	buf_char(&w->b, 2);
	jw_var(w, key);
}

static void
setting(struct jw *w, uint64_t id, const char *name, const char *value, uint64_t key)
{
	jw_event(w, T_SETTING);
	jw_var(w, id);
	jw_text(w, name, w->text_form);
	if (value)
		jw_text(w, value, w->text_form);
	else
		ref(w, key);
	jw_event_end(w);
}

/* Three samples, an allocation, settings whose last value holds, losses. */
static void
recording(struct jw *w)
{
	jw_chunk(w);
	setting(w, T_EXECUTION, "interval", "1", 0);
	setting(w, T_EXECUTION, "interval", "20000000", 0);
	setting(w, T_EXECUTION, "event", NULL, 7);
	setting(w, T_EXECUTION, "version", "4.5", 0);
	setting(w, T_EXECUTION, "colour", "blue", 0);
	for (int i = 0; i < 3; i++)
		jw_vars(w, T_EXECUTION, 600, 1, 1, 0);
	jw_vars(w, T_TLAB, 600, 1, 1, 1, 16, 1024);
	jw_vars(w, T_LOSS, 600, 100, 100);
	jw_vars(w, T_LOSS, 601, 23, 123);
	jw_vars(w, T_LOST_CPU, 601, 9, 1);
	jw_vars(w, 5000, 1, 2, 3);
	jw_checkpoint(w, 2);
	jw_pool(w, T_SYMBOL, 1);
	jw_constant(w, 1, "main");
	jw_pool(w, T_STRING, 2);
	jw_constant(w, 3, "other");
	jw_constant(w, 7, "ctimer");
	jw_event_end(w);
	jw_chunk_end(w);
}

static bool
summary(struct str bytes, struct jfr_summary *s, struct err *e)
{
	struct source *in = source_mem("m", bytes, NULL);
	bool good;

	*e = (struct err){ 0 };
	good = jfr_summary_read(in, s, e);
	source_close(in);
	return good;
}

static uint64_t
count(const struct jfr_summary *s, const char *name)
{
	for (size_t i = 0; i < s->ntypes; i++)
		if (str_eq(s->types[i].name, str_of(name)))
			return s->types[i].count;
	return 0;
}

/* Every byte is an event's, a head's, or said to be none. */
static bool
adds_up(const struct jfr_summary *s)
{
	uint64_t bytes = s->unknown_bytes + s->unread, want = 0;

	for (size_t i = 0; i < s->ntypes; i++)
		bytes += s->types[i].bytes;
	for (size_t i = 0; i < s->nchunks; i++)
		want += s->chunks[i].bytes - 68;
	return bytes == want;
}

static bool
says(const struct jfr_summary *s, bool json, const char *what)
{
	struct buf b = { 0 };
	struct sink *out = sink_buf(&b);
	struct err e = { 0 };
	bool found;

	if (json)
		jfrsummary_json(s, "m", out);
	else
		jfrsummary_text(s, "m", out);
	sink_close(out, &e);
	found = memmem(b.p, b.n, what, strlen(what)) != NULL;
	if (!found)
		fprintf(stderr, "%.*s\n", (int)b.n, b.p);
	buf_clear(&b);
	return found;
}

static void
whole(void)
{
	struct jw w = { 0 };
	struct jfr_summary s;
	struct err e;
	struct str text;

	recording(&w);
	ok(summary(buf_view(&w.b), &s, &e));
	ok(adds_up(&s) && !s.damages && !s.packed && s.bytes == w.b.n);
	ok(s.packed_bytes == w.b.n);
	ok(s.nchunks == 1 && s.chunks[0].major == 2 && s.chunks[0].events == 15);
	ok(s.chunks[0].state == JFR_COMPLETE);
	ok(count(&s, "jdk.ExecutionSample") == 3);
	ok(count(&s, "jdk.ActiveSetting") == 5);
	ok(count(&s, "jdk.Metadata") == 1 && count(&s, "jdk.CheckPoint") == 1);
	ok(count(&s, "jdk.ThreadPark") == 0);
	ok(s.unknown == 1 && s.lost == 123 && s.lost_cpu == 9);
	ok(s.by == 1U << JFR_BY_ASYNC_PROFILER);
	ok(str_eq(s.profiler_version, STR("4.5")) && s.nsettings == 3);
	text = jfr_summary_setting(&s, "async-profiler", "interval");
	ok(str_eq(text, STR("20000000")));
	text = jfr_summary_setting(&s, "async-profiler", "event");
	ok(str_eq(text, STR("ctimer")));
	ok(!jfr_summary_setting(&s, "async-profiler", "colour").n);
	ok(s.kinds ==
	   (JFR_KIND(JFR_CPU) | JFR_KIND(JFR_EXEC) | JFR_KIND(JFR_ALLOC) |
	    JFR_KIND(JFR_ALLOC_TLAB)));
	ok(s.start_ns == 1000000000000 && s.covered_ns == 1000000000 && !s.gaps);
	ok(says(&s, false, "  kinds        cpu, alloc; if named alloc-tlab, exec\n"));
	ok(says(&s, false, "event ctimer, interval 20.0 ms\n"));
	ok(says(&s, false, "lost         123 B of events, 9 CPU time samples"));
	ok(says(&s, false, "(of unknown types)\n"));
	ok(says(&s, true, "\"kinds\":[\"cpu\",\"alloc\",\"alloc-tlab\",\"exec\"]"));
	ok(says(&s, true, "\"unknown_events\":1,"));
	jfr_summary_clear(&s);
	buf_clear(&w.b);
}

/* Chunks with a gap between them, and some that overlap. */
static void
several(void)
{
	static const struct {
		uint64_t start[3];
		uint64_t gaps, overlaps;
		int64_t gap_ns, overlap_ns, covered_ns;
	} rows[] = {
		{ { 1000, 1001, 1002 }, 0, 0, 0, 0, 3 },
		{ { 1002, 1000, 1001 }, 0, 0, 0, 0, 3 },
		{ { 1000, 1003, 1009 }, 2, 0, 7, 0, 3 },
		{ { 1000, 1000, 1001 }, 0, 1, 0, 1, 2 },
		{ { 1000, 1000, 1000 }, 0, 2, 0, 2, 1 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const int64_t s1 = 1000000000;
		struct jw w = { 0 };
		struct jfr_summary s;
		struct err e;

		for (int k = 0; k < 3; k++) {
			recording(&w);
			jw_be(w.b.p + w.chunk + 32, rows[i].start[k] * 1000000000, 8);
		}
		ok(summary(buf_view(&w.b), &s, &e) && adds_up(&s) && s.nchunks == 3);
		ok(count(&s, "jdk.ExecutionSample") == 9 && s.lost == 369);
		ok(s.gaps == rows[i].gaps && s.overlaps == rows[i].overlaps &&
		   s.gap_ns == rows[i].gap_ns * s1 &&
		   s.overlap_ns == rows[i].overlap_ns * s1 &&
		   s.covered_ns == rows[i].covered_ns * s1);
		jfr_summary_clear(&s);
		buf_clear(&w.b);
	}
}

/* Cut at every byte, and every byte another. */
static void
damaged(void)
{
	struct jw w = { 0 };
	struct jfr_summary s;
	struct err e;
	size_t first, none = 0;
	bool good = true;

	recording(&w);
	first = w.b.n;
	recording(&w);
	for (size_t n = 0; n < w.b.n; n++) {
		bool read = summary((struct str){ w.b.p, n }, &s, &e);

		none += !read;
		good = good &&
		        (read ? adds_up(&s) && (s.damages > 0) == (n != first)
		              : e.kind == ERR_FORMAT);
		if (read && n >= first)
			good = good && count(&s, "jdk.ExecutionSample") >= 3;
		if (read)
			jfr_summary_clear(&s);
	}
	/* What is cut within the first metadata says nothing. */
	ok(good && none > 68 && none < first);

	good = true;
	for (size_t i = 0; i < first; i++) {
		w.b.p[i] ^= 0x55;
		if (summary(buf_view(&w.b), &s, &e)) {
			good = good && adds_up(&s) && says(&s, true, "\"kinds\":") &&
			        says(&s, false, "kinds");
			jfr_summary_clear(&s);
		}
		w.b.p[i] ^= 0x55;
	}
	ok(good);

	/* The JVM is still writing the second. */
	jw_be(w.b.p + first + 4, 2, 2);
	jw_be(w.b.p + first + 6, 1, 2);
	w.b.p[first + 64] = 5;
	ok(summary(buf_view(&w.b), &s, &e) && s.damages == 1 &&
	   s.chunks[1].state == JFR_UNFINISHED && s.chunks[0].state == JFR_COMPLETE);
	ok(says(&s, false, "of version 2.0 and 2.1"));
	ok(says(&s, false, "damage       byte "));
	ok(says(&s, true, "\"state\":\"unfinished\""));
	jfr_summary_clear(&s);
	/* Without constants there is nothing to make kinds of. */
	ok(summary((struct str){ w.b.p, first - 60 }, &s, &e) && s.kinds == 0);
	ok(s.chunks[0].state == JFR_CUT && says(&s, false, "kinds        none"));
	jfr_summary_clear(&s);
	buf_clear(&w.b);
}

/*
 * A size that is far too large takes nothing from the chunk behind it; the copy of a
 * header that the JVM puts into checkpoints is no chunk.
 */
static void
oversized(void)
{
	struct jw w = { 0 };
	struct jfr_summary s;
	struct err e;
	char copy[68];
	size_t first;

	recording(&w);
	memcpy(copy, w.b.p, sizeof copy);
	w.b.n = 0;
	jw_chunk(&w);
	jw_vars(&w, T_EXECUTION, 600, 1, 1, 0);
	jw_event(&w, 5000);
	buf_put(&w.b, copy, sizeof copy);
	jw_event_end(&w);
	jw_vars(&w, T_EXECUTION, 600, 1, 1, 0);
	jw_checkpoint(&w, 0);
	jw_event_end(&w);
	jw_chunk_end(&w);
	first = w.b.n;
	recording(&w);
	jw_be(w.b.p + 8, UINT64_C(1) << 60, 8);
	ok(summary(buf_view(&w.b), &s, &e) && adds_up(&s));
	ok(s.nchunks == 2 && s.chunks[0].state == JFR_CUT &&
	   s.chunks[0].bytes == first && s.chunks[1].state == JFR_COMPLETE);
	ok(count(&s, "jdk.ExecutionSample") == 5 && s.unknown == 2);
	ok(s.damages == 1 && s.damaged_bytes == 0 && s.damaged_at == 0);
	jfr_summary_clear(&s);
	buf_clear(&w.b);
}

/* What a terminal would obey is text. */
static void
hostile(void)
{
	struct jw w = { 0 };
	struct jfr_summary s;
	struct err e;

	jw_chunk(&w);
	setting(&w, 1, "filter", "a\033[31m\nb\"", 0);
	jw_checkpoint(&w, 0);
	jw_event_end(&w);
	jw_chunk_end(&w);
	ok(summary(buf_view(&w.b), &s, &e));
	ok(says(&s, false, "filter a?[31m?b\"\n"));
	ok(says(&s, true, "\"filter\":\"a\\u001b[31m\\nb\\\"\""));
	jfr_summary_clear(&s);
	buf_clear(&w.b);
}

int
main(void)
{
	whole();
	several();
	damaged();
	oversized();
	hostile();
	return done();
}
