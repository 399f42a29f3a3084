/*
 * A series splits into slots, one for each group that its stacks fall into. Stacks go
 * into the group at once, but for gauge columns, of which only the last document per
 * instance counts: from the second document of a group on, the slot holds these until
 * the series ends. A group of one document, which most are, never takes them apart.
 */
#include "tree/group.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/caps.h"
#include "base/map.h"
#include "base/num.h"
#include "tree/build.h"

/* The gauge columns of the last document of one instance. */
struct instance {
	int64_t end_ns;
	struct tree gauges;
};

/* Events on their way: paths are nodes of a trie over frame ids without kinds. */
struct events {
	bool lost; /* some stack came without a time */
	size_t n, cap, cself;
	int64_t *t; /* Unix ns */
	uint32_t *node, *thread;
	int64_t *self;   /* ntypes a row */
	struct map trie; /* parent << 32 | frame index */
	uint32_t *parent, *frame;
	size_t nodes, cparent, cframe;
	struct intern threads;
};

struct group {
	struct meta meta;
	struct arena arena;
	struct str *by; /* the values of the --by labels; p NULL: none */
	size_t unnamed; /* gauges that another document of no instance replaced */
	struct build *build;
	size_t docs;
	bool gauges;    /* among the sample types */
	bool whole;     /* one slot so far: its gauges are in build with all else */
	bool opened;    /* that slot */
	uint32_t owner; /* its series, while it is open */
	struct instance *instances;
	size_t ninstances, cinstances;
	struct intern names; /* of instances: the index is the id */
	struct events events;
	struct tree lone; /* the only document so far, as it came */
	bool has_lone;
};

struct slot {
	uint32_t group;
	struct build *gauges;
};

struct series {
	struct meta meta;
	struct arena arena;
	bool open;
	uint64_t number; /* of all series, the first being 1 */
	struct slot *slots;
	size_t nslots, cslots;
	struct map by_group; /* group to slot */
};

enum { LEARN = 1000 };

struct groups {
	struct stack_sink sink;
	const struct group_opts *opts;
	struct frames frames;
	struct intern keys;
	struct group *group;
	size_t n, cap;
	struct series *series;
	size_t nseries, cseries;
	struct intern known; /* some keys of labels that came, for messages */
	size_t asked;        /* stacks that came, LEARN of them looked at */
	bool *under_found;
	uint64_t begun;     /* series in all */
	struct tree *apart; /* differential documents */
	size_t napart, capart;
	/* Scratch. */
	struct buf key;
	struct str *values; /* of the --by labels */
	struct str *want;   /* the labels of --by and --under */
	uint32_t *ids;
	size_t cids;
	int64_t *part;
	size_t cpart;
};

/* Remember which labels there are, to name them where one asked for is not. */
static void
learn_labels(struct groups *g, const struct label *l, size_t n)
{
	enum { LABELS = 16 };

	for (size_t i = 0; i < n && g->known.n < LABELS && g->sink.labels; i++)
		intern_id(&g->known, l[i].key);
}

static bool begin(struct stack_sink *, const struct meta *, uint32_t *, struct err *);
static bool push(struct stack_sink *, uint32_t, const struct stack *, struct err *);
static bool end(struct stack_sink *, uint32_t, const struct meta *, struct err *);

struct groups *
groups_new(const struct group_opts *opts)
{
	struct groups *g = xcalloc(1, sizeof *g);

	g->opts = opts;
	g->sink = (struct stack_sink){
		.frames = &g->frames, .begin = begin, .push = push, .end = end
	};
	g->sink.labels = opts->nby || opts->nunder;
	g->want = xcalloc(opts->nby + opts->nunder, sizeof *g->want);
	for (size_t i = 0; i < opts->nby; i++)
		g->want[i] = str_of(opts->by[i]);
	for (size_t i = 0; i < opts->nunder; i++)
		g->want[opts->nby + i] = str_of(opts->under[i]);
	g->sink.want = g->want;
	g->sink.nwant = opts->nby + opts->nunder;
	g->values = xcalloc(opts->nby, sizeof *g->values);
	g->under_found = xcalloc(opts->nunder, sizeof *g->under_found);
	return g;
}

struct stack_sink *
groups_sink(struct groups *g)
{
	return &g->sink;
}

