/*
 * A recording, chunk by chunk: each is decoded and what came of it pushed. Where
 * samples are chosen by what stands behind them, spans of time or the end of the
 * recording, it is read twice.
 */
#include "formats/jfr.h"

#include <stdlib.h>

#include "base/pool.h"
#include "formats/jfr_part.h"

/* Labels that can be asked for: three more are looked at to find them. */
enum { MAX_ASKED = JFR_MAX_LABELS - 3 };

/* The time that a chunk covers. */
struct span {
	int64_t start, end;
};

struct reading {
	struct jfr_reader r;
	struct span *spans;
	size_t nspans, cap_spans;
	struct map starts; /* of chunks, to find those that come twice */
	bool repeated;
	bool copies;       /* chunks are decoded ahead: their bytes are copied */
	struct err failed; /* what ended the source, if all of it is held */
	struct jfr_push *push;
};

/* ---- chunks ---- */

static bool
span_of(const struct jfr_header *h, struct span *out)
{
	if (h->start_ns == 0 || h->start_ns > INT64_MAX ||
	    h->duration_ns > INT64_MAX - h->start_ns)
		return false;
	out->start = (int64_t)h->start_ns;
	out->end = (int64_t)(h->start_ns + h->duration_ns);
	return true;
}

/* The end of the chunks up to this one. */
static int64_t
latest(const struct reading *g)
{
	struct span span = { 0, 0 };
	int64_t end = span_of(&g->r.c.h, &span) ? span.end : 0;

	for (size_t i = 0; i < g->nspans; i++)
		if (g->spans[i].end > end)
			end = g->spans[i].end;
	return end;
}

static void
take_span(struct reading *g)
{
	struct span span;

	if (!span_of(&g->r.c.h, &span))
		return;
	g->spans = xgrow(g->spans, &g->cap_spans, g->nspans + 1, sizeof *g->spans);
	g->spans[g->nspans++] = span;
}

static void
say_repeated(struct reading *g)
{
	struct jfr_reader *r = &g->r;
	const struct jfr_header *h = &r->c.h;
	bool fresh;

	map_put(&g->starts, h->start_ns ^ h->size << 40, &fresh);
	if (fresh || g->repeated)
		return;
	warn_say(&r->opts->warn,
	         "%s: byte %llu: chunk of the same start and size as one before",
	         r->walk.input, (unsigned long long)h->at);
	g->repeated = true;
}

/* What a span's fields say, as labels that stay. */
static size_t
span_labels(struct jfr_reader *r, const struct jfr_span_event *v, struct label *out)
{
	const struct jfr_reading *x = &r->c.reading[v->reading];
	const struct jfr_val *set = r->c.sets + (v->set - 1) * r->c.set_size;
	size_t n = 0;

	for (uint32_t i = 0; v->set && i < r->nwant && i < x->ncarried; i++) {
		struct str text =
		        jfr_carried_text(r, &x->carried[i], set[i], r->want[i].name);

		if (text.p && r->want[i].what == WANT_FIELD)
			out[n++] = (struct label){ r->want[i].name,
				                   arena_str(&r->text, text) };
	}
	labels_sort(out, n);
	return n;
}

/* What a trace is called is the same in all chunks. */
static void
keep_endpoint(struct jfr_reader *r, const struct jfr_span_event *v)
{
	const struct jfr_val *set = r->c.sets + (v->set - 1) * r->c.set_size;
	struct label labels[JFR_MAX_LABELS];
	size_t n = span_labels(r, v, labels);
	struct str name = label_get(labels, n, STR("endpoint"));
	uint32_t *at;

	if (!name.n || r->root_at >= r->nwant || !set[r->root_at].v ||
	    r->nroots == UINT32_MAX - 1)
		return;
	at = map_put(&r->root_at_name, set[r->root_at].v, NULL);
	if (*at)
		return;
	r->root_name =
	        xgrow(r->root_name, &r->cap_roots, r->nroots + 1, sizeof *r->root_name);
	r->root_name[r->nroots++] = name;
	*at = (uint32_t)r->nroots;
}

