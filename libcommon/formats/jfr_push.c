/*
 * What was decoded of a chunk, into the sink: one series for each kind, a stack once
 * for all events that agree in what is asked for.
 */
#include <math.h>
#include <stdlib.h>

#include "formats/jfr_part.h"

#define MS INT64_C(1000000)

enum { COLUMNS = 3, FRAMES_AHEAD = 512 };
/* Events that batches of a chunk may be spread to, and one for each of its bytes. */
#define MIN_SPREAD ((uint64_t)1 << 16)

/* What a column is made of. */
enum from { COUNT, VALUE, EXTRA };

/* The names of kinds and of their values. */
static const struct kind {
	const char *name;
	struct {
		const char *type, *unit;
		enum from from;
	} column[COLUMNS];
	enum agg agg;
	bool timed; /* the value is the count times the interval */
} kinds[JFR_KINDS] = {
#define SAMPLES                                                                        \
	{                                                                              \
		"samples", "count", COUNT                                              \
	}
#define NS(type)                                                                       \
	{                                                                              \
		type, "nanoseconds", VALUE                                             \
	}
#define BYTES(type)                                                                    \
	{                                                                              \
		type, "bytes", VALUE                                                   \
	}
#define DONE(type)                                                                     \
	{                                                                              \
		type, "bytes", EXTRA                                                   \
	}
#define N(type)                                                                        \
	{                                                                              \
		type, "count", COUNT                                                   \
	}
	[JFR_CPU] = { "cpu", { SAMPLES, NS("cpu") }, AGG_SUM, true },
	[JFR_WALL] = { "wall", { SAMPLES, NS("wall") }, AGG_SUM, true },
	[JFR_ALLOC] = { "alloc", { SAMPLES, BYTES("alloc_space") }, AGG_SUM, false },
	[JFR_LIVE] = { "live", { SAMPLES, BYTES("inuse_space") }, AGG_GAUGE, false },
	[JFR_LOCK] = { "lock", { N("contentions"), NS("delay") }, AGG_SUM, false },
	[JFR_SOCKET] = { "socket",
	                 { N("operations"), DONE("transferred"), NS("delay") },
	                 AGG_SUM,
	                 false },
	[JFR_FILE] = { "file",
	               { N("operations"), DONE("transferred"), NS("delay") },
	               AGG_SUM,
	               false },
	[JFR_EXCEPTION] = { "exception", { N("exceptions") }, AGG_SUM, false },
	[JFR_MALLOC] = { "malloc", { SAMPLES, BYTES("malloc_space") }, AGG_SUM, false },
	[JFR_NATIVELOCK] = { "nativelock",
	                     { N("contentions"), NS("delay") },
	                     AGG_SUM,
	                     false },
	[JFR_TRACE] = { "trace", { N("calls"), NS("time") }, AGG_SUM, false },
	[JFR_GC] = { "gc", { N("collections"), NS("pause") }, AGG_SUM, false },
	[JFR_NATIVE] = { "native", { SAMPLES, NS("time") }, AGG_SUM, true },
	[JFR_ALLOC_TLAB] = { "alloc-tlab",
	                     { SAMPLES, BYTES("alloc_space") },
	                     AGG_SUM,
	                     false },
	[JFR_ALLOC_OUTSIDE] = { "alloc-outside",
	                        { SAMPLES, BYTES("alloc_space") },
	                        AGG_SUM,
	                        false },
	[JFR_ALLOC_SAMPLE] = { "alloc-sample",
	                       { SAMPLES, BYTES("alloc_space") },
	                       AGG_SUM,
	                       false },
	[JFR_OLD] = { "old", { SAMPLES, BYTES("inuse_space") }, AGG_GAUGE, false },
	[JFR_MONITOR] = { "monitor",
	                  { N("contentions"), NS("delay") },
	                  AGG_SUM,
	                  false },
	[JFR_PARK] = { "park", { N("contentions"), NS("delay") }, AGG_SUM, false },
	[JFR_WAIT] = { "wait", { N("waits"), NS("delay") }, AGG_SUM, false },
	[JFR_SLEEP] = { "sleep", { N("sleeps"), NS("delay") }, AGG_SUM, false },
	[JFR_LEAK] = { "leak", { SAMPLES, BYTES("malloc_space") }, AGG_SUM, false },
	[JFR_SAFEPOINT] = { "safepoint",
	                    { N("operations"), NS("pause") },
	                    AGG_SUM,
	                    false },
	[JFR_EXEC] = { "exec", { SAMPLES, NS("time") }, AGG_SUM, true },
	[JFR_CPUTIME] = { "cputime", { SAMPLES, NS("cpu") }, AGG_SUM, true },
	[JFR_OAP_EXEC] = { "EXECUTION_SAMPLE", { SAMPLES }, AGG_SUM, false },
	[JFR_OAP_TLAB] = { "OBJECT_ALLOCATION_IN_NEW_TLAB",
	                   { BYTES("alloc_space") },
	                   AGG_SUM,
	                   false },
	[JFR_OAP_OUTSIDE] = { "OBJECT_ALLOCATION_OUTSIDE_TLAB",
	                      { BYTES("alloc_space") },
	                      AGG_SUM,
	                      false },
	[JFR_OAP_LOCK] = { "LOCK", { NS("delay") }, AGG_SUM, false },
	[JFR_OAP_LIVE] = { "PROFILER_LIVE_OBJECT",
	                   { BYTES("inuse_space") },
	                   AGG_GAUGE,
	                   false },
#undef SAMPLES
#undef NS
#undef BYTES
#undef DONE
#undef N
};

