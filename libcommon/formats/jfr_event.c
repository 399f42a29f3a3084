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

#define K(kind) JFR_KIND(JFR_##kind)
#define EXEC K(EXEC)
#define LOCKS (K(LOCK) | K(OAP_LOCK))
#define ALLOCS K(ALLOC)

/* What of a value the event has. */
enum {
	IS_COUNT = 1,  /* the value is how many samples the event stands for */
	OR_OTHER = 2,  /* where the value is 0, the other one is it */
	BY_WEIGHT = 4, /* the value times the other one, a real number */
	IF_OTHER = 8,  /* only events of which the other one is true */
};

/*
 * Event types and what of each is used, by field name. The kinds are all that its
 * events can be of. A sort of event more is a row more.
 */
static const struct row {
	const char *type;
	uint64_t kinds;
	uint8_t flags;
	struct jfr_bind bind[7];
	const char *path[JFR_MAX_PATH]; /* instead of a stack: fields that make it up */
} rows[SRC_COUNT] = {
	[SRC_EXECUTION] = { .type = "jdk.ExecutionSample",
	                    .kinds = K(CPU) | K(WALL) | EXEC | K(OAP_EXEC),
	                    .bind = { { "stackTrace", EV_STACK },
	                              { "sampledThread", EV_THREAD },
	                              { "state", EV_STATE } } },
	[SRC_NATIVE] = { .type = "jdk.NativeMethodSample",
	                 .kinds = K(NATIVE) | K(WALL) | EXEC | K(OAP_EXEC),
	                 .bind = { { "stackTrace", EV_STACK },
	                           { "sampledThread", EV_THREAD },
	                           { "state", EV_STATE } } },
	[SRC_CPUTIME] = { .type = "jdk.CPUTimeSample",
	                  .kinds = K(CPU) | K(CPUTIME) | EXEC,
	                  .bind = { { "stackTrace", EV_STACK },
	                            { "eventThread", EV_THREAD },
	                            { "samplingPeriod", EV_VALUE } } },
	/*
	 * The timeSpan of a batch lies between its first and last sample, so it is 0
	 * for most: samples times the interval is the time.
	 */
	[SRC_WALL] = { .type = "profiler.WallClockSample",
	               .kinds = K(WALL) | EXEC,
	               .flags = IS_COUNT,
	               .bind = { { "stackTrace", EV_STACK },
	                         { "sampledThread", EV_THREAD },
	                         { "state", EV_STATE },
	                         { "samples", EV_VALUE },
	                         { "timeSpan", EV_EXTRA } } },
	[SRC_DD_EXECUTION] = { .type = "datadog.ExecutionSample",
	                       .kinds = K(CPU),
	                       .flags = IS_COUNT,
	                       .bind = { { "stackTrace", EV_STACK },
	                                 { "eventThread", EV_THREAD },
	                                 { "state", EV_STATE },
	                                 { "weight", EV_VALUE } } },
	[SRC_DD_METHOD] = { .type = "datadog.MethodSample",
	                    .kinds = K(WALL),
	                    .flags = IS_COUNT,
	                    .bind = { { "stackTrace", EV_STACK },
	                              { "eventThread", EV_THREAD },
	                              { "state", EV_STATE },
	                              { "weight", EV_VALUE } } },
	[SRC_TLAB] = { .type = "jdk.ObjectAllocationInNewTLAB",
	               .kinds = ALLOCS | K(ALLOC_TLAB) | K(OAP_TLAB) | K(OAP_OUTSIDE),
	               .flags = OR_OTHER,
	               .bind = { { "stackTrace", EV_STACK },
	                         { "eventThread", EV_THREAD },
	                         { "objectClass", EV_CLASS },
	                         { "tlabSize", EV_VALUE },
	                         { "allocationSize", EV_OTHER } } },
	[SRC_OUTSIDE] = { .type = "jdk.ObjectAllocationOutsideTLAB",
	                  .kinds = ALLOCS | K(ALLOC_OUTSIDE) | K(OAP_OUTSIDE),
	                  .bind = { { "stackTrace", EV_STACK },
	                            { "eventThread", EV_THREAD },
	                            { "objectClass", EV_CLASS },
	                            { "allocationSize", EV_VALUE } } },
	[SRC_SAMPLE] = { .type = "jdk.ObjectAllocationSample",
	                 .kinds = ALLOCS | K(ALLOC_SAMPLE) | K(OAP_OUTSIDE),
	                 .bind = { { "stackTrace", EV_STACK },
	                           { "eventThread", EV_THREAD },
	                           { "objectClass", EV_CLASS },
	                           { "weight", EV_VALUE } } },
	[SRC_DD_OBJECT] = { .type = "datadog.ObjectSample",
	                    .kinds = ALLOCS,
	                    .flags = BY_WEIGHT,
	                    .bind = { { "stackTrace", EV_STACK },
	                              { "eventThread", EV_THREAD },
	                              { "objectClass", EV_CLASS },
	                              { "size", EV_VALUE },
	                              { "allocationSize", EV_VALUE },
	                              { "weight", EV_OTHER } } },
	[SRC_LIVE] = { .type = "profiler.LiveObject",
	               .kinds = K(LIVE) | K(OAP_LIVE),
	               .bind = { { "stackTrace", EV_STACK },
	                         { "eventThread", EV_THREAD },
	                         { "objectClass", EV_CLASS },
	                         { "allocationSize", EV_VALUE } } },
	[SRC_DD_LIVE] = { .type = "datadog.HeapLiveObject",
	                  .kinds = K(LIVE),
	                  .flags = BY_WEIGHT,
	                  .bind = { { "stackTrace", EV_STACK },
	                            { "eventThread", EV_THREAD },
	                            { "objectClass", EV_CLASS },
	                            { "size", EV_VALUE },
	                            { "weight", EV_OTHER } } },
	/* The size is there since JDK 19. The class is that of a pool of its own. */
	[SRC_OLD] = { .type = "jdk.OldObjectSample",
	              .kinds = K(LIVE) | K(OLD),
	              .bind = { { "stackTrace", EV_STACK },
	                        { "eventThread", EV_THREAD },
	                        { "objectSize", EV_VALUE } } },
	[SRC_MONITOR] = { .type = "jdk.JavaMonitorEnter",
	                  .kinds = LOCKS | K(MONITOR),
	                  .bind = { { "stackTrace", EV_STACK },
	                            { "eventThread", EV_THREAD },
	                            { "monitorClass", EV_CLASS },
	                            { "duration", EV_VALUE } } },
	[SRC_PARK] = { .type = "jdk.ThreadPark",
	               .kinds = LOCKS | K(PARK),
	               .bind = { { "stackTrace", EV_STACK },
	                         { "eventThread", EV_THREAD },
	                         { "parkedClass", EV_CLASS },
	                         { "duration", EV_VALUE } } },
	[SRC_WAIT] = { .type = "jdk.JavaMonitorWait",
	               .kinds = K(WAIT),
	               .bind = { { "stackTrace", EV_STACK },
	                         { "eventThread", EV_THREAD },
	                         { "monitorClass", EV_CLASS },
	                         { "duration", EV_VALUE } } },
	[SRC_SLEEP] = { .type = "jdk.ThreadSleep",
	                .kinds = K(SLEEP),
	                .bind = { { "stackTrace", EV_STACK },
	                          { "eventThread", EV_THREAD },
	                          { "duration", EV_VALUE } } },
	[SRC_SOCKET_READ] = { .type = "jdk.SocketRead",
	                      .kinds = K(SOCKET),
	                      .bind = { { "stackTrace", EV_STACK },
	                                { "eventThread", EV_THREAD },
	                                { "duration", EV_VALUE },
	                                { "bytesRead", EV_EXTRA } } },
	[SRC_SOCKET_WRITE] = { .type = "jdk.SocketWrite",
	                       .kinds = K(SOCKET),
	                       .bind = { { "stackTrace", EV_STACK },
	                                 { "eventThread", EV_THREAD },
	                                 { "duration", EV_VALUE },
	                                 { "bytesWritten", EV_EXTRA } } },
	[SRC_FILE_READ] = { .type = "jdk.FileRead",
	                    .kinds = K(FILE),
	                    .bind = { { "stackTrace", EV_STACK },
	                              { "eventThread", EV_THREAD },
	                              { "duration", EV_VALUE },
	                              { "bytesRead", EV_EXTRA } } },
	[SRC_FILE_WRITE] = { .type = "jdk.FileWrite",
	                     .kinds = K(FILE),
	                     .bind = { { "stackTrace", EV_STACK },
	                               { "eventThread", EV_THREAD },
	                               { "duration", EV_VALUE },
	                               { "bytesWritten", EV_EXTRA } } },
	[SRC_FILE_FORCE] = { .type = "jdk.FileForce",
	                     .kinds = K(FILE),
	                     .bind = { { "stackTrace", EV_STACK },
	                               { "eventThread", EV_THREAD },
	                               { "duration", EV_VALUE } } },
	[SRC_EXCEPTION] = { .type = "jdk.JavaExceptionThrow",
	                    .kinds = K(EXCEPTION),
	                    .bind = { { "stackTrace", EV_STACK },
	                              { "eventThread", EV_THREAD },
	                              { "thrownClass", EV_CLASS } } },
	[SRC_ERROR] = { .type = "jdk.JavaErrorThrow",
	                .kinds = K(EXCEPTION),
	                .bind = { { "stackTrace", EV_STACK },
	                          { "eventThread", EV_THREAD },
	                          { "thrownClass", EV_CLASS } } },
	[SRC_MALLOC] = { .type = "profiler.Malloc",
	                 .kinds = K(MALLOC) | K(LEAK),
	                 .bind = { { "stackTrace", EV_STACK },
	                           { "eventThread", EV_THREAD },
	                           { "size", EV_VALUE },
	                           { "address", EV_OTHER } } },
	[SRC_DD_MALLOC] = { .type = "datadog.NativeMemoryAllocation",
	                    .kinds = K(MALLOC),
	                    .flags = BY_WEIGHT,
	                    .bind = { { "stackTrace", EV_STACK },
	                              { "eventThread", EV_THREAD },
	                              { "size", EV_VALUE },
	                              { "weight", EV_OTHER } } },
	[SRC_FREE] = { .type = "profiler.Free",
	               .kinds = K(LEAK),
	               .bind = { { "address", EV_OTHER } } },
	[SRC_NATIVELOCK] = { .type = "profiler.NativeLock",
	                     .kinds = K(NATIVELOCK),
	                     .bind = { { "stackTrace", EV_STACK },
	                               { "eventThread", EV_THREAD },
	                               { "duration", EV_VALUE } } },
	[SRC_TRACE] = { .type = "jdk.MethodTrace",
	                .kinds = K(TRACE),
	                .bind = { { "stackTrace", EV_STACK },
	                          { "eventThread", EV_THREAD },
	                          { "duration", EV_VALUE } } },
	[SRC_GC] = { .type = "jdk.GarbageCollection",
	             .kinds = K(GC),
	             .bind = { { "sumOfPauses", EV_VALUE } },
	             .path = { "name", "cause" } },
	[SRC_VM_OPERATION] = { .type = "jdk.ExecuteVMOperation",
	                       .kinds = K(SAFEPOINT),
	                       .flags = IF_OTHER,
	                       .bind = { { "eventThread", EV_THREAD },
	                                 { "duration", EV_VALUE },
	                                 { "safepoint", EV_OTHER } },
	                       .path = { "operation" } },
	[SRC_SAFEPOINT] = { .type = "jdk.SafepointBegin",
	                    .kinds = K(SAFEPOINT),
	                    .bind = { { "eventThread", EV_THREAD },
	                              { "duration", EV_VALUE } },
	                    .path = { "" } },
	[SRC_SETTING] = { .type = "jdk.ActiveSetting",
	                  .bind = { { "id", EV_STACK },
	                            { "name", EV_OTHER },
	                            { "value", EV_VALUE } } },
	[SRC_LOSS] = { .type = "jdk.DataLoss", .bind = { { "amount", EV_VALUE } } },
	[SRC_LOST_CPU] = { .type = "jdk.CPUTimeSamplesLost",
	                   .bind = { { "lostSamples", EV_VALUE } } },
	[SRC_DD_CONFIG] = { .type = "datadog.DatadogProfilerConfig",
	                    .bind = { { "cpuInterval", EV_VALUE },
	                              { "wallInterval", EV_EXTRA } } },
	[SRC_SPAN] = { .type = "profiler.Span",
	               .bind = { { "eventThread", EV_THREAD } } },
	[SRC_WINDOW] = { .type = "profiler.Window",
	                 .bind = { { "eventThread", EV_THREAD } } },
	[SRC_TRACED] = { .type = "jdk.MethodTrace",
	                 .bind = { { "eventThread", EV_THREAD } } },
	[SRC_ENDPOINT] = { .type = "datadog.Endpoint",
	                   .bind = { { "eventThread", EV_THREAD } } },
	[SRC_CONTEXT] = { .bind = { { "eventThread", EV_THREAD } } },
};