/* The first pass: spans of the chunk, by threads that are the same in all chunks. */
static void
keep_spans(struct jfr_reader *r)
{
	struct jfr_chunk *c = &r->c;

	for (size_t i = 0; i < c->nspans; i++) {
		const struct jfr_span_event *v = &c->spans[i];
		const struct jfr_thread *t = jfr_thread(r, v->thread);
		struct label labels[JFR_MAX_LABELS], *kept;
		struct str tag;
		size_t n;

		if (v->source == SRC_ENDPOINT)
			keep_endpoint(r, v);
		if (v->source == SRC_ENDPOINT || !t)
			continue;
		n = span_labels(r, v, labels);
		tag = label_get(labels, n, STR("tag"));
		if (v->source < SRC_CONTEXT && r->opts->tag &&
		    !str_eq(tag, str_of(r->opts->tag)))
			continue;
		kept = arena_calloc(&r->text, n + 1, sizeof *kept);
		memcpy(kept, labels, n * sizeof *kept);
		r->spans =
		        xgrow(r->spans, &r->cap_spans, r->nspans + 1, sizeof *r->spans);
		r->spans[r->nspans++] = (struct jfr_span){
			.tid = jfr_thread_number(t),
			.start_ns = v->start_ns,
			.end_ns = v->end_ns,
			.labels = kept,
			.nlabels = n,
			.context = v->source >= SRC_CONTEXT,
		};
	}
}

static void
set_window(struct jfr_reader *r, int64_t start, int64_t end)
{
	const struct jfr_opts *o = r->opts;

	r->window = o->from || o->to;
	r->from_ns = o->from ? when_resolve(o->from_time, start, end) : INT64_MIN;
	r->to_ns = o->to ? when_resolve(o->to_time, start, end) : INT64_MAX;
	/* From 23:00 to 01:00. */
	if (o->from && o->to && o->to_time.base == WHEN_CLOCK && r->to_ns < r->from_ns)
		r->to_ns = when_resolve(o->to_time, r->from_ns, INT64_MAX);
}

/* Bytes of a chunk that must outlast the source's view of them. */
static void
copy_chunk(struct jfr_chunk *c)
{
	const size_t n = (size_t)c->h.size, pad = 8;

	c->copy = xgrow(c->copy, &c->cap_copy, n + pad, 1);
	memcpy(c->copy, c->base, n);
	memset(c->copy + n, 0, pad);
	c->base = c->copy;
}

/* The chunk that the walk is at becomes the one to be decoded. */
static void
hand_over(struct reading *d)
{
	d->r.c.h = d->r.walk.h;
	d->r.c.base = d->r.walk.base;
	if (d->copies)
		copy_chunk(&d->r.c);
}

/* The chunk at hand into groups, stacks and constants. *usable: there is something. */
static bool
decode_chunk(struct reading *d, bool *usable, struct err *e)
{
	struct jfr_reader *r = &d->r;
	struct jfr_chunk *c = &r->c;
	struct cur meta = { .p = c->base + c->h.meta,
		            .end = c->base + c->h.size,
		            .base = c->base,
		            .origin = c->h.at };

	*usable = false;
	arena_clear(&c->text);
	c->spelt = 0;
	if (c->h.meta >= c->h.size || !jfr_meta_read(&c->meta, meta, e) ||
	    !jfr_bind_events(r, e) || !jfr_bind_pools(r, e)) {
		char text[sizeof e->text];

		/* Without the types nothing of the chunk can be read. */
		memcpy(text, e->text, sizeof text);
		if (r->opts->strict || e->kind == ERR_USAGE)
			return false;
		*e = (struct err){ 0 };
		return jfr_damaged(&r->walk, c->h.at, c->h.size, e,
		                   "chunk left out: %s", text);
	}
	*usable = true;
	if (r->survey && !r->need_threads)
		return true;
	if (r->opts->end_so_far && r->window)
		set_window(r, r->start_ns, latest(d));
	return jfr_events(r, e) && jfr_pools(r, e);
}

/* What decoding a chunk counts, to be taken back if it is given up. */
struct counted {
	uint64_t events, unknown, lost, lost_cpu, out_of_window, too_short;
};

static struct counted
counted(const struct jfr_stats *s)
{
	return (struct counted){ s->events,   s->unknown,       s->lost,
		                 s->lost_cpu, s->out_of_window, s->too_short };
}

static void
count_back(struct jfr_stats *now, const struct counted *then)
{
	now->events = then->events;
	now->unknown = then->unknown;
	now->lost = then->lost;
	now->lost_cpu = then->lost_cpu;
	now->out_of_window = then->out_of_window;
	now->too_short = then->too_short;
}

/*
 * The same, but where there is damage and another chunk begins in this one: the two
 * were joined when the first had lost its end, which the second is not.
 */
