/*
 * Writes recordings byte by byte: whole ones as the JVM and async-profiler write them,
 * and everything that a reader must bear. What a test needs to be odd is a field of
 * struct jw.
 */
#ifndef JFRWRITE_H
#define JFRWRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"

/* Type ids; the numbers are arbitrary. */
enum {
	T_LONG = 4,
	T_INT,
	T_SHORT,
	T_CHAR,
	T_BYTE,
	T_BOOLEAN,
	T_FLOAT,
	T_DOUBLE,
	T_STRING = 20,
	T_CLASS,
	T_THREAD,
	T_FRAME_TYPE,
	T_STATE,
	T_STACK,
	T_FRAME,
	T_METHOD,
	T_SYMBOL,
	T_BOX, /* a struct within structs */
	T_TIMESPAN,
	T_NATIVE_FN,
	T_EXECUTION = 101,
	T_NATIVE,
	T_CPUTIME,
	T_WALL,
	T_TLAB,
	T_OUTSIDE,
	T_SAMPLE,
	T_LIVE,
	T_MONITOR,
	T_PARK,
	T_SETTING,
	T_LOSS,
	T_LOST_CPU,
	T_OTHER,
	T_WAIT,
	T_SLEEP,
	T_SOCKET_READ,
	T_SOCKET_WRITE,
	T_FILE_READ,
	T_FILE_FORCE,
	T_EXCEPTION,
	T_MALLOC,
	T_FREE,
	T_NATIVE_LOCK,
	T_TRACE,
	T_GC,
	T_VM_OPERATION,
	T_SAFEPOINT,
	T_OLD,
	T_SPAN,
	T_REQUEST,
	T_DD_OBJECT,
	T_DD_EXECUTION,
	T_ERROR,
	T_DD_CONFIG,
	T_DD_ENDPOINT,
	T_REQUEST_TOO, /* of the same name, from another class loader */
	T_ODD,
	T_STEP,
	T_GC_NAME = 140,
	T_GC_CAUSE,
	T_VM_OPERATION_TYPE,
	T_ATTRIBUTE
};

struct jw {
	struct buf b; /* the input so far */
	size_t chunk; /* where the chunk begins */
	size_t pools; /* the last checkpoint, from the chunk's start */
	size_t meta;
	size_t open;         /* the event being written */
	unsigned size_bytes; /* of the padded size of events: 4 or 5 */
	unsigned text_form;  /* encoding of symbols: 3, 4 or 5 */
	unsigned meta_form;  /* of the metadata's strings */
	unsigned major, minor;
	bool old_names;     /* com.oracle. as in JDK 9 */
	bool extra;         /* fields that no reader knows, in all types */
	bool native_frames; /* a fifth field of frames */
	bool datadog;       /* the types of its agent, too */
	bool contexts;      /* execution samples have them, as Grafana's agent writes */
	const char *unit;   /* of durations */
};

static inline void
jw_var(struct jw *w, uint64_t v)
{
	for (int i = 0; i < 8 && v >= 0x80; i++) {
		buf_char(&w->b, (char)(v | 0x80));
		v >>= 7;
	}
	buf_char(&w->b, (char)v);
}

/* A varint of exactly n bytes, in place. */
static inline void
jw_padded(char *p, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i + 1 < n; i++, v >>= 7)
		p[i] = (char)(v | 0x80);
	p[n - 1] = (char)(v & 0x7f);
}

static inline void
jw_be(char *p, uint64_t v, unsigned n)
{
	while (n--) {
		p[n] = (char)v;
		v >>= 8;
	}
}

/* ASCII only, in any encoding; NULL is null. */
static inline void
jw_text(struct jw *w, const char *s, unsigned form)
{
	if (!s || !*s) {
		buf_char(&w->b, s ? 1 : 0);
		return;
	}
	buf_char(&w->b, (char)form);
	jw_var(w, strlen(s));
	for (; *s; s++)
		if (form == 4)
			jw_var(w, (unsigned char)*s);
		else
			buf_char(&w->b, *s);
}

static inline void
jw_float(struct jw *w, float f)
{
	char b[4];
	uint32_t bits;

	memcpy(&bits, &f, sizeof bits);
	jw_be(b, bits, 4);
	buf_put(&w->b, b, 4);
}

static inline void
jw_event(struct jw *w, uint64_t type)
{
	w->open = w->b.n;
	buf_put(&w->b, "\0\0\0\0\0", w->size_bytes);
	jw_var(w, type);
}

