#include "tree/tree.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "tree/build.h"

void
tree_clear(struct tree *t)
{
	struct arena a = t->arena;

	arena_clear(&a);
	*t = (struct tree){ 0 };
}

bool
tree_totals(const struct tree *t, uint32_t type, int64_t *out, struct err *e)
{
	memcpy(out, t->self[type], t->n * sizeof *out);
	for (uint32_t i = t->n - 1; i > 0; i--)
		if (!num_add_i64(out[t->parent[i]], out[i], &out[t->parent[i]]))
			return err_set(e, ERR_LIMIT,
			               "a total of sample type %u overflows 64 bits",
			               type);
	return true;
}

uint32_t
tree_depths(const struct tree *t, uint32_t *out)
{
	uint32_t max = 0;

	out[0] = 0;
	for (uint32_t i = 1; i < t->n; i++) {
		out[i] = out[t->parent[i]] + 1;
		if (out[i] > max)
			max = out[i];
	}
	return max;
}

void
tree_ends(const struct tree *t, uint32_t *out)
{
	for (uint32_t i = 0; i < t->n; i++)
		out[i] = i + 1;
	for (uint32_t i = t->n - 1; i > 0; i--)
		if (out[i] > out[t->parent[i]])
			out[t->parent[i]] = out[i];
}

static bool
check_events(const struct tree *t, struct err *e)
{
	const struct tree_events *v = t->events;

	for (size_t i = 0; i < v->n; i++) {
		if (v->node[i] >= t->n)
			return err_set(e, ERR_FORMAT, "event %zu names node %u of %u",
			               i, v->node[i], t->n);
		if (v->thread[i] >= v->nthreads)
			return err_set(e, ERR_FORMAT,
			               "event %zu names thread %u of %zu", i,
			               v->thread[i], v->nthreads);
	}
	return true;
}

bool
tree_check(const struct tree *t, struct err *e)
{
	const struct meta *m = &t->meta;

	if (!t->n || t->parent[0] != NO_PARENT)
		return err_set(e, ERR_FORMAT, "node 0 is not a root");
	for (uint32_t i = 1; i < t->n; i++) {
		uint32_t up = i - 1;

		/* In preorder the parent is the node before or one of its ancestors. */
		if (t->parent[i] >= i)
			return err_set(e, ERR_FORMAT, "node %u comes before its parent",
			               i);
		while (up != t->parent[i] && up != NO_PARENT && up > t->parent[i])
			up = t->parent[up];
		if (up != t->parent[i])
			return err_set(e, ERR_FORMAT, "node %u is not in preorder", i);
		if (t->frame[i] >= t->nframes)
			return err_set(e, ERR_FORMAT, "node %u names frame %u of %u", i,
			               t->frame[i], t->nframes);
		if (t->kind && t->kind[i] >= KIND_COUNT)
			return err_set(e, ERR_FORMAT, "node %u is of kind %u", i,
			               t->kind[i]);
	}
	for (uint32_t i = 0; i < t->nframes; i++)
		if (t->frames[i].class >= CLASS_COUNT || t->frames[i].line < 0)
			return err_set(e, ERR_FORMAT, "frame %u is not well formed", i);
	if (m->shown != NO_TYPE && m->shown >= m->ntypes)
		return err_set(e, ERR_FORMAT, "default names sample type %u of %u",
		               m->shown, m->ntypes);
	for (size_t i = 1; i < m->nlabels; i++)
		if (str_cmp(m->labels[i - 1].key, m->labels[i].key) >= 0)
			return err_set(e, ERR_FORMAT, "label '%.*s' stands twice",
			               (int)m->labels[i].key.n, m->labels[i].key.p);
	if (t->sides && (m->ntypes % 2 || t->nscale > m->ntypes / 2))
		return err_set(e, ERR_FORMAT, "the sides do not fit the sample types");
	return !t->events || check_events(t, e);
}

/* Whether no two frames of the document are one under its identity. */
static bool
frames_distinct(const struct tree *t)
{
	struct frames seen = { 0 };

	for (uint32_t i = 0; i < t->nframes && seen.n == i; i++) {
		struct frame f = frame_identity(&t->frames[i], t->meta.identity);

		frames_index(&seen, &f);
	}
	bool all = seen.n == t->nframes;

	frames_clear(&seen);
	return all;
}