static void
events_clear(struct events *v)
{
	free(v->t);
	free(v->node);
	free(v->thread);
	free(v->self);
	free(v->parent);
	free(v->frame);
	map_clear(&v->trie);
	intern_clear(&v->threads);
	*v = (struct events){ .lost = true };
}

static void
group_clear(struct group *p)
{
	build_free(p->build);
	for (size_t i = 0; i < p->ninstances; i++)
		tree_clear(&p->instances[i].gauges);
	free(p->instances);
	intern_clear(&p->names);
	events_clear(&p->events);
	tree_clear(&p->lone);
	arena_clear(&p->arena);
	*p = (struct group){ 0 };
}

static void
series_clear(struct series *s)
{
	for (size_t i = 0; i < s->nslots; i++)
		build_free(s->slots[i].gauges);
	free(s->slots);
	map_clear(&s->by_group);
	arena_clear(&s->arena);
	*s = (struct series){ 0 };
}

void
groups_free(struct groups *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->n; i++)
		group_clear(&g->group[i]);
	for (size_t i = 0; i < g->nseries; i++)
		series_clear(&g->series[i]);
	for (size_t i = 0; i < g->napart; i++)
		tree_clear(&g->apart[i]);
	free(g->group);
	free(g->series);
	free(g->apart);
	frames_clear(&g->frames);
	intern_clear(&g->keys);
	intern_clear(&g->known);
	free(g->under_found);
	buf_clear(&g->key);
	free(g->values);
	free(g->want);
	free(g->ids);
	free(g->part);
	free(g);
}

static bool
has_gauges(const struct meta *m)
{
	for (uint32_t i = 0; i < m->ntypes; i++)
		if (m->types[i].agg != AGG_SUM)
			return true;
	return false;
}

/* ---- which group ---- */

static void
key_part(struct buf *b, struct str s)
{
	buf_int(b, (int64_t)s.n);
	buf_char(b, ':');
	buf_str(b, s);
}

static bool
too_many(const struct groups *g, size_t max, struct err *e)
{
	const char *by = g->opts->nby ? g->opts->by[g->opts->nby - 1] : "event";

	return err_set(e, ERR_LIMIT,
	               "more than %zu groups by label '%s' (--max-groups)", max, by);
}

/*
 * The group of a document with this meta and these values of the --by labels. The
 * number of its series, which has so many slots, matters if series stay apart.
 */
static bool
group_find(struct groups *g, const struct meta *m, uint64_t number, size_t nslots,
           uint32_t *out, struct err *e)
{
	size_t max = g->opts->max_groups ? g->opts->max_groups : CAP_GROUPS;
	struct group *p;

	g->key.n = 0;
	key_part(&g->key, label_get(m->labels, m->nlabels, STR("event")));
	for (uint32_t i = 0; i < m->ntypes; i++) {
		key_part(&g->key, m->types[i].type);
		key_part(&g->key, m->types[i].unit);
		buf_char(&g->key, m->types[i].agg == AGG_SUM ? 's' : 'g');
	}
	buf_char(&g->key, '|');
	for (size_t i = 0; i < g->opts->nby; i++) {
		key_part(&g->key, g->values[i]);
		buf_char(&g->key, g->values[i].p ? '+' : '-');
	}
	if (g->opts->series_apart)
		buf_int(&g->key, (int64_t)number);
	*out = intern_id(&g->keys, buf_view(&g->key));
	if (*out < g->n)
		return true;
	if ((g->opts->series_apart ? nslots : g->n) >= max)
		return too_many(g, max, e);
	g->group = xgrow(g->group, &g->cap, g->n + 1, sizeof *g->group);
	p = &g->group[g->n++];
	*p = (struct group){ .gauges = has_gauges(m), .whole = true };
	p->by = arena_calloc(&p->arena, g->opts->nby, sizeof *p->by);
	for (size_t i = 0; i < g->opts->nby; i++)
		if (g->values[i].p)
			p->by[i] = arena_str(&p->arena, g->values[i]);
	p->build = build_new(&g->frames, m->ntypes, m->identity);
	if (g->opts->kinds_apart)
		build_kinds_apart(p->build);
	return true;
}

