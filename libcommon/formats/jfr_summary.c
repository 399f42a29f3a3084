/*
 * Of every chunk the metadata are read, for the names of event types, then the head of
 * each event. A few events are looked into, of which there are some hundred in a chunk:
 *
 *	jdk.JVMInformation, OSInformation, CPUInformation	in each chunk
 *	jdk.ActiveSetting	id of the event type, name, value: in each chunk of
 *				the JDK, in the first of async-profiler
 *	jdk.DataLoss, CPUTimeSamplesLost
 */
#include "formats/jfr_summary.h"

#include <stdlib.h>

#include "base/num.h"
#include "bytes/utf8.h"
#include "formats/jfr_part.h"

enum {
	MAX_JVMS = 64,
	MAX_KEPT = 1 << 16 /* bytes of a text that is kept */
};

const char *const jfr_producer_name[JFR_PRODUCERS] = {
	[JFR_BY_JDK] = "JDK",
	[JFR_BY_ASYNC_PROFILER] = "async-profiler",
	[JFR_BY_GRAFANA] = "async-profiler of Grafana",
	[JFR_BY_DATADOG] = "Datadog",
};

/* Events that are looked into. */
enum info { IN_JVM, IN_OS, IN_CPU, IN_SETTING, IN_LOSS, IN_LOST_CPU, IN_COUNT };

enum { SLOTS = 6 };

enum { JVM_NAME, JVM_VERSION, JVM_ARGUMENTS, JVM_JAVA_ARGUMENTS, JVM_START, JVM_PID };
enum { CPU_NAME, CPU_DESCRIPTION, CPU_SOCKETS, CPU_CORES, CPU_THREADS };
enum { SET_ID, SET_NAME, SET_VALUE };

static const struct {
	const char *type;
	struct jfr_bind bind[SLOTS];
} infos[IN_COUNT] = {
	[IN_JVM] = { "jdk.JVMInformation",
	             { { "jvmName", JVM_NAME },
	               { "jvmVersion", JVM_VERSION },
	               { "jvmArguments", JVM_ARGUMENTS },
	               { "javaArguments", JVM_JAVA_ARGUMENTS },
	               { "jvmStartTime", JVM_START },
	               { "pid", JVM_PID } } },
	[IN_OS] = { "jdk.OSInformation", { { "osVersion", 0 } } },
	[IN_CPU] = { "jdk.CPUInformation",
	             { { "cpu", CPU_NAME },
	               { "description", CPU_DESCRIPTION },
	               { "sockets", CPU_SOCKETS },
	               { "cores", CPU_CORES },
	               { "hwThreads", CPU_THREADS } } },
	[IN_SETTING] = { "jdk.ActiveSetting",
	                 { { "id", SET_ID },
	                   { "name", SET_NAME },
	                   { "value", SET_VALUE } } },
	[IN_LOSS] = { "jdk.DataLoss", { { "amount", 0 } } },
	[IN_LOST_CPU] = { "jdk.CPUTimeSamplesLost", { { "lostSamples", 0 } } },
};

/* Event types of the JDK whose settings decide what a profile can say. */
static const char *const watched_events[] = {
	"jdk.ExecutionSample",
	"jdk.NativeMethodSample",
	"jdk.CPUTimeSample",
	"jdk.ObjectAllocationSample",
	"jdk.ObjectAllocationInNewTLAB",
	"jdk.ObjectAllocationOutsideTLAB",
	"jdk.OldObjectSample",
	"jdk.JavaMonitorEnter",
	"jdk.JavaMonitorWait",
	"jdk.ThreadPark",
	"jdk.ThreadSleep",
	"jdk.SocketRead",
	"jdk.SocketWrite",
	"jdk.FileRead",
	"jdk.FileWrite",
	"jdk.JavaExceptionThrow",
	"jdk.MethodTrace",
	"jdk.MethodTiming",
};
static const char *const watched_names[] = { "enabled",   "period", "threshold",
	                                     "throttle",  "cutoff", "filter",
	                                     "stackTrace" };