static inline void
jw_event_end(struct jw *w)
{
	jw_padded(w->b.p + w->open, w->b.n - w->open, w->size_bytes);
}

#define JW_LIST(...)                                                                   \
	(const uint64_t[]){ __VA_ARGS__ },                                             \
	        sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t)

/* An event of varints only. */
#define jw_vars(w, type, ...) jw_vars_of(w, type, JW_LIST(__VA_ARGS__))

static inline void
jw_vars_of(struct jw *w, uint64_t type, const uint64_t *v, size_t n)
{
	jw_event(w, type);
	for (size_t i = 0; i < n; i++)
		jw_var(w, v[i]);
	if (w->extra) {
		jw_text(w, "odd", 3);
		jw_var(w, 7);
	}
	jw_event_end(w);
}

/* Types as text: "name id: field type flags, ..." with flags p (pool) and a (array). */
static const char *const jw_types[] = {
	"long 4:",
	"int 5:",
	"short 6:",
	"char 7:",
	"byte 8:",
	"boolean 9:",
	"float 10:",
	"double 11:",
	"java.lang.String 20:",
	"java.lang.Class 21: classLoader 4, name 28p, package 4, modifiers 5",
	"java.lang.Thread 22: osName 20, osThreadId 4, javaName 20, javaThreadId 4",
	"jdk.types.FrameType 23: description 20",
	"jdk.types.ThreadState 24: name 20",
	"jdk.types.StackTrace 25: truncated 9, frames 26a",
	"jdk.types.StackFrame 26: method 27p, lineNumber 5, bytecodeIndex 5, type 23p",
	"jdk.types.Method 27: type 21p, name 28p, descriptor 28p, modifiers 5, hidden "
	"9",
	"jdk.types.Symbol 28: string 20",
	"test.Box 29: a 10, b 11, c 6a, d 20a",
	"jdk.jfr.Timespan 30:",
	"test.NativeFunction 31: library 4, name 20",
	"jdk.ExecutionSample 101: startTime 4, sampledThread 22p, stackTrace 25p, "
	"state 24p",
	"jdk.NativeMethodSample 102: startTime 4, sampledThread 22p, stackTrace 25p, "
	"state 24p",
	"jdk.CPUTimeSample 103: startTime 4, stackTrace 25p, eventThread 22p, "
	"samplingPeriod 4t",
	"profiler.WallClockSample 104: startTime 4, sampledThread 22p, stackTrace 25p, "
	"state 24p, samples 5, timeSpan 4t",
	"jdk.ObjectAllocationInNewTLAB 105: startTime 4, eventThread 22p, stackTrace "
	"25p, "
	"objectClass 21p, allocationSize 4, tlabSize 4",
	"jdk.ObjectAllocationOutsideTLAB 106: startTime 4, eventThread 22p, "
	"stackTrace 25p, objectClass 21p, allocationSize 4",
	"jdk.ObjectAllocationSample 107: startTime 4, eventThread 22p, stackTrace 25p, "
	"objectClass 21p, weight 4",
	"profiler.LiveObject 108: startTime 4, eventThread 22p, stackTrace 25p, "
	"objectClass 21p, allocationSize 4, allocationTime 4",
	"jdk.JavaMonitorEnter 109: startTime 4, duration 4t, eventThread 22p, "
	"stackTrace 25p, monitorClass 21p, previousOwner 22p, address 4",
	"jdk.ThreadPark 110: startTime 4, duration 4t, eventThread 22p, stackTrace "
	"25p, "
	"parkedClass 21p, timeout 4, address 4",
	"jdk.ActiveSetting 111: id 4, name 20, value 20",
	"jdk.DataLoss 112: startTime 4, amount 4, total 4",
	"jdk.CPUTimeSamplesLost 113: startTime 4, lostSamples 5, eventThread 22p",
	"test.Other 114: startTime 4, box 29, boxes 29a, text 20p",
	"jdk.JavaMonitorWait 115: startTime 4, duration 4t, eventThread 22p, "
	"stackTrace "
	"25p, monitorClass 21p, timedOut 9",
	"jdk.ThreadSleep 116: startTime 4, duration 4t, eventThread 22p, stackTrace "
	"25p, "
	"time 4t",
	"jdk.SocketRead 117: startTime 4, duration 4t, eventThread 22p, stackTrace "
	"25p, "
	"host 20, port 5, bytesRead 4b",
	"jdk.SocketWrite 118: startTime 4, duration 4t, eventThread 22p, stackTrace "
	"25p, "
	"host 20, port 5, bytesWritten 4b",
	"jdk.FileRead 119: startTime 4, duration 4t, eventThread 22p, stackTrace 25p, "
	"path 20, bytesRead 4b",
	"jdk.FileForce 120: startTime 4, duration 4t, eventThread 22p, stackTrace 25p, "
	"path 20",
	"jdk.JavaExceptionThrow 121: startTime 4, duration 4t, eventThread 22p, "
	"stackTrace 25p, message 20, thrownClass 21p",
	"profiler.Malloc 122: startTime 4, eventThread 22p, stackTrace 25p, address 4, "
	"size 4",
	"profiler.Free 123: startTime 4, eventThread 22p, stackTrace 25p, address 4",
	"profiler.NativeLock 124: startTime 4, duration 4t, eventThread 22p, "
	"stackTrace "
	"25p, address 4",
	"jdk.MethodTrace 125: startTime 4, duration 4t, eventThread 22p, stackTrace "
	"25p, "
	"method 27p",
	"jdk.GarbageCollection 126: startTime 4, duration 4t, gcId 5, name 140p, cause "
	"141p, sumOfPauses 4t, longestPause 4t",
	"jdk.ExecuteVMOperation 127: startTime 4, duration 4t, eventThread 22p, "
	"operation 142p, safepoint 9, blocking 9",
	"jdk.SafepointBegin 128: startTime 4, duration 4t, eventThread 22p, "
	"safepointId 4",
	"jdk.OldObjectSample 129: startTime 4, duration 4t, eventThread 22p, "
	"stackTrace "
	"25p, objectSize 4b",
	"profiler.Span 130: startTime 4, duration 4t, eventThread 22p, tag 20p",
	"app.Request 131: startTime 4, duration 4t, eventThread 22p, stackTrace 25p, "
	"traceId 20c, load 10, size 6",
	"datadog.ObjectSample 132: startTime 4, eventThread 22p, stackTrace 25p, "
	"objectClass 21p, size 4, weight 10, spanId 4, localRootSpanId 4",
	"datadog.ExecutionSample 133: startTime 4, eventThread 22p, stackTrace 25p, "
	"state "
	"24p, weight 4, spanId 4, localRootSpanId 4, operation 143p",
	"jdk.JavaErrorThrow 134: startTime 4, duration 4t, eventThread 22p, stackTrace "
	"25p, message 20, thrownClass 21p",
	"datadog.DatadogProfilerConfig 135: startTime 4, cpuInterval 4m, wallInterval "
	"4m",
	"datadog.Endpoint 136: startTime 4, duration 4t, eventThread 22p, stackTrace "
	"25p, "
	"endpoint 20p, localRootSpanId 4",
	"app.Request 137: startTime 4, eventThread 22p, stackTrace 25p, size 6, "
	"duration "
	"4t, load 10",
	"app.Odd 138: startTime 4, eventThread 22p, stackTrace 25p, small 8, letter 7, "
	"list 5a, box 29, state 24p, method 27p",
	"app.Step 139: startTime 4, duration 4t, eventThread 22p, stepId 20c",
	"jdk.types.GCName 140: name 20",
	"jdk.types.GCCause 141: cause 20",
	"jdk.types.VMOperationType 142: type 20",
	"profiler.types.AttributeValue 143: value 20",
	"jdk.jfr.DataAmount 32:",
	"jdk.jfr.Contextual 33:",
};