struct series {
	bool begun;
	uint32_t id;
	struct meta meta;
	struct sample_type type[COLUMNS];
	enum from from[COLUMNS];
	struct label label;
	uint64_t truncated;
};

/* A block of native memory that was not given back. */
struct leak {
	uint64_t address;
	bool dead;                  /* it was, after all */
	const struct jfr_malloc *m; /* while its chunk is read; NULL: all of these: */
	int64_t time_ns, size;
	size_t at; /* its frames in reading->leak_ids */
	uint32_t n;
	struct label *labels;
	size_t nlabels;
	struct str thread;
};

struct jfr_push {
	struct jfr_reader *r;
	struct series series[JFR_ALL_KINDS];
	bool said_unit; /* of events that another chunk has in another unit */
	uint32_t *ids;  /* of one stack */
	size_t cap_ids;
	uint64_t expanded; /* frames pushed for the chunk */
	uint64_t spread;   /* events that batches were spread to */
	/* Mallocs that were not given back so far. */
	struct leak *leaks;
	size_t nleaks, cap_leaks;
	struct map leak_at; /* address to index */
	uint32_t *leak_ids;
	size_t nleak_ids, cap_leak_ids;
	int64_t first_malloc, last_malloc;
};

const char *
jfr_kind_name(enum jfr_kind k)
{
	return kinds[k].name;
}

bool
jfr_kind(struct str name, enum jfr_kind *out)
{
	for (int k = 0; k < JFR_OAP_EXEC; k++)
		if (str_eq(name, str_of(kinds[k].name))) {
			*out = (enum jfr_kind)k;
			return true;
		}
	return false;
}

void
jfr_kind_list(uint64_t set, struct buf *b)
{
	bool any = false;

	for (int k = 0; k < JFR_KINDS; k++)
		if (set & JFR_KIND(k)) {
			buf_printf(b, "%s%s", any ? ", " : "", kinds[k].name);
			any = true;
		}
}

int64_t
jfr_ns(const struct jfr_chunk *c, int64_t value, enum jfr_unit unit)
{
	switch (unit) {
	case UNIT_TICKS:
		if (!c->h.ticks_per_s || c->h.ticks_per_s > INT64_MAX)
			return value;
		return num_muldiv(value, 1000 * MS, (int64_t)c->h.ticks_per_s);
	case UNIT_US:
		return num_muldiv(value, 1000, 1);
	case UNIT_MS:
		return num_muldiv(value, MS, 1);
	case UNIT_S:
		return num_muldiv(value, 1000 * MS, 1);
	case UNIT_BITS:
		return value / 8;
	default:
		return value;
	}
}

bool
jfr_on_cpu(const struct jfr_reader *r, uint64_t state)
{
	const struct jfr_symbol *s;

	if (r->c.has_default)
		return state == r->c.default_state;
	/* Before version 3 the CPU engine called its samples runnable, too. */
	s = jfr_pool_get(&r->c.pool[ROLE_STATE], state);
	return !str_eq(r->ap_event, STR("wall")) && !(s && s->sleeping);
}

/* "20 ms" in ns; 0 for what is no time, such as everyChunk. */
static int64_t
period_ns(struct str s)
{
	static const struct {
		const char *unit;
		int64_t ns;
	} units[] = {
		{ "ns", 1 },        { "us", 1000 },      { "ms", MS },
		{ "s", 1000 * MS }, { "m", 60000 * MS }, { "h", 3600000 * MS },
	};
	size_t digits = 0;
	uint64_t n;

	while (digits < s.n && s.p[digits] >= '0' && s.p[digits] <= '9')
		digits++;
	if (!num_u64((struct str){ s.p, digits }, &n) || n > (uint64_t)INT64_MAX)
		return 0;
	s.p += digits;
	s.n -= digits;
	while (s.n && s.p[0] == ' ') {
		s.p++;
		s.n--;
	}
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (str_eq(s, str_of(units[i].unit)))
			return num_muldiv((int64_t)n, units[i].ns, 1);
	return 0;
}

static void
take_ns(struct str text, int64_t *out)
{
	int64_t ns;

	if (num_i64(text, &ns))
		*out = ns;
}

/* The intervals of sampling. async-profiler says them in a recording's first chunk. */
static void
take_settings(struct jfr_reader *r)
{
	struct jfr_chunk *c = &r->c;
	uint32_t type = jfr_meta_type(&c->meta, "jdk.ExecutionSample");
	uint32_t native = jfr_meta_type(&c->meta, "jdk.NativeMethodSample");

	if (c->dd_interval > 0)
		r->dd_interval = c->dd_interval;
	if (c->dd_wall > 0)
		r->dd_wall = c->dd_wall;
	for (size_t i = 0; i < c->nsettings; i++) {
		const struct jfr_setting *s = &c->settings[i];
		struct str name = jfr_text(c, s->name);

		if (c->ap && str_eq(name, STR("interval"))) {
			take_ns(jfr_text(c, s->value), &r->ap_interval);
		} else if (c->ap && str_eq(name, STR("wall"))) {
			take_ns(jfr_text(c, s->value), &r->ap_wall);
		} else if (c->ap && str_eq(name, STR("event"))) {
			r->ap_event = arena_str(&r->text, jfr_text(c, s->value));
		} else if (str_eq(name, STR("period"))) {
			if (type != UINT32_MAX && s->id == c->meta.types[type].id)
				r->jdk_period = period_ns(jfr_text(c, s->value));
			if (native != UINT32_MAX && s->id == c->meta.types[native].id)
				r->jdk_native_period = period_ns(jfr_text(c, s->value));
		}
	}
}