static const struct row *
row_of(enum jfr_source s)
{
	static const struct row custom = {
		.bind = { { "stackTrace", EV_STACK },
		          { "eventThread", EV_THREAD },
		          { "sampledThread", EV_THREAD },
		          { "state", EV_STATE } },
	};

	if (s >= SRC_CUSTOM && s < SRC_SAMPLES)
		return &custom;
	return &rows[s];
}

const char *
jfr_source_type(const struct jfr_reader *r, enum jfr_source s)
{
	if (s >= SRC_CUSTOM && s < SRC_SAMPLES)
		return r->opts->custom[s - SRC_CUSTOM].type;
	return rows[s].type;
}

unsigned
jfr_source_path(enum jfr_source s)
{
	unsigned n = 0;

	while (n < JFR_MAX_PATH && row_of(s)->path[n])
		n++;
	return n;
}

/* Kinds that a source can have, whatever its events say. */
static uint64_t
possible(enum jfr_source s)
{
	if (s >= SRC_CUSTOM && s < SRC_SAMPLES)
		return JFR_KIND(JFR_KINDS + (s - SRC_CUSTOM));
	return s < SRC_SAMPLES ? rows[s].kinds : 0;
}

uint64_t
jfr_kinds_of_type(struct str name)
{
	uint64_t kinds = 0;

	for (int s = 0; s < SRC_CUSTOM; s++)
		if (str_eq(name, str_of(rows[s].type)))
			kinds |= rows[s].kinds;
	/* The JDK's samples are wall clock samples only to who says so. */
	if (str_eq(name, str_of(rows[SRC_EXECUTION].type)) ||
	    str_eq(name, str_of(rows[SRC_NATIVE].type)))
		kinds &= ~K(WALL);
	return kinds & ~JFR_OAP;
}