/* A total order of gauge trees: any, as long as it depends on content alone. */
static int
gauge_cmp(const struct tree *a, const struct tree *b)
{
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	for (uint32_t i = 1; i < a->n; i++) {
		int c;

		if (a->parent[i] != b->parent[i])
			return a->parent[i] < b->parent[i] ? -1 : 1;
		c = frame_cmp(&a->frames[a->frame[i]], &b->frames[b->frame[i]], ID_ALL);
		if (c)
			return c;
	}
	for (uint32_t k = 0; k < a->meta.ntypes; k++)
		for (uint32_t i = 0; i < a->n; i++)
			if (a->self[k][i] != b->self[k][i])
				return a->self[k][i] < b->self[k][i] ? -1 : 1;
	return 0;
}

static struct build *
gauge_build(struct groups *g, const struct meta *m)
{
	struct build *b = build_new(&g->frames, m->ntypes, m->identity);

	if (g->opts->kinds_apart)
		build_kinds_apart(b);
	return b;
}

/*
 * The last document of an instance counts: greatest end, then content. The tree of its
 * gauges becomes the group's.
 */
static void
keep_gauges(struct group *p, struct tree *t, const struct meta *m)
{
	struct str name = label_get(m->labels, m->nlabels, STR("instance"));
	struct instance *in;
	uint32_t id = intern_id(&p->names, name);

	meta_copy(&t->meta, m, &t->arena);
	in = id < p->ninstances ? &p->instances[id] : NULL;
	if (!in) {
		p->instances = xgrow(p->instances, &p->cinstances, p->ninstances + 1,
		                     sizeof *p->instances);
		in = &p->instances[p->ninstances++];
		*in = (struct instance){ 0 };
	} else {
		p->unnamed += !name.n;
		if (m->end_ns < in->end_ns ||
		    (m->end_ns == in->end_ns && gauge_cmp(t, &in->gauges) <= 0)) {
			tree_clear(t);
			return;
		}
	}
	tree_clear(&in->gauges);
	in->gauges = *t;
	in->end_ns = m->end_ns;
}

static bool
settle_gauges(struct groups *g, struct group *p, struct slot *slot,
              const struct meta *m, struct err *e)
{
	struct tree t = { 0 };

	if (!slot->gauges)
		slot->gauges = gauge_build(g, m);
	if (!build_finish(slot->gauges, &t, NULL, e)) {
		tree_clear(&t);
		return false;
	}
	keep_gauges(p, &t, m);
	return true;
}

struct apart {
	struct groups *g;
	const struct tree *t;
	const struct meta *m;
	struct build *sums, *gauges;
};

/* Gauge columns go to one builder, the others to another, the path to both. */
static bool
part_values(struct groups *g, const struct meta *m, const int64_t *v)
{
	bool any = false;

	g->part = xgrow(g->part, &g->cpart, 2UL * m->ntypes, sizeof *g->part);
	for (uint32_t i = 0; i < m->ntypes; i++) {
		bool sum = m->types[i].agg == AGG_SUM;

		g->part[i] = sum ? v[i] : 0;
		g->part[m->ntypes + i] = sum ? 0 : v[i];
		any = any || (!sum && v[i]);
	}
	return any;
}

static bool
apart_path(void *ctx, const struct tree_path *path, struct err *e)
{
	struct apart *a = ctx;
	uint32_t n = a->m->ntypes;
	int64_t v[CAP_TYPES];
	bool any;

	for (uint32_t k = 0; k < n; k++)
		v[k] = a->t->self[k][path->node];
	any = part_values(a->g, a->m, v);
	return build_add(a->sums, path->ids, path->depth, a->g->part, path->hash, e) &&
	        (!any ||
	         build_add(a->gauges, path->ids, path->depth, a->g->part + n,
	                   path->hash, e));
}

/* A second document comes: take the gauges of the first out of the whole. */
static bool
take_apart(struct groups *g, struct group *p, struct err *e)
{
	const struct meta *m = p->docs ? &p->meta : &g->series[p->owner].meta;
	struct apart a = { .g = g, .m = m };
	struct tree t = { 0 }, gauges = { 0 };
	bool ok = build_finish(p->build, &t, NULL, e);

	p->whole = false;
	/* Of several documents only the last gauges count, but all events would. */
	events_clear(&p->events);
	if (ok) {
		t.meta.ntypes = m->ntypes;
		a.t = &t;
		a.sums = build_new(&g->frames, m->ntypes, m->identity);
		a.gauges = gauge_build(g, m);
		if (g->opts->kinds_apart)
			build_kinds_apart(a.sums);
		ok = tree_paths(&t, &g->frames, apart_path, &a, e);
		build_free(p->build);
		p->build = a.sums;
	}
	if (ok && p->docs) {
		ok = build_finish(a.gauges, &gauges, NULL, e);
		if (ok)
			keep_gauges(p, &gauges, m);
		build_free(a.gauges);
	} else if (ok) {
		/* The first series goes on: its slot takes them. */
		struct series *s = &g->series[p->owner];

		s->slots[*map_get(&s->by_group, (uint64_t)(p - g->group))].gauges =
		        a.gauges;
	} else {
		build_free(a.gauges);
	}
	tree_clear(&t);
	return ok;
}

