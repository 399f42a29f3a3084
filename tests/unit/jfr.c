/*
 * The JFR reader against recordings written byte by byte. What a recording must give is
 * worked out by hand from what was written. With a folder as argument, the recordings
 * are written there as seeds for the fuzzer.
 */
#include "formats/jfr.h"

#include "jfrtest.h"

static void
setting(struct jw *w, uint64_t id, const char *name, const char *value)
{
	jw_event(w, T_SETTING);
	jw_var(w, id);
	jw_text(w, name, w->text_form);
	jw_text(w, value, w->text_form);
	if (w->extra) {
		jw_text(w, "odd", 3);
		jw_var(w, 7);
	}
	jw_event_end(w);
}

/* As async-profiler writes: stacks before what they refer to, one checkpoint. */
static void
async_chunk(struct jw *w)
{
	jw_chunk(w);
	setting(w, T_EXECUTION, "event", "cpu");
	setting(w, T_EXECUTION, "interval", "0");
	setting(w, T_EXECUTION, "wall", "20000000");
	jw_vars(w, T_EXECUTION, 600, 11, 1, 0);
	jw_vars(w, T_EXECUTION, 601, 12, 1, 0);
	jw_vars(w, T_EXECUTION, 602, 11, 2, 2);
	jw_vars(w, T_WALL, 603, 11, 2, 2, 5, 9999);
	jw_vars(w, T_TLAB, 604, 11, 1, 4, 16, 1000);
	jw_vars(w, T_TLAB, 605, 11, 1, 4, 16, 0);
	jw_vars(w, T_OUTSIDE, 606, 11, 1, 5, 3000);
	jw_vars(w, T_LIVE, 607, 11, 1, 4, 16, 500);
	jw_vars(w, T_MONITOR, 608, 2001, 12, 1, 2, 0, 0);
	jw_vars(w, T_PARK, 609, 50, 12, 1, 0, 0, 0);
	jw_vars(w, T_EXECUTION, 610, 11, 0, 0);
	jw_vars(w, T_EXECUTION, 611, 11, 77, 0);
	jw_vars(w, 999, 1, 2, 3);
	jw_checkpoint(w, 7);
	jw_pool(w, T_STACK, 3);
	jw_stack(w, 1, false, 2, 2, 1, 1);
	jw_stack(w, 2, true, 3, 4, 3, 5, 3, 3, 9, 6, 4, 0);
	jw_stack(w, 3, false, 1, 1);
	async_enums(w);
	names(w);
	jw_pool(w, T_THREAD, 2);
	jw_thread(w, 11, "os-main", "main", 11);
	jw_thread(w, 12, "os-only", NULL, 12);
	jw_event_end(w);
	jw_chunk_end(w);
}

#define RUN "java.lang.Thread.run"
static const char async_text[] =
        /* Stack 1: two events in STATE_DEFAULT of 10 ms each. */
        "cpu " RUN "<mji>;a.B.work<min> 2 20000000\n"
        /* 1000, and 16 where no TLAB is said. */
        "alloc " RUN "<mji>;a.B.work<min>;byte[]<t> 1 1000\n"
        "alloc " RUN "<mji>;a.B.work<min>;byte[]<t> 1 16\n"
        "alloc " RUN "<mji>;a.B.work<min>;java.lang.String[][]<t> 1 3000\n"
        "live " RUN "<mji>;a.B.work<min>;byte[]<t> 1 16\n"
        /* 2001 ticks at two a nanosecond; a park without a blocker has no class. */
        "lock " RUN "<mji>;a.B.work<min>;a.B<t> 1 1000\n"
        "lock " RUN "<mji>;a.B.work<min> 1 25\n"
        /* Stack 2: one old-style sample and a batch of five at 20 ms. Method 9 is not.
         */
        "wall x.L$$Lambda$5/0x00ab.work<min>;unknown<mc1>;os::sleep<n>;os::sleep<k>;"
        "os::sleep<c> 1 20000000\n"
        "wall x.L$$Lambda$5/0x00ab.work<min>;unknown<mc1>;os::sleep<n>;os::sleep<k>;"
        "os::sleep<c> 5 100000000\n";
#define SPAN                                                                           \
	"start 1000000000000 end 1001000000000 duration 1000000000 profiles 1 "        \
	"truncated "
static const char async_heads[] =
        "[cpu samples/count cpu/nanoseconds period 10000000 " SPAN "0]\n"
        "[wall samples/count wall/nanoseconds period 20000000 " SPAN "1]\n"
        "[alloc samples/count alloc_space/bytes period 0 " SPAN "0]\n"
        "[live samples/count! inuse_space/bytes! period 0 " SPAN "0]\n"
        "[lock contentions/count delay/nanoseconds period 0 " SPAN "0]\n";

/* As the JDK writes: several checkpoints, some keys twice, stacks last. */
static void
jdk_chunk(struct jw *w)
{
	jw_chunk(w);
	jw_checkpoint(w, 5);
	jdk_enums(w);
	names(w);
	jw_event_end(w);
	setting(w, T_EXECUTION, "period", "10 ms");
	setting(w, T_NATIVE, "period", "everyChunk");
	setting(w, T_WALL, "period", "5 s");
	jw_vars(w, T_EXECUTION, 600, 11, 1, 5);
	jw_vars(w, T_NATIVE, 601, 11, 2, 5);
	jw_vars(w, T_SAMPLE, 602, 11, 1, 4, 700);
	jw_vars(w, T_SAMPLE, 603, 12, 1, 4, 1);
	jw_vars(w, T_LOSS, 600, 4096, 4096);
	jw_vars(w, T_LOST_CPU, 600, 3, 11);
	jw_checkpoint(w, 2);
	jw_pool(w, T_STACK, 1);
	jw_stack(w, 1, false, 2, 0, 1, 1);
	jw_pool(w, T_STACK, 2);
	jw_stack(w, 1, false, 1, 0);
	jw_stack(w, 2, false, 3, 3);
	jw_event_end(w);
	jw_checkpoint(w, 1);
	jw_pool(w, T_SYMBOL, 1);
	jw_constant(w, 1, "never/seen");
	jw_event_end(w);
	jw_chunk_end(w);
}