/* Settings of async-profiler, which are of the whole recording. */
static const char *const watched_profiler[] = {
	"version",   "engine",    "event",    "interval",    "wall",
	"alloc",     "live",      "lock",     "nativemem",   "nativelock",
	"trace",     "proc",      "filter",   "include",     "exclude",
	"begin",     "end",       "cstack",   "jstackdepth", "clock",
	"chunksize", "chunktime", "memlimit", "alluser",     "nobatch",
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* An event of the chunk whose texts are read at its end, when all constants are there.
 */
struct noted {
	enum info what;
	struct jfr_val v[SLOTS];
};

struct tally {
	uint64_t count, bytes;
};

struct reading {
	struct jfr_walk walk;
	struct jfr_summary *s;
	struct jfr_chunk
	        c; /* of which the types, the strings and their texts are used */
	struct intern names; /* of s->types */

	/* Of the chunk. */
	struct tally *tally; /* by type index; then metadata and checkpoints */
	uint8_t *info_of;    /* by type index: enum info + 1, or 0 */
	size_t cap_tally, cap_info_of;
	uint32_t at[JFR_SMALL_ID]; /* by type id: type index + 1, or 0 */
	struct jfr_prog prog[IN_COUNT];
	struct noted *noted;
	size_t nnoted, cap_noted;
	uint64_t *checkpoints;
	size_t ncheckpoints, cap_checkpoints;
	bool refers; /* a noted text is a constant */
};

/* ---- one chunk ---- */

static bool
bind(struct reading *r, struct err *e)
{
	struct jfr_meta *m = &r->c.meta;

	r->tally = xgrow(r->tally, &r->cap_tally, m->ntypes + 2, sizeof *r->tally);
	memset(r->tally, 0, (m->ntypes + 2) * sizeof *r->tally);
	r->info_of = xgrow(r->info_of, &r->cap_info_of, m->ntypes + 1, 1);
	memset(r->info_of, 0, m->ntypes + 1);
	for (int i = 0; i < IN_COUNT; i++) {
		uint32_t type = jfr_meta_type(m, infos[i].type);
		size_t n = 0;

		if (type == UINT32_MAX)
			continue;
		while (n < SLOTS && infos[i].bind[n].field)
			n++;
		if (!jfr_compile(m, type, 0, UINT32_MAX, infos[i].bind, n, &r->prog[i],
		                 e))
			return false;
		r->info_of[type] = (uint8_t)(i + 1);
	}
	/* The last of an id, as in the map. */
	for (size_t i = 0; i < m->ntypes; i++)
		if (m->types[i].id < JFR_SMALL_ID)
			r->at[m->types[i].id] = (uint32_t)i + 1;
	return true;
}

static void
unbind(struct reading *r)
{
	const struct jfr_meta *m = &r->c.meta;

	for (size_t i = 0; i < m->ntypes; i++)
		if (m->types[i].id < JFR_SMALL_ID)
			r->at[m->types[i].id] = 0;
}

/* Index of the type, of those that bind() has counted; ntypes and one more for 0, 1. */
static uint32_t
type_index(const struct reading *r, uint64_t id)
{
	const uint32_t *type;

	if (id <= 1)
		return (uint32_t)(r->c.meta.ntypes + id);
	if (id < JFR_SMALL_ID)
		return r->at[id] - 1;
	type = map_get(&r->c.meta.by_id, id);
	return type ? *type : UINT32_MAX;
}

static void
add(uint64_t *sum, uint64_t v)
{
	if (__builtin_add_overflow(*sum, v, sum))
		*sum = UINT64_MAX;
}

/* Whether the text is a constant, in one of the two ways to say so. */
static bool
refers(const struct jfr_chunk *c, struct jfr_val v)
{
	return v.form == JFR_TEXT_KEY || (v.form == JFR_TEXT_AT && c->base[v.v] == 2);
}

static void
note(struct reading *r, enum info what, struct cur *event)
{
	struct noted n = { .what = what };

	if (!jfr_run(&r->c.meta, r->prog[what], event, r->c.base, n.v))
		return;
	if (what == IN_LOSS || what == IN_LOST_CPU) {
		add(what == IN_LOSS ? &r->s->lost : &r->s->lost_cpu, n.v[0].v);
		return;
	}
	if (r->nnoted == JFR_MAX_SETTINGS)
		return;
	for (int i = 0; i < SLOTS; i++)
		r->refers = r->refers || refers(&r->c, n.v[i]);
	r->noted = xgrow(r->noted, &r->cap_noted, r->nnoted + 1, sizeof *r->noted);
	r->noted[r->nnoted++] = n;
}

static bool
events(struct reading *r, struct jfr_summary_chunk *chunk, struct err *e)
{
	const struct jfr_chunk *c = &r->c;
	struct cur all = { .p = c->base + JFR_HEADER,
		           .end = c->base + c->h.size,
		           .base = c->base,
		           .origin = c->h.at };

	r->nnoted = r->ncheckpoints = 0;
	r->refers = false;
	while (cur_left(&all)) {
		struct cur event;
		uint64_t size, id;
		uint32_t type;

		if (!jfr_event_head(&all, &event, &size, &id)) {
			r->s->unread += cur_left(&all);
			/* Of a chunk that was cut it is the last, and that is said. */
			return c->h.cut ||
			        jfr_damaged(&r->walk, cur_offset(&all), cur_left(&all),
			                    e,
			                    "event of impossible size; the rest of the "
			                    "chunk's events are lost");
		}
		chunk->events++;
		type = type_index(r, id);
		if (type == UINT32_MAX) {
			r->s->unknown++;
			r->s->unknown_bytes += size;
		} else {
			r->tally[type].count++;
			r->tally[type].bytes += size;
			if (id == 1) {
				r->checkpoints = xgrow(
				        r->checkpoints, &r->cap_checkpoints,
				        r->ncheckpoints + 1, sizeof *r->checkpoints);
				r->checkpoints[r->ncheckpoints++] =
				        (uint64_t)(all.p - c->base);
			} else if (id && r->info_of[type]) {
				note(r, (enum info)(r->info_of[type] - 1), &event);
			}
		}
		all.p += size;
	}
	return true;
}

/* ---- constants ---- */

static void
keep_string(struct jfr_chunk *c, uint64_t key, struct jfr_val text)
{
	struct jfr_pool *p = &c->pool[ROLE_STRING];
	struct jfr_symbol *entry;
	bool fresh;
	uint32_t *index = map_put(&p->at, key, &fresh);

	if (!fresh)
		return;
	*index = (uint32_t)p->n;
	p->entry = xgrow(p->entry, &p->cap, p->n + 1, sizeof *entry);
	entry = (struct jfr_symbol *)p->entry + p->n++;
	*entry = (struct jfr_symbol){ .key = key, .text = text };
}

/* The steps over a constant, compiled when first needed. */
static bool
steps(struct reading *r, uint32_t type, bool strings, struct jfr_prog *out)
{
	struct jfr_chunk *c = &r->c;
	static const struct jfr_bind itself[] = { { "", 0 } };
	struct err ignored = { 0 };

	if (!c->have_skip[type]) {
		if (!jfr_compile(&c->meta, type, 0, UINT32_MAX, itself, strings,
		                 &c->skip[type], &ignored))
			return false;
		c->have_skip[type] = true;
	}
	*out = c->skip[type];
	return true;
}

/* The strings of a checkpoint; all else is stepped over. False where that ends. */
static bool
checkpoint(struct reading *r, uint64_t at)
{
	struct jfr_chunk *c = &r->c;
	struct cur all = { .p = c->base + at,
		           .end = c->base + c->h.size,
		           .base = c->base };
	uint32_t text = jfr_meta_type(&c->meta, "java.lang.String");
	uint64_t size, v, pools;
	struct cur cur;

	if (!jfr_event_head(&all, &cur, &size, &v) || !jfr_var(&cur, &v) ||
	    !jfr_var(&cur, &v) || !jfr_var(&cur, &v) || !cur_left(&cur))
		return false;
	cur.p++; /* flags */
	if (!jfr_var(&cur, &pools))
		return false;
	while (pools--) {
		const uint32_t *type;
		uint64_t id, n, key;
		struct jfr_prog prog;

		if (!jfr_var(&cur, &id) || !jfr_var(&cur, &n) || n > cur_left(&cur) ||
		    !(type = map_get(&c->meta.by_id, id)) ||
		    !steps(r, *type, *type == text, &prog))
			return false;
		while (n--) {
			struct jfr_val value = { 0 };

			if (!jfr_var(&cur, &key) ||
			    !jfr_run(&c->meta, prog, &cur, c->base, &value))
				return false;
			if (*type == text)
				keep_string(c, key, value);
		}
	}
	return true;
}

/* What cannot be stepped over is left out: a text is missing then, no more. */
static void
strings(struct reading *r)
{
	struct jfr_chunk *c = &r->c;
	size_t n = c->meta.ntypes + 1;

	jfr_renew(&c->pool[ROLE_STRING].at);
	c->pool[ROLE_STRING].n = 0;
	c->pool[ROLE_STRING].size = sizeof(struct jfr_symbol);
	if (!r->refers)
		return;
	c->skip = xgrow(c->skip, &c->cap_skip, n, sizeof *c->skip);
	c->have_skip = xgrow(c->have_skip, &c->cap_have_skip, n, sizeof *c->have_skip);
	memset(c->have_skip, 0, n * sizeof *c->have_skip);
	for (size_t i = 0; i < r->ncheckpoints; i++)
		checkpoint(r, r->checkpoints[i]);
}

/* ---- what was noted ---- */

/* A text into the summary's memory, if it is another than what is there. */
static void
keep(struct jfr_summary *s, struct str *to, struct str text)
{
	if (text.n > MAX_KEPT)
		for (text.n = MAX_KEPT; text.n && (text.p[text.n] & 0xc0) == 0x80;)
			text.n--; /* no part of a character */
	if (!str_eq(*to, text))
		*to = arena_str(&s->text, text);
}

struct str
jfr_summary_setting(const struct jfr_summary *s, const char *of, const char *name)
{
	for (size_t i = 0; i < s->nsettings; i++)
		if (str_eq(s->settings[i].of, str_of(of)) &&
		    str_eq(s->settings[i].name, str_of(name)))
			return s->settings[i].value;
	return (struct str){ 0 };
}

static void
keep_setting(struct jfr_summary *s, const char *of, const char *name, struct str value)
{
	struct jfr_summary_setting *at;
	size_t i = 0;

	while (i < s->nsettings &&
	       (!str_eq(s->settings[i].of, str_of(of)) ||
	        !str_eq(s->settings[i].name, str_of(name))))
		i++;
	if (i == s->nsettings) {
		s->settings = xgrow(s->settings, &s->cap_settings, s->nsettings + 1,
		                    sizeof *s->settings);
		s->settings[s->nsettings++] =
		        (struct jfr_summary_setting){ .of = str_of(of),
			                              .name = str_of(name) };
	}
	at = &s->settings[i];
	keep(s, &at->value, value);
}

/* Where a name stands in a list; behind all others if nowhere. */
static size_t
place(const char *const *list, size_t n, struct str text)
{
	size_t i = 0;

	while (i < n && !str_eq(text, str_of(list[i])))
		i++;
	return i;
}

static const char *
among(const char *const *list, size_t n, struct str text)
{
	size_t i = place(list, n, text);

	return i < n ? list[i] : NULL;
}

static void
take_setting(struct reading *r, const struct noted *n, enum jfr_producer by)
{
	const struct jfr_meta *m = &r->c.meta;
	const uint32_t *type = map_get(&m->by_id, n->v[SET_ID].v);
	struct str name = jfr_text(&r->c, n->v[SET_NAME]);
	const char *known, *of;

	if (by == JFR_BY_JDK) {
		known = among(watched_names, COUNT(watched_names), name);
		of = !known || !type ? NULL
		                     : among(watched_events, COUNT(watched_events),
		                             m->types[*type].name);
	} else {
		known = among(watched_profiler, COUNT(watched_profiler), name);
		of = known ? "async-profiler" : NULL;
	}
	if (of)
		keep_setting(r->s, of, known, jfr_text(&r->c, n->v[SET_VALUE]));
}

/* What follows the mark, up to any of the ends. */
static struct str
between(struct str text, const char *mark, const char *ends)
{
	const char *p = text.n ? memmem(text.p, text.n, mark, strlen(mark)) : NULL;
	struct str out;

	if (!p)
		return (struct str){ 0 };
	out.p = p + strlen(mark);
	out.n = 0;
	while (out.p + out.n < text.p + text.n && !strchr(ends, out.p[out.n]))
		out.n++;
	while (out.n && (*out.p == ' ' || *out.p == '\t' || *out.p == ':')) {
		out.p++;
		out.n--;
	}
	return out;
}

/*
 * "OpenJDK 64-Bit Server VM (17.0.15+6) for linux-amd64 JRE (17.0.15+6), built on ..."
 * as the JDK has it; async-profiler writes the version alone.
 */
static struct str
version_of(struct str text)
{
	struct str in = between(text, "JRE (", ")");

	if (!in.n)
		in = between(text, "(", ")");
	return in.n ? in : text;
}

static void
take_jvm(struct reading *r, const struct noted *n)
{
	struct jfr_summary *s = r->s;
	struct str arguments = jfr_text(&r->c, n->v[JVM_ARGUMENTS]);
	int64_t pid = (int64_t)n->v[JVM_PID].v, depth;
	int64_t start = num_muldiv((int64_t)n->v[JVM_START].v, 1000000, 1);
	struct jfr_summary_jvm *jvm;
	size_t i = 0;

	if (num_i64(between(arguments, "stackdepth=", ", \n"), &depth) && depth > 0)
		s->stack_depth = depth;
	while (i < s->njvms && (s->jvms[i].pid != pid || s->jvms[i].start_ns != start))
		i++;
	if (i == s->njvms) {
		if (i == MAX_JVMS)
			return;
		s->jvms = xgrow(s->jvms, &s->cap_jvms, i + 1, sizeof *s->jvms);
		jvm = &s->jvms[s->njvms++];
		*jvm = (struct jfr_summary_jvm){ .pid = pid, .start_ns = start };
		keep(s, &jvm->name, jfr_text(&r->c, n->v[JVM_NAME]));
		keep(s, &jvm->version, version_of(jfr_text(&r->c, n->v[JVM_VERSION])));
		keep(s, &jvm->jvm_arguments, arguments);
		keep(s, &jvm->java_arguments,
		     jfr_text(&r->c, n->v[JVM_JAVA_ARGUMENTS]));
	}
	s->jvms[i].chunks++;
}

static void
take_os(struct reading *r, const struct noted *n)
{
	struct jfr_summary *s = r->s;
	struct str text = jfr_text(&r->c, n->v[0]);
	struct str name = between(text, "PRETTY_NAME=\"", "\"\n");
	struct str kernel = between(text, "uname:", "\n");
	struct buf b = { 0 };

	if (s->os.n)
		return;
	buf_str(&b, name);
	if (name.n && kernel.n)
		buf_put(&b, ", ", 2);
	buf_str(&b, kernel);
	keep(s, &s->os, b.n ? buf_view(&b) : text);
	buf_clear(&b);
}

static void
take_cpu(struct reading *r, const struct noted *n)
{
	struct jfr_summary *s = r->s;
	struct str text = jfr_text(&r->c, n->v[CPU_DESCRIPTION]);
	struct str name = between(text, "Brand:", ",\n");

	if (s->cpu.n)
		return;
	if (!name.n)
		name = between(text, "model name", "\n");
	keep(s, &s->cpu, name.n ? name : jfr_text(&r->c, n->v[CPU_NAME]));
	s->sockets = (int64_t)n->v[CPU_SOCKETS].v;
	s->cores = (int64_t)n->v[CPU_CORES].v;
	s->threads = (int64_t)n->v[CPU_THREADS].v;
}

/* ---- who wrote it ---- */

static enum jfr_producer
producer(const struct jfr_meta *m)
{
	uint32_t thread = jfr_meta_type(m, "java.lang.Thread");
	uint32_t sample = jfr_meta_type(m, "jdk.ExecutionSample");

	/* Only the JVM itself knows of groups of threads. */
	if (thread != UINT32_MAX && jfr_meta_field(m, thread, "group"))
		return JFR_BY_JDK;
	for (size_t i = 0; i < m->ntypes; i++)
		if (str_starts(m->types[i].name, STR("datadog.")))
			return JFR_BY_DATADOG;
	if (sample != UINT32_MAX &&
	    (jfr_meta_field(m, sample, "contextId") ||
	     jfr_meta_field(m, sample, "spanId")))
		return JFR_BY_GRAFANA;
	return JFR_BY_ASYNC_PROFILER;
}

static void
take_counts(struct reading *r)
{
	const struct jfr_meta *m = &r->c.meta;
	struct jfr_summary *s = r->s;

	for (size_t i = 0; i < m->ntypes + 2; i++) {
		struct str name = i < m->ntypes ? m->types[i].name
		        : i == m->ntypes        ? STR("jdk.Metadata")
		                                : STR("jdk.CheckPoint");
		uint32_t id;

		if (!r->tally[i].count)
			continue;
		id = intern_id(&r->names, name);
		if (id == s->ntypes) {
			s->types = xgrow(s->types, &s->cap_types, s->ntypes + 1,
			                 sizeof *s->types);
			s->types[s->ntypes++] = (struct jfr_summary_type){ 0 };
		}
		s->types[id].count += r->tally[i].count;
		s->types[id].bytes += r->tally[i].bytes;
		s->types[id].constants = s->types[id].constants || r->ncheckpoints;
	}
}

/* Whether its events lead from one to the next, up to the end. */
static bool
leads_on(const struct jfr_chunk *c)
{
	struct cur all = { .p = c->base + JFR_HEADER,
		           .end = c->base + c->h.size,
		           .base = c->base };
	struct cur event;
	uint64_t size, id;

	while (cur_left(&all)) {
		if (!jfr_event_head(&all, &event, &size, &id))
			return false;
		all.p += size;
	}
	return true;
}

/* A chunk that lost its end may have been joined to another, where it then ends. */
static bool
cut_where_joined(struct reading *r, struct err *e)
{
	struct jfr_chunk *c = &r->c;
	const uint64_t size = c->h.size;

	if (leads_on(c))
		return true;
	if (jfr_walk_cut(&r->walk) &&
	    !jfr_damaged(&r->walk, r->walk.h.at, 0, e,
	                 "chunk of %llu bytes is cut short", (unsigned long long)size))
		return false;
	c->h = r->walk.h;
	c->base = r->walk.base;
	return true;
}

static bool
read_chunk(struct reading *r, struct err *e)
{
	struct jfr_chunk *c = &r->c;
	struct jfr_summary *s = r->s;
	struct cur meta = { .p = c->base + c->h.meta,
		            .end = c->base + c->h.size,
		            .base = c->base,
		            .origin = c->h.at };
	struct jfr_summary_chunk chunk = {
		.at = c->h.at,
		.bytes = c->h.size,
		.major = c->h.major,
		.minor = c->h.minor,
		.state = c->h.cut          ? JFR_CUT
		        : r->walk.flushing ? JFR_UNFINISHED
		                           : JFR_COMPLETE,
	};
	bool ok;

	arena_clear(&c->text);
	c->spelt = 0;
	if (c->h.meta >= c->h.size || !jfr_meta_read(&c->meta, meta, e) ||
	    !bind(r, e)) {
		char text[sizeof e->text];

		memcpy(text, e->text, sizeof text);
		unbind(r);
		*e = (struct err){ 0 };
		if (jfr_walk_cut(&r->walk))
			return jfr_damaged(&r->walk, c->h.at, r->walk.h.size, e,
			                   "chunk of %llu bytes is cut short",
			                   (unsigned long long)c->h.size);
		return jfr_damaged(&r->walk, c->h.at, c->h.size, e,
		                   "chunk left out: %s", text);
	}
	if (c->h.start_ns && c->h.start_ns <= INT64_MAX &&
	    c->h.duration_ns <= INT64_MAX - c->h.start_ns) {
		chunk.start_ns = (int64_t)c->h.start_ns;
		chunk.duration_ns = (int64_t)c->h.duration_ns;
	}
	r->walk.chunks++;
	chunk.by = producer(&c->meta);
	s->by |= 1U << chunk.by;
	ok = events(r, &chunk, e);
	strings(r);
	for (size_t i = 0; i < r->nnoted; i++) {
		const struct noted *n = &r->noted[i];

		if (n->what == IN_SETTING)
			take_setting(r, n, chunk.by);
		else if (n->what == IN_JVM)
			take_jvm(r, n);
		else if (n->what == IN_OS)
			take_os(r, n);
		else
			take_cpu(r, n);
	}
	take_counts(r);
	unbind(r);
	s->chunks = xgrow(s->chunks, &s->cap_chunks, s->nchunks + 1, sizeof *s->chunks);
	s->chunks[s->nchunks++] = chunk;
	return ok;
}

/* ---- all chunks ---- */

uint64_t
jfr_kinds_of_types(const struct jfr_summary *s)
{
	uint64_t kinds = 0;

	for (size_t i = 0; i < s->ntypes; i++)
		if (s->types[i].constants)
			kinds |= jfr_kinds_of_type(s->types[i].name);
	/* Told to sample by wall clock, async-profiler did so in ExecutionSample. */
	if (kinds & JFR_KIND(JFR_CPU) &&
	    str_eq(jfr_summary_setting(s, "async-profiler", "event"), STR("wall")))
		kinds |= JFR_KIND(JFR_WALL);
	return kinds;
}

static int
by_bytes(const void *a, const void *b)
{
	const struct jfr_summary_type *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return str_cmp(x->name, y->name);
}

static int
by_place(const void *a, const void *b)
{
	const struct jfr_summary_setting *x = a, *y = b;
	size_t n = COUNT(watched_events);
	size_t i = place(watched_events, n, x->of), j = place(watched_events, n, y->of);

	if (i == j && i < n) {
		i = place(watched_names, COUNT(watched_names), x->name);
		j = place(watched_names, COUNT(watched_names), y->name);
	} else if (i == j) {
		i = place(watched_profiler, COUNT(watched_profiler), x->name);
		j = place(watched_profiler, COUNT(watched_profiler), y->name);
	}
	return (i > j) - (i < j);
}

static int
by_start(const void *a, const void *b)
{
	const struct jfr_summary_chunk *x = *(const struct jfr_summary_chunk *const *)a;
	const struct jfr_summary_chunk *y = *(const struct jfr_summary_chunk *const *)b;

	if (x->start_ns != y->start_ns)
		return x->start_ns > y->start_ns ? 1 : -1;
	return (x->duration_ns > y->duration_ns) - (x->duration_ns < y->duration_ns);
}

/* The time from first to last, and what of it no chunk covers, or several do. */
static void
cover(struct jfr_summary *s)
{
	const struct jfr_summary_chunk **order =
	        xcalloc(s->nchunks + 1, sizeof(struct jfr_summary_chunk *));
	size_t n = 0;

	for (size_t i = 0; i < s->nchunks; i++)
		if (s->chunks[i].start_ns)
			order[n++] = &s->chunks[i];
	qsort(order, n, sizeof(struct jfr_summary_chunk *), by_start);
	for (size_t i = 0; i < n; i++) {
		int64_t from = order[i]->start_ns, to = from + order[i]->duration_ns;

		if (i == 0) {
			s->start_ns = s->end_ns = from;
		} else if (from > s->end_ns) {
			s->gaps++;
			s->gap_ns += from - s->end_ns;
		} else if (from < s->end_ns && to > from) {
			int64_t both = (to < s->end_ns ? to : s->end_ns) - from;

			s->overlaps++;
			if (!num_add_i64(s->overlap_ns, both, &s->overlap_ns))
				s->overlap_ns = INT64_MAX;
		}
		if (to > s->end_ns) {
			s->covered_ns += to - (from > s->end_ns ? from : s->end_ns);
			s->end_ns = to;
		}
	}
	free(order);
}

static void
finish(struct reading *r)
{
	const struct jfr_damage *d = &r->walk.damage;
	struct jfr_summary *s = r->s;

	/* The names of types live with the summary. */
	for (size_t i = 0; i < s->ntypes; i++)
		s->types[i].name = utf8_clean(&s->text, r->names.str[i], NULL);
	arena_join(&s->text, &r->names.text);
	if (s->ntypes)
		qsort(s->types, s->ntypes, sizeof *s->types, by_bytes);
	if (s->nsettings)
		qsort(s->settings, s->nsettings, sizeof *s->settings, by_place);
	cover(s);
	s->kinds = jfr_kinds_of_types(s);
	s->profiler_version = jfr_summary_setting(s, "async-profiler", "version");
	s->packed = source_packed(r->walk.in);
	s->bytes = source_offset(r->walk.in);
	s->packed_bytes = source_taken(r->walk.in);
	s->damages = d->places;
	s->damaged_bytes = d->bytes;
	s->damaged_at = d->at;
	s->damage = utf8_clean(&s->text, arena_str(&s->text, str_of(d->text)), NULL);
}

bool
jfr_summary_read(struct source *in, struct jfr_summary *s, struct err *e)
{
	struct reading *r = xcalloc(1, sizeof *r);
	bool taken, ok;

	*s = (struct jfr_summary){ 0 };
	r->s = s;
	r->walk =
	        (struct jfr_walk){ .in = in, .input = source_name(in), .rescue = true };
	while ((ok = jfr_walk_next(&r->walk, &taken, e)) && taken) {
		r->c.h = r->walk.h;
		r->c.base = r->walk.base;
		if (!(ok = cut_where_joined(r, e) && read_chunk(r, e)))
			break;
	}
	ok = ok && jfr_walk_end(&r->walk, e);
	if (ok)
		finish(r);
	else
		err_in(e, r->walk.input);
	jfr_meta_clear(&r->c.meta);
	map_clear(&r->c.pool[ROLE_STRING].at);
	free(r->c.pool[ROLE_STRING].entry);
	free(r->c.skip);
	free(r->c.have_skip);
	arena_clear(&r->c.text);
	intern_clear(&r->names);
	free(r->tally);
	free(r->info_of);
	free(r->noted);
	free(r->checkpoints);
	free(r);
	if (!ok)
		jfr_summary_clear(s);
	return ok;
}

void
jfr_summary_clear(struct jfr_summary *s)
{
	free(s->chunks);
	free(s->types);
	free(s->jvms);
	free(s->settings);
	arena_clear(&s->text);
	*s = (struct jfr_summary){ 0 };
}
