/*
 * The JFR reader: every kind of event, labels, selection by time, state and span, and
 * recordings that are damaged between good parts. What must come out is worked out by
 * hand from what is written: a chunk is the second from 1000 s on, which begins at tick
 * 500, and has two ticks a nanosecond.
 */
#include "jfrtest.h"

#include <stdlib.h>
#include <unistd.h>

#define RUN "java.lang.Thread.run<mji>"
#define S RUN ";a.B.work<min>"
#define NS(ns) (500 + 2 * (uint64_t)(ns))

static struct jw *
fresh(struct jw *w)
{
	w->b.n = 0;
	jw_chunk(w);
	return w;
}

static void
text_event(struct jw *w, uint64_t type, const uint64_t *v, size_t n, const char *text,
           const uint64_t *more, size_t nmore)
{
	jw_event(w, type);
	for (size_t i = 0; i < n; i++)
		jw_var(w, v[i]);
	jw_text(w, text, 3);
	for (size_t i = 0; i < nmore; i++)
		jw_var(w, more[i]);
	jw_event_end(w);
}

/* Pools of what the tests below refer to; async: as async-profiler writes them. */
static void
pools(struct jw *w, bool async)
{
	jw_checkpoint(w, 12);
	jw_pool(w, T_STACK, 2);
	jw_stack(w, 1, false, 2, 2, 1, 1);
	jw_stack(w, 2, true, 2, 2, 1, 1, 1, 1);
	if (async)
		async_enums(w);
	else
		jdk_enums(w);
	names(w);
	jw_pool(w, T_THREAD, 3);
	jw_thread(w, 11, "os-main", "main", 11);
	jw_thread(w, 12, "os-only", NULL, 12);
	jw_thread(w, 13, NULL, "virtual", 0);
	jw_pool(w, T_GC_NAME, 1);
	jw_constant(w, 3, "G1New");
	jw_pool(w, T_GC_CAUSE, 1);
	jw_constant(w, 4, "Pause");
	jw_pool(w, T_VM_OPERATION_TYPE, 1);
	jw_constant(w, 5, "FindDeadlocks");
	jw_pool(w, T_STRING, 1);
	jw_constant(w, 9, "checkout");
	jw_pool(w, T_ATTRIBUTE, 1);
	jw_constant(w, 6, "GET /cart");
	jw_event_end(w);
	jw_chunk_end(w);
}

static struct result
read_jw(struct jw *w, struct jfr_opts o)
{
	return read_bytes(buf_view(&w->b), o, false);
}

static struct result
read_labels(struct jw *w, struct jfr_opts o, const struct str *labels, size_t n)
{
	struct result r;

	wanted_labels.at = labels;
	wanted_labels.n = n;
	r = read_with(buf_view(&w->b), o, false, true);
	wanted_labels.at = NULL;
	wanted_labels.n = 0;
	return r;
}

#define LABELS(...)                                                                    \
	(const struct str[]){ __VA_ARGS__ },                                           \
	        sizeof((const struct str[]){ __VA_ARGS__ }) / sizeof(struct str)

static void
test_kinds(void)
{
	struct jw w = { 0 };
	struct result r;
	const uint64_t all = JFR_KIND(JFR_OAP_EXEC) - 1;

	fresh(&w);
	jw_vars(&w, T_WAIT, 600, 2000, 11, 1, 2, 0);
	jw_vars(&w, T_SLEEP, 600, 4000, 11, 1, 7);
	text_event(&w, T_SOCKET_READ, JW_LIST(600, 2000, 11, 1), "host",
	           JW_LIST(80, 100));
	/* The end of the stream is -1 bytes. */
	text_event(&w, T_SOCKET_READ, JW_LIST(600, 2000, 11, 1), "host",
	           JW_LIST(80, UINT64_MAX));
	text_event(&w, T_SOCKET_WRITE, JW_LIST(600, 1000, 11, 1), "host",
	           JW_LIST(80, 50));
	text_event(&w, T_FILE_READ, JW_LIST(600, 10, 11, 1), "/etc/passwd", JW_LIST(7));
	text_event(&w, T_FILE_FORCE, JW_LIST(600, 20, 11, 1), "/var/log", NULL, 0);
	text_event(&w, T_EXCEPTION, JW_LIST(600, 0, 11, 1), "no", JW_LIST(2));
	jw_vars(&w, T_MALLOC, 600, 11, 1, 4096, 64);
	jw_vars(&w, T_NATIVE_LOCK, 600, 6, 11, 1, 0);
	jw_vars(&w, T_TRACE, 600, 8, 11, 1, 1);
	jw_vars(&w, T_GC, 600, 3000, 1, 3, 4, 1000, 900);
	jw_vars(&w, T_VM_OPERATION, 600, 200, 11, 5, 1, 0);
	jw_vars(&w, T_VM_OPERATION, 600, 200, 11, 5, 0, 0); /* not at a safepoint */
	jw_vars(&w, T_SAFEPOINT, 600, 40, 11, 1);
	jw_vars(&w, T_OLD, 600, 0, 11, 1, 48);
	jw_vars(&w, T_MONITOR, 600, 100, 11, 1, 2, 0, 0);
	jw_vars(&w, T_PARK, 600, 60, 11, 1, 2, 0, 0);
	pools(&w, false);
	r = read_jw(&w, (struct jfr_opts){ 0 });
	ok(r.ok && !warnings && !r.stats.stackless);
	same_text("kinds that are given", r.text,
	          "socket " S " 2 100 2000\n"
	          "socket " S " 1 50 500\n"
	          "file " S " 1 7 5\n"
	          "file " S " 1 0 10\n"
	          "exception " S ";a.B<t> 1\n"
	          "malloc " S " 1 64\n"
	          "nativelock " S " 1 3\n"
	          "trace " S " 1 4\n"
	          "live " S " 1 48\n"
	          "lock " S ";a.B<t> 1 50\n"
	          "lock " S ";a.B<t> 1 30\n"
	          "gc G1New<>;Pause<> 1 500\n");
	r = read_jw(&w, (struct jfr_opts){ .kinds = all & ~JFR_USUAL });
	ok(r.ok && !warnings);
	same_text("kinds on request", r.text,
	          "wait " S ";a.B<t> 1 1000\n"
	          "sleep " S " 1 2000\n"
	          "old " S " 1 48\n"
	          "monitor " S ";a.B<t> 1 50\n"
	          "park " S ";a.B<t> 1 30\n"
	          "safepoint FindDeadlocks<> 1 100\n"
	          "safepoint time to safepoint<> 1 20\n"
	          "leak " S " 1 64\n");
	/* Events are of kinds; that two kinds have one changes nothing. */
	ok((r.stats.found & (JFR_KIND(JFR_LOCK) | JFR_KIND(JFR_MONITOR))) ==
	   (JFR_KIND(JFR_LOCK) | JFR_KIND(JFR_MONITOR)));
	buf_clear(&w.b);
}

