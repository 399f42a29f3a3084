/*
 * Chunk by chunk: events are summed by stack first, so each stack that is used goes to
 * the sink once a chunk.
 */
#include "formats/jfr.h"

#include <stdlib.h>

#include "formats/jfr_part.h"

#define MS INT64_C(1000000)

const char *const jfr_kind_name[JFR_KINDS] = {
	[JFR_CPU] = "cpu",         [JFR_WALL] = "wall", [JFR_ALLOC] = "alloc",
	[JFR_LIVE] = "live",       [JFR_LOCK] = "lock", [JFR_EXEC] = "exec",
	[JFR_CPUTIME] = "cputime",
};

/* The two values of each kind. */
static const struct {
	const char *count, *measure, *unit;
	enum agg agg;
	bool timed; /* the measure is the count times the interval */
} kinds[JFR_KINDS] = {
	[JFR_CPU] = { "samples", "cpu", "nanoseconds", AGG_SUM, true },
	[JFR_WALL] = { "samples", "wall", "nanoseconds", AGG_SUM, true },
	[JFR_ALLOC] = { "samples", "alloc_space", "bytes", AGG_SUM, false },
	[JFR_LIVE] = { "samples", "inuse_space", "bytes", AGG_GAUGE, false },
	[JFR_LOCK] = { "contentions", "delay", "nanoseconds", AGG_SUM, false },
	[JFR_EXEC] = { "samples", "time", "nanoseconds", AGG_SUM, true },
	[JFR_CPUTIME] = { "samples", "cpu", "nanoseconds", AGG_SUM, true },
};

struct series {
	bool begun;
	uint32_t id;
	struct meta meta;
	struct sample_type type[2];
	struct label label;
	uint64_t truncated;
};

/* The time that a chunk covers. */
struct span {
	int64_t start, end;
};

struct reading {
	struct jfr_reader r;
	struct series series[JFR_KINDS];
	struct span *spans;
	size_t nspans, cap_spans;
	struct map starts; /* of chunks, to find those that come twice */
	bool repeated;
	uint32_t *ids; /* of one stack */
	size_t cap_ids;
	uint64_t expanded; /* frames pushed for the chunk */
};