/*
 * Where two sources of a chunk saw the same, the better one is taken: of time on the
 * CPU the one that is sampled by it, of allocations the one that leaves none out.
 */
static uint64_t
superseded(const struct jfr_reader *r, enum jfr_source s)
{
	const uint64_t *seen = r->c.seen;

	if (r->opts->both)
		return 0;
	switch (s) {
	case SRC_EXECUTION:
		return !r->c.ap && (seen[SRC_CPUTIME] || seen[SRC_DD_EXECUTION])
		        ? K(CPU)
		        : 0;
	case SRC_DD_EXECUTION:
		return seen[SRC_CPUTIME] ? K(CPU) : 0;
	case SRC_SAMPLE:
		return seen[SRC_TLAB] || seen[SRC_OUTSIDE] || seen[SRC_DD_OBJECT]
		        ? ALLOCS
		        : 0;
	case SRC_TLAB:
	case SRC_OUTSIDE:
		return seen[SRC_DD_OBJECT] ? ALLOCS : 0;
	case SRC_ERROR: /* an error is an exception, too */
		return seen[SRC_EXCEPTION] ? K(EXCEPTION) : 0;
	case SRC_OLD:
		return seen[SRC_LIVE] || seen[SRC_DD_LIVE] ? K(LIVE) : 0;
	default:
		return 0;
	}
}

uint64_t
jfr_kinds_of(const struct jfr_reader *r, enum jfr_source s, uint64_t state)
{
	uint64_t kinds = possible(s);

	switch (s) {
	case SRC_EXECUTION:
		/*
		 * async-profiler marks the samples of its wall clock by the state of
		 * the thread. The JDK has one sort, of threads that run Java code.
		 */
		if (r->c.ap)
			kinds &= ~(jfr_on_cpu(r, state) ? K(WALL) : K(CPU));
		else if (!(r->opts->kinds & K(WALL)))
			kinds &= ~K(WALL);
		break;
	case SRC_NATIVE:
		if (!(r->opts->kinds & K(WALL)))
			kinds &= ~K(WALL);
		break;
	case SRC_TLAB:
		kinds &= ~(state ? K(OAP_TLAB) : K(OAP_OUTSIDE));
		break;
	default:
		break;
	}
	return kinds & ~superseded(r, s);
}

/* ---- binding: which fields of an event type go where ---- */

struct binding {
	struct jfr_bind bind[EV_COUNT];
	size_t n;
};

/*
 * The slot of a field, which is read into the one given unless it has one. EV_COUNT if
 * the type has no such field.
 */