/*
 * As JDK 17 does: an error is noted as one, and as an exception by the constructors of
 * Error and of Throwable; an exception by that of Throwable alone.
 */
static void
test_errors(void)
{
	struct jw w = { 0 };
	struct result r;

	for (int both = 0; both < 2; both++) {
		fresh(&w);
		jw_checkpoint(&w, 4);
		jw_pool(&w, T_SYMBOL, 3);
		jw_constant(&w, 20, "java/lang/Error");
		jw_constant(&w, 21, "java/lang/Throwable");
		jw_constant(&w, 22, "<init>");
		jw_pool(&w, T_CLASS, 2);
		jw_class_constant(&w, 20, 20);
		jw_class_constant(&w, 21, 21);
		jw_pool(&w, T_METHOD, 2);
		jw_method(&w, 20, 20, 22);
		jw_method(&w, 21, 21, 22);
		jw_pool(&w, T_STACK, 3);
		jw_stack(&w, 5, false, 20, 1, 2, 1);
		jw_stack(&w, 6, false, 21, 1, 20, 1, 2, 1);
		jw_stack(&w, 7, false, 21, 1, 2, 1);
		jw_event_end(&w);
		if (both) {
			text_event(&w, T_EXCEPTION, JW_LIST(600, 0, 11, 6), "e",
			           JW_LIST(20));
			text_event(&w, T_EXCEPTION, JW_LIST(600, 0, 11, 5), "e",
			           JW_LIST(20));
			text_event(&w, T_EXCEPTION, JW_LIST(600, 0, 11, 7), "x",
			           JW_LIST(21));
		}
		text_event(&w, T_ERROR, JW_LIST(600, 0, 11, 5), "e", JW_LIST(20));
		pools(&w, false);
		r = read_jw(&w, (struct jfr_opts){ 0 });
#define INIT ".<init><mji>;java.lang."
		same_text("each once", r.text,
		          both ? "exception a.B.work<mji>;java.lang.Error" INIT
		                 "Throwable" INIT "Error<t> 1\n"
		                 "exception a.B.work<mji>;java.lang.Throwable" INIT
		                 "Throwable<t> 1\n"
		               : "exception a.B.work<mji>;java.lang.Error" INIT
		                 "Error<t> 1\n");
	}
	buf_clear(&w.b);
}

static void
test_custom(void)
{
	static const struct jfr_custom custom[] = { { "app.Request", "duration" },
		                                    { "app.Request", "load" },
		                                    { "app.Request", "size" },
		                                    { "jdk.ThreadSleep", NULL },
		                                    { "app.Absent", NULL } };
	struct jw w = { 0 };
	struct result r;

	fresh(&w);
	for (int i = 0; i < 2; i++) {
		jw_event(&w, T_REQUEST);
		jw_var(&w, 600);
		jw_var(&w, 2000);
		jw_var(&w, 11);
		jw_var(&w, 1);
		jw_text(&w, "t-1", 3);
		jw_float(&w, 2.75F);
		jw_var(&w, (uint16_t)-5);
		jw_event_end(&w);
	}
	jw_vars(&w, T_SLEEP, 600, 4000, 11, 1, 7);
	pools(&w, false);
	r = read_jw(&w, (struct jfr_opts){ .custom = custom, .ncustom = 5 });
	ok(r.ok && !warnings);
	/* The sum of real numbers is rounded: 2 times 2.75, to even. */
	same_text("event types by name", r.text,
	          "app.Request " S " 2 -10\n"
	          "app.Request " S " 2 6\n"
	          "app.Request " S " 2 2000\n"
	          "jdk.ThreadSleep " S " 1\n");
	ok(r.stats.given ==
	   (JFR_KIND(JFR_KINDS) | JFR_KIND(JFR_KINDS + 1) | JFR_KIND(JFR_KINDS + 2) |
	    JFR_KIND(JFR_KINDS + 3)));
	r = read_bytes(buf_view(&w.b),
	               (struct jfr_opts){ .custom = custom, .ncustom = 1 }, true);
	ok(strstr(r.text, "[app.Request samples/count duration/nanoseconds"));
	r = read_jw(&w,
	            (struct jfr_opts){
	                    .custom = &(struct jfr_custom){ "app.Request", "traceId" },
	                    .ncustom = 1 });
	ok(!r.ok &&
	   strstr(r.error, "app.Request has no field 'traceId' that is a number"));
	buf_clear(&w.b);
}