static bool push_document(struct groups *, const struct tree *, struct err *);

/*
 * The slot of a series for the group that the values of the --by labels name. Groups
 * and series may move in memory.
 */
static bool
slot_find(struct groups *g, uint32_t id, uint32_t *out, struct err *e)
{
	struct series *s = &g->series[id];
	struct group *p;
	uint32_t group, *slot;
	bool fresh, ok;

	if (!group_find(g, &s->meta, s->number, s->nslots, &group, e))
		return false;
	slot = map_put(&s->by_group, group, &fresh);
	if (!fresh) {
		*out = *slot;
		return true;
	}
	*out = *slot = (uint32_t)s->nslots;
	s->slots = xgrow(s->slots, &s->cslots, s->nslots + 1, sizeof *s->slots);
	s->slots[s->nslots++] = (struct slot){ .group = group };
	p = &g->group[group];
	if (p->has_lone) { /* no longer alone: it goes in as a series of its own */
		struct tree lone = p->lone;

		p->has_lone = false;
		p->lone = (struct tree){ 0 };
		ok = push_document(g, &lone, e);
		tree_clear(&lone);
		if (!ok)
			return false;
	}
	p = &g->group[group];
	if (p->whole && !p->opened) {
		p->opened = true;
		p->owner = id;
	} else if (p->gauges && p->whole && !take_apart(g, p, e)) {
		return false;
	}
	return build_identity(p->build, g->series[id].meta.identity, e);
}

/* ---- the sink ---- */

static bool
begin(struct stack_sink *sink, const struct meta *m, uint32_t *id, struct err *e)
{
	struct groups *g = (struct groups *)sink;
	struct series *s;

	(void)e;
	learn_labels(g, m->labels, m->nlabels);
	for (*id = 0; *id < g->nseries && g->series[*id].open; ++*id)
		;
	if (*id == g->nseries) {
		g->series = xgrow(g->series, &g->cseries, g->nseries + 1,
		                  sizeof *g->series);
		g->nseries++;
	}
	s = &g->series[*id];
	*s = (struct series){ .open = true, .number = ++g->begun };
	meta_copy(&s->meta, m, &s->arena);
	for (size_t i = 0; i < g->opts->nadd; i++)
		meta_label(&s->meta, g->opts->add[i].key, g->opts->add[i].value,
		           &s->arena);
	return true;
}

/* The slot for this stack; without --by a series has one for all. */
static bool
route(struct groups *g, uint32_t id, const struct stack *k, uint32_t *out,
      struct err *e)
{
	const struct meta *m = &g->series[id].meta;

	if (!g->opts->nby && g->series[id].nslots) {
		*out = 0;
		return true;
	}
	for (size_t i = 0; i < g->opts->nby; i++)
		g->values[i] = stack_label(k, m, str_of(g->opts->by[i]));
	return slot_find(g, id, out, e);
}

/* The frames below the root that --under asks for, then those of the stack. */
static void
prefix(struct groups *g, const struct series *s, struct stack *k)
{
	size_t n = g->opts->nunder;

	g->ids = xgrow(g->ids, &g->cids, k->depth + n, sizeof *g->ids);
	for (size_t i = 0; i < n; i++) {
		const char *key = g->opts->under[i];
		struct str v = stack_label(k, &s->meta, str_of(key));

		g->under_found[i] = g->under_found[i] || v.p;
		g->ids[i] = stack_label_frame(&g->frames, key, v);
	}
	if (k->depth)
		memcpy(g->ids + n, k->frames, k->depth * sizeof *g->ids);
	k->frames = g->ids;
	k->depth += n;
	k->hash = 0;
}

