/*
 * Events, one after the other from byte 68 of the chunk to its end:
 *
 *	varint size (of all of it), varint type, fields of the type in order
 *
 * Type 0 is metadata, type 1 a checkpoint with constants. Events come in no order, and
 * may refer to constants that stand later; so this pass only adds them up by stack. The
 * next event is where the size says, whatever was understood of this one.
 */
#include "formats/jfr_part.h"

#include <stdlib.h>

#include "base/num.h"

/* What of an event type is used, by field name. A kind of event more is a row more. */
static const struct {
	const char *type;
	struct jfr_bind bind[EV_COUNT];
} sources[SRC_COUNT] = {
	[SRC_EXECUTION] = { "jdk.ExecutionSample",
	                    { { "stackTrace", EV_STACK },
	                      { "sampledThread", EV_THREAD },
	                      { "state", EV_STATE } } },
	[SRC_NATIVE] = { "jdk.NativeMethodSample",
	                 { { "stackTrace", EV_STACK },
	                   { "sampledThread", EV_THREAD },
	                   { "state", EV_STATE } } },
	[SRC_CPUTIME] = { "jdk.CPUTimeSample",
	                  { { "stackTrace", EV_STACK },
	                    { "eventThread", EV_THREAD },
	                    { "samplingPeriod", EV_VALUE } } },
	/*
	 * The timeSpan of a batch lies between its first and last sample, so it is 0
	 * for most: samples times the interval is the time.
	 */
	[SRC_WALL] = { "profiler.WallClockSample",
	               { { "stackTrace", EV_STACK },
	                 { "sampledThread", EV_THREAD },
	                 { "state", EV_STATE },
	                 { "samples", EV_VALUE } } },
	[SRC_TLAB] = { "jdk.ObjectAllocationInNewTLAB",
	               { { "stackTrace", EV_STACK },
	                 { "eventThread", EV_THREAD },
	                 { "objectClass", EV_CLASS },
	                 { "tlabSize", EV_VALUE },
	                 { "allocationSize", EV_OTHER } } },
	[SRC_OUTSIDE] = { "jdk.ObjectAllocationOutsideTLAB",
	                  { { "stackTrace", EV_STACK },
	                    { "eventThread", EV_THREAD },
	                    { "objectClass", EV_CLASS },
	                    { "allocationSize", EV_VALUE } } },
	[SRC_SAMPLE] = { "jdk.ObjectAllocationSample",
	                 { { "stackTrace", EV_STACK },
	                   { "eventThread", EV_THREAD },
	                   { "objectClass", EV_CLASS },
	                   { "weight", EV_VALUE } } },
	[SRC_LIVE] = { "profiler.LiveObject",
	               { { "stackTrace", EV_STACK },
	                 { "eventThread", EV_THREAD },
	                 { "objectClass", EV_CLASS },
	                 { "allocationSize", EV_VALUE } } },
	[SRC_MONITOR] = { "jdk.JavaMonitorEnter",
	                  { { "stackTrace", EV_STACK },
	                    { "eventThread", EV_THREAD },
	                    { "monitorClass", EV_CLASS },
	                    { "duration", EV_VALUE } } },
	[SRC_PARK] = { "jdk.ThreadPark",
	               { { "stackTrace", EV_STACK },
	                 { "eventThread", EV_THREAD },
	                 { "parkedClass", EV_CLASS },
	                 { "duration", EV_VALUE } } },
	[SRC_SETTING] = { "jdk.ActiveSetting",
	                  { { "id", EV_STACK },
	                    { "name", EV_OTHER },
	                    { "value", EV_VALUE } } },
	[SRC_LOSS] = { "jdk.DataLoss", { { "amount", EV_VALUE } } },
	[SRC_LOST_CPU] = { "jdk.CPUTimeSamplesLost", { { "lostSamples", EV_VALUE } } },
};