/* Whether async-profiler's event is time, so that its interval is nanoseconds. */
static bool
event_is_time(struct str event)
{
	static const char *const time[] = {
		"cpu",       "itimer",     "ctimer", "wall",
		"cpu-clock", "task-clock", "alloc",  "lock"
	};

	for (size_t i = 0; i < sizeof time / sizeof *time; i++)
		if (str_eq(event, str_of(time[i])))
			return true;
	return event.n == 0;
}

/* What one sample stands for; *assumed if the recording does not say it. */
static int64_t
interval_of(const struct jfr_reader *r, enum jfr_source s, uint64_t state,
            bool *assumed)
{
	bool wall = s == SRC_WALL || (s == SRC_EXECUTION && !jfr_on_cpu(r, state));

	*assumed = false;
	if (s == SRC_NATIVE || (s == SRC_EXECUTION && !r->c.ap)) {
		int64_t period = s == SRC_NATIVE ? r->jdk_native_period : r->jdk_period;

		*assumed = period <= 0;
		return period > 0 ? period : 20 * MS;
	}
	if (s == SRC_DD_EXECUTION || s == SRC_DD_METHOD) {
		int64_t stated = s == SRC_DD_METHOD ? r->dd_wall : r->dd_interval;

		*assumed = stated <= 0;
		return stated > 0 ? stated : s == SRC_DD_METHOD ? 50 * MS : 10 * MS;
	}
	if (wall) {
		if (r->ap_wall > 0)
			return r->ap_wall;
		if (r->ap_wall < 0 && r->ap_interval > 0 &&
		    str_eq(r->ap_event, STR("wall")))
			return r->ap_interval;
		*assumed = r->ap_wall < 0 && r->ap_interval < 0;
		return 50 * MS;
	}
	if (r->ap_interval > 0)
		return r->ap_interval;
	if (!event_is_time(r->ap_event))
		return 1;
	*assumed = r->ap_interval < 0;
	return 10 * MS;
}

/* ---- series ---- */

static const char *
unit_name(enum jfr_unit u)
{
	switch (u) {
	case UNIT_NONE:
		return "count";
	case UNIT_BYTES:
	case UNIT_BITS:
		return "bytes";
	default:
		return "nanoseconds";
	}
}

static void
custom_columns(struct jfr_push *g, struct series *x, unsigned i,
               const struct jfr_reading *reading)
{
	const struct jfr_custom *custom = &g->r->opts->custom[i];

	x->type[0] = (struct sample_type){ STR("samples"), STR("count"), AGG_SUM };
	x->from[0] = COUNT;
	x->meta.ntypes = 1;
	if (!custom->value)
		return;
	x->type[1] = (struct sample_type){ str_of(custom->value),
		                           str_of(unit_name(reading->unit)), AGG_SUM };
	x->from[1] = VALUE;
	x->meta.ntypes = 2;
}

static bool
begin(struct jfr_push *g, unsigned k, const struct jfr_reading *reading,
      int64_t interval, struct err *e)
{
	const struct jfr_reader *r = g->r;
	const enum jfr_source s = reading->source;
	struct series *x = &g->series[k];
	const struct kind *kind = k < JFR_KINDS ? &kinds[k] : NULL;

	x->begun = true;
	g->r->stats->given |= JFR_KIND(k);
	x->meta = (struct meta){
		.types = x->type,
		.shown = NO_TYPE,
		.labels = &x->label,
		.nlabels = 1,
		.identity = r->opts->identity,
	};
	x->label.key = STR("event");
	x->label.value =
	        str_of(kind ? kind->name : r->opts->custom[k - JFR_KINDS].type);
	if (!kind)
		custom_columns(g, x, k - JFR_KINDS, reading);
	for (unsigned i = 0; kind && i < COLUMNS && kind->column[i].type; i++) {
		x->type[i] =
		        (struct sample_type){ str_of(kind->column[i].type),
			                      str_of(kind->column[i].unit), kind->agg };
		x->from[i] = kind->column[i].from;
		x->meta.ntypes = i + 1;
	}
	/* Counters of hardware: each sample is so many events, not so long a time. */
	if (k == JFR_CPU && s == SRC_EXECUTION && r->c.ap &&
	    !event_is_time(r->ap_event))
		x->type[1] = (struct sample_type){ r->ap_event, STR("count"), AGG_SUM };
	if (kind && kind->timed && k != JFR_EXEC && s != SRC_CPUTIME) {
		x->meta.period_type = x->type[1];
		x->meta.period = interval;
	}
	/* Where a JDK does not say how large old objects are, their number is shown. */
	if (s == SRC_OLD && !reading->has_value)
		x->meta.shown = 0;
	return r->sink->begin(r->sink, &x->meta, &x->id, e);
}