/* Types of one name, small integers, and fields that are no label or value. */
static void
test_odd_types(void)
{
	static const struct jfr_custom request = { "app.Request", "size" },
	                               small = { "app.Odd", "small" },
	                               letter = { "app.Odd", "letter" },
	                               start = { "app.Odd", "startTime" };
	struct jw w = { 0 };
	struct result r;

	fresh(&w);
	jw_event(&w, T_REQUEST);
	for (int i = 0; i < 4; i++)
		jw_var(&w, (const uint64_t[]){ 600, 2000, 11, 1 }[i]);
	jw_text(&w, "t-1", 3);
	jw_float(&w, 0);
	jw_var(&w, 3);
	jw_event_end(&w);
	jw_event(&w, T_REQUEST_TOO);
	for (int i = 0; i < 5; i++)
		jw_var(&w, (const uint64_t[]){ 600, 11, 1, 40, 2000 }[i]);
	jw_float(&w, 0);
	jw_event_end(&w);
	jw_event(&w, T_ODD);
	for (int i = 0; i < 3; i++)
		jw_var(&w, (const uint64_t[]){ 600, 11, 1 }[i]);
	buf_char(&w.b, (char)-3);
	jw_var(&w, 0xfffe);
	jw_var(&w, 2); /* list */
	jw_var(&w, 5);
	jw_var(&w, 6);
	jw_float(&w, 0); /* box */
	jw_float(&w, 0);
	jw_float(&w, 0);
	jw_var(&w, 0);
	jw_var(&w, 0);
	jw_var(&w, 5);
	jw_var(&w, 2);
	jw_event_end(&w);
	pools(&w, false);
	r = read_jw(&w, (struct jfr_opts){ .custom = &request, .ncustom = 1 });
	same_text("two types of a name", r.text,
	          "app.Request " S " 1 3\n"
	          "app.Request " S " 1 40\n");
	r = read_jw(&w, (struct jfr_opts){ .custom = &small, .ncustom = 1 });
	same_text("a byte", r.text, "app.Odd " S " 1 -3\n");
	r = read_jw(&w, (struct jfr_opts){ .custom = &letter, .ncustom = 1 });
	same_text("a char", r.text, "app.Odd " S " 1 65534\n");
	r = read_labels(&w, (struct jfr_opts){ .custom = &letter, .ncustom = 1 },
	                LABELS(STR("small"), STR("letter"), STR("list"), STR("box"),
	                       STR("state"), STR("method"), STR("absent")));
	same_text("labels of odd types", r.text,
	          "app.Odd letter=65534 method=a.B.work small=-3 state=runnable " S
	          " 1 65534\n");
	r = read_jw(&w,
	            (struct jfr_opts){
	                    .custom = &letter, .ncustom = 1, .states = "parked" });
	ok(r.ok && !*r.text && r.stats.no_state == 1);
	/* A moment is nothing to be added up; without a unit it is a number. */
	r = read_jw(&w, (struct jfr_opts){ .custom = &start, .ncustom = 1 });
	ok(r.ok);
	buf_clear(&w.b);
}