struct jw_strings {
	struct intern names;
	struct buf body; /* elements */
	struct jw w;     /* writes into body */
};

static inline void
jw_index(struct jw_strings *s, struct str text)
{
	jw_var(&s->w, intern_id(&s->names, text));
}

static inline void
jw_attr(struct jw_strings *s, const char *key, struct str value)
{
	jw_index(s, str_of(key));
	jw_index(s, value);
}

static inline void
jw_field(struct jw_strings *s, struct str name, struct str type, const char *flags,
         const char *unit)
{
	static const struct {
		char flag;
		const char *class, *value;
	} notes[] = {
		{ 't', "30", NULL }, /* the unit */
		{ 'b', "32", "BYTES" },
		{ 'c', "33", "" },
		{ 'm', "30", "MILLISECONDS" },
	};
	bool pool = strchr(flags, 'p'), array = strchr(flags, 'a');
	const char *value = NULL;

	jw_index(s, STR("field"));
	jw_var(&s->w, 2U + pool + array);
	jw_attr(s, "name", name);
	jw_attr(s, "class", type);
	if (pool)
		jw_attr(s, "constantPool", STR("true"));
	if (array)
		jw_attr(s, "dimension", STR("1"));
	for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
		if (!strchr(flags, notes[i].flag) ||
		    !(value = notes[i].value ? notes[i].value : unit))
			continue;
		jw_var(&s->w, 1);
		jw_index(s, STR("annotation"));
		jw_var(&s->w, *value ? 2 : 1);
		jw_attr(s, "class", str_of(notes[i].class));
		if (*value)
			jw_attr(s, "value", str_of(value));
		jw_var(&s->w, 0);
		return;
	}
	jw_var(&s->w, 0);
}