static void
keep_event(struct events *v, const struct stack *k, uint32_t ntypes)
{
	uint32_t node = 0;

	if (!v->nodes)
		v->nodes = 1; /* the root */
	for (size_t i = 0; i < k->depth; i++) {
		uint32_t frame = FRAME_INDEX(k->frames[i]);
		bool fresh;
		uint32_t *child =
		        map_put(&v->trie, (uint64_t)node << 32 | frame, &fresh);

		if (fresh) {
			v->parent = xgrow(v->parent, &v->cparent, v->nodes + 1,
			                  sizeof *v->parent);
			v->frame = xgrow(v->frame, &v->cframe, v->nodes + 1,
			                 sizeof *v->frame);
			v->parent[v->nodes] = node;
			v->frame[v->nodes] = frame;
			*child = (uint32_t)v->nodes++;
		}
		node = *child;
	}
	if (v->n == v->cap) {
		size_t cap = v->cap ? v->cap * 2 : 256;

		v->t = xrealloc(v->t, cap * sizeof *v->t);
		v->node = xrealloc(v->node, cap * sizeof *v->node);
		v->thread = xrealloc(v->thread, cap * sizeof *v->thread);
		v->self = xgrow(v->self, &v->cself, cap * (ntypes + 1UL),
		                sizeof *v->self);
		v->cap = cap;
	}
	v->t[v->n] = k->time_ns;
	v->node[v->n] = node;
	v->thread[v->n] = intern_id(&v->threads, k->thread);
	for (uint32_t i = 0; i < ntypes; i++)
		v->self[v->n * ntypes + i] = k->values[i];
	v->n++;
}

static bool
is_zero(const struct stack *k, uint32_t ntypes)
{
	for (uint32_t i = 0; i < ntypes; i++)
		if (k->values[i])
			return false;
	return true;
}

static bool
push_gauges(struct groups *g, struct group *p, struct slot *slot, const struct meta *m,
            const struct stack *k, struct err *e)
{
	bool any = part_values(g, m, k->values);

	if (!build_add(p->build, k->frames, k->depth, g->part, k->hash, e))
		return false;
	if (!any)
		return true;
	if (!slot->gauges)
		slot->gauges = gauge_build(g, m);
	return build_add(slot->gauges, k->frames, k->depth, g->part + m->ntypes,
	                 k->hash, e);
}

static bool
push(struct stack_sink *sink, uint32_t id, const struct stack *stack, struct err *e)
{
	struct groups *g = (struct groups *)sink;
	struct stack k = *stack;
	struct series *s;
	struct group *p;
	uint32_t slot;

	if (g->asked++ < LEARN)
		learn_labels(g, k.labels, k.nlabels);
	if (!route(g, id, &k, &slot, e))
		return false;
	s = &g->series[id];
	p = &g->group[s->slots[slot].group];
	if (g->opts->nunder)
		prefix(g, s, &k);
	if (k.timed && !p->events.lost)
		keep_event(&p->events, &k, s->meta.ntypes);
	else if (!k.timed && !p->events.lost && !is_zero(&k, s->meta.ntypes))
		events_clear(&p->events);
	if (p->gauges && !p->whole)
		return push_gauges(g, p, &s->slots[slot], &s->meta, &k, e);
	return build_add(p->build, k.frames, k.depth, k.values, k.hash, e);
}

/* ---- merging what stands above the trees ---- */

static void
labels_keep_equal(struct meta *m, const struct meta *with)
{
	size_t n = 0;

	for (size_t i = 0; i < m->nlabels; i++) {
		struct str v = label_get(with->labels, with->nlabels, m->labels[i].key);

		if (v.p && str_eq(v, m->labels[i].value))
			m->labels[n++] = m->labels[i];
	}
	m->nlabels = n;
}

static bool
meta_merge(struct meta *m, const struct meta *with, struct err *e)
{
	if (__builtin_add_overflow(m->duration_ns, with->duration_ns,
	                           &m->duration_ns) ||
	    __builtin_add_overflow(m->profiles, with->profiles, &m->profiles) ||
	    __builtin_add_overflow(m->truncated, with->truncated, &m->truncated) ||
	    m->profiles > INT64_MAX || m->truncated > INT64_MAX)
		return err_set(e, ERR_LIMIT,
		               "duration, profiles or truncated overflows");
	for (uint32_t i = 0; i < m->ntypes; i++)
		if (m->types[i].agg == AGG_FINAL || with->types[i].agg == AGG_FINAL)
			return err_set(
			        e, ERR_FORMAT,
			        "%.*s/%.*s is final: it was merged over instances "
			        "or averaged, and cannot be merged again",
			        (int)m->types[i].type.n, m->types[i].type.p,
			        (int)m->types[i].unit.n, m->types[i].unit.p);
	labels_keep_equal(m, with);
	if (with->start_ns && (!m->start_ns || with->start_ns < m->start_ns))
		m->start_ns = with->start_ns;
	if (with->end_ns > m->end_ns)
		m->end_ns = with->end_ns;
	if (m->period != with->period ||
	    !str_eq(m->period_type.type, with->period_type.type) ||
	    !str_eq(m->period_type.unit, with->period_type.unit)) {
		m->period = 0;
		m->period_type = (struct sample_type){ 0 };
	}
	if (m->shown != with->shown)
		m->shown = NO_TYPE;
	m->identity &= with->identity;
	return true;
}