static void
test_datadog(void)
{
	struct jw w = { .datadog = true };
	struct result r;

	fresh(&w);
	jw_event(&w, T_DD_OBJECT);
	for (int i = 0; i < 5; i++)
		jw_var(&w, (const uint64_t[]){ 600, 11, 1, 2, 100 }[i]);
	jw_float(&w, 2.5F);
	jw_var(&w, 77);
	jw_var(&w, UINT64_MAX);
	jw_event_end(&w);
	jw_vars(&w, T_DD_EXECUTION, 600, 11, 1, 5, 3, 77, 70, 6);
	jw_vars(&w, T_EXECUTION, 600, 11, 1, 5);
	jw_vars(&w, T_SAMPLE, 600, 11, 1, 2, 1);
	pools(&w, false);
	/* Both saw the same: the profiler's own samples are taken. 3 of 10 ms. */
	r = read_jw(&w, (struct jfr_opts){ 0 });
	same_text("Datadog's agent", r.text,
	          "alloc " S ";a.B<t> 1 250\n"
	          "cpu " S " 3 30000000\n");
	ok(r.stats.twice == (JFR_KIND(JFR_CPU) | JFR_KIND(JFR_ALLOC)));
	ok(r.stats.assumed == JFR_KIND(JFR_CPU));
	r = read_jw(
	        &w,
	        (struct jfr_opts){ .both = true,
	                           .kinds = JFR_KIND(JFR_CPU) | JFR_KIND(JFR_ALLOC) });
	same_text("both", r.text,
	          "alloc " S ";a.B<t> 1 250\n"
	          "cpu " S " 3 30000000\n"
	          "cpu " S " 1 20000000\n"
	          "alloc " S ";a.B<t> 1 1\n");
	r = read_labels(
	        &w,
	        (struct jfr_opts){ .kinds = JFR_KIND(JFR_CPU) | JFR_KIND(JFR_ALLOC) },
	        LABELS(STR("span_id"), STR("root_span_id"), STR("operation"),
	               STR("event_type"), STR("state"), STR("class")));
	same_text("its labels", r.text,
	          "alloc class=a.B event_type=datadog.ObjectSample "
	          "root_span_id=18446744073709551615 span_id=77 " S ";a.B<t> 1 250\n"
	          "cpu event_type=datadog.ExecutionSample operation=GET /cart "
	          "root_span_id=70 span_id=77 "
	          "state=runnable " S " 3 30000000\n");
	/* The intervals that it states, and the endpoint of a trace, a chunk later. */
	jw_chunk(&w);
	jw_vars(&w, T_DD_CONFIG, 600, 4, 9);
	jw_vars(&w, T_DD_EXECUTION, 601, 11, 1, 5, 1, 77, 71, 6);
	jw_vars(&w, T_DD_ENDPOINT, 602, 10, 12, 0, 9, 70);
	pools(&w, false);
	r = read_labels(&w, (struct jfr_opts){ .kinds = JFR_KIND(JFR_CPU) },
	                LABELS(STR("endpoint")));
	same_text("its intervals and endpoints", r.text,
	          "cpu endpoint=checkout " S " 3 30000000\n"
	          "cpu " S " 1 4000000\n");
	buf_clear(&w.b);
}

/* A file of the bytes; the caller removes it. */
static void
write_file(char *path, struct str bytes)
{
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "wb");

	ok(f && fwrite(bytes.p, 1, bytes.n, f) == bytes.n && fclose(f) == 0);
}

static void
test_contexts(void)
{
	/*
	 * strings 1 "trace_id", 2 "abc", 3 "span one"; context 5 has (1, 2): fields 1
	 * and 2 of entries, 1 of a Context.
	 */
	static const char snapshot[] =
	        "\x12\x0c\x08\x01\x12\x08trace_id"
	        "\x12\x07\x08\x02\x12\x03"
	        "abc"
	        "\x12\x0c\x08\x03\x12\x08span one"
	        "\x0a\x0a\x08\x05\x12\x06\x0a\x04\x08\x01\x10\x02";
	char path[] = "/tmp/flamepipe-labels-XXXXXX";
	struct jw w = { .contexts = true };
	struct jfr_opts o = { .kinds = JFR_KIND(JFR_CPU) };
	struct result r;
	struct err e = { 0 };

	fresh(&w);
	jw_vars(&w, T_EXECUTION, 600, 11, 1, 0, 255, 3, 5);
	jw_vars(&w, T_EXECUTION, 601, 11, 1, 0, 255, 3, 5);
	jw_vars(&w, T_EXECUTION, 602, 11, 1, 0, 0, 0, 0);
	pools(&w, true);
	r = read_jw(&w, o);
	same_text("contexts nobody asks for", r.text, "cpu " S " 3 30000000\n");
	r = read_labels(&w, o,
	                LABELS(STR("trace_id"), STR("context"), STR("profile_id")));
	same_text("contexts without their labels", r.text,
	          "cpu context=5 profile_id=00000000000000ff " S " 2 20000000\n"
	          "cpu " S " 1 10000000\n");
	write_file(path, (struct str){ snapshot, sizeof snapshot - 1 });
	o.contexts = jfr_contexts_read(path, &e);
	ok(o.contexts);
	r = read_labels(&w, o, LABELS(STR("traceId"), STR("span_name")));
	same_text("contexts with their labels", r.text,
	          "cpu span_name=span one traceId=abc " S " 2 20000000\n"
	          "cpu " S " 1 10000000\n");
	jfr_contexts_free(o.contexts);
	remove(path);
	ok(!jfr_contexts_read("/nowhere/labels", &e) &&
	   strcmp(e.file, "/nowhere/labels") == 0);
	/* Every cut of it is read or refused. */
	for (size_t n = 0; n < sizeof snapshot; n++) {
		char cut[] = "/tmp/flamepipe-labels-XXXXXX";
		int fd = mkstemp(cut);

		e = (struct err){ 0 };
		if (write(fd, snapshot, n) == (ssize_t)n)
			jfr_contexts_free(jfr_contexts_read(cut, &e));
		close(fd);
		remove(cut);
	}
	buf_clear(&w.b);
}