bool
tree_canonical(const struct tree *t)
{
	uint32_t *last = xmalloc(t->n * sizeof *last), next = 0;
	unsigned id = t->meta.identity;
	bool ok = true;

	/* last[p]: the child of p that came last. */
	memset(last, 0, t->n * sizeof *last);
	for (uint32_t i = 1; i < t->n && ok; i++) {
		uint32_t prev = last[t->parent[i]];

		ok = t->frame[i] <= next &&
		        (!prev ||
		         frame_cmp(&t->frames[t->frame[prev]], &t->frames[t->frame[i]],
		                   id) < 0);
		next += t->frame[i] == next;
		last[t->parent[i]] = i;
	}
	free(last);
	ok = ok && next == t->nframes && frames_distinct(t);
	for (size_t i = 1; ok && t->events && i < t->events->n; i++) {
		const struct tree_events *v = t->events;

		ok = v->t[i - 1] < v->t[i] ||
		        (v->t[i - 1] == v->t[i] &&
		         (v->thread[i - 1] < v->thread[i] ||
		          (v->thread[i - 1] == v->thread[i] &&
		           v->node[i - 1] <= v->node[i])));
	}
	return ok;
}

bool
tree_paths(const struct tree *t, struct frames *frames,
           bool (*each)(void *ctx, const struct tree_path *, struct err *), void *ctx,
           struct err *e)
{
	uint32_t *map = xmalloc((t->nframes + 1UL) * sizeof *map);
	uint32_t *ids = NULL, *node = NULL, depth = 0;
	uint64_t *hash = NULL;
	size_t cids = 0, cnode = 0, chash = 0;
	bool ok = true;

	for (uint32_t i = 0; i < t->nframes; i++)
		map[i] = frames_index(frames, &t->frames[i]);
	for (uint32_t i = 0; i < t->n && ok; i++) {
		bool wanted = i + 1 == t->n || t->parent[i + 1] != i; /* no children */
		struct tree_path p;

		ids = xgrow(ids, &cids, depth + 2UL, sizeof *ids);
		node = xgrow(node, &cnode, depth + 2UL, sizeof *node);
		hash = xgrow(hash, &chash, depth + 2UL, sizeof *hash);
		if (i == 0) {
			node[0] = 0;
			hash[0] = STACK_HASH;
		} else {
			while (node[depth] != t->parent[i])
				depth--;
			ids[depth] =
			        FRAME_ID(map[t->frame[i]], t->kind ? t->kind[i] : 0);
			hash[depth + 1] = stack_hash_step(hash[depth], ids[depth]);
			node[++depth] = i;
		}
		for (uint32_t k = 0; k < t->meta.ntypes && !wanted; k++)
			wanted = t->self[k][i] != 0;
		if (!wanted)
			continue;
		p = (struct tree_path){
			.ids = ids, .depth = depth, .hash = hash[depth], .node = i
		};
		ok = each(ctx, &p, e);
	}
	free(map);
	free(ids);
	free(node);
	free(hash);
	return ok;
}

void
tree_child_map(const struct tree *t, struct map *m)
{
	for (uint32_t i = 1; i < t->n; i++)
		*map_put(m, (uint64_t)t->parent[i] << 32 | t->frame[i], NULL) = i;
}

struct pusher {
	const struct tree *t;
	struct stack_sink *to;
	uint32_t series;
	int64_t *values;
	bool zero; /* events carry the values */
};

static bool
push_path(void *ctx, const struct tree_path *path, struct err *e)
{
	struct pusher *p = ctx;
	struct stack s = { .frames = path->ids,
		           .depth = path->depth,
		           .values = p->values,
		           .hash = path->hash };

	for (uint32_t k = 0; k < p->t->meta.ntypes; k++)
		p->values[k] = p->zero ? 0 : p->t->self[k][path->node];
	return p->to->push(p->to, p->series, &s, e);
}

static bool
push_events(struct pusher *p, struct err *e)
{
	const struct tree *t = p->t;
	const struct tree_events *v = t->events;
	uint32_t *ids = xmalloc(t->n * sizeof *ids);
	uint32_t *map = xmalloc((t->nframes + 1UL) * sizeof *map);
	bool ok = true;

	for (uint32_t i = 0; i < t->nframes; i++)
		map[i] = frames_index(p->to->frames, &t->frames[i]);
	for (size_t i = 0; i < v->n && ok; i++) {
		size_t at = t->n;
		struct stack s = { .values = p->values,
			           .timed = true,
			           .thread = v->threads[v->thread[i]] };

		if (!num_add_i64(t->meta.start_ns, v->t[i], &s.time_ns)) {
			ok = err_set(e, ERR_FORMAT,
			             "the time of event %zu overflows 64 bits", i);
			break;
		}
		for (uint32_t x = v->node[i]; x; x = t->parent[x])
			ids[--at] =
			        FRAME_ID(map[t->frame[x]], t->kind ? t->kind[x] : 0);
		s.frames = ids + at;
		s.depth = t->n - at;
		for (uint32_t k = 0; k < t->meta.ntypes; k++)
			p->values[k] = v->self[k][i];
		ok = p->to->push(p->to, p->series, &s, e);
	}
	free(ids);
	free(map);
	return ok;
}