static uint8_t
bind_field(const struct jfr_chunk *c, uint32_t type, struct binding *b,
           const char *field, uint8_t slot)
{
	if (!jfr_meta_field(&c->meta, type, field))
		return EV_COUNT;
	for (size_t i = 0; i < b->n; i++)
		if (strcmp(b->bind[i].field, field) == 0)
			return b->bind[i].slot;
	/* Of two names for one thing, the first. */
	for (size_t i = 0; i < b->n && slot < EV_FIELD; i++)
		if (b->bind[i].slot == slot)
			return EV_COUNT;
	b->bind[b->n++] = (struct jfr_bind){ field, slot };
	return slot;
}

/* The field of the type that a label is called after. */
static const struct jfr_field *
field_of_label(const struct jfr_chunk *c, uint32_t type, struct str label)
{
	static const struct {
		const char *label, *field;
	} others[] = {
		{ "context", "contextId" },
		{ "profile_id", "spanId" },
		{ "root_span_id", "localRootSpanId" },
		{ "state", "state" },
	};
	const struct jfr_type *t = &c->meta.types[type];

	for (uint32_t i = 0; i < t->nfields; i++)
		if (jfr_same_name(c->meta.fields[t->fields + i].name, label))
			return &c->meta.fields[t->fields + i];
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (str_eq(label, str_of(others[i].label)))
			return jfr_meta_field(&c->meta, type, others[i].field);
	return NULL;
}

/* The pool where a field's constants are, if they must be kept for it: index + 1. */
static uint8_t
extra_pool(struct jfr_chunk *c, const struct jfr_field *f)
{
	if (!f->pool || f->array || f->type == UINT32_MAX ||
	    c->meta.types[f->type].prim != PRIM_NONE)
		return 0;
	for (unsigned i = 0; i < c->nextra; i++)
		if (c->extra_type[i] == f->type)
			return (uint8_t)(i + 1);
	if (c->nextra == ROLE_POOLS - ROLE_EXTRA)
		return 0;
	c->extra_type[c->nextra++] = f->type;
	return (uint8_t)c->nextra;
}

/* Room for the name of a field as C text: names live as long as the metadata. */
static const char *
field_name(struct jfr_chunk *c, const struct jfr_field *f)
{
	return arena_strn(&c->meta.text, f->name.p, f->name.n);
}

static void
carry(struct jfr_chunk *c, struct jfr_reading *x, uint32_t type, struct binding *b,
      const struct jfr_field *f)
{
	struct jfr_carried *carried = &x->carried[x->ncarried];

	*carried = (struct jfr_carried){ .field = UINT32_MAX };
	if (f && jfr_can_pick(&c->meta, f)) {
		carried->slot = bind_field(c, type, b, field_name(c, f),
		                           (uint8_t)(EV_FIELD + x->ncarried));
		carried->field = (uint32_t)(f - c->meta.fields);
		carried->extra = extra_pool(c, f);
	}
	x->ncarried++;
}

static enum jfr_unit
unit_of(const struct jfr_chunk *c, uint32_t type, const char *field)
{
	const struct jfr_field *f = jfr_meta_field(&c->meta, type, field);

	return f ? f->unit : UNIT_NONE;
}

static bool
number_field(const struct jfr_chunk *c, const struct jfr_field *f)
{
	if (!f || f->pool || f->array || f->type == UINT32_MAX || f->timestamp)
		return false;
	return c->meta.types[f->type].prim != PRIM_NONE &&
	        c->meta.types[f->type].prim != PRIM_TEXT;
}

/* A field of the user's that is not there, or is no number. */
static bool
no_value(struct jfr_reader *r, enum jfr_source s, uint32_t id, const char *value,
         struct err *e)
{
	const char *type = jfr_source_type(r, s);
	const struct jfr_chunk *c = &r->c;
	const struct jfr_type *t = &c->meta.types[id];
	char have[512] = "";
	size_t at = 0;

	/* Applications change; what was read so far stands. */
	if (r->walk.chunks)
		return jfr_damaged(&r->walk, c->h.at, 0, e,
		                   "%s has no field '%.60s' here that is a number",
		                   type, value);
	for (uint32_t i = 0; i < t->nfields && at + 80 < sizeof have; i++) {
		const struct jfr_field *f = &c->meta.fields[t->fields + i];

		if (number_field(c, f))
			at += (size_t)snprintf(have + at, sizeof have - at, "%s%.*s",
			                       at ? ", " : "; there are ",
			                       f->name.n < 64 ? (int)f->name.n : 64,
			                       f->name.p);
	}
	return err_set(e, ERR_USAGE, "%s has no field '%.60s' that is a number%s", type,
	               value, have);
}

static bool
bind_value(struct jfr_reader *r, struct jfr_reading *x, uint32_t type,
           struct binding *b, struct err *e)
{
	struct jfr_chunk *c = &r->c;
	const char *value = x->source >= SRC_CUSTOM && x->source < SRC_SAMPLES
	        ? r->opts->custom[x->source - SRC_CUSTOM].value
	        : NULL;

	if (value && !number_field(c, jfr_meta_field(&c->meta, type, value)))
		return no_value(r, x->source, type, value, e);
	if (value)
		bind_field(c, type, b, value, EV_VALUE);
	for (size_t i = 0; i < b->n; i++) {
		const char *field = b->bind[i].field;

		if (b->bind[i].slot == EV_VALUE) {
			const struct jfr_field *f =
			        jfr_meta_field(&c->meta, type, field);
			enum jfr_prim prim = f->type == UINT32_MAX
			        ? PRIM_NONE
			        : c->meta.types[f->type].prim;

			x->unit = f->unit;
			x->has_value = true;
			x->real = value && (prim == PRIM_FLOAT || prim == PRIM_DOUBLE);
		}
		if (b->bind[i].slot == EV_EXTRA)
			x->extra_unit = unit_of(c, type, field);
		x->has_state = x->has_state || b->bind[i].slot == EV_STATE;
	}
	return true;
}