static void
test_selection(void)
{
	struct jw w = { 0 };
	struct jfr_opts o = { .kinds = JFR_KIND(JFR_WALL) | JFR_KIND(JFR_CPU) |
		                      JFR_KIND(JFR_LOCK) };
	struct result r;

	fresh(&w);
	jw_vars(&w, T_EXECUTION, NS(0), 11, 1, 0);
	jw_vars(&w, T_EXECUTION, NS(500000000), 11, 1, 1);
	jw_vars(&w, T_WALL, NS(700000000), 12, 1, 2, 4, 0);
	jw_vars(&w, T_MONITOR, NS(800000000), NS(9) - 500, 12, 1, 2, 0, 0);
	jw_vars(&w, T_MONITOR, NS(900000000), NS(10) - 500, 12, 1, 2, 0, 0);
	jw_vars(&w, T_EXECUTION, NS(1000000000), 11, 1, 0);
	pools(&w, true);
	r = read_jw(&w, o);
	same_text("all of it", r.text,
	          "cpu " S " 2 20000000\n"
	          "wall " S " 1 50000000\n"
	          "wall " S " 4 200000000\n"
	          "lock " S ";a.B<t> 2 19\n");
	/* Both ends are within. */
	o.from = o.to = true;
	o.from_time = (struct when){ WHEN_FROM_START, 500000000 };
	o.to_time = (struct when){ WHEN_FROM_END, -200000000 };
	r = read_jw(&w, o);
	same_text("by time", r.text,
	          "wall " S " 1 50000000\n"
	          "wall " S " 4 200000000\n"
	          "lock " S ";a.B<t> 1 9\n");
	ok(r.stats.out_of_window == 3);
	o.from_time = (struct when){ WHEN_ABSOLUTE, 1000800000001 };
	o.to = false;
	r = read_bytes(buf_view(&w.b), o, true);
	/* What is left of the second. */
	same_text("from a moment on", r.text,
	          "lock " S ";a.B<t> 1 10\n"
	          "cpu " S " 1 10000000\n"
	          "[cpu samples/count cpu/nanoseconds period 10000000 start "
	          "1000800000001 "
	          "end 1001000000000 duration 199999999 profiles 1 truncated 0]\n"
	          "[lock contentions/count delay/nanoseconds period 0 start "
	          "1000800000001 "
	          "end 1001000000000 duration 199999999 profiles 1 truncated 0]\n");
	o.from = false;
	o.min_duration_ns = 10;
	r = read_jw(&w, o);
	same_text("by length, where there is one", r.text,
	          "cpu " S " 2 20000000\n"
	          "wall " S " 1 50000000\n"
	          "wall " S " 4 200000000\n"
	          "lock " S ";a.B<t> 1 10\n");
	o.min_duration_ns = 0;
	o.states = "run";
	r = read_jw(&w, o);
	same_text("by state, where there is one", r.text,
	          "wall " S " 1 50000000\n"
	          "lock " S ";a.B<t> 2 19\n");
	ok(r.stats.state_found && r.stats.no_state == 6);
	o.states = "SLEEP,new";
	r = read_jw(&w, o);
	same_text("either case", r.text,
	          "wall " S " 4 200000000\n"
	          "lock " S ";a.B<t> 2 19\n");
	o.states = "parked";
	r = read_jw(&w, o);
	ok(!r.stats.state_found && r.stats.no_state == 7);
	o.states = NULL;
	o.times = true;
	/* Four samples, which the batch does not spread: 50 ms apart. */
	r = read_jw(&w, o);
	same_text("one by one", r.text,
	          "cpu " S " 1 10000000 @1000000000000 main\n"
	          "wall " S " 1 50000000 @1000500000000 main\n"
	          "wall " S " 1 50000000 @1000700000000 os-only\n"
	          "wall " S " 1 50000000 @1000750000000 os-only\n"
	          "wall " S " 1 50000000 @1000800000000 os-only\n"
	          "wall " S " 1 50000000 @1000850000000 os-only\n"
	          "lock " S ";a.B<t> 1 9 @1000800000000 os-only\n"
	          "lock " S ";a.B<t> 1 10 @1000900000000 os-only\n"
	          "cpu " S " 1 10000000 @1001000000000 main\n");
	buf_clear(&w.b);
}