static inline void
jw_class(struct jw *w, struct jw_strings *s, const char *text)
{
	char name[96], id[8], field[64], type[8], flags[4];
	size_t fields = 0, len;
	int used;
	struct str odd = STR("odd"), more = STR("more");
	const char *p;

	sscanf(text, "%95s %7[^:]:%n", name, id, &used);
	p = text + used;
	for (const char *q = p; *q; q++)
		fields += q == p || *q == ',';
	if (w->old_names && strncmp(name, "jdk.types.", 10) == 0) {
		memmove(name + 21, name + 10, strlen(name + 10) + 1);
		memcpy(name, "com.oracle.jfr.types.", 21);
	} else if (w->old_names && strncmp(name, "jdk.", 4) == 0 &&
	           strncmp(name, "jdk.jfr", 7) != 0) {
		memmove(name + 15, name + 4, strlen(name + 4) + 1);
		memcpy(name, "com.oracle.jdk.", 15);
	}
	len = strlen(id);
	if (w->native_frames && strcmp(id, "26") == 0)
		fields++;
	if (w->contexts && strcmp(id, "101") == 0)
		fields += 3;
	jw_index(s, STR("class"));
	jw_var(&s->w, 2);
	jw_attr(s, "name", str_of(name));
	jw_attr(s, "id", (struct str){ id, len });
	jw_var(&s->w, fields + (w->extra && len == 3 ? 2 : 0));
	while (*p) {
		flags[0] = '\0';
		if (sscanf(p, " %63s %7[0-9]%3[a-z]%n", field, type, flags, &used) <
		    3) {
			sscanf(p, " %63s %7[0-9]%n", field, type, &used);
			flags[0] = '\0';
		}
		jw_field(s, str_of(field), str_of(type), flags, w->unit);
		p += used;
		p += *p == ',';
	}
	if (w->native_frames && strcmp(id, "26") == 0)
		jw_field(s, STR("function"), STR("31"), "p", NULL);
	if (w->contexts && strcmp(id, "101") == 0) {
		jw_field(s, STR("spanId"), STR("4"), "", NULL);
		jw_field(s, STR("spanName"), STR("4"), "", NULL);
		jw_field(s, STR("contextId"), STR("4"), "", NULL);
	}
	if (w->extra && len == 3) {
		jw_field(s, odd, STR("20"), "", NULL);
		jw_field(s, more, STR("4"), "", NULL);
	}
}

static inline bool
jw_has(const struct jw *w, const char *type)
{
	return w->datadog || strncmp(type, "datadog.", 8) != 0;
}

static inline void
jw_metadata(struct jw *w)
{
	struct jw_strings s = { .w = { .size_bytes = 4 } };
	size_t ntypes = 0;

	for (size_t i = 0; i < sizeof jw_types / sizeof *jw_types; i++)
		ntypes += jw_has(w, jw_types[i]);

	jw_index(&s, STR("root"));
	jw_var(&s.w, 0);
	jw_var(&s.w, 2);
	jw_index(&s, STR("metadata"));
	jw_var(&s.w, 0);
	jw_var(&s.w, ntypes);
	for (size_t i = 0; i < sizeof jw_types / sizeof *jw_types; i++)
		if (jw_has(w, jw_types[i]))
			jw_class(w, &s, jw_types[i]);
	jw_index(&s, STR("region"));
	jw_var(&s.w, 1);
	jw_attr(&s, "gmtOffset", STR("0"));
	jw_var(&s.w, 0);

	w->meta = w->b.n - w->chunk;
	jw_event(w, 0);
	jw_var(w, 1);
	jw_var(w, 0);
	jw_var(w, 1);
	jw_var(w, s.names.n);
	for (size_t i = 0; i < s.names.n; i++)
		jw_text(w, s.names.str[i].p, w->meta_form);
	buf_put(&w->b, s.w.b.p, s.w.b.n);
	jw_event_end(w);
	intern_clear(&s.names);
	buf_clear(&s.w.b);
}