static bool
decode_or_cut(struct reading *d, bool *usable, struct err *e)
{
	struct jfr_reader *r = &d->r;
	struct jfr_walk *w = &r->walk;
	const struct jfr_damage before = w->damage;
	const struct counted then = counted(r->stats);
	const uint64_t size = w->h.size;
	bool ok = decode_chunk(d, usable, e);

	if (ok ? w->damage.places == before.places : e->kind != ERR_FORMAT)
		return ok;
	if (!jfr_walk_cut(w)) {
		hand_over(d);
		return ok;
	}
	w->damage = before;
	count_back(r->stats, &then);
	*e = (struct err){ 0 };
	*usable = false;
	if (!jfr_damaged(w, w->h.at, w->h.size, e, "chunk of %llu bytes is cut short",
	                 (unsigned long long)size))
		return false;
	hand_over(d);
	return !w->rescue || decode_chunk(d, usable, e);
}

/* The chunk at hand: decoded, counted, and for the first of two passes done with. */
static bool
take_chunk(struct reading *d, bool *usable, struct err *e)
{
	struct jfr_reader *r = &d->r;

	if (!decode_or_cut(d, usable, e))
		return false;
	if (!*usable)
		return true;
	r->walk.chunks++;
	r->stats->bytes += r->c.h.size;
	take_span(d);
	if (!r->survey) {
		say_repeated(d);
		return true;
	}
	*usable = false;
	if (r->need_threads)
		keep_spans(r);
	return true;
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
end_series(struct reading *d, struct reading *g, struct err *e)
{
	struct jfr_reader *r = &g->r;
	int64_t start, end, duration;

	cover(d, &start, &end, &duration);
	/* A window is what was looked at. */
	if (r->window && end > start) {
		if (r->from_ns > start)
			start = r->from_ns < end ? r->from_ns : end;
		if (r->to_ns < end)
			end = r->to_ns > start ? r->to_ns : start;
		if (duration > end - start)
			duration = end - start;
	}
	return jfr_push_end(g->push, start, end, duration, e);
}

static void
clear(struct reading *g)
{
	struct jfr_chunk *c = &g->r.c;

	free(c->copy);
	jfr_meta_clear(&c->meta);
	free(c->reading_of);
	free(c->reading);
	map_clear(&c->stack_at);
	free(c->stacks);
	free(c->groups);
	free(c->group_at);
	free(c->sets);
	free(c->set_at);
	intern_clear(&c->texts);
	free(c->text_first);
	free(c->mallocs);
	free(c->spans);
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
	free(g->r.spans);
	free(g->r.root_name);
	map_clear(&g->r.root_at_name);
	free(g->spans);
	map_clear(&g->starts);
	free(g);
}

/* ---- the recording ---- */

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
	r->dd_interval = held->dd_interval;
	r->dd_wall = held->dd_wall;
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
		.dd_interval = r->dd_interval,
		.dd_wall = r->dd_wall,
	};

	if (!held)
		return;
	now.event_len = r->ap_event.n < sizeof now.ap_event ? r->ap_event.n : 0;
	if (now.event_len)
		memcpy(now.ap_event, r->ap_event.p, now.event_len);
	*held = now;
}

static void
want(struct jfr_reader *r, struct str name)
{
	static const struct {
		const char *name;
		int what;
	} known[] = {
		{ "thread", WANT_THREAD },         { "tid", WANT_TID },
		{ "java_tid", WANT_JAVA_TID },     { "state", WANT_STATE },
		{ "class", WANT_CLASS },           { "category", WANT_CATEGORY },
		{ "event_type", WANT_EVENT_TYPE },
	};
	struct jfr_want *w = &r->want[r->nwant++];

	*w = (struct jfr_want){ .name = name, .what = WANT_FIELD };
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (str_eq(name, str_of(known[i].name)))
			memcpy(&w->what, &known[i].what, sizeof w->what);
}

/* Which labels are asked for, and what that needs. */
static bool
take_wants(struct jfr_reader *r, struct err *e)
{
	const struct stack_sink *sink = r->sink;
	bool fields = false;

	if (sink->labels && !sink->nwant) {
		want(r, STR("thread"));
		want(r, STR("tid"));
	}
	if (sink->nwant > MAX_ASKED)
		return err_set(e, ERR_USAGE,
		               "more than %d different labels are asked for",
		               MAX_ASKED);
	for (size_t i = 0; i < sink->nwant; i++)
		want(r, sink->want[i]);
	r->nasked = r->nwant;
	/* Tags choose spans, and contexts lead to labels, whoever asks. */
	if (r->opts->tag)
		want(r, STR("tag"));
	r->context_at = r->root_at = UINT32_MAX;
	if (r->opts->contexts) {
		r->context_at = r->nwant;
		want(r, STR("context"));
	}
	for (uint32_t i = 0; i < r->nasked; i++)
		if (r->root_at == UINT32_MAX &&
		    str_eq(r->want[i].name, STR("endpoint"))) {
			r->root_at = r->nwant;
			want(r, STR("root_span_id"));
		}
	for (uint32_t i = 0; i < r->nwant; i++) {
		r->by_thread = r->by_thread || r->want[i].what <= WANT_JAVA_TID;
		r->by_state = r->by_state || r->want[i].what == WANT_STATE;
		fields = fields || r->want[i].what == WANT_FIELD;
	}
	r->each = r->opts->times || r->opts->spans || r->nspans;
	r->by_thread = r->by_thread || r->each;
	r->by_state = r->by_state || r->opts->states;
	r->need_threads = r->by_thread || fields;
	return true;
}