static bool
bind_source(struct jfr_reader *r, enum jfr_source s, uint32_t type, bool wanted,
            struct err *e)
{
	struct jfr_chunk *c = &r->c;
	struct jfr_reading *x;
	const struct row *row = row_of(s);
	struct binding b = { 0 };
	bool span = s >= SRC_SPANS;

	if (c->nreadings == JFR_MAX_READINGS)
		return err_set(e, ERR_LIMIT, "more than %d event types are asked for",
		               JFR_MAX_READINGS);
	c->reading = xgrow(c->reading, &c->cap_readings, c->nreadings + 1,
	                   sizeof *c->reading);
	x = &c->reading[c->nreadings++];
	*x = (struct jfr_reading){ .source = s,
		                   .wanted = wanted,
		                   .next = c->reading_of[type],
		                   .duration = EV_COUNT };
	c->reading_of[type] = (uint32_t)c->nreadings;
	for (size_t i = 0; i < sizeof row->bind / sizeof *row->bind; i++)
		if (row->bind[i].field)
			bind_field(c, type, &b, row->bind[i].field, row->bind[i].slot);
	if (!bind_value(r, x, type, &b, e))
		return false;
	if (span || (r->opts->min_duration_ns && s < SRC_SAMPLES)) {
		x->duration = bind_field(c, type, &b, "duration", EV_DURATION);
		x->duration_unit = unit_of(c, type, "duration");
	}
	if (span || r->window || r->each || s == SRC_FREE ||
	    (s == SRC_MALLOC && (r->wanted & K(LEAK)))) {
		bind_field(c, type, &b, "startTime", EV_TIME);
		x->time_unit = unit_of(c, type, "startTime");
		if (!x->time_unit)
			x->time_unit = UNIT_TICKS;
	}
	for (unsigned i = 0; i < jfr_source_path(s); i++)
		carry(c, x, type, &b, jfr_meta_field(&c->meta, type, row->path[i]));
	for (uint32_t i = 0; i < r->nwant && (s < SRC_SAMPLES || span); i++)
		carry(c, x, type, &b,
		      r->want[i].what == WANT_FIELD
		              ? field_of_label(c, type, r->want[i].name)
		              : NULL);
	return jfr_compile(&c->meta, type, 0, UINT32_MAX, b.bind, b.n, &x->prog, e);
}

/* Whether an event type of an application has fields that are marked to be contexts. */
static bool
is_context(const struct jfr_meta *m, uint32_t type)
{
	const struct jfr_type *t = &m->types[type];

	for (uint32_t i = 0; i < t->nfields; i++)
		if (m->fields[t->fields + i].contextual)
			return true;
	return false;
}

bool
jfr_bind_events(struct jfr_reader *r, struct err *e)
{
	struct jfr_chunk *c = &r->c;
	bool spans = r->survey && (r->opts->spans || r->nwant);

	c->reading_of = xgrow(c->reading_of, &c->cap_reading_of, c->meta.ntypes + 1,
	                      sizeof *c->reading_of);
	memset(c->reading_of, 0, (c->meta.ntypes + 1) * sizeof *c->reading_of);
	memset(c->seen, 0, sizeof c->seen);
	c->nreadings = 0;
	c->nextra = 0;
	c->set_size = JFR_MAX_PATH + r->nwant;
	for (int i = 0; i < SRC_CONTEXT; i++) {
		enum jfr_source s = (enum jfr_source)i;
		struct str name;

		if ((s >= SRC_CUSTOM && s < SRC_SAMPLES &&
		     (size_t)(s - SRC_CUSTOM) >= r->opts->ncustom) ||
		    (s >= SRC_SPANS && !spans) || (s < SRC_SAMPLES && r->survey))
			continue;
		name = str_of(jfr_source_type(r, s));
		/* Several class loaders may have a type of that name each. */
		for (uint32_t t = 0; t < c->meta.ntypes; t++)
			if (str_eq(c->meta.types[t].name, name) &&
			    !bind_source(r, s, t,
			                 s >= SRC_SAMPLES || (possible(s) & r->wanted),
			                 e))
				return false;
	}
	for (uint32_t t = 0; t < c->meta.ntypes && spans; t++)
		if (is_context(&c->meta, t) && !bind_source(r, SRC_CONTEXT, t, true, e))
			return false;
	memset(c->reading_at, 0xff, sizeof c->reading_at); /* JFR_NO_TYPE */
	for (size_t i = 0; i < c->meta.ntypes; i++)
		if (c->meta.types[i].id < JFR_SMALL_ID)
			c->reading_at[c->meta.types[i].id] = c->reading_of[i];
	return true;
}

/* How events of a type id are read: an index + 1, 0, or JFR_NO_TYPE. */
static uint32_t
reading_of(const struct jfr_chunk *c, uint64_t id)
{
	const uint32_t *type;

	if (id < JFR_SMALL_ID)
		return c->reading_at[id];
	type = map_get(&c->meta.by_id, id);
	return type ? c->reading_of[*type] : JFR_NO_TYPE;
}

/* ---- groups ---- */

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
	h ^= (uint64_t)g->set * 0xa0761d6478bd642fU;
	return hash_mix(h ^ ((uint64_t)g->stack << 32) ^ (g->state << 12) ^
	                        (uint64_t)g->reading,
	                0x9e3779b97f4a7c15U);
}