static void
test_spans(void)
{
	struct jw w = { 0 };
	struct jfr_opts o = { .kinds = JFR_KIND(JFR_CPU), .spans = true };
	struct result r;

	fresh(&w);
	jw_vars(&w, T_EXECUTION, NS(100), 11, 1, 0);
	jw_vars(&w, T_EXECUTION, NS(200), 11, 1, 0); /* the end of the span */
	jw_vars(&w, T_EXECUTION, NS(150), 12, 1, 0); /* of another thread */
	jw_vars(&w, T_EXECUTION, NS(310), 11, 1, 0);
	pools(&w, true);
	/* Spans are written when they end, which may be in a later chunk. */
	jw_chunk(&w);
	jw_vars(&w, T_SPAN, NS(100), 200, 11, 9);
	jw_vars(&w, T_SPAN, NS(300), 40, 11, 0);
	jw_vars(&w, T_TRACE, NS(140), 40, 12, 1, 1);
	pools(&w, true);
	r = read_jw(&w, o);
	same_text("within spans and traced calls", r.text,
	          "cpu " S " 1 10000000\n"
	          "cpu " S " 1 10000000\n"
	          "cpu " S " 1 10000000\n");
	ok(r.stats.spans == 3 && r.stats.no_span == 1);
	o.span_ns = 100;
	r = read_labels(&w, o, LABELS(STR("tag"), STR("thread")));
	same_text("within long ones", r.text,
	          "cpu tag=checkout thread=main " S " 1 10000000\n");
	o.span_ns = 0;
	o.tag = "checkout";
	r = read_labels(&w, o, LABELS(STR("tid")));
	same_text("of a tag", r.text, "cpu tid=11 " S " 1 10000000\n");
	/* Java's number 11 is another thread than the system's. */
	w.b.n = 0;
	jw_chunk(&w);
	jw_vars(&w, T_EXECUTION, NS(100), 14, 1, 0);
	jw_vars(&w, T_SPAN, NS(100), 200, 11, 9);
	jw_checkpoint(&w, 1);
	jw_pool(&w, T_THREAD, 1);
	jw_var(&w, 14);
	jw_text(&w, NULL, 3);
	jw_var(&w, 0);
	jw_text(&w, "virtual", 3);
	jw_var(&w, 11);
	jw_event_end(&w);
	pools(&w, true);
	r = read_jw(&w, o);
	ok(r.ok && !*r.text && r.stats.no_span == 1);
	o.tag = "checkin";
	r = read_jw(&w, o);
	ok(r.ok && !*r.text && r.stats.spans == 0 && r.stats.no_span == 1);
	buf_clear(&w.b);
}

/* What a thread was at, by events whose fields are marked so. */
static void
test_contextual(void)
{
	struct jw w = { 0 };
	struct jfr_opts o = { .kinds = JFR_KIND(JFR_CPU) };
	struct result r;

	fresh(&w);
	jw_vars(&w, T_EXECUTION, NS(100), 11, 1, 5);
	jw_vars(&w, T_EXECUTION, NS(150), 11, 1, 5);
	jw_vars(&w, T_EXECUTION, NS(199), 11, 1, 5);
	jw_vars(&w, T_EXECUTION, NS(100), 13, 1, 5);
	for (int i = 0; i < 3; i++) {
		static const uint64_t at[] = { 100, 140, 90 },
		                      length[] = { 100, 20, 20 };
		static const char *const trace[] = { "outer", "inner", "virtual" };

		jw_event(&w, T_REQUEST);
		jw_var(&w, NS(at[i]));
		jw_var(&w, 2 * length[i]);
		jw_var(&w, i == 2 ? 13 : 11);
		jw_var(&w, 0);
		jw_text(&w, trace[i], 3);
		jw_float(&w, 0);
		jw_var(&w, 0);
		jw_event_end(&w);
	}
	/* A step within the inner one, whose trace is that around it. */
	jw_event(&w, T_STEP);
	jw_var(&w, NS(145));
	jw_var(&w, 2 * 10);
	jw_var(&w, 11);
	jw_text(&w, "validate", 3);
	jw_event_end(&w);
	pools(&w, false);
	r = read_labels(&w, o, LABELS(STR("trace_id")));
	same_text("the innermost event around a sample", r.text,
	          "cpu trace_id=outer " S " 1 20000000\n"
	          "cpu trace_id=inner " S " 1 20000000\n"
	          "cpu trace_id=outer " S " 1 20000000\n"
	          "cpu trace_id=virtual " S " 1 20000000\n");
	r = read_labels(&w, o, LABELS(STR("step_id"), STR("trace_id")));
	same_text("each label of the innermost that has it", r.text,
	          "cpu trace_id=outer " S " 1 20000000\n"
	          "cpu step_id=validate trace_id=inner " S " 1 20000000\n"
	          "cpu trace_id=outer " S " 1 20000000\n"
	          "cpu trace_id=virtual " S " 1 20000000\n");
	buf_clear(&w.b);
}

static void
test_leaks(void)
{
	struct jw w = { 0 };
	struct jfr_opts o = { .kinds = JFR_KIND(JFR_LEAK) | JFR_KIND(JFR_MALLOC) };
	struct result r;

	fresh(&w);
	jw_vars(&w, T_MALLOC, NS(0), 11, 1, 0x1000, 10);
	jw_vars(&w, T_FREE, NS(200), 11, 0, 0x1000);
	/* Events come in no order: taken again after it was given back. */
	jw_vars(&w, T_MALLOC, NS(300), 11, 1, 0x1000, 20);
	jw_vars(&w, T_MALLOC, NS(100), 11, 1, 0x2000, 40);
	jw_vars(&w, T_MALLOC, NS(400), 11, 77, 0x4000, 160); /* a stack that is lost */
	jw_vars(&w, T_MALLOC, NS(1000), 12, 1, 0x3000, 80);
	pools(&w, true);
	jw_chunk(&w);
	jw_vars(&w, T_MALLOC, NS(850), 11, 1, 0x6000, 320);
	jw_vars(&w, T_FREE, NS(900), 11, 0, 0x2000);
	jw_vars(&w, T_FREE, NS(901), 11, 0, 0x4000);
	jw_vars(&w, T_FREE, NS(902), 11, 0, 0x5000); /* never seen */
	pools(&w, true);
	r = read_jw(&w, o);
	same_text("blocks that are left", r.text,
	          "malloc " S " 4 150\n"
	          "malloc " S " 1 320\n"
	          "leak " S " 1 20\n"
	          "leak " S " 1 80\n"
	          "leak " S " 1 320\n");
	/* Of 0 to 1000 the last tenth does not count. */
	o.leak_tail = 0.1;
	o.kinds = JFR_KIND(JFR_LEAK);
	r = read_labels(&w, o, LABELS(STR("thread")));
	same_text("without the last ones", r.text,
	          "leak thread=main " S " 1 20\n"
	          "leak thread=main " S " 1 320\n");
	buf_clear(&w.b);
}