/* Defaults, the header and the metadata. */
static inline void
jw_chunk(struct jw *w)
{
	if (!w->size_bytes)
		w->size_bytes = 4;
	if (!w->text_form)
		w->text_form = 3;
	if (!w->meta_form)
		w->meta_form = 3;
	if (!w->major)
		w->major = 2;
	if (!w->unit)
		w->unit = "TICKS";
	w->chunk = w->b.n;
	w->pools = 0;
	memset(buf_room(&w->b, 68), 0, 68);
	w->b.n += 68;
	jw_metadata(w);
}

/* One second from second 1000 on, with 2 ticks a nanosecond. */
static inline void
jw_chunk_end(struct jw *w)
{
	char *h = w->b.p + w->chunk;

	memcpy(h, "FLR", 4);
	jw_be(h + 4, w->major, 2);
	jw_be(h + 6, w->minor, 2);
	jw_be(h + 8, w->b.n - w->chunk, 8);
	jw_be(h + 16, w->pools, 8);
	jw_be(h + 24, w->meta, 8);
	jw_be(h + 32, 1000000000000, 8);
	jw_be(h + 40, 1000000000, 8);
	jw_be(h + 48, 500, 8);
	jw_be(h + 56, 2000000000, 8);
	jw_be(h + 64, 1, 4);
}

static inline void
jw_checkpoint(struct jw *w, unsigned npools)
{
	size_t at = w->b.n - w->chunk;

	jw_event(w, 1);
	jw_var(w, 1);
	jw_var(w, 0);
	jw_var(w, w->pools ? w->pools - at : 0);
	buf_char(&w->b, 1);
	jw_var(w, npools);
	w->pools = at;
}

static inline void
jw_pool(struct jw *w, uint64_t type, uint64_t count)
{
	jw_var(w, type);
	jw_var(w, count);
}

/* Simple constants: one string each. */
static inline void
jw_constant(struct jw *w, uint64_t key, const char *text)
{
	jw_var(w, key);
	jw_text(w, text, w->text_form);
}

/* Frames leaf first, pairs of method and type keys; line 10 times the method. */
#define jw_stack(w, key, truncated, ...)                                               \
	jw_stack_of(w, key, truncated, JW_LIST(__VA_ARGS__))

static inline void
jw_stack_of(struct jw *w, uint64_t key, bool truncated, const uint64_t *v, size_t n)
{
	jw_var(w, key);
	buf_char(&w->b, truncated ? 1 : 0);
	jw_var(w, n / 2);
	for (size_t i = 0; i + 1 < n; i += 2) {
		uint64_t method = v[i], type = v[i + 1];

		/* With native frames, methods from 1000 to 1999 are functions. */
		bool native = w->native_frames && method >= 1000 && method < 2000;

		jw_var(w, native ? 0 : method);
		jw_var(w, 10 * (method & 0xff));
		jw_var(w, 3);
		jw_var(w, type);
		if (w->native_frames)
			jw_var(w, native ? method : 0);
	}
}

static inline void
jw_method(struct jw *w, uint64_t key, uint64_t class, uint64_t name)
{
	jw_var(w, key);
	jw_var(w, class);
	jw_var(w, name);
	jw_var(w, 0);
	jw_var(w, 1);
	buf_char(&w->b, 0);
}

static inline void
jw_class_constant(struct jw *w, uint64_t key, uint64_t name)
{
	jw_var(w, key);
	jw_var(w, 0);
	jw_var(w, name);
	jw_var(w, 0);
	jw_var(w, 1);
}

static inline void
jw_thread(struct jw *w, uint64_t key, const char *os, const char *java, uint64_t tid)
{
	jw_var(w, key);
	jw_text(w, os, w->text_form);
	jw_var(w, tid);
	jw_text(w, java, w->text_form);
	jw_var(w, key + 1);
}

#endif