static bool
end(struct stack_sink *sink, uint32_t id, const struct meta *m, struct err *e)
{
	struct groups *g = (struct groups *)sink;
	struct series *s = &g->series[id];
	uint32_t ignored;
	bool ok = true;

	s->meta.start_ns = m->start_ns;
	s->meta.end_ns = m->end_ns;
	s->meta.duration_ns = m->duration_ns;
	s->meta.profiles = m->profiles;
	s->meta.truncated = m->truncated;
	s->meta.period = m->period;
	s->meta.period_type.type = arena_str(&s->arena, m->period_type.type);
	s->meta.period_type.unit = arena_str(&s->arena, m->period_type.unit);
	if (!s->nslots) { /* a document without stacks is a document */
		struct stack none = { 0 };

		ok = route(g, id, &none, &ignored, e);
		s = &g->series[id];
	}
	for (size_t i = 0; i < s->nslots && ok; i++) {
		struct group *p = &g->group[s->slots[i].group];
		struct meta mine;

		/* What the stacks were told apart by is true of each part. */
		meta_copy(&mine, &s->meta, &s->arena);
		for (size_t k = 0; k < g->opts->nby; k++)
			if (p->by[k].p)
				meta_label(&mine, str_of(g->opts->by[k]), p->by[k],
				           &s->arena);
		if (p->gauges && !p->whole)
			ok = settle_gauges(g, p, &s->slots[i], &mine, e);
		if (ok && p->docs++)
			ok = meta_merge(&p->meta, &mine, e);
		else if (ok)
			meta_copy(&p->meta, &mine, &p->arena);
	}
	series_clear(s);
	return ok;
}

/* ---- whole documents ---- */

/*
 * Deep trees go into the builder whole, where nothing has to be done to their stacks;
 * all others stack by stack.
 */
static bool
push_document(struct groups *g, const struct tree *t, struct err *e)
{
	bool took = false, whole = !g->opts->nunder && !t->events;
	uint32_t id, slot;
	struct group *p;

	if (!begin(&g->sink, &t->meta, &id, e))
		return false;
	for (size_t i = 0; i < g->opts->nby && whole; i++)
		g->values[i] = label_get(t->meta.labels, t->meta.nlabels,
		                         str_of(g->opts->by[i]));
	if (whole) {
		if (!slot_find(g, id, &slot, e))
			return false;
		p = &g->group[g->series[id].slots[slot].group];
		if (!p->gauges || p->whole) {
			if (!build_take(p->build, t, &took, e))
				return false;
			if (took)
				events_clear(&p->events);
		}
	}
	return (took || tree_push_stacks(t, &g->sink, id, e)) &&
	        end(&g->sink, id, &t->meta, e);
}

static bool
keep_lone(struct groups *g, struct tree *t, bool *kept, struct err *e)
{
	uint32_t group;
	struct group *p;

	*kept = false;
	if (g->opts->nunder || g->opts->kinds_apart)
		return true;
	for (size_t i = 0; i < g->opts->nby && t->events; i++)
		if (strcmp(g->opts->by[i], "thread") == 0)
			return true; /* its events tell threads apart */
	for (size_t i = 0; i < g->opts->nby; i++)
		g->values[i] = label_get(t->meta.labels, t->meta.nlabels,
		                         str_of(g->opts->by[i]));
	if (!group_find(g, &t->meta, ++g->begun, 0, &group, e))
		return false;
	p = &g->group[group];
	if (p->has_lone || p->docs)
		return true;
	for (size_t i = 0; i < g->nseries; i++)
		if (g->series[i].open && map_get(&g->series[i].by_group, group))
			return true;
	p->lone = *t;
	*t = (struct tree){ 0 };
	*kept = p->has_lone = true;
	return true;
}