bool
jfr_kind(struct str name, enum jfr_kind *out)
{
	for (int k = 0; k < JFR_KINDS; k++)
		if (str_eq(name, str_of(jfr_kind_name[k]))) {
			*out = (enum jfr_kind)k;
			return true;
		}
	return false;
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

static bool
begin(struct reading *g, enum jfr_kind k, enum jfr_source s, int64_t interval,
      struct err *e)
{
	struct series *x = &g->series[k];

	x->begun = true;
	g->r.stats->given |= JFR_KIND(k);
	x->type[0] = (struct sample_type){ str_of(kinds[k].count), STR("count"),
		                           kinds[k].agg };
	x->type[1] = (struct sample_type){ str_of(kinds[k].measure),
		                           str_of(kinds[k].unit), kinds[k].agg };
	x->label = (struct label){ STR("event"), str_of(jfr_kind_name[k]) };
	x->meta = (struct meta){
		.types = x->type,
		.ntypes = 2,
		.shown = NO_TYPE,
		.labels = &x->label,
		.nlabels = 1,
		.identity = g->r.opts->identity,
	};
	/* Counters of hardware: each sample is so many events, not so long a time. */
	if (k == JFR_CPU && s == SRC_EXECUTION && g->r.c.ap &&
	    !event_is_time(g->r.ap_event))
		x->type[1] =
		        (struct sample_type){ g->r.ap_event, STR("count"), AGG_SUM };
	if (kinds[k].timed && k != JFR_EXEC && s != SRC_CPUTIME) {
		x->meta.period_type = x->type[1];
		x->meta.period = interval;
	}
	return g->r.sink->begin(g->r.sink, &x->meta, &x->id, e);
}

/*
 * Push what a group of events says about the stack. A stack that was cut counts once
 * for each kind; cut has the kinds for which it is still to be counted.
 */
static bool
push_group(struct reading *g, const struct jfr_group *group, struct stack stack,
           unsigned *cut, struct err *e)
{
	struct jfr_reader *r = &g->r;
	unsigned wanted = jfr_kinds_of(r, group->source, group->state) & r->wanted;
	struct label labels[2];

	if (!wanted)
		return true;
	if (group->class && stack.depth <= CAP_DEPTH) {
		bool outside = group->source <= SRC_SAMPLE && group->state == 1;

		if (!jfr_class_frame(r, group->class, outside, &g->ids[stack.depth], e))
			return false;
		stack.depth++;
	}
	stack.labels = labels;
	stack.nlabels =
	        r->sink->labels ? jfr_thread_labels(r, group->thread, labels) : 0;
	for (int k = 0; k < JFR_KINDS; k++) {
		int64_t values[2] = { group->count, group->value };
		int64_t interval = 0;
		bool assumed = false;

		if (!(wanted & JFR_KIND(k)))
			continue;
		if (!kinds[k].timed || group->source == SRC_CPUTIME) {
			if (r->c.unit[group->source])
				values[1] = jfr_ns(&r->c, values[1],
				                   r->c.unit[group->source]);
		} else {
			interval =
			        interval_of(r, group->source, group->state, &assumed);
			if (__builtin_mul_overflow(values[0], interval, &values[1]))
				return err_set(
				        e, ERR_LIMIT,
				        "the time of the samples exceeds 64 bits");
		}
		if (assumed)
			r->stats->assumed |= JFR_KIND(k);
		if (!g->series[k].begun &&
		    !begin(g, (enum jfr_kind)k, group->source, interval, e))
			return false;
		g->series[k].truncated += *cut >> k & 1;
		*cut &= ~JFR_KIND(k);
		stack.values = values;
		if (!r->sink->push(r->sink, g->series[k].id, &stack, e))
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
translate(struct reading *g, const struct jfr_stack *s, struct err *e)
{
	struct jfr_chunk *c = &g->r.c;

	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t packed = c->ids[s->at + i];

		if (!c->frame_of[packed]) {
			uint32_t id;

			if (!jfr_frame(&g->r, packed, &id, e))
				return false;
			c->frame_of[packed] = id + 1;
		}
		g->ids[i] = c->frame_of[packed] - 1;
	}
	return true;
}

static bool
push_stacks(struct reading *g, struct err *e)
{
	struct jfr_reader *r = &g->r;
	struct jfr_chunk *c = &r->c;
	size_t n = (c->nsites + 1) * 16;

	c->frame_of = xgrow(c->frame_of, &c->cap_frame_of, n, sizeof *c->frame_of);
	memset(c->frame_of, 0, n * sizeof *c->frame_of);
	g->expanded = 0;
	for (size_t i = 0; i < c->nstacks; i++) {
		const struct jfr_stack *s = &c->stacks[i];
		struct stack stack = { .depth = s->n };
		unsigned cut = s->truncated ? ~0U : 0;

		g->ids = xgrow(g->ids, &g->cap_ids, (size_t)s->n + 2, sizeof *g->ids);
		if (!translate(g, s, e))
			return false;
		if (!s->found) {
			uint32_t frame = frames_name(r->sink->frames, STR(JFR_NO_STACK),
			                             CLASS_NONE);

			g->ids[0] = FRAME_ID(frame, KIND_NONE);
			stack.depth = 1;
		}
		stack.frames = g->ids;
		for (uint32_t k = s->groups; k != UINT32_MAX; k = c->groups[k].next) {
			const struct jfr_group *group = &c->groups[k];

			if (!s->found &&
			    (jfr_kinds_of(r, group->source, group->state) & r->wanted))
				r->stats->stackless += (uint64_t)group->count;
			if (!s->found && !r->opts->keep_stackless)
				continue;
			if (!push_group(g, group, stack, &cut, e))
				return false;
		}
	}
	return true;
}

static void
take_found(struct jfr_reader *r)
{
	struct jfr_chunk *c = &r->c;

	for (int s = 0; s < SRC_STACKS; s++) {
		if (!c->seen[s])
			continue;
		if (s != SRC_EXECUTION || !c->nstates)
			r->stats->found |= jfr_kinds_of(r, (enum jfr_source)s, 0);
		else
			for (size_t i = 0; i < c->nstates; i++)
				r->stats->found |=
				        jfr_kinds_of(r, SRC_EXECUTION, c->states[i]);
	}
	if (c->seen[SRC_EXECUTION] && c->seen[SRC_CPUTIME])
		r->stats->twice |= JFR_KIND(JFR_CPU);
	if (c->seen[SRC_SAMPLE] && (c->seen[SRC_TLAB] || c->seen[SRC_OUTSIDE]))
		r->stats->twice |= JFR_KIND(JFR_ALLOC);
}

static void
take_span(struct reading *g)
{
	const struct jfr_header *h = &g->r.c.h;
	struct span span;

	if (h->start_ns == 0 || h->start_ns > INT64_MAX ||
	    h->duration_ns > INT64_MAX - h->start_ns)
		return;
	span.start = (int64_t)h->start_ns;
	span.end = (int64_t)(h->start_ns + h->duration_ns);
	g->spans = xgrow(g->spans, &g->cap_spans, g->nspans + 1, sizeof *g->spans);
	g->spans[g->nspans++] = span;
}

static bool
read_chunk(struct reading *g, struct err *e)
{
	struct jfr_reader *r = &g->r;
	struct jfr_chunk *c = &r->c;
	struct cur meta = { .p = c->base + c->h.meta,
		            .end = c->base + c->h.size,
		            .base = c->base,
		            .origin = c->h.at };
	bool fresh;

	arena_clear(&c->text);
	c->spelt = 0;
	if (!jfr_meta_read(&c->meta, meta, e) || !jfr_bind_events(r, e) ||
	    !jfr_bind_pools(r, e)) {
		char text[sizeof e->text];

		/* Without the types nothing of the chunk can be read. */
		memcpy(text, e->text, sizeof text);
		if (r->opts->strict)
			return false;
		*e = (struct err){ 0 };
		return jfr_damaged(&r->walk, c->h.at, c->h.size, e,
		                   "chunk left out: %s", text);
	}
	map_put(&g->starts, c->h.start_ns ^ c->h.size << 40, &fresh);
	if (!fresh && !g->repeated) {
		warn_say(
		        &r->opts->warn,
		        "%s: byte %llu: chunk of the same start and size as one before",
		        r->walk.input, (unsigned long long)c->h.at);
		g->repeated = true;
	}
	take_span(g);
	r->walk.chunks++;
	r->stats->bytes += c->h.size;
	if (!jfr_events(r, e) || !jfr_pools(r, e))
		return false;
	take_settings(r);
	take_found(r);
	jfr_link_groups(c);
	return push_stacks(g, e) &&
	        (!jfr_names_spent(c) ||
	         err_at(e, ERR_LIMIT, c->h.at,
	                "the names of the chunk come to more than %llu bytes",
	                (unsigned long long)c->spelt));
}

static int
span_cmp(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->start != y->start)
		return (x->start > y->start) - (x->start < y->start);
	return (x->end > y->end) - (x->end < y->end);
}

/* Time covered; chunks of one JVM may overlap, and pauses do not count. */
static void
cover(struct reading *g, int64_t *start, int64_t *end, int64_t *duration)
{
	int64_t until = 0;

	*start = *end = *duration = 0;
	if (!g->nspans)
		return;
	qsort(g->spans, g->nspans, sizeof *g->spans, span_cmp);
	*start = until = g->spans[0].start;
	for (size_t i = 0; i < g->nspans; i++) {
		const struct span *s = &g->spans[i];
		int64_t from = s->start > until ? s->start : until;

		if (s->end > from) {
			*duration += s->end - from;
			until = s->end;
		}
	}
	*end = until;
}

static bool
end_series(struct reading *g, struct err *e)
{
	int64_t start, end, duration;

	cover(g, &start, &end, &duration);
	for (int k = 0; k < JFR_KINDS; k++) {
		struct series *x = &g->series[k];

		if (!x->begun)
			continue;
		x->meta.start_ns = start;
		x->meta.end_ns = end;
		x->meta.duration_ns = duration;
		x->meta.profiles = 1;
		x->meta.truncated = x->truncated;
		if (!g->r.sink->end(g->r.sink, x->id, &x->meta, e))
			return false;
	}
	return true;
}

static void
clear(struct reading *g)
{
	struct jfr_chunk *c = &g->r.c;

	jfr_meta_clear(&c->meta);
	free(c->source_of);
	map_clear(&c->stack_at);
	free(c->stacks);
	free(c->groups);
	free(c->group_at);
	free(c->settings);
	free(c->checkpoints);
	map_clear(&c->checkpoint_at);
	free(c->role_of);
	free(c->skip);
	free(c->have_skip);
	for (int role = 0; role < ROLE_POOLS; role++) {
		map_clear(&c->pool[role].at);
		free(c->pool[role].entry);
	}
	free(c->ids);
	free(c->decoded);
	free(c->sites);
	map_clear(&c->method_at);
	map_clear(&c->native_at);
	map_clear(&c->site_at);
	free(c->cache);
	free(c->frame_of);
	buf_clear(&c->name);
	arena_clear(&c->text);
	arena_clear(&g->r.text);
	free(g->spans);
	map_clear(&g->starts);
	free(g->ids);
	free(g);
}

/* Settings of the chunks that were read before, and for those that will be. */
static void
resume(struct jfr_reader *r, const struct jfr_held *held)
{
	if (!held || !held->known)
		return;
	r->ap_interval = held->ap_interval;
	r->ap_wall = held->ap_wall;
	r->jdk_period = held->jdk_period;
	r->jdk_native_period = held->jdk_native_period;
	r->ap_event = (struct str){ held->ap_event, held->event_len };
}

static void
hold(const struct jfr_reader *r, struct jfr_held *held)
{
	struct jfr_held now = {
		.known = true,
		.ap_interval = r->ap_interval,
		.ap_wall = r->ap_wall,
		.jdk_period = r->jdk_period,
		.jdk_native_period = r->jdk_native_period,
	};

	if (!held)
		return;
	now.event_len = r->ap_event.n < sizeof now.ap_event ? r->ap_event.n : 0;
	if (now.event_len)
		memcpy(now.ap_event, r->ap_event.p, now.event_len);
	*held = now;
}

bool
jfr_read(struct source *s, const struct jfr_opts *opts, struct stack_sink *sink,
         struct jfr_stats *stats, struct err *e)
{
	struct reading *g = xcalloc(1, sizeof *g);
	bool taken, ok;

	*stats = (struct jfr_stats){ 0 };
	g->r.opts = opts;
	g->r.sink = sink;
	g->r.stats = stats;
	g->r.walk = (struct jfr_walk){ .in = s,
		                       .input = source_name(s),
		                       .strict = opts->strict,
		                       .warn = opts->warn };
	g->r.wanted = opts->kinds ? opts->kinds : JFR_USUAL;
	g->r.ap_interval = g->r.ap_wall = -1;
	resume(&g->r, opts->held);
	while ((ok = jfr_walk_next(&g->r.walk, &taken, e)) && taken) {
		g->r.c.h = g->r.walk.h;
		g->r.c.base = g->r.walk.base;
		if (!(ok = read_chunk(g, e)))
			break;
	}
	ok = ok && jfr_walk_end(&g->r.walk, e) && end_series(g, e);
	hold(&g->r, opts->held);
	stats->chunks = g->r.walk.chunks;
	stats->partial = g->r.walk.damage.places > 0;
	if (!ok)
		err_in(e, g->r.walk.input);
	clear(g);
	return ok;
}