static bool
same_group(const struct jfr_group *a, const struct jfr_group *b)
{
	return a->stack == b->stack && a->reading == b->reading &&
	        a->class == b->class && a->thread == b->thread &&
	        a->state == b->state && a->set == b->set;
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
group_append(struct jfr_chunk *c, const struct jfr_group *new, uint64_t at,
             struct err *e)
{
	if (c->ngroups == UINT32_MAX - 1)
		return err_at(e, ERR_LIMIT, at,
		              "too many different samples in a chunk");
	c->groups = xgrow(c->groups, &c->cap_groups, c->ngroups + 1, sizeof *c->groups);
	c->groups[c->ngroups] = *new;
	c->groups[c->ngroups++].next = UINT32_MAX;
	return true;
}

static bool
group_add(struct jfr_reader *r, const struct jfr_group *new, uint64_t at, struct err *e)
{
	struct jfr_chunk *c = &r->c;
	size_t i;

	if (!c->group_at || (c->ngroups + 1) * 2 > c->group_mask)
		group_resize(c, c->group_at ? (c->group_mask + 1) * 2 : 1024);
	for (i = (size_t)group_hash(new) & c->group_mask; c->group_at[i];
	     i = (i + 1) & c->group_mask) {
		struct jfr_group *g = &c->groups[c->group_at[i] - 1];
		int64_t count, value, extra;

		if (!same_group(g, new))
			continue;
		if (!num_add_i64(g->count, new->count, &count) ||
		    !num_add_i64(g->value, new->value, &value) ||
		    !num_add_i64(g->extra, new->extra, &extra)) {
			r->stats->too_large++;
			return jfr_damaged(
			        &r->walk, at, 0, e,
			        "an event whose value adds up to more than 64 "
			        "bits, left out");
		}
		g->count = count;
		g->value = value;
		g->extra = extra;
		g->real += new->real;
		return true;
	}
	if (!group_append(c, new, at, e))
		return false;
	c->group_at[i] = (uint32_t)c->ngroups;
	return true;
}

/* ---- carried values ---- */

static uint64_t
set_hash(const struct jfr_val *v, size_t n)
{
	uint64_t h = hash_seed();

	for (size_t i = 0; i < n; i++)
		h = hash_mix(h ^ v[i].v, 0x9e3779b97f4a7c15U ^ (uint64_t)v[i].form);
	return h;
}

static bool
same_set(const struct jfr_val *a, const struct jfr_val *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i].v != b[i].v || a[i].form != b[i].form)
			return false;
	return true;
}

static void
set_resize(struct jfr_chunk *c, size_t slots)
{
	free(c->set_at);
	c->set_at = xcalloc(slots, sizeof *c->set_at);
	c->set_mask = slots - 1;
	for (size_t i = 0; i < c->nsets; i++) {
		size_t j = (size_t)set_hash(c->sets + i * c->set_size, c->set_size) &
		        c->set_mask;

		while (c->set_at[j])
			j = (j + 1) & c->set_mask;
		c->set_at[j] = (uint32_t)i + 1;
	}
}

/* Equal texts that stand in several places are one value: the first of them. */
static struct jfr_val
first_of_text(struct jfr_chunk *c, struct jfr_val v)
{
	struct cur cur;
	const unsigned char *p;
	size_t before;
	uint32_t id;

	if (v.form != JFR_TEXT_AT)
		return v;
	p = c->base + v.v;
	cur = (struct cur){ .p = p, .end = c->base + c->h.size };
	if (!jfr_skip_text(&cur))
		return v;
	before = c->texts.n;
	id = intern_id(&c->texts, (struct str){ (const char *)p, (size_t)(cur.p - p) });
	if (c->texts.n > before) {
		c->text_first = xgrow(c->text_first, &c->cap_text_first, before + 1,
		                      sizeof *c->text_first);
		c->text_first[id] = v.v;
	}
	v.v = c->text_first[id];
	return v;
}

/* The number + 1 of what is carried along with the event. */
static uint32_t
set_of(struct jfr_chunk *c, const struct jfr_reading *x, const struct jfr_val *v)
{
	struct jfr_val set[JFR_MAX_PATH + JFR_MAX_LABELS] = { 0 };
	size_t i;

	for (i = 0; i < x->ncarried; i++)
		if (x->carried[i].field != UINT32_MAX && x->carried[i].slot != EV_COUNT)
			set[i] = first_of_text(c, v[x->carried[i].slot]);
	if (!c->set_at || (c->nsets + 1) * 2 > c->set_mask)
		set_resize(c, c->set_at ? (c->set_mask + 1) * 2 : 256);
	for (i = (size_t)set_hash(set, c->set_size) & c->set_mask; c->set_at[i];
	     i = (i + 1) & c->set_mask)
		if (same_set(c->sets + (c->set_at[i] - 1) * c->set_size, set,
		             c->set_size))
			return c->set_at[i];
	c->sets = xgrow(c->sets, &c->cap_sets, (c->nsets + 1) * c->set_size,
	                sizeof *c->sets);
	memcpy(c->sets + c->nsets * c->set_size, set, c->set_size * sizeof *set);
	return c->set_at[i] = (uint32_t)++c->nsets;
}

/* ---- events ---- */

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

static double
real(struct jfr_val v)
{
	double d;

	if (v.form != JFR_REAL)
		return (double)(int64_t)v.v;
	memcpy(&d, &v.v, sizeof d);
	return d;
}

int64_t
jfr_whole(double d)
{
	if (!(d > -9.2e18))
		return d < 0 ? INT64_MIN : 0;
	return d < 9.2e18 ? (int64_t)d : INT64_MAX;
}

int64_t
jfr_moment(const struct jfr_chunk *c, int64_t value, enum jfr_unit unit)
{
	int64_t since;

	if (unit != UNIT_TICKS)
		return jfr_ns(c, value, unit);
	since = jfr_ns(c, (int64_t)((uint64_t)value - c->h.start_ticks), UNIT_TICKS);
	if (__builtin_add_overflow((int64_t)c->h.start_ns, since, &since))
		return since < 0 ? INT64_MAX : INT64_MIN;
	return since;
}