bool
tree_push(const struct tree *t, struct stack_sink *to, struct err *e)
{
	struct pusher p = { .t = t, .to = to, .zero = t->events != NULL };
	bool ok;

	if (!to->begin(to, &t->meta, &p.series, e))
		return false;
	p.values = xcalloc(t->meta.ntypes, sizeof *p.values);
	/* Nodes alone have no thread: they would be a part of their own. */
	ok = ((t->events && to->labels) ||
	      tree_paths(t, to->frames, push_path, &p, e)) &&
	        (!t->events || push_events(&p, e)) &&
	        to->end(to, p.series, &t->meta, e);
	free(p.values);
	return ok;
}

struct sorter {
	const struct tree *t;
	struct build *b;
	int64_t *values;
};

static bool
sort_path(void *ctx, const struct tree_path *path, struct err *e)
{
	struct sorter *s = ctx;

	for (uint32_t k = 0; k < s->t->meta.ntypes; k++)
		s->values[k] = s->t->self[k][path->node];
	return build_add(s->b, path->ids, path->depth, s->values, path->hash, e);
}

/* Rows of events by number, for sorting. */
struct row {
	const struct tree_events *v;
	uint32_t ntypes;
};

static int
event_cmp(const void *a, const void *b, void *ctx)
{
	const struct row *r = ctx;
	const struct tree_events *v = r->v;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	if (v->t[x] != v->t[y])
		return v->t[x] < v->t[y] ? -1 : 1;
	if (v->thread[x] != v->thread[y])
		return v->thread[x] < v->thread[y] ? -1 : 1;
	if (v->node[x] != v->node[y])
		return v->node[x] < v->node[y] ? -1 : 1;
	for (uint32_t k = 0; k < r->ntypes; k++)
		if (v->self[k][x] != v->self[k][y])
			return v->self[k][x] < v->self[k][y] ? -1 : 1;
	return 0;
}

void
tree_events_sort(struct tree_events *v, uint32_t ntypes, struct arena *a)
{
	size_t *order = xmalloc(v->n * sizeof *order);
	struct tree_events s = *v;
	struct row row = { v, ntypes };

	for (size_t i = 0; i < v->n; i++)
		order[i] = i;
	qsort_r(order, v->n, sizeof *order, event_cmp, &row);
	s.t = arena_alloc(a, v->n * sizeof *s.t);
	s.node = arena_alloc(a, v->n * sizeof *s.node);
	s.thread = arena_alloc(a, v->n * sizeof *s.thread);
	s.self = arena_calloc(a, ntypes, sizeof *s.self);
	for (uint32_t k = 0; k < ntypes; k++)
		s.self[k] = arena_alloc(a, v->n * sizeof **s.self);
	for (size_t i = 0; i < v->n; i++) {
		s.t[i] = v->t[order[i]];
		s.node[i] = v->node[order[i]];
		s.thread[i] = v->thread[order[i]];
		for (uint32_t k = 0; k < ntypes; k++)
			s.self[k][i] = v->self[k][order[i]];
	}
	free(order);
	*v = s;
}

/* Where each node of t is in the sorted tree, the frames having moved by base. */
static uint32_t *
locate(const struct tree *t, const struct tree *sorted, const uint32_t *frame)
{
	uint32_t *to = xmalloc(t->n * sizeof *to);
	struct map children = { 0 };

	tree_child_map(sorted, &children);
	to[0] = 0;
	for (uint32_t i = 1; i < t->n; i++)
		to[i] = *map_get(&children,
		                 (uint64_t)to[t->parent[i]] << 32 | frame[t->frame[i]]);
	map_clear(&children);
	return to;
}

/* Events and marks of t go with its nodes into the sorted tree. */
static void
carry(struct tree *t, struct tree *sorted, const uint32_t *to)
{
	if (t->events)
		for (size_t i = 0; i < t->events->n; i++)
			t->events->node[i] = to[t->events->node[i]];
	if (t->events)
		tree_events_sort(t->events, t->meta.ntypes, &t->arena);
	for (size_t m = 0; m < t->nmarks; m++) {
		double *v = arena_alloc(&t->arena, sorted->n * sizeof *v);

		for (uint32_t i = 0; i < sorted->n; i++)
			v[i] = (double)NAN;
		for (uint32_t i = t->n; i-- > 0;)
			v[to[i]] = t->marks[m].value[i];
		t->marks[m].value = v;
	}
}