bool
groups_take(struct groups *g, struct tree *t, struct err *e)
{
	bool kept, ok;

	learn_labels(g, t->meta.labels, t->meta.nlabels);
	for (size_t i = 0; i < g->opts->nadd; i++)
		meta_label(&t->meta, arena_str(&t->arena, g->opts->add[i].key),
		           arena_str(&t->arena, g->opts->add[i].value), &t->arena);
	if (t->sides) {
		g->apart = xgrow(g->apart, &g->capart, g->napart + 1, sizeof *g->apart);
		g->apart[g->napart++] = *t;
		*t = (struct tree){ 0 };
		return tree_sort(&g->apart[g->napart - 1], e);
	}
	if (!keep_lone(g, t, &kept, e) || kept)
		return kept;
	ok = push_document(g, t, e);
	tree_clear(t);
	return ok;
}

/* ---- the end ---- */

struct gauge_ctx {
	struct group *p;
	const struct tree *t;
	int64_t *values;
};

static bool
add_gauge(void *ctx, const struct tree_path *path, struct err *e)
{
	struct gauge_ctx *c = ctx;

	for (uint32_t k = 0; k < c->t->meta.ntypes; k++)
		c->values[k] = c->t->self[k][path->node];
	return build_add(c->p->build, path->ids, path->depth, c->values, path->hash, e);
}

static bool
add_instances(struct groups *g, struct group *p, struct err *e)
{
	bool ok = true;

	for (size_t i = 0; i < p->ninstances && ok; i++) {
		struct gauge_ctx c = { .p = p, .t = &p->instances[i].gauges };

		c.values = xcalloc(c.t->meta.ntypes, sizeof *c.values);
		ok = tree_paths(c.t, &g->frames, add_gauge, &c, e);
		free(c.values);
	}
	if (p->ninstances > 1)
		for (uint32_t k = 0; k < p->meta.ntypes; k++)
			if (p->meta.types[k].agg != AGG_SUM)
				p->meta.types[k].agg = AGG_FINAL;
	return ok;
}

static int
name_cmp(const void *a, const void *b)
{
	const struct str *const *x = a, *const *y = b;

	return str_cmp(**x, **y);
}

static void
name_threads(const struct events *v, struct tree_events *out, struct arena *a)
{
	const struct str **sorted = xmalloc((v->threads.n + 1) * sizeof *sorted);
	uint32_t *to = xmalloc((v->threads.n + 1) * sizeof *to);

	for (size_t i = 0; i < v->threads.n; i++)
		sorted[i] = &v->threads.str[i];
	qsort(sorted, v->threads.n, sizeof *sorted, name_cmp);
	out->nthreads = v->threads.n;
	out->threads = arena_calloc(a, v->threads.n, sizeof *out->threads);
	for (size_t i = 0; i < v->threads.n; i++) {
		to[sorted[i] - v->threads.str] = (uint32_t)i;
		out->threads[i] = arena_str(a, *sorted[i]);
	}
	out->thread = arena_alloc(a, v->n * sizeof *out->thread);
	for (size_t i = 0; i < v->n; i++)
		out->thread[i] = to[v->thread[i]];
	free(sorted);
	free(to);
}

static bool
finish_events(const struct events *v, struct tree *t, const uint32_t *base,
              struct err *e)
{
	struct arena *a = &t->arena;
	struct tree_events *out = arena_calloc(a, 1, sizeof *out);
	uint32_t *node = xmalloc(v->nodes * sizeof *node);
	struct map children = { 0 };
	bool ok = true;

	tree_child_map(t, &children);
	node[0] = 0;
	for (size_t i = 1; i < v->nodes; i++)
		node[i] = *map_get(&children,
		                   (uint64_t)node[v->parent[i]] << 32 |
		                           base[v->frame[i]]);
	map_clear(&children);
	out->n = v->n;
	name_threads(v, out, a);
	out->t = arena_alloc(a, v->n * sizeof *out->t);
	out->node = arena_alloc(a, v->n * sizeof *out->node);
	out->self = arena_calloc(a, t->meta.ntypes, sizeof *out->self);
	for (uint32_t k = 0; k < t->meta.ntypes; k++)
		out->self[k] = arena_alloc(a, v->n * sizeof **out->self);
	for (size_t i = 0; i < v->n; i++) {
		if (__builtin_sub_overflow(v->t[i], t->meta.start_ns, &out->t[i]))
			ok = err_set(e, ERR_LIMIT,
			             "the time of an event is more than 2^63 ns from "
			             "the start");
		out->node[i] = node[v->node[i]];
		for (uint32_t k = 0; k < t->meta.ntypes; k++)
			out->self[k][i] = v->self[i * t->meta.ntypes + k];
	}
	free(node);
	tree_events_sort(out, t->meta.ntypes, a);
	t->events = out;
	return ok;
}

