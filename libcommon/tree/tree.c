#include "tree/tree.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"

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
tree_push_stacks(const struct tree *t, struct stack_sink *to, uint32_t series,
                 struct err *e)
{
	struct pusher p = {
		.t = t, .to = to, .series = series, .zero = t->events != NULL
	};
	bool ok;

	p.values = xcalloc(t->meta.ntypes, sizeof *p.values);
	/* Nodes alone have no thread: they would be a part of their own. */
	ok = ((t->events && to->labels) ||
	      tree_paths(t, to->frames, push_path, &p, e)) &&
	        (!t->events || push_events(&p, e));
	free(p.values);
	return ok;
}

bool
tree_push(const struct tree *t, struct stack_sink *to, struct err *e)
{
	uint32_t series;

	return to->begin(to, &t->meta, &series, e) &&
	        tree_push_stacks(t, to, series, e) && to->end(to, series, &t->meta, e);
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

/* A node of the tree with equal siblings joined, in order of first appearance. */
struct joined {
	uint32_t *parent, *frame; /* frame: index into the distinct frames */
	uint32_t n;
};

struct child {
	uint64_t key; /* parent, rank of the frame */
	uint32_t node;
};

static int
child_cmp(const void *a, const void *b)
{
	const struct child *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

/* to[i]: which joined node each node belongs to. */
static void
join_siblings(const struct tree *t, struct frames *distinct, struct joined *j,
              uint32_t *to)
{
	uint32_t *frame = xmalloc((t->nframes + 1UL) * sizeof *frame);
	struct map children = { 0 };
	bool fresh;

	for (uint32_t i = 0; i < t->nframes; i++) {
		struct frame f = frame_identity(&t->frames[i], t->meta.identity);

		frame[i] = frames_index(distinct, &f);
	}
	j->parent = xmalloc(t->n * sizeof *j->parent);
	j->frame = xmalloc(t->n * sizeof *j->frame);
	j->parent[0] = NO_PARENT;
	j->frame[0] = 0;
	j->n = 1;
	to[0] = 0;
	for (uint32_t i = 1; i < t->n; i++) {
		uint32_t up = to[t->parent[i]], f = frame[t->frame[i]];
		uint32_t *child = map_put(&children, (uint64_t)up << 32 | f, &fresh);

		if (fresh) {
			*child = j->n;
			j->parent[j->n] = up;
			j->frame[j->n++] = f;
		}
		to[i] = *child;
	}
	map_clear(&children);
	free(frame);
}

/* at[node]: where each joined node stands in canonical preorder. */
static void
place(const struct joined *j, const struct frames *distinct, unsigned identity,
      uint32_t *at)
{
	uint32_t *rank = xmalloc((distinct->n + 1UL) * sizeof *rank);
	uint32_t *index = xmalloc((distinct->n + 1UL) * sizeof *index);
	struct child *c = xmalloc(j->n * sizeof *c);
	uint32_t *first = xcalloc(j->n + 1UL, sizeof *first);
	uint32_t *open = NULL, depth = 0, next = 0;
	size_t cap = 0;

	for (uint32_t i = 0; i < distinct->n; i++)
		index[i] = i;
	frames_rank(distinct, index, distinct->n, identity, rank);
	for (uint32_t i = 1; i < j->n; i++) {
		c[i - 1].key = (uint64_t)j->parent[i] << 32 | rank[j->frame[i]];
		c[i - 1].node = i;
		first[j->parent[i] + 1]++;
	}
	qsort(c, j->n - 1, sizeof *c, child_cmp);
	for (uint32_t i = 0; i < j->n; i++)
		first[i + 1] += first[i]; /* the children of i begin at first[i] */
	open = xgrow(open, &cap, 1, sizeof *open);
	open[0] = 0;
	at[0] = next++;
	while (depth != UINT32_MAX) {
		uint32_t node = open[depth];

		/* first[node] moves on as children are taken. */
		if (first[node] < j->n - 1 && c[first[node]].key >> 32 == node) {
			uint32_t child = c[first[node]++].node;

			open = xgrow(open, &cap, depth + 2UL, sizeof *open);
			open[++depth] = child;
			at[child] = next++;
		} else {
			depth--;
		}
	}
	free(rank);
	free(index);
	free(c);
	free(first);
	free(open);
}

/* The columns and frames of t in their new places. */
static bool
rebuild(struct tree *t, const struct joined *j, const struct frames *distinct,
        const uint32_t *to, struct tree *s, struct err *e)
{
	struct arena *a = &t->arena;
	uint32_t *name = xmalloc((distinct->n + 1UL) * sizeof *name);
	uint32_t *back = xmalloc(j->n * sizeof *back), ntypes = t->meta.ntypes;
	bool ok = true;

	s->n = j->n;
	s->parent = arena_alloc(a, s->n * sizeof *s->parent);
	s->frame = arena_calloc(a, s->n, sizeof *s->frame);
	s->self = arena_calloc(a, ntypes, sizeof *s->self);
	for (uint32_t k = 0; k < ntypes; k++)
		s->self[k] = arena_calloc(a, s->n, sizeof **s->self);
	s->kind = t->kind ? arena_calloc(a, s->n, 1) : NULL;
	s->frames = arena_calloc(a, distinct->n, sizeof *s->frames);
	for (uint32_t i = 0; i < t->n && ok; i++) {
		uint32_t x = to[i];

		s->parent[x] = i ? to[t->parent[i]] : NO_PARENT;
		back[x] = i;
		if (t->kind && s->kind)
			s->kind[x] = frame_kind_join(s->kind[x], t->kind[i]);
		for (uint32_t k = 0; k < ntypes && ok; k++)
			ok = num_add_i64(s->self[k][x], t->self[k][i],
			                 &s->self[k][x]) ||
			        err_set(e, ERR_LIMIT,
			                "the sum of sample type %u overflows 64 bits",
			                k);
	}
	memset(name, 0xff, (distinct->n + 1UL) * sizeof *name);
	for (uint32_t x = 1; x < s->n && ok; x++) {
		struct frame f =
		        frame_identity(&t->frames[t->frame[back[x]]], t->meta.identity);
		uint32_t d = frames_find(distinct, &f);

		if (name[d] == UINT32_MAX) {
			name[d] = s->nframes;
			s->frames[s->nframes++] = f;
		}
		s->frame[x] = name[d];
	}
	for (uint32_t i = 1; i < t->n && ok; i++)
		frame_attributes(&s->frames[s->frame[to[i]]], &t->frames[t->frame[i]],
		                 t->meta.identity);
	free(name);
	free(back);
	return ok;
}

bool
tree_sort(struct tree *t, struct err *e)
{
	struct tree s = { 0 };
	struct frames distinct = { 0 };
	struct joined j = { 0 };
	uint32_t *to, *at;
	bool ok;

	if (tree_canonical(t))
		return true;
	to = xmalloc(t->n * sizeof *to);
	join_siblings(t, &distinct, &j, to);
	at = xmalloc(j.n * sizeof *at);
	place(&j, &distinct, t->meta.identity, at);
	for (uint32_t i = 0; i < t->n; i++)
		to[i] = at[to[i]];
	ok = rebuild(t, &j, &distinct, to, &s, e);
	if (ok) {
		carry(t, &s, to);
		t->nframes = s.nframes;
		t->n = s.n;
		t->frames = s.frames;
		t->parent = s.parent;
		t->frame = s.frame;
		t->self = s.self;
		t->kind = s.kind;
	}
	free(to);
	free(at);
	free(j.parent);
	free(j.frame);
	frames_clear(&distinct);
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