bool
tree_sort(struct tree *t, struct err *e)
{
	struct tree sorted = { 0 };
	struct frames frames = { 0 };
	struct sorter s = { .t = t };
	uint32_t *base = NULL, *map, *to;
	bool ok;

	if (tree_canonical(t))
		return true;
	s.b = build_new(&frames, t->meta.ntypes, t->meta.identity);
	s.values = xcalloc(t->meta.ntypes, sizeof *s.values);
	ok = tree_paths(t, &frames, sort_path, &s, e) &&
	        build_finish(s.b, &sorted, &base, e);
	free(s.values);
	build_free(s.b);
	if (ok) {
		map = xmalloc((t->nframes + 1UL) * sizeof *map);
		for (uint32_t i = 0; i < t->nframes; i++)
			map[i] = base[frames_index(&frames, &t->frames[i])];
		to = locate(t, &sorted, map);
		carry(t, &sorted, to);
		free(map);
		free(to);
		t->nframes = sorted.nframes;
		t->n = sorted.n;
		t->frames = sorted.frames;
		t->parent = sorted.parent;
		t->frame = sorted.frame;
		t->self = sorted.self;
		t->kind = sorted.kind;
		arena_join(&t->arena, &sorted.arena);
	}
	free(base);
	tree_clear(&sorted);
	frames_clear(&frames);
	return ok;
}

void
tree_keep_type(struct tree *t, uint32_t type)
{
	bool *keep = xcalloc(t->n, sizeof *keep);
	uint32_t *to = xmalloc(t->n * sizeof *to), n = 0, nframes = 0;
	uint32_t *frame = xmalloc((t->nframes + 1UL) * sizeof *frame);
	struct frame *frames = arena_calloc(&t->arena, t->nframes, sizeof *frames);
	struct tree_events *v = t->events;

	keep[0] = true;
	/* Of events that a node has without a value the sums may not tell. */
	for (size_t i = 0; v && i < v->n; i++)
		if (v->self[type][i])
			keep[v->node[i]] = true;
	for (uint32_t i = t->n - 1; i > 0; i--) {
		keep[i] = keep[i] || t->self[type][i];
		keep[t->parent[i]] = keep[t->parent[i]] || keep[i];
	}
	memset(frame, 0xff, (t->nframes + 1UL) * sizeof *frame);
	for (uint32_t i = 0; i < t->n; i++) {
		if (!keep[i])
			continue;
		to[i] = n;
		t->parent[n] = i ? to[t->parent[i]] : NO_PARENT;
		if (i && frame[t->frame[i]] == UINT32_MAX) {
			frames[nframes] = t->frames[t->frame[i]];
			frame[t->frame[i]] = nframes++;
		}
		t->frame[n] = i ? frame[t->frame[i]] : 0;
		t->self[type][n] = t->self[type][i];
		if (t->kind)
			t->kind[n] = t->kind[i];
		for (size_t m = 0; m < t->nmarks; m++)
			t->marks[m].value[n] = t->marks[m].value[i];
		n++;
	}
	if (v) {
		size_t rows = 0;

		for (size_t i = 0; i < v->n; i++) {
			if (!v->self[type][i])
				continue;
			v->t[rows] = v->t[i];
			v->node[rows] = to[v->node[i]];
			v->thread[rows] = v->thread[i];
			v->self[type][rows++] = v->self[type][i];
		}
		v->n = rows;
		v->self[0] = v->self[type];
	}
	t->n = n;
	t->frames = frames;
	t->nframes = nframes;
	t->self[0] = t->self[type];
	t->meta.types[0] = t->meta.types[type];
	t->meta.ntypes = 1;
	t->meta.shown = NO_TYPE;
	free(keep);
	free(to);
	free(frame);
}

static int
labels_cmp(const struct meta *a, const struct meta *b)
{
	for (size_t i = 0; i < a->nlabels && i < b->nlabels; i++) {
		int c = str_cmp(a->labels[i].key, b->labels[i].key);

		if (!c)
			c = str_cmp(a->labels[i].value, b->labels[i].value);
		if (c)
			return c;
	}
	return (a->nlabels > b->nlabels) - (a->nlabels < b->nlabels);
}

int
tree_order(const struct tree *x, const struct tree *y)
{
	const struct meta *a = &x->meta, *b = &y->meta;
	int c = str_cmp(label_get(a->labels, a->nlabels, STR("event")),
	                label_get(b->labels, b->nlabels, STR("event")));

	if (c || (c = labels_cmp(a, b)))
		return c;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	for (uint32_t i = 0; i < a->ntypes && i < b->ntypes; i++)
		if ((c = str_cmp(a->types[i].type, b->types[i].type)) ||
		    (c = str_cmp(a->types[i].unit, b->types[i].unit)))
			return c;
	return (a->ntypes > b->ntypes) - (a->ntypes < b->ntypes);
}