static const char jdk_text[] = "cpu " RUN "<mji>;a.B.work<min> 1 10000000\n"
                               "alloc " RUN "<mji>;a.B.work<min>;byte[]<t> 2 701\n";
static const char jdk_wall[] =
        "wall " RUN "<mji>;a.B.work<min> 1 10000000\n"
        /* A Java method without Java code; its period is no time, so 20 ms. */
        "wall libjvm.so.os::sleep<m> 1 20000000\n";

static void
test_async(void)
{
	struct jw w = { .size_bytes = 5 };
	struct result r;
	struct str all;
	char want[8192];

	async_chunk(&w);
	all = buf_view(&w.b);
	/* The kinds come in the order of their first stack, ends in that of kinds. */
	r = read_bytes(all, (struct jfr_opts){ 0 }, true);
	ok(r.ok && !warnings && !r.stats.partial);
	snprintf(want, sizeof want, "%s%s", async_text, async_heads);
	same_text("kinds, names, values and heads", r.text, want);
	ok(r.stats.chunks == 1 && r.stats.events == 16 && r.stats.unknown == 1);
	ok(r.stats.stackless == 2 && r.stats.nameless == 1);
	ok(r.stats.found ==
	   (JFR_KIND(JFR_CPU) | JFR_KIND(JFR_WALL) | JFR_KIND(JFR_ALLOC) |
	    JFR_KIND(JFR_LIVE) | JFR_KIND(JFR_LOCK) | JFR_KIND(JFR_EXEC) |
	    JFR_KIND(JFR_ALLOC_TLAB) | JFR_KIND(JFR_ALLOC_OUTSIDE) |
	    JFR_KIND(JFR_MONITOR) | JFR_KIND(JFR_PARK) | JFR_OAP));

	r = read_bytes(all, (struct jfr_opts){ .kinds = JFR_KIND(JFR_EXEC) }, false);
	same_text("all execution samples", r.text,
	          "exec " RUN "<mji>;a.B.work<min> 2 20000000\n"
	          "exec x.L$$Lambda$5/0x00ab.work<min>;unknown<mc1>;os::sleep<n>;"
	          "os::sleep<k>;os::sleep<c> 1 20000000\n"
	          "exec x.L$$Lambda$5/0x00ab.work<min>;unknown<mc1>;os::sleep<n>;"
	          "os::sleep<k>;os::sleep<c> 5 100000000\n");

	r = read_with(
	        all,
	        (struct jfr_opts){ .kinds = JFR_KIND(JFR_CPU), .keep_stackless = true },
	        false, true);
	same_text("threads, and samples without a stack", r.text,
	          "cpu thread=main tid=11 " RUN "<mji>;a.B.work<min> 1 10000000\n"
	          "cpu thread=os-only tid=12 " RUN "<mji>;a.B.work<min> 1 10000000\n"
	          "cpu thread=main tid=11 [no stack trace]<> 1 10000000\n"
	          "cpu thread=main tid=11 [no stack trace]<> 1 10000000\n");

	r = read_bytes(all,
	               (struct jfr_opts){ .kinds = JFR_KIND(JFR_WALL),
	                                  .identity = ID_LINE | ID_MODULE },
	               false);
	same_text("lines and modules", r.text,
	          "wall x.L$$Lambda$5/0x00ab.work:40<min>;unknown:90<mc1>;"
	          "os::sleep:30@libjvm.so<n>;os::sleep:30@libjvm.so<k>;"
	          "os::sleep:30@libjvm.so<c> 1 20000000\n"
	          "wall x.L$$Lambda$5/0x00ab.work:40<min>;unknown:90<mc1>;"
	          "os::sleep:30@libjvm.so<n>;os::sleep:30@libjvm.so<k>;"
	          "os::sleep:30@libjvm.so<c> 5 100000000\n");

	/* jfrconv: slashes, the class leaf inlined within a TLAB, kernel outside. */
	r = read_with(all,
	              (struct jfr_opts){ .kinds = JFR_KIND(JFR_ALLOC),
	                                 .names.jfrconv = true,
	                                 .both = true },
	              false, true);
	same_text("names as jfrconv has them", r.text,
	          "alloc thread=[main tid=11] tid=11 java/lang/Thread.run<mji>;"
	          "a/B.work<min>;byte[]<min> 1 1000\n"
	          "alloc thread=[main tid=11] tid=11 java/lang/Thread.run<mji>;"
	          "a/B.work<min>;byte[]<k> 1 16\n"
	          "alloc thread=[main tid=11] tid=11 java/lang/Thread.run<mji>;"
	          "a/B.work<min>;java.lang.String[][]<k> 1 3000\n");
	buf_clear(&w.b);
}