/* Whether the event is asked for by its time and length. */
static bool
chosen(struct jfr_reader *r, const struct jfr_reading *x, const struct jfr_val *v,
       int64_t time, int64_t count)
{
	if (r->window && (time < r->from_ns || time > r->to_ns)) {
		r->stats->out_of_window += (uint64_t)count;
		return false;
	}
	if (!r->opts->min_duration_ns || x->duration == EV_COUNT)
		return true;
	if (jfr_ns(&r->c, (int64_t)v[x->duration].v, x->duration_unit) >=
	    r->opts->min_duration_ns)
		return true;
	r->stats->too_short += (uint64_t)count;
	return false;
}

/* Mallocs and frees, to find what was not given back. */
static void
note_malloc(struct jfr_reader *r, const struct jfr_group *g, const struct jfr_val *v)
{
	struct jfr_chunk *c = &r->c;

	if (g->source == SRC_FREE && !v[EV_OTHER].v)
		return;
	c->mallocs =
	        xgrow(c->mallocs, &c->cap_mallocs, c->nmallocs + 1, sizeof *c->mallocs);
	c->mallocs[c->nmallocs] = (struct jfr_malloc){
		.address = v[EV_OTHER].v,
		.order = c->nmallocs,
		.given_back = g->source == SRC_FREE,
		.group = *g,
	};
	c->nmallocs++;
}

/* An event that is a sample: find its group. */
static bool
sample(struct jfr_reader *r, uint32_t reading, const struct jfr_val *v, uint64_t at,
       struct err *e)
{
	struct jfr_chunk *c = &r->c;
	const struct jfr_reading *x = &c->reading[reading];
	const enum jfr_source s = x->source;
	unsigned flags = row_of(s)->flags;
	struct jfr_group g = {
		.reading = reading,
		.source = s,
		.thread = r->by_thread ? v[EV_THREAD].v : 0,
		.state = r->by_state ? v[EV_STATE].v : 0,
		.class = v[EV_CLASS].v,
		.count = 1,
		.value = (int64_t)v[EV_VALUE].v,
		.extra = (int64_t)v[EV_EXTRA].v,
	};

	if ((flags & IF_OTHER) && !v[EV_OTHER].v)
		return true;
	if (r->window || r->each || s == SRC_MALLOC || s == SRC_FREE)
		g.time_ns = jfr_moment(c, (int64_t)v[EV_TIME].v, x->time_unit);
	if (x->real) {
		g.real = real(v[EV_VALUE]);
		g.value = 0;
	}
	if (flags & IS_COUNT) {
		if (x->has_value)
			g.count = g.value;
		g.value = 0;
	}
	if (!chosen(r, x, v, g.time_ns, g.count))
		return true;
	if (flags & BY_WEIGHT)
		g.value = jfr_whole((double)g.value * real(v[EV_OTHER]));
	if ((flags & OR_OTHER) && !g.value)
		g.value = (int64_t)v[EV_OTHER].v;
	switch (s) {
	case SRC_EXECUTION:
		g.state = v[EV_STATE].v;
		note_state(c, g.state);
		break;
	case SRC_TLAB:
		/* In the terms of SRC_OUTSIDE: whether it was none. */
		g.state = !v[EV_VALUE].v;
		break;
	case SRC_OUTSIDE:
	case SRC_SAMPLE:
		g.state = 1;
		break;
	default:
		break;
	}
	/* An end of a file or connection is -1 bytes. */
	if (x->extra_unit != UNIT_TICKS && g.extra < 0)
		g.extra = 0;
	if (s != SRC_FREE)
		g.set = x->ncarried ? set_of(c, x, v) : 0;
	g.stack = s == SRC_FREE ? 0 : stack_index(c, v[EV_STACK].v);
	if ((s == SRC_MALLOC || s == SRC_FREE) && (r->wanted & K(LEAK)))
		note_malloc(r, &g, v);
	if (s == SRC_FREE || !(possible(s) & r->wanted & ~K(LEAK)))
		return true;
	if (r->each)
		return group_append(c, &g, at, e);
	g.time_ns = 0;
	return group_add(r, &g, at, e);
}