/* Whether a field's label may come from an event around the sample. */
static bool
asks_for_fields(const struct stack_sink *sink)
{
	static const char *const of_samples[] = { "thread", "tid",       "java_tid",
		                                  "state",  "class",     "category",
		                                  "event",  "event_type" };

	for (size_t i = 0; i < sink->nwant; i++) {
		size_t k = 0;

		while (k < sizeof of_samples / sizeof *of_samples &&
		       !str_eq(sink->want[i], str_of(of_samples[k])))
			k++;
		if (k == sizeof of_samples / sizeof *of_samples)
			return true;
	}
	return false;
}

static bool
needs_survey(const struct jfr_opts *o, const struct stack_sink *sink)
{
	return o->spans || asks_for_fields(sink) ||
	        (o->from && o->from_time.base != WHEN_ABSOLUTE) ||
	        (o->to && o->to_time.base != WHEN_ABSOLUTE);
}

static struct reading *
reading_new(struct source *s, const struct jfr_opts *opts, struct stack_sink *sink,
            struct jfr_stats *stats)
{
	struct reading *g = xcalloc(1, sizeof *g);
	struct jfr_reader *r = &g->r;

	r->opts = opts;
	r->sink = sink;
	r->stats = stats;
	r->walk = (struct jfr_walk){ .in = s,
		                     .input = source_name(s),
		                     .strict = opts->strict,
		                     .rescue = opts->rescue,
		                     .warn = opts->warn };
	r->wanted = opts->kinds || opts->ncustom ? opts->kinds : JFR_USUAL;
	for (size_t i = 0; i < opts->ncustom; i++)
		r->wanted |= JFR_KIND(JFR_KINDS + i);
	r->ap_interval = r->ap_wall = -1;
	return g;
}

/* On to the next chunk that is of use, and decode it; *taken is false at the end. */
static bool
decode_next(struct reading *d, bool *taken, struct err *e)
{
	bool usable = false;

	while (!usable) {
		if (!jfr_walk_next(&d->r.walk, taken, e))
			return false;
		if (!*taken)
			return true;
		hand_over(d);
		if (!take_chunk(d, &usable, e))
			return false;
	}
	return true;
}

static bool
read_chunks(struct reading *g, struct err *e)
{
	bool taken;

	for (;;) {
		if (!decode_next(g, &taken, e))
			return false;
		if (!taken)
			return true;
		if (!jfr_push_chunk(g->push, e))
			return false;
	}
}

/* A chunk that is decoded beside the caller. */
struct ahead {
	struct reading *d;
	bool ok, taken;
	struct err e;
};

static void
decode_ahead(void *ctx)
{
	struct ahead *a = ctx;

	a->ok = decode_next(a->d, &a->taken, &a->e);
}

/*
 * The same, with the next chunk decoded by another thread while one is pushed: what is
 * pushed, and in which order, is what it always is.
 */
static bool
read_chunks_ahead(struct reading *d, struct reading *g, struct err *e)
{
	struct ahead a = { .d = d };
	struct worker *w = worker_new(decode_ahead, &a);
	bool ok = true;

	for (worker_start(w);;) {
		struct jfr_chunk swap;

		worker_wait(w);
		if (!a.ok)
			*e = a.e;
		if (!a.ok || !a.taken) {
			ok = a.ok;
			break;
		}
		swap = d->r.c;
		d->r.c = g->r.c;
		g->r.c = swap;
		worker_start(w);
		ok = jfr_push_chunk(g->push, e);
		if (!ok)
			break;
	}
	worker_free(w);
	return ok;
}

static int
thread_span_cmp(const void *a, const void *b)
{
	const struct jfr_span *x = a, *y = b;

	if (x->tid != y->tid)
		return (x->tid > y->tid) - (x->tid < y->tid);
	if (x->start_ns != y->start_ns)
		return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
	/* The innermost last, so that it is met first. */
	return (x->end_ns < y->end_ns) - (x->end_ns > y->end_ns);
}