static void
test_jdk(void)
{
	struct jw w = { .minor = 1 };
	struct result r;

	jdk_chunk(&w);
	r = read_bytes(buf_view(&w.b), (struct jfr_opts){ 0 }, false);
	same_text("JDK, several pools of a type", r.text, jdk_text);
	ok(r.stats.lost == 4096 && r.stats.lost_cpu == 3 && !r.stats.assumed);
	r = read_bytes(buf_view(&w.b), (struct jfr_opts){ .kinds = JFR_KIND(JFR_WALL) },
	               false);
	same_text("wall by name", r.text, jdk_wall);
	ok(r.stats.assumed == JFR_KIND(JFR_WALL));
	/* Not there, but known. */
	r = read_bytes(buf_view(&w.b), (struct jfr_opts){ .kinds = JFR_KIND(JFR_LIVE) },
	               true);
	ok(r.ok && !*r.text && (r.stats.found & JFR_KIND(JFR_CPU)) &&
	   (r.stats.found & JFR_KIND(JFR_ALLOC)));
	buf_clear(&w.b);
}

/* Whatever the encoding, the same stacks. */
static void
test_forms(void)
{
	static const struct {
		const char *name;
		struct jw w;
	} rows[] = {
		{ "UTF-16 metadata", { .meta_form = 4 } },
		{ "Latin-1 metadata", { .meta_form = 5 } },
		{ "UTF-16 symbols", { .text_form = 4 } },
		{ "Latin-1 symbols", { .text_form = 5 } },
		{ "sizes of 5 bytes", { .size_bytes = 5 } },
		{ "unknown fields", { .extra = true } },
		{ "version 1, old names", { .major = 1, .old_names = true } },
		{ "frames with a fifth field", { .native_frames = true } },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct jw w = rows[i].w;
		struct result r;

		jdk_chunk(&w);
		r = read_bytes(buf_view(&w.b), (struct jfr_opts){ 0 }, false);
		same_text(rows[i].name, r.text, jdk_text);
		ok_named(r.ok && !warnings && r.stats.stackless == 0, rows[i].name);
		buf_clear(&w.b);
	}
}