static void
keep_span(struct jfr_reader *r, uint32_t reading, const struct jfr_val *v)
{
	struct jfr_chunk *c = &r->c;
	const struct jfr_reading *x = &c->reading[reading];
	const enum jfr_source s = x->source;
	int64_t start = jfr_moment(c, (int64_t)v[EV_TIME].v, x->time_unit);
	int64_t length = 0, end;

	if (x->duration == EV_COUNT && s != SRC_ENDPOINT)
		return;
	if (x->duration != EV_COUNT)
		length = jfr_ns(c, (int64_t)v[x->duration].v, x->duration_unit);
	if (length < 0 || __builtin_add_overflow(start, length, &end))
		return;
	if (s < SRC_ENDPOINT && length < r->opts->span_ns)
		return;
	c->spans = xgrow(c->spans, &c->cap_spans, c->nspans + 1, sizeof *c->spans);
	c->spans[c->nspans++] = (struct jfr_span_event){
		.reading = reading,
		.source = s,
		.thread = v[EV_THREAD].v,
		.start_ns = start,
		.end_ns = end,
		.set = x->ncarried ? set_of(c, x, v) : 0,
	};
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
 * The size that old JDKs wrote for events of 256 MiB and more: four bytes, of
 * which the last has 8 bits (JDK-8297402), so that it reads as the start of a
 * longer number.
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

/* The pool offset of the header leads to the last checkpoint, each to the one
 * before.
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
		/* Within each other, they would be the same bytes again and
		 * again. */
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

static void
keep_config(struct jfr_chunk *c, const struct jfr_reading *x, const struct jfr_val *v)
{
	c->dd_interval = jfr_ns(c, (int64_t)v[EV_VALUE].v, x->unit);
	c->dd_wall = jfr_ns(c, (int64_t)v[EV_EXTRA].v, x->extra_unit);
}

/* An event of a type that is read; v is its slots, empty. */
static bool
take_event(struct jfr_reader *r, uint32_t reading, struct cur event, struct jfr_val *v,
           uint64_t at, struct err *e)
{
	struct jfr_chunk *c = &r->c;
	const struct jfr_reading *x = &c->reading[reading];
	const enum jfr_source s = x->source;

	c->seen[s]++;
	if (!x->wanted) {
		/* What is there is told to who asks in vain. */
		if (s == SRC_EXECUTION &&
		    jfr_run(&c->meta, x->prog, &event, c->base, v))
			note_state(c, v[EV_STATE].v);
		return true;
	}
	if (!jfr_run(&c->meta, x->prog, &event, c->base, v))
		return jfr_damaged(&r->walk, at, 0, e, "%s event shorter than its type",
		                   s == SRC_CONTEXT ? "an" : jfr_source_type(r, s));
	if (s < SRC_SAMPLES)
		return sample(r, reading, v, at, e);
	if (s >= SRC_SPANS)
		keep_span(r, reading, v);
	else if (s == SRC_SETTING)
		keep_setting(c, v);
	else if (s == SRC_DD_CONFIG)
		keep_config(c, x, v);
	else if (s == SRC_LOSS)
		r->stats->lost += v[EV_VALUE].v;
	else
		r->stats->lost_cpu += v[EV_VALUE].v;
	return true;
}

/* How many events in a row look like some, of those that can be looked at. */
enum { CONVINCING = 3, LIKELY_SIZE = 1 << 16 };

static bool
likely_time(const struct jfr_chunk *c, uint64_t ticks)
{
	int64_t since, length = (int64_t)c->h.duration_ns;

	if (length <= 0 || length > INT64_MAX / 4)
		return true;
	since = jfr_ns(c, (int64_t)(ticks - c->h.start_ticks), UNIT_TICKS);
	return since >= -length && since <= 2 * length;
}

/* The head of a checkpoint, up to the type of its first pool. */
static bool
likely_checkpoint(const struct jfr_chunk *c, struct cur event, uint64_t at)
{
	uint64_t ticks, duration, delta, n, type;

	if (!jfr_var(&event, &ticks) || !jfr_var(&event, &duration) ||
	    !jfr_var(&event, &delta) || !cur_left(&event))
		return false;
	event.p++; /* flags */
	if (!jfr_var(&event, &n) || n > c->meta.ntypes * 2)
		return false;
	if (!likely_time(c, ticks) || (int64_t)delta > 0 || 0 - delta > at)
		return false;
	return n == 0 || (jfr_var(&event, &type) && map_get(&c->meta.by_id, type));
}

static bool
likely_event(const struct jfr_chunk *c, struct cur *at)
{
	uint64_t size, id, ticks, offset = (uint64_t)(at->p - c->base);
	struct cur event;

	if (!event_head(at, &event, &size, &id))
		return false;
	at->p += size;
	if (id == 1)
		return likely_checkpoint(c, event, offset);
	/* Metadata are large, and come again where types are added. */
	if (id != 0 && (size > LIKELY_SIZE || reading_of(c, id) == JFR_NO_TYPE))
		return false;
	return jfr_var(&event, &ticks) && likely_time(c, ticks);
}

/*
 * Behind an event of impossible size: go on where several events in a row look
 * like some, or at the end of the chunk.
 */
static void
resynchronise(const struct jfr_chunk *c, struct cur *all)
{
	for (all->p++; cur_left(all); all->p++) {
		struct cur at = *all;
		int n = 0;

		while (n < CONVINCING && cur_left(&at) && likely_event(c, &at))
			n++;
		if (n == CONVINCING || (n && !cur_left(&at)))
			return;
	}
}

static void
reset(struct jfr_chunk *c)
{
	c->nstacks = c->ngroups = c->nsettings = c->ncheckpoints = c->nstates = 0;
	c->nsets = c->nmallocs = c->nspans = 0;
	c->dd_interval = c->dd_wall = 0;
	jfr_renew(&c->stack_at);
	jfr_renew(&c->checkpoint_at);
	free(c->group_at);
	free(c->set_at);
	c->group_at = c->set_at = NULL;
	if (c->texts.n)
		intern_clear(&c->texts);
}

/* The chunk is larger than caches are. */
enum { BYTES_AHEAD = 2048 };

bool
jfr_events(struct jfr_reader *r, struct err *e)
{
	struct jfr_chunk *c = &r->c;
	struct cur all = { .p = c->base + JFR_HEADER,
		           .end = c->base + c->h.size,
		           .base = c->base,
		           .origin = c->h.at };
	bool chained = false;

	reset(c);
	while (cur_left(&all)) {
		struct jfr_val v[EV_COUNT];
		uint32_t reading;
		struct cur event;
		uint64_t size, id, at = cur_offset(&all);

		__builtin_prefetch(all.p + BYTES_AHEAD);
		if (!event_head(&all, &event, &size, &id)) {
			/* The chain leads to checkpoints that are stepped over.
			 */
			if (!chained)
				follow_chain(c);
			chained = true;
			resynchronise(c, &all);
			if (!jfr_damaged(&r->walk, at, cur_offset(&all) - at, e,
			                 "event of impossible size"))
				return false;
			continue;
		}
		if (id <= 1) {
			if (id == 1)
				keep_checkpoint(c, (uint64_t)(all.p - c->base));
			all.p += size;
			continue;
		}
		r->stats->events++;
		reading = reading_of(c, id);
		if (reading == JFR_NO_TYPE) {
			r->stats->unknown++;
			reading = 0;
		}
		for (; reading; reading = c->reading[reading - 1].next) {
			size_t slots = EV_FIELD + c->reading[reading - 1].ncarried;

			memset(v, 0, slots * sizeof *v);
			if (!take_event(r, reading - 1, event, v, at, e))
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