/* ---- labels ---- */

/* How many spans are looked at around a moment: deeper ones are none. */
enum { MAX_AROUND = 256 };

/* The last span of the thread that begins up to that moment, + 1; 0: none. */
static uint32_t
span_at(const struct jfr_reader *r, uint64_t tid, int64_t time)
{
	size_t lo = 0, hi = r->nspans;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct jfr_span *p = &r->spans[mid];

		if (p->tid < tid || (p->tid == tid && p->start_ns <= time))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && r->spans[lo - 1].tid == tid ? (uint32_t)lo : 0;
}

/* Where a sample belongs to. */
struct place {
	struct jfr_thread
	        thread; /* a copy, for the pool may grow; label.p NULL: none */
	uint32_t span;  /* the innermost that may hold it, + 1; 0: none */
	int64_t time_ns;
};

/* The next span around the sample, from the innermost outward. */
static const struct jfr_span *
next_around(const struct jfr_reader *r, const struct place *p, uint32_t *at,
            unsigned *n)
{
	while (*at && (*n)++ < MAX_AROUND) {
		const struct jfr_span *span = &r->spans[*at - 1];

		*at = span->parent;
		if (span->end_ns > p->time_ns)
			return span;
	}
	return NULL;
}

/* The label of the innermost span around the sample that has it. */
static struct str
span_label(const struct jfr_reader *r, const struct place *p, struct str name)
{
	const struct jfr_span *span;
	uint32_t at = p->span;
	unsigned n = 0;

	while ((span = next_around(r, p, &at, &n))) {
		struct str v = label_get(span->labels, span->nlabels, name);

		if (v.p)
			return v;
	}
	return (struct str){ 0 };
}

/* Whether the sample is in a span that is asked for. */
static bool
in_span(const struct jfr_reader *r, const struct place *p)
{
	const struct jfr_span *span;
	uint32_t at = p->span;
	unsigned n = 0;

	while ((span = next_around(r, p, &at, &n)))
		if (!span->context)
			return true;
	return false;
}

/* Look up the thread and its spans; false if the sample is in none that is asked for.
 */
static bool
find_place(struct jfr_push *g, const struct jfr_group *group, struct place *p)
{
	struct jfr_reader *r = g->r;
	const struct jfr_thread *t = NULL;

	*p = (struct place){ .time_ns = group->time_ns };
	if (r->need_threads)
		t = jfr_thread(r, group->thread);
	if (t)
		p->thread = *t;
	if (r->nspans && t)
		p->span = span_at(r, jfr_thread_number(t), group->time_ns);
	return !r->opts->spans || in_span(r, p);
}

/* The endpoint of the trace whose root span is the carried value at that place. */
static struct str
endpoint_of(const struct jfr_reader *r, const struct jfr_reading *x,
            const struct jfr_val *set, uint32_t at)
{
	const uint32_t *i;

	if (at >= x->ncarried || x->carried[at].field == UINT32_MAX || !set[at].v)
		return (struct str){ 0 };
	i = map_get(&r->root_at_name, set[at].v);
	return i ? r->root_name[*i - 1] : (struct str){ 0 };
}

static struct str
field_label(struct jfr_reader *r, const struct jfr_group *group, uint32_t i,
            const struct place *p)
{
	const struct jfr_chunk *c = &r->c;
	const struct jfr_reading *x = &c->reading[group->reading];
	const struct jfr_val *set =
	        group->set ? c->sets + (group->set - 1) * c->set_size : NULL;
	uint32_t at = jfr_source_path(group->source) + i;
	struct str name = r->want[i].name, v = { 0 };

	if (set && at < x->ncarried)
		v = jfr_carried_text(r, &x->carried[at], set[at], name);
	if (!v.p && r->opts->contexts && set && r->context_at < r->nwant) {
		uint32_t ctx = jfr_source_path(group->source) + r->context_at;

		if (ctx < x->ncarried && x->carried[ctx].field != UINT32_MAX)
			v = jfr_context_label(r->opts->contexts, set[ctx].v, name);
	}
	if (!v.p && set && r->root_at < r->nwant && str_eq(name, STR("endpoint")))
		v = endpoint_of(r, x, set, jfr_source_path(group->source) + r->root_at);
	return v.p ? v : span_label(r, p, name);
}

/* The labels of a sample that are looked at. */
static size_t
labels_of(struct jfr_reader *r, const struct jfr_group *group, const struct place *p,
          const struct jfr_stack *s, struct label *out)
{
	size_t n = 0;

	for (uint32_t i = 0; i < r->nasked; i++) {
		struct str v = { 0 };

		switch (r->want[i].what) {
		case WANT_THREAD:
			v = p->thread.label;
			break;
		case WANT_TID:
			v = p->thread.tid_label;
			break;
		case WANT_JAVA_TID:
			v = p->thread.java_label;
			break;
		case WANT_STATE:
			if (r->c.reading[group->reading].has_state)
				v = jfr_state_text(&r->c, group->state);
			break;
		case WANT_CLASS:
			if (group->class)
				v = jfr_class_text(r, group->class);
			break;
		case WANT_CATEGORY:
			if (s && s->found)
				v = str_of(jfr_category(r, s));
			break;
		case WANT_EVENT_TYPE:
			v = str_of(jfr_source_type(r, group->source));
			break;
		case WANT_FIELD:
			v = field_label(r, group, i, p);
			break;
		}
		if (v.p)
			out[n++] = (struct label){ r->want[i].name, v };
	}
	labels_sort(out, n);
	return n;
}