/* In order, each with the one that is open where it begins. */
static void
sort_spans(struct jfr_reader *r)
{
	uint32_t open = 0; /* + 1 */

	if (!r->nspans)
		return;
	qsort(r->spans, r->nspans, sizeof *r->spans, thread_span_cmp);
	for (size_t i = 0; i < r->nspans; i++) {
		struct jfr_span *p = &r->spans[i];

		while (open &&
		       (r->spans[open - 1].tid != p->tid ||
		        r->spans[open - 1].end_ns <= p->start_ns))
			open = r->spans[open - 1].parent;
		p->parent = open;
		open = (uint32_t)i + 1;
	}
}

/* The first pass: what the recording covers, and its spans. */
static bool
survey(struct source *s, const struct jfr_opts *opts, struct stack_sink *sink,
       struct reading *to, int64_t *end, struct err *e)
{
	struct jfr_stats stats = { 0 };
	struct jfr_opts quiet = *opts;
	struct reading *g;
	int64_t duration;
	bool ok;

	quiet.warn = (struct warn){ 0 };
	quiet.strict = false;
	g = reading_new(s, &quiet, sink, &stats);
	g->r.survey = true;
	g->r.wanted = 0;
	ok = take_wants(&g->r, e);
	g->r.by_state = false;
	g->r.need_threads = opts->spans || asks_for_fields(sink);
	/* Damage is for the second pass to say. */
	ok = ok && read_chunks(g, e);
	cover(g, &to->r.start_ns, end, &duration);
	sort_spans(&g->r);
	to->r.spans = g->r.spans;
	to->r.nspans = g->r.nspans;
	to->r.text = g->r.text;
	to->r.root_at_name = g->r.root_at_name;
	to->r.root_name = g->r.root_name;
	to->r.nroots = g->r.nroots;
	g->r.root_at_name = (struct map){ 0 };
	g->r.root_name = NULL;
	g->r.spans = NULL;
	g->r.text = (struct arena){ 0 };
	clear(g);
	return ok;
}

/*
 * From here on d walks and decodes, and g pushes; they are one unless chunks are
 * decoded ahead.
 */
static bool
read_all(struct reading *d, struct reading *g, struct err *e)
{
	const struct jfr_opts *o = g->r.opts;

	resume(&g->r, o->held);
	if (!(d == g ? read_chunks(g, e) : read_chunks_ahead(d, g, e)) ||
	    (d->failed.kind &&
	     !jfr_damaged(&d->r.walk, d->failed.offset, 0, e, "%s", d->failed.text)) ||
	    !jfr_walk_end(&d->r.walk, e) || !end_series(d, g, e))
		return false;
	hold(&g->r, o->held);
	return true;
}

/* A second reader beside g, for the same recording. */
static struct reading *
reading_ahead(struct reading *g)
{
	struct reading *d = xcalloc(1, sizeof *d);

	d->r = g->r;
	d->r.text = (struct arena){ 0 };
	d->r.root_name = NULL;
	d->r.root_at_name = (struct map){ 0 };
	d->r.spans = NULL; /* events have spans looked up when they are pushed */
	d->copies = true;
	return d;
}

bool
jfr_read(struct source *s, const struct jfr_opts *opts, struct stack_sink *sink,
         struct jfr_stats *stats, struct err *e)
{
	struct reading *g = reading_new(s, opts, sink, stats), *d = g;
	struct source *held = NULL, *first = s;
	struct str all;
	struct err failed = { 0 };
	int64_t end = 0;
	bool ok = true;

	*stats = (struct jfr_stats){ 0 };
	g->push = jfr_push_new(&g->r);
	if (needs_survey(opts, sink)) {
		if (!source_can_rewind(s)) {
			/* Of a source that fails, what came before is read. */
			ok = source_all(s, &all, &failed) || !opts->strict;
			first = held = source_mem(source_name(s), all, NULL);
			if (!ok)
				*e = failed;
		}
		ok = ok && survey(first, opts, sink, g, &end, e) &&
		        source_rewind(first, e);
		g->r.walk.in = first;
	}
	set_window(&g->r, g->r.start_ns, end);
	ok = ok && take_wants(&g->r, e);
	if (ok && opts->ahead)
		d = reading_ahead(g);
	d->failed = failed;
	ok = ok && read_all(d, g, e);
	stats->chunks = d->r.walk.chunks;
	stats->partial = d->r.walk.damage.places > 0;
	stats->spans = g->r.nspans;
	if (!ok)
		err_in(e, g->r.walk.input);
	source_close(held);
	if (d != g)
		clear(d);
	jfr_push_free(g->push);
	clear(g);
	return ok;
}