static size_t
binds(const struct jfr_bind *b)
{
	size_t n = 0;

	while (n < EV_COUNT && b[n].field)
		n++;
	return n;
}

unsigned
jfr_kinds_of(const struct jfr_reader *r, enum jfr_source source, uint64_t state)
{
	const unsigned exec = JFR_KIND(JFR_EXEC);
	const unsigned named_wall = r->opts->kinds & JFR_KIND(JFR_WALL);

	switch (source) {
	case SRC_EXECUTION:
		/*
		 * async-profiler marks the samples of its wall clock by the state of
		 * the thread. The JDK has one sort, of threads that run Java code.
		 */
		if (!r->c.ap)
			return JFR_KIND(JFR_CPU) | named_wall | exec;
		return exec |
		        (jfr_on_cpu(r, state) ? JFR_KIND(JFR_CPU) : JFR_KIND(JFR_WALL));
	case SRC_NATIVE:
		return named_wall | exec;
	case SRC_CPUTIME:
		return JFR_KIND(JFR_CPU) | JFR_KIND(JFR_CPUTIME) | exec;
	case SRC_WALL:
		return JFR_KIND(JFR_WALL) | exec;
	case SRC_TLAB:
	case SRC_OUTSIDE:
	case SRC_SAMPLE:
		return JFR_KIND(JFR_ALLOC);
	case SRC_LIVE:
		return JFR_KIND(JFR_LIVE);
	case SRC_MONITOR:
	case SRC_PARK:
		return JFR_KIND(JFR_LOCK);
	default:
		return 0;
	}
}

/* Kinds that a source can have, whatever its events say. */
static unsigned
possible(enum jfr_source source)
{
	switch (source) {
	case SRC_EXECUTION:
		return JFR_KIND(JFR_CPU) | JFR_KIND(JFR_WALL) | JFR_KIND(JFR_EXEC);
	case SRC_NATIVE:
		return JFR_KIND(JFR_WALL) | JFR_KIND(JFR_EXEC);
	case SRC_CPUTIME:
		return JFR_KIND(JFR_CPU) | JFR_KIND(JFR_CPUTIME) | JFR_KIND(JFR_EXEC);
	case SRC_WALL:
		return JFR_KIND(JFR_WALL) | JFR_KIND(JFR_EXEC);
	case SRC_TLAB:
	case SRC_OUTSIDE:
	case SRC_SAMPLE:
		return JFR_KIND(JFR_ALLOC);
	case SRC_LIVE:
		return JFR_KIND(JFR_LIVE);
	case SRC_MONITOR:
	case SRC_PARK:
		return JFR_KIND(JFR_LOCK);
	default:
		return 0;
	}
}

bool
jfr_bind_events(struct jfr_reader *r, struct err *e)
{
	struct jfr_chunk *c = &r->c;

	c->source_of = xgrow(c->source_of, &c->cap_source_of, c->meta.ntypes + 1, 1);
	memset(c->source_of, 0, c->meta.ntypes + 1);
	for (int s = 0; s < SRC_COUNT; s++) {
		uint32_t type = jfr_meta_type(&c->meta, sources[s].type);
		const struct jfr_field *f;

		c->seen[s] = 0;
		c->has_count[s] = false;
		if (type == UINT32_MAX)
			continue;
		if (!jfr_compile(&c->meta, type, 0, UINT32_MAX, sources[s].bind,
		                 binds(sources[s].bind), &c->event[s], e))
			return false;
		c->source_of[type] = (uint8_t)(s + 1);
		c->unit[s] = UNIT_NONE;
		for (size_t i = 0; i < binds(sources[s].bind); i++)
			if (sources[s].bind[i].slot == EV_VALUE) {
				f = jfr_meta_field(&c->meta, type,
				                   sources[s].bind[i].field);
				if (f)
					c->unit[s] = f->unit;
				c->has_count[s] = f != NULL;
			}
	}
	memset(c->source_at, JFR_NO_TYPE, sizeof c->source_at);
	for (size_t i = 0; i < c->meta.ntypes; i++)
		if (c->meta.types[i].id < JFR_SMALL_ID)
			c->source_at[c->meta.types[i].id] = c->source_of[i];
	return true;
}