/* ---- stacks ---- */

/* The value of a column for a group. */
static bool
column(const struct jfr_push *g, const struct jfr_group *group, enum from from,
       bool timed, int64_t interval, int64_t *out, struct err *e)
{
	const struct jfr_chunk *c = &g->r->c;
	const struct jfr_reading *x = &c->reading[group->reading];

	switch (from) {
	case COUNT:
		*out = group->count;
		return true;
	case EXTRA:
		*out = jfr_ns(c, group->extra, x->extra_unit);
		return true;
	case VALUE:
		break;
	}
	if (!timed) {
		*out = x->real ? jfr_ns(c, jfr_whole(nearbyint(group->real)), x->unit)
		               : jfr_ns(c, group->value, x->unit);
		return true;
	}
	if (!__builtin_mul_overflow(group->count, interval, out))
		return true;
	return err_set(e, ERR_LIMIT, "the time of the samples exceeds 64 bits");
}

/*
 * Push samples of a kind: once, or with times and where an event stands for several,
 * one by one over the time that it spans.
 */
static bool
push_values(struct jfr_push *g, const struct series *x, struct stack *stack,
            const struct jfr_group *group, int64_t *values, int64_t interval,
            struct err *e)
{
	const struct jfr_reader *r = g->r;
	int64_t n = group->count, step, part[COLUMNS];

	stack->values = values;
	if (!r->opts->times)
		return r->sink->push(r->sink, x->id, stack, e);
	stack->timed = true;
	stack->time_ns = group->time_ns;
	/* A few bytes must not become as many events as they like. */
	if (n <= 1 || group->source != SRC_WALL || !interval ||
	    (uint64_t)n > r->c.h.size + MIN_SPREAD - g->spread)
		return r->sink->push(r->sink, x->id, stack, e);
	g->spread += (uint64_t)n;
	step = jfr_ns(&r->c, group->extra, r->c.reading[group->reading].extra_unit) /
	        (n - 1);
	if (step <= 0)
		step = interval;
	for (int64_t i = 0; i < n; i++) {
		for (uint32_t t = 0; t < x->meta.ntypes; t++)
			part[t] = values[t] / n;
		stack->values = part;
		if (!r->sink->push(r->sink, x->id, stack, e))
			return false;
		if (__builtin_add_overflow(stack->time_ns, step, &stack->time_ns))
			stack->time_ns = group->time_ns;
	}
	g->expanded += (uint64_t)(n - 1) * stack->depth;
	return true;
}

static bool
state_chosen(const struct jfr_reader *r, const struct jfr_group *group)
{
	const struct jfr_symbol *state;

	if (!r->opts->states || !r->c.reading[group->reading].has_state)
		return true;
	state = jfr_pool_get(&r->c.pool[ROLE_STATE], group->state);
	return state && state->chosen;
}

/*
 * A series has one unit. Where an application's field has another one later, its values
 * cannot be added up.
 */
static bool
fits_unit(struct jfr_push *g, const struct series *x, const struct jfr_group *group)
{
	const struct jfr_reading *reading = &g->r->c.reading[group->reading];

	if (group->source < SRC_CUSTOM || x->meta.ntypes < 2 ||
	    str_eq(x->type[1].unit, str_of(unit_name(reading->unit))))
		return true;
	if (!g->said_unit)
		warn_say(&g->r->opts->warn,
		         "%s: byte %llu: %s in another unit than before, left out",
		         g->r->walk.input, (unsigned long long)g->r->c.h.at,
		         jfr_source_type(g->r, group->source));
	g->said_unit = true;
	return false;
}

/*
 * Push what a group of events says about the stack. A stack that was cut counts once
 * for each kind; cut has the kinds for which it is still to be counted.
 */
static bool
push_group(struct jfr_push *g, const struct jfr_group *group, const struct jfr_stack *s,
           struct stack stack, uint64_t *cut, struct err *e)
{
	struct jfr_reader *r = g->r;
	uint64_t wanted = jfr_kinds_of(r, group->source, group->state) & r->wanted &
	        ~JFR_KIND(JFR_LEAK);
	struct label labels[JFR_MAX_LABELS];
	struct place place;