static void
test_marks(void)
{
	struct jw w = { 0 };
	struct result r;

	fresh(&w);
	jw_vars(&w, T_EXECUTION, 600, 11, 2, 5);
	pools(&w, false);
	r = read_jw(&w, (struct jfr_opts){ .show_cut = true });
	same_text("a cut stack", r.text,
	          "cpu [truncated]<>;" RUN ";" RUN ";a.B.work<min> 1 20000000\n");
	r = read_jw(&w,
	            (struct jfr_opts){
	                    .names = { .jfrconv = true, .dot = true, .line = true },
	                    .kinds = JFR_KIND(JFR_EXEC) });
	/* Lines are ten times the method, by the writer. */
	same_text("lines in names", r.text,
	          "exec java.lang.Thread.run:10<mji>;java.lang.Thread.run:10<mji>;"
	          "a.B.work:20<min> 1 20000000\n");
	r = read_jw(&w, (struct jfr_opts){ .names = { .bci = true } });
	same_text("indices in names", r.text,
	          "cpu java.lang.Thread.run@3<mji>;java.lang.Thread.run@3<mji>;"
	          "a.B.work@3<min> 1 20000000\n");
	buf_clear(&w.b);
}

/* One good chunk with n samples of the CPU. */
static void
good(struct jw *w, int n)
{
	jw_chunk(w);
	for (int i = 0; i < n; i++)
		jw_vars(w, T_EXECUTION, NS(i), 11, 1, 5);
	pools(w, false);
}

/* Each of these between good chunks, of which one and two samples are left. */
static void
test_damage_between(void)
{
	static const char junk[] =
	        "FLR\0 is no header, nor is this FLR\0\0\2\0\0 .....";
	static const char *const name[] = { "junk", "an unfinished chunk",
		                            "version 0.9", "a size of nothing",
		                            "offsets beyond" };
	struct jw w = { 0 };
	struct result r;

	for (int i = 0; i < 5; i++) {
		size_t at, end;
		char want[200];

		w.b.n = 0;
		good(&w, 1);
		at = w.b.n;
		if (i == 0)
			buf_put(&w.b, junk, sizeof junk);
		else
			good(&w, 3);
		if (i == 1) { /* as async-profiler leaves it */
			jw_be(w.b.p + at + 8, 1 << 30, 8);
			memset(w.b.p + at + 16, 0, 16);
		}
		if (i == 2)
			w.b.p[at + 5] = 0;
		if (i == 3)
			jw_be(w.b.p + at + 8, 0, 8);
		if (i == 4)
			jw_be(w.b.p + at + 24, w.b.n, 8);
		end = w.b.n;
		good(&w, 2);
		r = read_jw(&w, (struct jfr_opts){ 0 });
		same_text(name[i], r.text,
		          "cpu " S " 1 20000000\n"
		          "cpu " S " 2 40000000\n");
		snprintf(want, sizeof want, "rec: byte %zu: ", at);
		ok(r.ok && r.stats.partial && r.stats.chunks == 2 && warnings == 1 &&
		   str_starts(str_of(warning), str_of(want)));
		snprintf(want, sizeof want, "; %zu bytes ignored", end - at);
		if (!ok_named(strstr(warning, want), name[i]))
			fprintf(stderr, "# %s\n", warning);
		r = read_jw(&w, (struct jfr_opts){ .strict = true });
		ok(!r.ok);
	}
	buf_clear(&w.b);
}

/*
 * A chunk that lost its end, and a recording joined to it: of the first nothing is
 * left, of the second everything, wherever the first was cut.
 */
static void
test_cut_and_joined(void)
{
	struct jw a = { 0 }, b = { 0 }, all = { 0 };
	struct result r;
	size_t bad = 0;

	good(&b, 2);
	good(&a, 300);
	for (size_t cut = 100; cut < a.b.n - 1; cut += 97) {
		all.b.n = 0;
		buf_put(&all.b, a.b.p, cut);
		buf_put(&all.b, b.b.p, b.b.n);
		buf_put(&all.b, b.b.p, b.b.n);
		r = read_jw(&all, (struct jfr_opts){ 0 });
		bad += strcmp(r.text, "cpu " S " 2 40000000\ncpu " S " 2 40000000\n") !=
		        0;
		bad += !r.ok || !r.stats.partial || r.stats.chunks != 2;
		r = read_jw(&all, (struct jfr_opts){ .strict = true });
		bad += r.ok;
	}
	ok(bad == 0);
	buf_clear(&a.b);
	buf_clear(&b.b);
	buf_clear(&all.b);
}