/* What events of a type id are: enum jfr_source + 1, 0, or JFR_NO_TYPE. */
static unsigned
source_of(const struct jfr_chunk *c, uint64_t id)
{
	const uint32_t *type;

	if (id < JFR_SMALL_ID)
		return c->source_at[id];
	type = map_get(&c->meta.by_id, id);
	return type ? c->source_of[*type] : JFR_NO_TYPE;
}

static uint32_t
stack_index(struct jfr_chunk *c, uint64_t key)
{
	bool fresh;
	uint32_t *index = map_put(&c->stack_at, key, &fresh);

	if (fresh) {
		*index = (uint32_t)c->nstacks;
		c->stacks = xgrow(c->stacks, &c->cap_stacks, c->nstacks + 1,
		                  sizeof *c->stacks);
		c->stacks[c->nstacks++] =
		        (struct jfr_stack){ .key = key, .groups = UINT32_MAX };
	}
	return *index;
}

static uint64_t
group_hash(const struct jfr_group *g)
{
	uint64_t h = hash_mix(g->class ^ hash_seed(), 0x9e3779b97f4a7c15U);

	h = hash_mix(h ^ g->thread, 0xd6e8feb86659fd93U);
	return hash_mix(h ^ ((uint64_t)g->stack << 32) ^ (g->state << 8) ^
	                        (uint64_t)g->source,
	                0x9e3779b97f4a7c15U);
}

static bool
same_group(const struct jfr_group *a, const struct jfr_group *b)
{
	return a->stack == b->stack && a->source == b->source && a->class == b->class &&
	        a->thread == b->thread && a->state == b->state;
}

static void
group_resize(struct jfr_chunk *c, size_t slots)
{
	free(c->group_at);
	c->group_at = xcalloc(slots, sizeof *c->group_at);
	c->group_mask = slots - 1;
	for (size_t i = 0; i < c->ngroups; i++) {
		size_t j = (size_t)group_hash(&c->groups[i]) & c->group_mask;

		while (c->group_at[j])
			j = (j + 1) & c->group_mask;
		c->group_at[j] = (uint32_t)i + 1;
	}
}

static bool
group_add(struct jfr_chunk *c, const struct jfr_group *new, uint64_t at, struct err *e)
{
	size_t i;

	if (!c->group_at || (c->ngroups + 1) * 2 > c->group_mask)
		group_resize(c, c->group_at ? (c->group_mask + 1) * 2 : 1024);
	for (i = (size_t)group_hash(new) & c->group_mask; c->group_at[i];
	     i = (i + 1) & c->group_mask) {
		struct jfr_group *g = &c->groups[c->group_at[i] - 1];

		if (!same_group(g, new))
			continue;
		if (!num_add_i64(g->count, new->count, &g->count) ||
		    !num_add_i64(g->value, new->value, &g->value))
			return err_at(e, ERR_LIMIT, at,
			              "the sum of the values exceeds 64 bits");
		return true;
	}
	if (c->ngroups == UINT32_MAX - 1)
		return err_at(e, ERR_LIMIT, at,
		              "too many different samples in a chunk");
	c->groups = xgrow(c->groups, &c->cap_groups, c->ngroups + 1, sizeof *c->groups);
	c->groups[c->ngroups] = *new;
	c->groups[c->ngroups].next = UINT32_MAX;
	c->group_at[i] = (uint32_t)++c->ngroups;
	return true;
}

/* Remember which thread states the execution samples have. */
static void
note_state(struct jfr_chunk *c, uint64_t state)
{
	for (size_t i = 0; i < c->nstates; i++)
		if (c->states[i] == state)
			return;
	if (c->nstates < sizeof c->states / sizeof *c->states)
		c->states[c->nstates++] = state;
}