	if (!wanted)
		return true;
	if (!find_place(g, group, &place)) {
		r->stats->no_span += (uint64_t)group->count;
		return true;
	}
	if (!state_chosen(r, group)) {
		r->stats->no_state += (uint64_t)group->count;
		return true;
	}
	if (group->class && stack.depth <= CAP_DEPTH) {
		bool outside = group->source <= SRC_SAMPLE && group->state == 1;

		if (!jfr_class_frame(r, group->class, outside, &g->ids[stack.depth], e))
			return false;
		stack.depth++;
	}
	stack.labels = labels;
	stack.nlabels = labels_of(r, group, &place, s, labels);
	stack.thread = place.thread.label;
	for (unsigned k = 0; wanted; k++, wanted >>= 1) {
		struct series *x = &g->series[k];
		bool timed =
		        k < JFR_KINDS && kinds[k].timed && group->source != SRC_CPUTIME;
		int64_t values[COLUMNS], interval = 0;
		bool assumed = false;

		if (!(wanted & 1))
			continue;
		if (timed) {
			interval =
			        interval_of(r, group->source, group->state, &assumed);
			r->stats->interval_ns[k] = interval;
		}
		if (assumed)
			r->stats->assumed |= JFR_KIND(k);
		if (!x->begun &&
		    !begin(g, k, &r->c.reading[group->reading], interval, e))
			return false;
		if (!fits_unit(g, x, group))
			continue;
		for (uint32_t i = 0; i < x->meta.ntypes; i++)
			if (!column(g, group, x->from[i], timed, interval, &values[i],
			            e))
				return false;
		x->truncated += *cut >> k & 1;
		*cut &= ~JFR_KIND(k);
		if (!push_values(g, x, &stack, group, values, interval, e))
			return false;
		g->expanded += stack.depth;
	}
	if (g->expanded > JFR_MAX_FRAMES + JFR_EXPAND * r->c.h.size)
		return err_at(e, ERR_LIMIT, r->c.h.at,
		              "the events of the chunk refer to %llu frames",
		              (unsigned long long)g->expanded);
	return true;
}

/* The frames of a stack as ids of the sink. */
static bool
translate(struct jfr_push *g, const struct jfr_stack *s, uint32_t *ids, struct err *e)
{
	struct jfr_chunk *c = &g->r->c;

	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t packed = c->ids[s->at + i];

		__builtin_prefetch(&c->ids[s->at + i + FRAMES_AHEAD]);

		if (!c->frame_of[packed]) {
			uint32_t id;

			if (!jfr_frame(g->r, packed, &id, e))
				return false;
			c->frame_of[packed] = id + 1;
		}
		ids[i] = c->frame_of[packed] - 1;
	}
	return true;
}

static uint32_t
label_frame(const struct jfr_reader *r, struct str name, enum frame_class class)
{
	return FRAME_ID(frames_name(r->sink->frames, name, class), KIND_NONE);
}

/* A path of fields instead of a stack: "G1New", "G1 Evacuation Pause". */
static bool
push_path(struct jfr_push *g, const struct jfr_group *group, struct err *e)
{
	struct jfr_reader *r = g->r;
	struct jfr_chunk *c = &r->c;
	const struct jfr_reading *x = &c->reading[group->reading];
	const struct jfr_val *set = c->sets + (group->set - 1) * c->set_size;
	uint32_t ids[JFR_MAX_PATH];
	struct stack stack = { .frames = ids };
	uint64_t cut = 0;

	for (unsigned i = 0; i < jfr_source_path(group->source); i++) {
		struct str v = { 0 };

		if (group->source == SRC_SAFEPOINT)
			v = STR("time to safepoint");
		else if (group->set)
			v = jfr_carried_text(r, &x->carried[i], set[i], v);
		if (v.n)
			ids[stack.depth++] = label_frame(r, v, CLASS_NONE);
	}
	return push_group(g, group, NULL, stack, &cut, e);
}

/*
 * The JDK notes exceptions in the constructor of Throwable, and errors in that of Error
 * as well: the latter are the same ones again.
 */
static enum jfr_constructor
noted_by(struct jfr_chunk *c, const struct jfr_stack *s)
{
	return s->found && s->n ? jfr_constructor(c, c->ids[s->at + s->n - 1])
	                        : CONSTRUCTOR_OTHER;
}

static void
find_errors_twice(struct jfr_reader *r)
{
	struct jfr_chunk *c = &r->c;

	c->errors_twice = false;
	if (!c->seen[SRC_EXCEPTION] || !(r->wanted & JFR_KIND(JFR_EXCEPTION)))
		return;
	for (size_t i = 0; i < c->nstacks && !c->errors_twice; i++) {
		const struct jfr_stack *s = &c->stacks[i];

		c->errors_twice = noted_by(c, s) == CONSTRUCTOR_THROWABLE && s->n > 1 &&
		        jfr_constructor(c, c->ids[s->at + s->n - 2]) ==
		                CONSTRUCTOR_ERROR;
	}
}

static bool
push_stack(struct jfr_push *g, const struct jfr_stack *s, struct err *e)
{
	struct jfr_reader *r = g->r;
	struct jfr_chunk *c = &r->c;
	bool mark = s->truncated && r->opts->show_cut;
	struct stack stack = { .depth = s->n + (size_t)mark };
	uint64_t cut = s->truncated ? ~UINT64_C(0) : 0;

	g->ids = xgrow(g->ids, &g->cap_ids, (size_t)s->n + JFR_MAX_PATH + 2,
	               sizeof *g->ids);
	if (mark)
		g->ids[0] = label_frame(r, STR(JFR_TRUNCATED), CLASS_NONE);
	if (!translate(g, s, g->ids + mark, e))
		return false;
	stack.frames = g->ids;
	for (uint32_t k = s->groups; k != UINT32_MAX; k = c->groups[k].next) {
		const struct jfr_group *group = &c->groups[k];

		if (jfr_source_path(group->source)) {
			if (!push_path(g, group, e))
				return false;
			continue;
		}
		if (!s->found) {
			if (jfr_kinds_of(r, group->source, group->state) & r->wanted)
				r->stats->stackless += (uint64_t)group->count;
			if (!r->opts->keep_stackless)
				continue;
			g->ids[0] = label_frame(r, STR(JFR_NO_STACK), CLASS_NONE);
			stack.depth = 1;
		}
		if (group->source == SRC_EXCEPTION && c->errors_twice &&
		    noted_by(c, s) == CONSTRUCTOR_ERROR)
			continue;
		if (!push_group(g, group, s, stack, &cut, e))
			return false;
	}
	return true;
}