/* An event whose size is nonsense: those before and behind it are kept. */
static void
test_resynchronise(void)
{
	static const uint64_t sizes[] = { 0, 1, UINT32_MAX };
	struct jw w = { 0 };
	struct result r;

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		size_t at;

		w.size_bytes = 5;
		fresh(&w);
		jw_vars(&w, T_EXECUTION, NS(1), 11, 1, 5);
		at = w.b.n;
		jw_vars(&w, T_EXECUTION, NS(2), 11, 1, 5);
		jw_padded(w.b.p + at, sizes[i], 5);
		for (int k = 0; k < 6; k++)
			jw_vars(&w, T_EXECUTION, NS(3 + k), 11, 1, 5);
		pools(&w, false);
		r = read_jw(&w, (struct jfr_opts){ 0 });
		same_text("seven of eight", r.text, "cpu " S " 7 140000000\n");
		ok(r.ok && r.stats.partial && warnings == 1 &&
		   strstr(warning, "event of impossible size"));
		r = read_jw(&w, (struct jfr_opts){ .strict = true });
		ok(!r.ok && strstr(r.error, "event of impossible size"));
	}
	buf_clear(&w.b);
}

/* A chunk of the JDK whose end is missing, with constants before it. */
static void
test_rescue(void)
{
	struct jw w = { 0 };
	struct result r;
	size_t whole;

	good(&w, 1);
	whole = w.b.n;
	jw_chunk(&w);
	jw_vars(&w, T_EXECUTION, NS(1), 11, 1, 5);
	pools(&w, false);
	/* More follows behind the first constants, and is cut. */
	w.pools = 0;
	jw_vars(&w, T_EXECUTION, NS(2), 11, 1, 5);
	jw_vars(&w, T_EXECUTION, NS(3), 11, 7, 5); /* the stack is lost */
	jw_chunk_end(&w);
	jw_be(w.b.p + whole + 8, w.b.n - whole + 1000, 8);
	jw_be(w.b.p + whole + 16, w.b.n - whole + 500, 8);
	r = read_jw(&w, (struct jfr_opts){ 0 });
	same_text("whole chunks", r.text, "cpu " S " 1 20000000\n");
	ok(r.ok && r.stats.partial && r.stats.chunks == 1);
	r = read_jw(&w, (struct jfr_opts){ .rescue = true });
	same_text("what can be had", r.text,
	          "cpu " S " 1 20000000\n"
	          "cpu " S " 2 40000000\n");
	ok(r.ok && r.stats.partial && r.stats.chunks == 2 && r.stats.stackless == 1);
	buf_clear(&w.b);
}

/* Of each prefix either nothing can be used, or the whole chunks in it and no more. */
static void
prefixes(struct str all, size_t first, size_t step)
{
	struct result r;
	size_t bad = 0;

	for (size_t n = 0; n < all.n; n += step) {
		r = read_bytes((struct str){ all.p, n }, (struct jfr_opts){ 0 }, false);
		bad += n < first ? r.ok : !r.ok || r.stats.chunks != 1;
		bad += r.ok && !r.stats.partial && n != first;
		r = read_bytes((struct str){ all.p, n },
		               (struct jfr_opts){ .rescue = true, .times = true },
		               false);
		bad += r.ok ? !r.stats.chunks : !*r.error;
	}
	ok_named(bad == 0, "every prefix");
}

static void
test_prefixes(void)
{
	struct jw w = { 0 };
	size_t first;

	good(&w, 2);
	first = w.b.n;
	while (w.b.n < 16384) {
		w.chunk = first;
		w.b.n = first;
		jw_chunk(&w);
		for (uint64_t i = 0; i < 16384 - first; i += 16)
			jw_vars(&w, T_SAMPLE, NS(i), 11, 1, 2, i);
		pools(&w, false);
	}
	prefixes(buf_view(&w.b), first, 1);
	buf_clear(&w.b);
}

/* Real ones, of one chunk, at every 997th byte and fewer. */
static void
test_real_prefixes(const char *fixtures)
{
	static const struct {
		const char *name;
		size_t step;
	} files[] = { { "ap-small-multi.jfr.gz", 997 },
		      { "jdk17-small.jfr.gz", 99991 } };

	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		char path[512];
		struct source *s;
		struct str all;
		struct err e = { 0 };

		snprintf(path, sizeof path, "%s/jfr/%s", fixtures, files[i].name);
		if (!source_open(&s, path, NULL, &e)) {
			ok_named(false, path);
			continue;
		}
		ok(source_all(s, &all, &e));
		prefixes(all, all.n, files[i].step);
		source_close(s);
	}
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		seeds.dir = argv[1];
	seeds.prefix = "kinds-";
	test_kinds();
	test_errors();
	test_custom();
	test_odd_types();
	test_datadog();
	test_contexts();
	test_selection();
	test_spans();
	test_contextual();
	test_leaks();
	test_marks();
	test_damage_between();
	/* Of each byte of a recording, too many for seeds. */
	if (!seeds.dir)
		test_cut_and_joined();
	test_resynchronise();
	test_rescue();
	if (!seeds.dir) {
		test_prefixes();
		test_real_prefixes("tests/fixtures");
	}
	map_clear(&seeds.written);
	return done();
}