/* An event with a stack: find its group. */
static bool
sample(struct jfr_reader *r, enum jfr_source s, const struct jfr_val *v, uint64_t at,
       struct err *e)
{
	struct jfr_group g = {
		.source = s,
		.thread = r->sink->labels ? v[EV_THREAD].v : 0,
		.class = v[EV_CLASS].v,
		.count = 1,
		.value = (int64_t)v[EV_VALUE].v,
	};

	switch (s) {
	case SRC_EXECUTION:
		g.state = v[EV_STATE].v;
		note_state(&r->c, g.state);
		break;
	case SRC_NATIVE:
		g.state = v[EV_STATE].v;
		break;
	case SRC_WALL:
		/* State matters to none of the kinds: all of it is wall clock. */
		if (r->c.has_count[s])
			g.count = g.value;
		g.value = 0;
		break;
	case SRC_TLAB:
		/* In the terms of SRC_OUTSIDE: whether it was none. */
		if (!g.value) {
			g.value = (int64_t)v[EV_OTHER].v;
			g.state = 1;
		}
		break;
	case SRC_OUTSIDE:
	case SRC_SAMPLE:
		g.state = 1;
		break;
	default:
		break;
	}
	g.stack = stack_index(&r->c, v[EV_STACK].v);
	return group_add(&r->c, &g, at, e);
}

static void
keep_setting(struct jfr_chunk *c, const struct jfr_val *v)
{
	if (c->nsettings == JFR_MAX_SETTINGS)
		return;
	c->settings = xgrow(c->settings, &c->cap_settings, c->nsettings + 1,
	                    sizeof *c->settings);
	c->settings[c->nsettings++] =
	        (struct jfr_setting){ v[EV_STACK].v, v[EV_OTHER], v[EV_VALUE] };
}

static void
keep_checkpoint(struct jfr_chunk *c, uint64_t at)
{
	bool fresh;

	map_put(&c->checkpoint_at, at, &fresh);
	if (!fresh)
		return;
	c->checkpoints = xgrow(c->checkpoints, &c->cap_checkpoints, c->ncheckpoints + 1,
	                       sizeof *c->checkpoints);
	c->checkpoints[c->ncheckpoints++] = at;
}

/*
 * The size that old JDKs wrote for events of 256 MiB and more: four bytes, of which
 * the last has 8 bits (JDK-8297402), so that it reads as the start of a longer number.
 */
static bool
padded_size(const struct cur *c, struct cur *event, uint64_t *size, uint64_t *type)
{
	const unsigned char *p = c->p;

	if (cur_left(c) < 5 || !(p[0] & p[1] & p[2] & p[3] & 0x80))
		return false;
	*size = (p[0] & 0x7fU) | (p[1] & 0x7fU) << 7 | (p[2] & 0x7fU) << 14 |
	        (uint64_t)p[3] << 21;
	if (*size > cur_left(c))
		return false;
	*event = *c;
	event->p += 4;
	return jfr_var(event, type) && *type == 1;
}

/* Size and type of the event at c; event is what follows, up to its end. */
static inline bool
event_head(const struct cur *c, struct cur *event, uint64_t *size, uint64_t *type)
{
	*event = *c;
	if (!jfr_var(event, size) || !jfr_var(event, type))
		return false;
	if ((*size > cur_left(c) || *size < (uint64_t)(event->p - c->p)) &&
	    !padded_size(c, event, size, type))
		return false;
	event->end = c->p + *size;
	return true;
}

bool
jfr_event_head(const struct cur *c, struct cur *event, uint64_t *size, uint64_t *type)
{
	return event_head(c, event, size, type);
}

/* The pool offset of the header leads to the last checkpoint, each to the one before.
 */