/* ---- mallocs that were never given back ---- */

static int
malloc_cmp(const void *a, const void *b)
{
	const struct jfr_malloc *x = a, *y = b;

	if (x->group.time_ns != y->group.time_ns)
		return (x->group.time_ns > y->group.time_ns) -
		        (x->group.time_ns < y->group.time_ns);
	return (x->order > y->order) - (x->order < y->order);
}

static void
take_malloc(struct jfr_push *g, const struct jfr_malloc *m)
{
	uint32_t *at = map_put(&g->leak_at, m->address, NULL);

	if (*at) /* a block there was not seen to be given back */
		g->leaks[*at - 1].dead = true;
	if (m->given_back) {
		*at = 0;
		return;
	}
	g->leaks = xgrow(g->leaks, &g->cap_leaks, g->nleaks + 1, sizeof *g->leaks);
	g->leaks[g->nleaks++] = (struct leak){ .address = m->address, .m = m };
	*at = (uint32_t)g->nleaks;
}

/* The stack of a block, marked as others are; nothing if it is none to be given. */
static bool
leak_stack(struct jfr_push *g, struct leak *l, const struct jfr_stack *s, bool *given,
           struct err *e)
{
	struct jfr_reader *r = g->r;
	bool mark = !s->found || (s->truncated && r->opts->show_cut);
	struct str name = s->found ? STR(JFR_TRUNCATED) : STR(JFR_NO_STACK);

	*given = s->found || r->opts->keep_stackless;
	if (!*given) {
		r->stats->stackless++;
		return true;
	}
	g->leak_ids = xgrow(g->leak_ids, &g->cap_leak_ids, g->nleak_ids + s->n + 1,
	                    sizeof *g->leak_ids);
	l->at = g->nleak_ids;
	l->n = s->n + mark;
	if (mark)
		g->leak_ids[g->nleak_ids] = label_frame(r, name, CLASS_NONE);
	g->nleak_ids += l->n;
	return translate(g, s, g->leak_ids + l->at + mark, e);
}

/*
 * A block of this chunk that is left so far: what is known of it in the chunk's terms
 * is written down. seen is where the stacks of others were put.
 */
static bool
settle_leak(struct jfr_push *g, struct leak *l, struct leak *seen, bool *given,
            struct err *e)
{
	struct jfr_reader *r = g->r;
	const struct jfr_group *group = &l->m->group;
	const struct jfr_stack *s = &r->c.stacks[group->stack];
	struct label labels[JFR_MAX_LABELS];
	struct place place;

	*given = find_place(g, group, &place);
	if (!*given) {
		r->stats->no_span++;
		return true;
	}
	if (seen[group->stack].m) {
		l->at = seen[group->stack].at;
		l->n = seen[group->stack].n;
	} else if (!leak_stack(g, l, s, given, e)) {
		return false;
	}
	if (!*given)
		return true;
	seen[group->stack] = *l;
	l->time_ns = group->time_ns;
	l->size = group->value;
	l->thread = arena_str(&r->text, place.thread.label);
	l->nlabels = labels_of(r, group, &place, s, labels);
	l->labels = arena_calloc(&r->text, l->nlabels + 1, sizeof *l->labels);
	for (size_t i = 0; i < l->nlabels; i++)
		l->labels[i] = (struct label){ labels[i].key,
			                       arena_str(&r->text, labels[i].value) };
	l->m = NULL;
	return true;
}

/* What is left of all blocks moves up. */
static bool
keep_leaks(struct jfr_push *g, struct err *e)
{
	struct leak *seen = xcalloc(g->r->c.nstacks + 1, sizeof *seen);
	size_t n = 0;
	bool ok = true;

	for (size_t i = 0; i < g->nleaks && ok; i++) {
		struct leak *l = &g->leaks[i];
		bool given = true;

		if (l->dead)
			continue;
		if (l->m)
			ok = settle_leak(g, l, seen, &given, e);
		if (ok && given)
			g->leaks[n++] = *l;
		*map_put(&g->leak_at, g->leaks[i].address, NULL) =
		        given ? (uint32_t)n : 0;
	}
	g->nleaks = n;
	free(seen);
	return ok;
}

static bool
take_mallocs(struct jfr_push *g, struct err *e)
{
	struct jfr_chunk *c = &g->r->c;
	int64_t first, last;

	if (!c->nmallocs)
		return true;
	qsort(c->mallocs, c->nmallocs, sizeof *c->mallocs, malloc_cmp);
	if (g->nleaks + c->nmallocs > UINT32_MAX - 1)
		return err_at(e, ERR_LIMIT, c->h.at, "too many blocks of memory");
	first = c->mallocs[0].group.time_ns;
	last = c->mallocs[c->nmallocs - 1].group.time_ns;
	if (!g->first_malloc || first < g->first_malloc)
		g->first_malloc = first;
	if (last > g->last_malloc)
		g->last_malloc = last;
	for (size_t i = 0; i < c->nmallocs; i++)
		take_malloc(g, &c->mallocs[i]);
	return keep_leaks(g, e);
}