static void
test_units(void)
{
	static const struct {
		const char *unit, *want;
	} rows[] = {
		{ "TICKS", "lock a.B.work<min>;a.B<t> 1 5\n" },
		{ "NANOSECONDS", "lock a.B.work<min>;a.B<t> 1 11\n" },
		{ "MICROSECONDS", "lock a.B.work<min>;a.B<t> 1 11000\n" },
		{ "MILLISECONDS", "lock a.B.work<min>;a.B<t> 1 11000000\n" },
		{ "SECONDS", "lock a.B.work<min>;a.B<t> 1 11000000000\n" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct jw w = { .unit = rows[i].unit };
		struct result r;

		jw_chunk(&w);
		jw_vars(&w, T_MONITOR, 608, 11, 12, 1, 2, 0, 0);
		jw_checkpoint(&w, 6);
		jw_pool(&w, T_STACK, 1);
		jw_stack(&w, 1, false, 2, 0);
		jdk_enums(&w);
		names(&w);
		jw_event_end(&w);
		jw_chunk_end(&w);
		r = read_bytes(buf_view(&w.b), (struct jfr_opts){ 0 }, false);
		same_text(rows[i].unit, r.text, rows[i].want);
		buf_clear(&w.b);
	}
}

/* Key 0 that is there, keys of 64 bits, nine-byte numbers, CPU time, native frames. */
static void
test_keys(void)
{
	const uint64_t huge = UINT64_MAX, large = 0x8000000000000001;
	struct jw w = { .native_frames = true };
	struct result r;

	jw_chunk(&w);
	jw_vars(&w, T_CPUTIME, 1, huge, 11, 20000000);
	jw_vars(&w, T_CPUTIME, 1, 0, 11, 10);
	jw_vars(&w, T_SAMPLE, 1, 11, 0, large, (uint64_t)-5);
	jw_checkpoint(&w, 8);
	jw_pool(&w, T_STACK, 2);
	jw_stack(&w, huge, false, large, 1, 1000, 3);
	jw_stack(&w, 0, false, 0, 0);
	jdk_enums(&w);
	jw_pool(&w, T_SYMBOL, 3);
	jw_constant(&w, 0, "zero");
	jw_constant(&w, huge, "Big");
	jw_constant(&w, large, "big");
	jw_pool(&w, T_CLASS, 1);
	jw_class_constant(&w, large, huge);
	jw_pool(&w, T_METHOD, 2);
	jw_method(&w, large, large, large);
	jw_method(&w, 0, large, 0);
	jw_pool(&w, T_NATIVE_FN, 1);
	jw_var(&w, 1000);
	jw_var(&w, 1);
	jw_text(&w, "poll", 3);
	/* A pool that nobody needs, to be stepped over. */
	jw_pool(&w, 29, 1);
	jw_var(&w, 1);
	buf_put(&w.b, "\1\2\3\4\1\2\3\4\5\6\7\10", 12);
	jw_var(&w, 2);
	jw_var(&w, 300);
	jw_var(&w, 70000);
	jw_var(&w, 3);
	jw_text(&w, "plain", 5);
	jw_text(&w, NULL, 3);
	jw_text(&w, "wide", 4);
	jw_event_end(&w);
	jw_chunk_end(&w);
	r = read_bytes(buf_view(&w.b),
	               (struct jfr_opts){ .kinds = JFR_USUAL | JFR_KIND(JFR_CPUTIME) },
	               true);
	same_text("keys and numbers of all sizes", r.text,
	          "cpu poll<n>;Big.big<mji> 1 10000000\n"
	          "cputime poll<n>;Big.big<mji> 1 10000000\n"
	          "cpu Big.zero<min> 1 5\n"
	          "cputime Big.zero<min> 1 5\n"
	          "alloc Big.zero<min>;Big<t> 1 -5\n"
	          "[cpu samples/count cpu/nanoseconds period 0 " SPAN "0]\n"
	          "[alloc samples/count alloc_space/bytes period 0 " SPAN "0]\n"
	          "[cputime samples/count cpu/nanoseconds period 0 " SPAN "0]\n");
	buf_clear(&w.b);
}

/* A recursion of 3000 frames, deeper than recorders keep by themselves. */
static void
test_deep(void)
{
	enum { DEEP = 3000 };
	uint64_t frames[2 * DEEP];
	struct buf want = { 0 };
	struct jw w = { 0 };
	struct result r;

	for (size_t i = 0; i < DEEP; i++) {
		frames[2 * i] = 1 + i % 2; /* leaf first */
		frames[2 * i + 1] = 1;
	}
	jw_chunk(&w);
	setting(&w, T_EXECUTION, "period", "10 ms");
	jw_vars(&w, T_EXECUTION, 600, 11, 1, 5);
	jw_checkpoint(&w, 6);
	jdk_enums(&w);
	names(&w);
	jw_pool(&w, T_STACK, 1);
	jw_stack_of(&w, 1, false, frames, 2UL * DEEP);
	jw_event_end(&w);
	jw_chunk_end(&w);
	r = read_bytes(buf_view(&w.b), (struct jfr_opts){ .kinds = JFR_KIND(JFR_CPU) },
	               false);
	buf_printf(&want, "cpu ");
	for (size_t i = 0; i < DEEP; i++)
		buf_printf(&want, "%s%s", i ? ";" : "",
		           i % 2 ? RUN "<mji>" : "a.B.work<mji>");
	buf_printf(&want, " 1 10000000\n");
	buf_char(&want, '\0');
	ok(strcmp(r.text, want.p) == 0);
	buf_clear(&want);
	buf_clear(&w.b);
}

/* One chunk whose only method has this name, as bytes with their encoding. */
static void
name_chunk(struct jw *w, const char *bytes, size_t n)
{
	jw_chunk(w);
	jw_vars(w, T_EXECUTION, 600, 11, 1, 5);
	jw_checkpoint(w, 7);
	jw_pool(w, T_STRING, 2);
	jw_constant(w, 0, NULL);
	jw_constant(w, 8, "pooled");
	jw_pool(w, T_STACK, 1);
	jw_stack(w, 1, false, 1, 1);
	jdk_enums(w);
	jw_pool(w, T_SYMBOL, 1);
	jw_var(w, 1);
	buf_put(&w->b, bytes, n);
	jw_pool(w, T_CLASS, 0);
	jw_pool(w, T_METHOD, 1);
	jw_method(w, 1, 5, 1);
	jw_event_end(w);
	jw_chunk_end(w);
}

static void
test_texts(void)
{
#define BYTES(s) s, sizeof(s) - 1
	static const struct {
		const char *name, *bytes;
		size_t n;
		const char *want;
	} rows[] = {
		{ "reference", BYTES("\2\10"), "pooled" },
		{ "reference to nothing", BYTES("\2\11"), "unknown" },
		{ "null", BYTES("\0"), "unknown" },
		{ "empty", BYTES("\1"), "unknown" },
		{ "UTF-8", BYTES("\3\2\xc3\xa9"), "\xc3\xa9" },
		{ "surrogates as UTF-8", BYTES("\3\6\xed\xa0\xbd\xed\xb8\x80"),
		  "\xf0\x9f\x98\x80" },
		{ "half a pair as UTF-8", BYTES("\3\4\xed\xa0\xbdx"),
		  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdx" },
		{ "cut within a character", BYTES("\3\2x\xc3"), "x\xef\xbf\xbd" },
		{ "Latin-1", BYTES("\5\1\xe9"), "\xc3\xa9" },
		{ "UTF-16", BYTES("\4\1\xe9\1"), "\xc3\xa9" },
		{ "UTF-16 pair", BYTES("\4\2\xbd\xb0\3\x80\xbc\3"),
		  "\xf0\x9f\x98\x80" },
		{ "UTF-16 high half", BYTES("\4\2\xbd\xb0\3x"), "\xef\xbf\xbdx" },
		{ "UTF-16 high half at the end", BYTES("\4\1\xbd\xb0\3"),
		  "\xef\xbf\xbd" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct jw w = { 0 };
		struct result r;
		char want[64];

		name_chunk(&w, rows[i].bytes, rows[i].n);
		r = read_bytes(buf_view(&w.b), (struct jfr_opts){ 0 }, false);
		snprintf(want, sizeof want, "cpu %s<mji> 1 20000000\n", rows[i].want);
		same_text(rows[i].name, r.text, want);
		buf_clear(&w.b);
	}
}

/* async-profiler before version 3, and events that are no time. */
static void
test_engines(void)
{
	static const struct {
		const char *event, *interval, *want;
	} rows[] = {
		{ "itimer", "5000000",
		  "cpu a.B.work<min> 1 5000000\n"
		  "wall a.B.work<min> 1 50000000\n"
		  "[cpu samples/count cpu/nanoseconds period 5000000 " SPAN "0]\n"
		  "[wall samples/count wall/nanoseconds period 50000000 " SPAN "0]\n" },
		{ "wall", "7000000",
		  "wall a.B.work<min> 1 7000000\n"
		  "wall a.B.work<min> 1 7000000\n"
		  "[wall samples/count wall/nanoseconds period 7000000 " SPAN "0]\n" },
		{ "cache-misses", "1000",
		  "cpu a.B.work<min> 1 1000\n"
		  "wall a.B.work<min> 1 50000000\n"
		  "[cpu samples/count cache-misses/count period 1000 " SPAN "0]\n"
		  "[wall samples/count wall/nanoseconds period "
		  "50000000 " SPAN "0]\n" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct jw w = { 0 };
		struct result r;

		jw_chunk(&w);
		setting(&w, 1, "event", rows[i].event);
		setting(&w, 1, "interval", rows[i].interval);
		jw_vars(&w, T_EXECUTION, 600, 11, 1, 1);
		jw_vars(&w, T_EXECUTION, 600, 11, 1, 2);
		jw_checkpoint(&w, 6);
		jw_pool(&w, T_FRAME_TYPE, 2);
		jw_constant(&w, 0, "Interpreted");
		jw_constant(&w, 5, "Kernel");
		jw_pool(&w, T_STATE, 2);
		jw_constant(&w, 1, "STATE_RUNNABLE");
		jw_constant(&w, 2, "STATE_SLEEPING");
		jw_pool(&w, T_STACK, 1);
		jw_stack(&w, 1, false, 2, 0);
		names(&w);
		jw_event_end(&w);
		jw_chunk_end(&w);
		r = read_bytes(buf_view(&w.b), (struct jfr_opts){ 0 }, true);
		same_text(rows[i].event, r.text, rows[i].want);
		buf_clear(&w.b);
	}
}

/* Two producers in one input; the second chunk starts when the first ends. */
static void
test_chunks(void)
{
	struct jw w = { .minor = 1 };
	struct result r;
	char want[8192];
	size_t first;

	jdk_chunk(&w);
	first = w.b.n;
	w.minor = 0;
	w.size_bytes = 5;
	async_chunk(&w);
	jw_be(w.b.p + first + 32, 1002000000000, 8);
	r = read_bytes(buf_view(&w.b), (struct jfr_opts){ 0 }, false);
	snprintf(want, sizeof want, "%s%s", jdk_text, async_text);
	same_text("mixed producers", r.text, want);
	r = read_bytes(buf_view(&w.b), (struct jfr_opts){ .kinds = JFR_KIND(JFR_LIVE) },
	               true);
	same_text(
	        "time covered, without the pause", r.text,
	        "live " RUN "<mji>;a.B.work<min>;byte[]<t> 1 16\n"
	        "[live samples/count! inuse_space/bytes! period 0 start 1000000000000 "
	        "end 1003000000000 duration 2000000000 profiles 1 truncated 0]\n");
	/* The same chunk twice is told. */
	w.b.n = first;
	w.minor = 1;
	w.size_bytes = 4;
	jdk_chunk(&w);
	r = read_bytes(buf_view(&w.b), (struct jfr_opts){ 0 }, false);
	ok(r.ok && r.stats.chunks == 2 && !r.stats.partial && warnings == 1);
	buf_clear(&w.b);
}

/* A whole chunk, then something that is none. */
static void
test_ends(void)
{
	struct jw w = { .minor = 1 };
	size_t first;

	static const struct {
		const char *name, *bytes;
		size_t n;
		const char *want;
	} rows[] = {
		{ "garbage", BYTES("garbage"),
		  "no chunk begins here; 7 bytes ignored" },
		{ "half a header", BYTES("FLR\0\0\2\0\0"),
		  "chunk header is cut short; 8 bytes ignored" },
		{ "marker of async-profiler",
		  BYTES("FLR\0\0\2\0\0\0\0\0\0\x40\0\0\0"
		        "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
		        "\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0"
		        "\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\1more"),
		  "unfinished chunk; 72 bytes ignored" },
		{ "old format",
		  BYTES("FLR\0\0\0\0\11\0\0\0\0\x40\0\0\0"
		        "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
		        "\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0"
		        "\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\1"),
		  "Oracle JDK 7/8 commercial recording (v0.9) is not supported; 68 "
		  "bytes "
		  "ignored" },
		{ "new format",
		  BYTES("FLR\0\0\3\0\1\0\0\0\0\x40\0\0\0"
		        "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
		        "\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0"
		        "\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\1"),
		  "JFR version 3.1 is not supported; 68 bytes ignored" },
		{ "fixed integers",
		  BYTES("FLR\0\0\2\0\0\0\0\0\0\0\0\0\x45"
		        "\0\0\0\0\0\0\0\x44\0\0\0\0\0\0\0\x44"
		        "\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0"
		        "\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0x"),
		  "chunk with uncompressed integers is not supported; 69 bytes "
		  "ignored" },
		{ "offsets",
		  BYTES("FLR\0\0\2\0\0\0\0\0\0\0\0\0\x45"
		        "\0\0\0\0\0\0\0\x45\0\0\0\0\0\0\0\x44"
		        "\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0"
		        "\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\1x"),
		  "chunk header with offsets beyond the chunk; 69 bytes ignored" },
		{ "size",
		  BYTES("FLR\0\0\2\0\0\0\0\0\0\0\0\0\x43"
		        "\0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0\x40"
		        "\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0"
		        "\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\1"),
		  "unfinished chunk; 68 bytes ignored" },
		{ "cut",
		  BYTES("FLR\0\0\2\0\0\0\0\0\0\0\0\0\x48"
		        "\0\0\0\0\0\0\0\x44\0\0\0\0\0\0\0\x44"
		        "\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0"
		        "\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\1abc"),
		  "chunk of 72 bytes is cut short; 71 bytes ignored" },
	};

	jdk_chunk(&w);
	first = w.b.n;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct result r;
		char want[300];

		w.b.n = first;
		buf_put(&w.b, rows[i].bytes, rows[i].n);
		r = read_bytes(buf_view(&w.b), (struct jfr_opts){ 0 }, false);
		snprintf(want, sizeof want, "rec: byte %zu: %s", first, rows[i].want);
		same_text(rows[i].name, warning, want);
		ok_named(r.ok && warnings == 1 && r.stats.partial &&
		                 r.stats.chunks == 1 && strcmp(r.text, jdk_text) == 0,
		         rows[i].name);
		/* Strictly it is an error; alone, in any case. */
		r = read_bytes(buf_view(&w.b), (struct jfr_opts){ .strict = true },
		               false);
		same_text(rows[i].name, r.error, want);
		r = read_bytes((struct str){ w.b.p + first, w.b.n - first },
		               (struct jfr_opts){ 0 }, false);
		ok_named(!r.ok && r.error[0] && !warnings, rows[i].name);
	}
	/* A chunk that was being written is good up to its last flush. */
	w.b.n = first;
	w.b.p[64] = 5;
	buf_put(&w.b, "not flushed", 11);
	{
		struct result r =
		        read_bytes(buf_view(&w.b), (struct jfr_opts){ 0 }, false);

		same_text("active chunk", r.text, jdk_text);
		same_text("active chunk", warning,
		          "rec: byte 0: chunk was still being written; read up to its "
		          "last flush");
		ok(r.ok && warnings == 1 && r.stats.partial);
	}
	buf_clear(&w.b);
}

static void
test_refusals(void)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *want;
	} rows[] = {
		{ BYTES(""), "rec: empty input" },
		{ BYTES("main;work 1\n"), "rec: byte 0: not a JFR file" },
		{ BYTES("FL"), "rec: byte 0: not a JFR file" },
		{ BYTES("FLR\0"), "rec: byte 0: chunk header is cut short" },
		{ BYTES("PK\3\4...."),
		  "rec: byte 0: a zip file; unpack it with: unzip -p" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct result r = read_bytes((struct str){ rows[i].bytes, rows[i].n },
		                             (struct jfr_opts){ 0 }, false);

		same_text(rows[i].want, r.error, rows[i].want);
	}
}

/* Damage within a chunk. */
static void
test_damage(void)
{
	struct jw w = { 0 };
	struct result r;
	size_t event;

	/* An event of size 0 ends the events; the pools are found by their chain. */
	jdk_chunk(&w);
	w.b.n = 0;
	jw_chunk(&w);
	jw_vars(&w, T_EXECUTION, 600, 11, 1, 5);
	jw_checkpoint(&w, 6);
	jw_pool(&w, T_STACK, 1);
	jw_stack(&w, 1, false, 2, 0, 1, 1);
	jdk_enums(&w);
	names(&w);
	jw_event_end(&w);
	event = w.b.n;
	jw_vars(&w, T_EXECUTION, 600, 11, 1, 5);
	jw_padded(w.b.p + event, 0, 4);
	jw_checkpoint(&w, 1);
	jw_pool(&w, T_SYMBOL, 1);
	jw_constant(&w, 77, "never/seen");
	jw_event_end(&w);
	jw_chunk_end(&w);
	r = read_bytes(buf_view(&w.b), (struct jfr_opts){ 0 }, false);
	same_text("event of size 0", r.text,
	          "cpu " RUN "<mji>;a.B.work<min> 1 20000000\n");
	ok(r.ok && r.stats.partial && warnings == 1 && r.stats.assumed);
	r = read_bytes(buf_view(&w.b), (struct jfr_opts){ .strict = true }, false);
	ok(!r.ok && strstr(r.error, "event of impossible size"));

	/* A checkpoint that does not fit is left out as a whole, the others stay. */
	w.b.n = 0;
	jw_chunk(&w);
	jw_vars(&w, T_EXECUTION, 600, 11, 1, 5);
	jw_checkpoint(&w, 3);
	jw_pool(&w, T_SYMBOL, 1);
	jw_constant(&w, 4, "wrong");
	jw_pool(&w, T_STACK, 1);
	jw_stack(&w, 1, false, 2, 1);
	jw_pool(&w, 12345, 1);
	jw_event_end(&w);
	jw_checkpoint(&w, 6);
	names(&w);
	jw_pool(&w, T_STACK, 1);
	jw_stack(&w, 1, false, 2, 0, 1, 1);
	jdk_enums(&w);
	jw_event_end(&w);
	jw_chunk_end(&w);
	r = read_bytes(buf_view(&w.b), (struct jfr_opts){ 0 }, false);
	same_text("checkpoint of an unknown type", r.text,
	          "cpu " RUN "<mji>;a.B.work<min> 1 20000000\n");
	ok(r.ok && r.stats.partial && warnings == 1);

	/* Bytes behind the last pool are somebody's addition; short events are told. */
	w.b.n = 0;
	jw_chunk(&w);
	jw_event(&w, T_EXECUTION);
	jw_var(&w, 600);
	jw_event_end(&w);
	jw_vars(&w, T_EXECUTION, 600, 11, 1, 5, 1, 2, 3);
	jw_checkpoint(&w, 6);
	names(&w);
	jw_pool(&w, T_STACK, 1);
	jw_stack(&w, 1, false, 2, 0, 1, 1);
	jdk_enums(&w);
	jw_var(&w, 99);
	jw_event_end(&w);
	jw_chunk_end(&w);
	r = read_bytes(buf_view(&w.b), (struct jfr_opts){ 0 }, false);
	same_text("additions", r.text, "cpu " RUN "<mji>;a.B.work<min> 1 20000000\n");
	ok(r.ok && r.stats.partial && warnings == 1);

	/* A stack without frames is an empty stack, of a class or of none. */
	w.b.n = 0;
	jw_chunk(&w);
	jw_vars(&w, T_EXECUTION, 600, 11, 1, 5);
	jw_vars(&w, T_SAMPLE, 600, 11, 1, 2, 9);
	jw_checkpoint(&w, 6);
	jw_pool(&w, T_STACK, 1);
	jw_stack_of(&w, 1, false, NULL, 0);
	names(&w);
	jdk_enums(&w);
	jw_event_end(&w);
	jw_chunk_end(&w);
	r = read_bytes(buf_view(&w.b), (struct jfr_opts){ 0 }, false);
	same_text("a stack without frames", r.text,
	          "cpu  1 20000000\nalloc a.B<t> 1 9\n");
	ok(r.ok && !r.stats.partial);

	/* What would make a sum exceed 64 bits is left out. */
	w.b.n = 0;
	jw_chunk(&w);
	jw_vars(&w, T_SAMPLE, 1, 11, 1, 2, INT64_MAX);
	jw_vars(&w, T_SAMPLE, 1, 11, 1, 2, 1);
	jw_checkpoint(&w, 0);
	jw_event_end(&w);
	jw_chunk_end(&w);
	r = read_bytes(buf_view(&w.b), (struct jfr_opts){ .keep_stackless = true },
	               false);
	ok(r.ok && r.stats.partial &&
	   strstr(warning, "adds up to more than 64 bits, left out"));
	ok(strstr(r.text, " 1 9223372036854775807\n"));
	buf_clear(&w.b);
}

/* Checkpoints of the chain lie one behind the other: what holds another is no more. */
static void
test_checkpoints_within(void)
{
	struct jw w = { 0 };
	struct result r;
	size_t outer, event;

	jw_chunk(&w);
	jw_vars(&w, T_EXECUTION, 600, 11, 1, 5);
	event = w.b.n;
	jw_vars(&w, T_EXECUTION, 600, 11, 1, 5);
	jw_padded(w.b.p + event, 0, 4);
	outer = w.b.n;
	jw_checkpoint(&w, 4);
	jw_pool(&w, T_STACK, 1);
	jw_stack(&w, 1, false, 2, 0, 1, 1);
	names(&w);
	jw_checkpoint(&w, 2);
	jdk_enums(&w);
	jw_event_end(&w);
	w.open = outer;
	jw_event_end(&w);
	jw_chunk_end(&w);
	r = read_bytes(buf_view(&w.b), (struct jfr_opts){ 0 }, false);
	/* The outer one is found behind the event of size 0, and read once. */
	ok(r.ok && r.stats.partial && r.stats.stackless == 0);
	same_text("behind an event of size 0", r.text,
	          "cpu " RUN "<mji>;a.B.work<min> 1 20000000\n");
	buf_clear(&w.b);
}

/* A text stands once, however long; each name that it is part of repeats it. */
static void
test_long_names(void)
{
	enum { LONG = 1 << 20, EVENTS = 400 };
	struct jw w = { 0 };
	struct result r;
	char *text = memset(xmalloc(LONG + 1), 'x', LONG);

	text[LONG] = '\0';
	jw_chunk(&w);
	for (uint64_t i = 1; i <= EVENTS; i++)
		jw_vars(&w, T_SAMPLE, 1, 11, i, i, 9);
	jw_checkpoint(&w, 2);
	jw_pool(&w, T_SYMBOL, 1);
	jw_constant(&w, 1, text);
	jw_pool(&w, T_CLASS, EVENTS);
	for (uint64_t i = 1; i <= EVENTS; i++)
		jw_class_constant(&w, i, 1);
	jw_event_end(&w);
	jw_chunk_end(&w);
	r = read_bytes(buf_view(&w.b), (struct jfr_opts){ .keep_stackless = true },
	               false);
	ok(!r.ok && strstr(r.error, "the names of the chunk come to more than"));
	free(text);
	buf_clear(&w.b);
}

/* A chunk whose metadata are these strings and elements. */
static void
meta_chunk(struct jw *w, const char *const *strings, size_t n, const char *elements,
           size_t len)
{
	w->size_bytes = 4;
	w->major = 2;
	w->chunk = w->b.n;
	memset(buf_room(&w->b, 68), 0, 68);
	w->b.n += 68;
	w->meta = 68;
	jw_event(w, 0);
	jw_var(w, 1);
	jw_var(w, 0);
	jw_var(w, 1);
	jw_var(w, n);
	for (size_t i = 0; i < n; i++)
		jw_text(w, strings[i], 3);
	buf_put(&w->b, elements, len);
	jw_event_end(w);
	jw_checkpoint(w, 1);
	jw_pool(w, 10, 1);
	buf_put(&w->b, "\1\1\1", 3);
	jw_event_end(w);
	jw_chunk_end(w);
}

static void
test_metadata(void)
{
	/* By their numbers in the rows. */
	static const char *const strings[] = { "root", "metadata", "class", "name",
		                               "id",   "field",    "10",    "A",
		                               "f",    "true",     "99" };
	static char deep[3 * 80];
	static const struct {
		const char *name, *elements;
		size_t n;
		const char *want; /* of the warning */
	} rows[] = {
		{ "string out of range", BYTES("\x63"),
		  "metadata name string 99, of 11" },
		{ "attributes cut", BYTES("\0\5"), "metadata are cut short" },
		{ "number of children cut", BYTES("\0\0"), "metadata are cut short" },
		{ "children cut", BYTES("\0\0\2\1\0\0"), "metadata are cut short" },
		{ "type without id", BYTES("\0\0\1\1\0\1\2\1\3\7\0"),
		  "a type of the metadata has no id" },
		{ "field without type", BYTES("\0\0\1\1\0\1\2\2\3\7\4\6\1\5\1\3\10\0"),
		  "a field of the metadata has no type" },
		{ "nested", deep, sizeof deep, "metadata nested deeper than 64" },
		/* Types of pools are looked at when they are met. */
		{ "a type within itself",
		  BYTES("\0\0\1\1\0\1\2\2\3\7\4\6\1\5\2\3\10\2\6\0"),
		  "constants do not fit their types" },
		{ "a field of an unknown type",
		  BYTES("\0\0\1\1\0\1\2\2\3\7\4\6\1\5\2\3\10\2\12\0"),
		  "constants do not fit their types" },
	};
	struct jw w = { 0 };
	struct result r;

	for (size_t i = 0; i < sizeof deep; i++)
		deep[i] = i % 3 == 2 ? 1 : 0;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		w.b.n = 0;
		meta_chunk(&w, strings, 11, rows[i].elements, rows[i].n);
		r = read_bytes(buf_view(&w.b), (struct jfr_opts){ 0 }, false);
		/* Where nothing could be used, the damage is the error. */
		if (!ok_named(strstr(r.ok ? warning : r.error, rows[i].want) &&
		                      warnings == r.ok && r.stats.partial &&
		                      r.ok == (r.stats.chunks == 1),
		              rows[i].name))
			fprintf(stderr, "# %s / %s\n", warning, r.error);
		r = read_bytes(buf_view(&w.b), (struct jfr_opts){ .strict = true },
		               false);
		ok_named(!r.ok && strstr(r.error, rows[i].want), rows[i].name);
	}
	/* A chunk that is left out leaves the others. */
	w.b.n = 0;
	meta_chunk(&w, strings, 11, "\x63", 1);
	w = (struct jw){ .b = w.b };
	jdk_chunk(&w);
	r = read_bytes(buf_view(&w.b), (struct jfr_opts){ 0 }, false);
	same_text("bad metadata, then a good chunk", r.text, jdk_text);
	ok(r.ok && r.stats.partial && warnings == 1);
	/* Metadata offset that leads elsewhere. */
	w.b.n = 0;
	jdk_chunk(&w);
	jw_be(w.b.p + 24, w.pools, 8);
	r = read_bytes(buf_view(&w.b), (struct jfr_opts){ 0 }, false);
	ok(!r.ok && strstr(r.error, "chunk left out: no metadata here"));
	buf_clear(&w.b);
}

/*
 * Types of which each has the next eight times: a value of the first has no bytes, yet
 * is made of more structs than can be looked at.
 */
static void
test_wide_types(void)
{
	static const char *const strings[] = { "root", "metadata", "class", "name",
		                               "id",   "field",    "10",    "11",
		                               "12",   "13",       "14",    "15",
		                               "16",   "17",       "18",    "19" };
	enum { TYPES = 10, FIELDS = 8, FIRST = 6 };
	struct buf b = { 0 };
	struct jw w = { 0 };
	struct result r;

	buf_put(&b, "\0\0\1\1\0\12", 6);
	for (int i = 0; i < TYPES; i++) {
		int fields = i + 1 < TYPES ? FIELDS : 0;

		buf_put(&b, "\2\1\4", 3);
		buf_char(&b, (char)(FIRST + i));
		buf_char(&b, (char)fields);
		for (int k = 0; k < fields; k++) {
			buf_put(&b, "\5\1\2", 3);
			buf_char(&b, (char)(FIRST + i + 1));
			buf_char(&b, 0);
		}
	}
	meta_chunk(&w, strings, sizeof strings / sizeof *strings, b.p, b.n);
	r = read_bytes(buf_view(&w.b), (struct jfr_opts){ 0 }, false);
	ok(r.ok && warnings == 1 &&
	   strstr(warning, "constants do not fit their types"));
	buf_clear(&b);
	buf_clear(&w.b);
}

/* Cut anywhere, it ends well: nothing more than the whole chunks, and it says so. */
static void
test_cuts(void)
{
	struct jw w = { .minor = 1 };
	size_t first;
	unsigned bad = 0;

	jdk_chunk(&w);
	first = w.b.n;
	async_chunk(&w);
	for (size_t n = 0; n < w.b.n; n++) {
		/* A copy of its own, so that a sanitizer sees where it ends. */
		char *copy = xmalloc(n + 1);
		struct result r;
		bool good;

		memcpy(copy, w.b.p, n);
		r = read_bytes((struct str){ copy, n }, (struct jfr_opts){ 0 }, false);
		if (n < first)
			good = !r.ok && r.error[0] && !*r.text;
		else
			good = r.ok && strcmp(r.text, jdk_text) == 0 &&
			        r.stats.partial == (n > first) &&
			        warnings == (n > first);
		bad += !good;
		free(copy);
	}
	ok_named(bad == 0, "every prefix of two chunks");
	buf_clear(&w.b);
}

/* Any byte may be anything. */
static void
test_flips(void)
{
	static const unsigned char values[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct jw w = { 0 };
	unsigned ended = 0, runs = 0;

	async_chunk(&w);
	for (size_t i = 68; i < w.b.n; i++) {
		char old = w.b.p[i];

		for (size_t k = 0; k < sizeof values; k++) {
			struct result r;

			w.b.p[i] = (char)values[k];
			r = read_with(buf_view(&w.b), (struct jfr_opts){ 0 }, false,
			              true);
			ended += r.ok || r.error[0];
			runs++;
		}
		w.b.p[i] = old;
	}
	ok_named(ended == runs, "every byte changed");
	buf_clear(&w.b);
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		seeds.dir = argv[1];
	test_async();
	test_jdk();
	test_forms();
	test_units();
	test_keys();
	test_deep();
	test_texts();
	test_engines();
	test_chunks();
	test_ends();
	test_refusals();
	test_damage();
	test_checkpoints_within();
	test_metadata();
	test_wide_types();
	if (!seeds.dir) {
		test_cuts();
		test_flips();
		test_long_names();
	}
	map_clear(&seeds.written);
	return done();
}