static void
follow_chain(struct jfr_chunk *c)
{
	uint64_t at = c->h.pools, end = c->h.size;

	while (at >= JFR_HEADER && at < c->h.size) {
		struct cur all = { .p = c->base + at,
			           .end = c->base + c->h.size,
			           .base = c->base };
		struct cur event;
		uint64_t size, type, v, delta;

		if (!event_head(&all, &event, &size, &type) || type != 1 ||
		    !jfr_var(&event, &v) || !jfr_var(&event, &v) ||
		    !jfr_var(&event, &delta))
			return;
		/* Within each other, they would be the same bytes again and again. */
		if (size > end - at)
			return;
		keep_checkpoint(c, at);
		end = at;
		/* Backwards only, or it would go in circles. */
		if ((int64_t)delta >= 0 || 0 - delta > at)
			return;
		at += delta;
	}
}

/* An event of a type that is read; v is its slots, empty. */
static bool
take_event(struct jfr_reader *r, enum jfr_source s, struct cur *event,
           struct jfr_val *v, uint64_t at, struct err *e)
{
	struct jfr_chunk *c = &r->c;

	c->seen[s]++;
	if (s < SRC_STACKS && !(possible(s) & r->wanted)) {
		/* What is there is told to who asks in vain. */
		if (s == SRC_EXECUTION &&
		    jfr_run(&c->meta, c->event[s], event, c->base, v))
			note_state(c, v[EV_STATE].v);
		return true;
	}
	if (!jfr_run(&c->meta, c->event[s], event, c->base, v)) {
		if (r->warned_events)
			return true;
		r->warned_events = true;
		return jfr_damaged(&r->walk, at, 0, e, "%s event shorter than its type",
		                   sources[s].type);
	}
	if (s < SRC_STACKS)
		return sample(r, s, v, at, e);
	if (s == SRC_SETTING)
		keep_setting(c, v);
	else if (s == SRC_LOSS)
		r->stats->lost += v[EV_VALUE].v;
	else
		r->stats->lost_cpu += v[EV_VALUE].v;
	return true;
}

bool
jfr_events(struct jfr_reader *r, struct err *e)
{
	struct jfr_chunk *c = &r->c;
	struct cur all = { .p = c->base + JFR_HEADER,
		           .end = c->base + c->h.size,
		           .base = c->base,
		           .origin = c->h.at };

	c->nstacks = c->ngroups = c->nsettings = c->ncheckpoints = c->nstates = 0;
	jfr_renew(&c->stack_at);
	jfr_renew(&c->checkpoint_at);
	free(c->group_at);
	c->group_at = NULL;
	while (cur_left(&all)) {
		struct jfr_val v[EV_COUNT];
		unsigned source;
		struct cur event;
		uint64_t size, id;

		if (!event_head(&all, &event, &size, &id)) {
			follow_chain(c);
			return jfr_damaged(&r->walk, cur_offset(&all), cur_left(&all),
			                   e,
			                   "event of impossible size; the rest of the "
			                   "chunk's events are lost");
		}
		if (id <= 1) {
			if (id == 1)
				keep_checkpoint(c, (uint64_t)(all.p - c->base));
			all.p += size;
			continue;
		}
		r->stats->events++;
		source = source_of(c, id);
		if (source == JFR_NO_TYPE) {
			r->stats->unknown++;
		} else if (source) {
			memset(v, 0, sizeof v);
			if (!take_event(r, (enum jfr_source)(source - 1), &event, v,
			                cur_offset(&all), e))
				return false;
		}
		all.p += size;
	}
	return true;
}

void
jfr_link_groups(struct jfr_chunk *c)
{
	/* From the last, so that each list is in the order of the events. */
	for (size_t i = c->ngroups; i-- > 0;) {
		struct jfr_stack *s = &c->stacks[c->groups[i].stack];

		c->groups[i].next = s->groups;
		s->groups = (uint32_t)i;
	}
}