static bool
push_leaks(struct jfr_push *g, struct err *e)
{
	static const struct jfr_reading reading = { .source = SRC_MALLOC };
	struct jfr_reader *r = g->r;
	struct series *x = &g->series[JFR_LEAK];
	/* What came last may yet be given back. */
	int64_t until = jfr_whole((double)g->first_malloc * r->opts->leak_tail +
	                          (double)g->last_malloc * (1 - r->opts->leak_tail));

	for (size_t i = 0; i < g->nleaks; i++) {
		const struct leak *l = &g->leaks[i];
		int64_t values[2] = { 1, l->size };
		struct stack stack = { .frames = g->leak_ids + l->at,
			               .depth = l->n,
			               .values = values,
			               .labels = l->labels,
			               .nlabels = l->nlabels,
			               .timed = r->opts->times,
			               .time_ns = l->time_ns,
			               .thread = l->thread };

		if (l->time_ns > until)
			continue;
		if (!x->begun && !begin(g, JFR_LEAK, &reading, 0, e))
			return false;
		if (!r->sink->push(r->sink, x->id, &stack, e))
			return false;
	}
	return true;
}

static bool
push_stacks(struct jfr_push *g, struct err *e)
{
	struct jfr_chunk *c = &g->r->c;
	size_t n = (c->nsites + 1) * 16;

	c->frame_of = xgrow(c->frame_of, &c->cap_frame_of, n, sizeof *c->frame_of);
	memset(c->frame_of, 0, n * sizeof *c->frame_of);
	g->expanded = g->spread = 0;
	memset(c->class_frame, 0, sizeof c->class_frame);
	find_errors_twice(g->r);
	/* Those that were found in the order in which their frames lie. */
	for (size_t i = 0; i < c->ndecoded; i++)
		if (!push_stack(g, &c->stacks[c->decoded[i]], e))
			return false;
	for (size_t i = 0; i < c->nstacks; i++)
		if (!c->stacks[i].found && !push_stack(g, &c->stacks[i], e))
			return false;
	return take_mallocs(g, e);
}

static void
take_found(struct jfr_reader *r)
{
	struct jfr_chunk *c = &r->c;
	const uint64_t *seen = c->seen;

	for (int s = 0; s < SRC_SAMPLES; s++) {
		if (!seen[s])
			continue;
		if (s != SRC_EXECUTION || !c->nstates)
			r->stats->found |= jfr_kinds_of(r, (enum jfr_source)s, 0);
		else
			for (size_t i = 0; i < c->nstates; i++)
				r->stats->found |=
				        jfr_kinds_of(r, SRC_EXECUTION, c->states[i]);
	}
	if ((seen[SRC_CPUTIME] > 0) + (seen[SRC_DD_EXECUTION] > 0) +
	            (seen[SRC_EXECUTION] && !c->ap) >
	    1)
		r->stats->twice |= JFR_KIND(JFR_CPU);
	if ((seen[SRC_SAMPLE] > 0) + (seen[SRC_DD_OBJECT] > 0) +
	            (seen[SRC_TLAB] || seen[SRC_OUTSIDE]) >
	    1)
		r->stats->twice |= JFR_KIND(JFR_ALLOC);
	if (seen[SRC_EXCEPTION] && seen[SRC_ERROR])
		r->stats->twice |= JFR_KIND(JFR_EXCEPTION);
	if (seen[SRC_OLD] && (seen[SRC_LIVE] || seen[SRC_DD_LIVE]))
		r->stats->twice |= JFR_KIND(JFR_LIVE);
}

bool
jfr_push_chunk(struct jfr_push *g, struct err *e)
{
	struct jfr_reader *r = g->r;
	struct jfr_chunk *c = &r->c;

	take_settings(r);
	take_found(r);
	if (r->opts->grain > 0)
		jfr_coarsen(r);
	jfr_link_groups(c);
	return push_stacks(g, e) &&
	        (!jfr_names_spent(c) ||
	         err_at(e, ERR_LIMIT, c->h.at,
	                "the names of the chunk come to more than %llu bytes",
	                (unsigned long long)c->spelt));
}

bool
jfr_push_end(struct jfr_push *g, int64_t start, int64_t end, int64_t duration,
             struct err *e)
{
	if (!push_leaks(g, e))
		return false;
	for (int k = 0; k < JFR_ALL_KINDS; k++) {
		struct series *x = &g->series[k];

		if (!x->begun)
			continue;
		x->meta.start_ns = start;
		x->meta.end_ns = end;
		x->meta.duration_ns = duration;
		x->meta.profiles = 1;
		x->meta.truncated = x->truncated;
		if (!g->r->sink->end(g->r->sink, x->id, &x->meta, e))
			return false;
	}
	return true;
}

struct jfr_push *
jfr_push_new(struct jfr_reader *r)
{
	struct jfr_push *g = xcalloc(1, sizeof *g);

	g->r = r;
	return g;
}

void
jfr_push_free(struct jfr_push *g)
{
	free(g->ids);
	free(g->leaks);
	free(g->leak_ids);
	map_clear(&g->leak_at);
	free(g);
}