static bool
finish_group(struct groups *g, struct group *p, struct tree *t, struct err *e)
{
	uint32_t *base = NULL;
	bool ok;

	if (p->has_lone) {
		*t = p->lone;
		p->lone = (struct tree){ 0 };
		return tree_sort(t, e);
	}
	ok = add_instances(g, p, e) && build_finish(p->build, t, &base, e);
	if (ok) {
		meta_copy(&t->meta, &p->meta, &t->arena);
		if (p->events.n && !p->events.lost)
			ok = finish_events(&p->events, t, base, e);
	}
	free(base);
	group_clear(p);
	return ok;
}

/* Stable: documents that tie keep the order in which they came. */
static void
sort_documents(struct tree *t, size_t n)
{
	for (size_t gap = 1, width; gap < n; gap = width) {
		struct tree *out = xmalloc(n * sizeof *out);

		width = gap * 2;
		for (size_t lo = 0, k = 0; lo < n; lo += width) {
			size_t mid = lo + gap < n ? lo + gap : n;
			size_t hi = lo + width < n ? lo + width : n;

			for (size_t i = lo, j = mid; i < mid || j < hi;)
				out[k++] = j == hi ||
				                (i < mid &&
				                 tree_order(&t[i], &t[j]) <= 0)
				        ? t[i++]
				        : t[j++];
		}
		memcpy(t, out, n * sizeof *t);
		free(out);
	}
}

static void
warn_missing(const struct groups *g, const char *option, const char *label)
{
	char have[256] = "";
	size_t at = 0;

	for (size_t i = 0; i < g->known.n && at + 80 < sizeof have; i++)
		at += (size_t)snprintf(have + at, sizeof have - at, "%s%.*s",
		                       i ? ", " : "; there are ",
		                       g->known.str[i].n < 64 ? (int)g->known.str[i].n
		                                              : 64,
		                       g->known.str[i].p);
	warn_say(&g->opts->warn, "%s %s: no document and no sample has this label%s",
	         option, label, have);
}

/* What the user asked for and nothing had, and what did not add up. */
static void
explain(struct groups *g)
{
	size_t unnamed = 0;

	for (size_t i = 0; i < g->n; i++) {
		unnamed += g->group[i].unnamed ? g->group[i].unnamed + 1 : 0;
	}
	for (size_t k = 0; k < g->opts->nby && g->n; k++) {
		bool found = false;

		for (size_t i = 0; i < g->n && !found; i++)
			found = g->group[i].by[k].p != NULL;
		if (!found)
			warn_missing(g, "--by", g->opts->by[k]);
	}
	for (size_t k = 0; k < g->opts->nunder && g->asked; k++)
		if (!g->under_found[k])
			warn_missing(g, "--under", g->opts->under[k]);
	if (unnamed)
		warn_say(
		        &g->opts->warn,
		        "%zu documents hold gauges and no label instance: of these the "
		        "last alone counts (--label instance=NAME tells them apart)",
		        unnamed);
}

bool
groups_finish(struct groups *g, struct tree **out, size_t *n, struct err *e)
{
	struct tree *t = xcalloc(g->n + g->napart, sizeof *t);
	size_t count = 0;
	bool ok = true;

	if (!g->opts->series_apart)
		explain(g);
	for (size_t i = 0; i < g->n && ok; i++) {
		/* A group that only a failed series began has nothing to say. */
		if (!g->group[i].docs && !g->group[i].has_lone)
			continue;
		ok = finish_group(g, &g->group[i], &t[count++], e);
	}
	for (size_t i = 0; i < g->napart && ok; i++) {
		t[count++] = g->apart[i];
		g->apart[i] = (struct tree){ 0 };
	}
	if (!ok) {
		for (size_t i = 0; i < count; i++)
			tree_clear(&t[i]);
		free(t);
		return false;
	}
	sort_documents(t, count);
	*out = t;
	*n = count;
	return true;
}
