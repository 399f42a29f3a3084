/*
 * batch   ids[] root first, off[] len[] hash[] val[] per stack, slots[] for repeats
 * flush   ids become representatives, stacks are sorted by packed ranks -> a run
 * run     lcp[] len[] per stack, the ids behind the common prefix, val[]
 * finish  the runs merge to two, and these to the columns, in preorder
 *
 * Frames that differ only in attributes have one representative: the first of them in
 * the table. Which frames were used is remembered, so that at the end each node's frame
 * gets the smallest attributes of exactly the frames that stand behind it.
 *
 * Kinds ride in the low bits of ids. They take no part in order (unless kept apart);
 * where stacks share a prefix the first kind in the order of enum frame_kind wins.
 */
#include "tree/build.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/caps.h"
#include "base/map.h"
#include "tree/keysort.h"

enum {
	GROUP = 16,       /* stacks whose look-up in memory overlaps */
	BATCH = 32 << 20, /* bytes of a batch before it is sorted */
	WATCH = 65536,    /* stacks between decisions on looking for repeats */
	MAX_RUNS = 64,
	FORGET = 1 << 20, /* ids */
	FIRST_SLOTS = 1 << 12
};

/* Sorted stacks, front-coded: a canonical tree in compact form. */
struct run {
	size_t n, nids;
	uint32_t *lcp, *len, *ids;
	int64_t *val;
};

struct pending {
	uint64_t hash;
	uint32_t len;
};

struct build {
	struct frames *frames;
	uint32_t nt;
	unsigned identity;
	bool apart, kinds;
	bool again; /* what is added was added before, by representatives */

	uint32_t *ids;
	size_t nids, cids;
	uint64_t *off, *hash;
	uint32_t *len;
	int64_t *val;
	size_t n, cap, cval;
	uint64_t *slots; /* high half of the hash, index + 1 */
	size_t mask;
	bool look; /* for repeats */
	size_t tried, hits;

	struct pending group[GROUP];
	int64_t *group_val;
	size_t ngroup, group_at; /* ids of the group begin here */

	struct run runs[MAX_RUNS];
	size_t nruns;

	/* Representatives, where attributes are not identity. */
	struct frames coarse;
	uint32_t *coarse_rep, *rep;
	size_t ccoarse, crep, nrep;
	unsigned char *used; /* by frame */
	size_t cused;

	uint32_t *rank; /* by frame */
	uint32_t ranked, nranks, crank_n;
	unsigned rank_identity;
	size_t crank;
};

static bool
overflow(struct err *e, uint32_t type)
{
	return err_set(e, ERR_LIMIT, "the sum of sample type %u overflows 64 bits",
	               type);
}

static bool
add_values(int64_t *to, const int64_t *v, uint32_t nt, struct err *e)
{
	for (uint32_t t = 0; t < nt; t++)
		if (!num_add_i64(to[t], v[t], &to[t]))
			return overflow(e, t);
	return true;
}

static uint32_t
join_kinds(uint32_t id, uint32_t other)
{
	return (id & ~7U) | frame_kind_join(id & 7, other & 7);
}

struct build *
build_new(struct frames *frames, uint32_t ntypes, unsigned identity)
{
	struct build *b = xcalloc(1, sizeof *b);

	b->frames = frames;
	b->nt = ntypes;
	b->identity = identity;
	b->look = true;
	b->group_val = xcalloc((size_t)GROUP * ntypes, sizeof *b->group_val);
	return b;
}

void
build_kinds_apart(struct build *b)
{
	b->apart = true;
}

static void
run_clear(struct run *r)
{
	free(r->lcp);
	free(r->len);
	free(r->ids);
	free(r->val);
	*r = (struct run){ 0 };
}

static void
forget(struct build *b)
{
	free(b->ids);
	free(b->off);
	free(b->hash);
	free(b->len);
	free(b->val);
	free(b->slots);
	b->ids = b->len = NULL;
	b->off = b->hash = b->slots = NULL;
	b->val = NULL;
	b->nids = b->cids = b->n = b->cap = b->cval = b->mask = b->ngroup = 0;
	for (size_t i = 0; i < b->nruns; i++)
		run_clear(&b->runs[i]);
	b->nruns = 0;
}

void
build_free(struct build *b)
{
	if (!b)
		return;
	forget(b);
	frames_clear(&b->coarse);
	free(b->coarse_rep);
	free(b->rep);
	free(b->used);
	free(b->rank);
	free(b->group_val);
	free(b);
}

/* ---- batch ---- */

static void
batch_resize_slots(struct build *b, size_t slots)
{
	free(b->slots);
	b->slots = xcalloc(slots, sizeof *b->slots);
	b->mask = slots - 1;
	for (size_t i = 0; i < b->n; i++) {
		size_t k = (size_t)b->hash[i] & b->mask;

		while (b->slots[k])
			k = (k + 1) & b->mask;
		b->slots[k] = (b->hash[i] & ~0xffffffffULL) | (i + 1);
	}
}

/* The equal stack of the batch, or where its slot would be. */
static bool
batch_find(const struct build *b, const uint32_t *ids, size_t len, uint64_t hash,
           size_t *at)
{
	size_t k = (size_t)hash & b->mask;

	for (; b->slots[k]; k = (k + 1) & b->mask) {
		size_t i = (size_t)(b->slots[k] & 0xffffffffU) - 1;

		if (b->slots[k] >> 32 == hash >> 32 && b->len[i] == len &&
		    (len == 0 ||
		     memcmp(b->ids + b->off[i], ids, len * sizeof *ids) == 0)) {
			*at = i;
			return true;
		}
	}
	*at = k;
	return false;
}

static void
batch_keep(struct build *b, const uint32_t *ids, uint64_t at, const struct pending *p,
           const int64_t *v)
{
	if (b->n == b->cap) {
		size_t cap = b->cap ? b->cap * 2 : 1024;

		b->off = xrealloc(b->off, cap * sizeof *b->off);
		b->hash = xrealloc(b->hash, cap * sizeof *b->hash);
		b->len = xrealloc(b->len, cap * sizeof *b->len);
		b->val = xgrow(b->val, &b->cval, cap * b->nt, sizeof *b->val);
		b->cap = cap;
	}
	if (b->ids + at != ids)
		memmove(b->ids + at, ids, p->len * sizeof *ids);
	b->off[b->n] = at;
	b->hash[b->n] = p->hash;
	b->len[b->n] = p->len;
	if (b->nt)
		memcpy(b->val + b->n * b->nt, v, b->nt * sizeof *v);
	b->n++;
}

static bool flush(struct build *, struct err *);
static bool balance_runs(struct build *, struct err *);

/* Resolve the waiting group in order; what is new moves down over what was not. */
static bool
drain(struct build *b, struct err *e)
{
	size_t from = b->group_at, n = b->ngroup, at = 0, to = from;

	b->ngroup = 0;
	if (b->look && !b->slots)
		batch_resize_slots(b, FIRST_SLOTS);
	for (size_t i = 0; b->look && i < n; i++) {
		uint64_t s = b->slots[b->group[i].hash & b->mask];

		if (s && s >> 32 == b->group[i].hash >> 32) {
			size_t k = (size_t)(s & 0xffffffffU) - 1;

			__builtin_prefetch(&b->len[k]);
			__builtin_prefetch(b->ids + b->off[k]);
		}
	}
	for (size_t i = 0; i < n; i++) {
		const struct pending *p = &b->group[i];
		const int64_t *v = b->group_val + i * b->nt;
		const uint32_t *ids = b->ids + from;

		from += p->len;
		if (b->look && batch_find(b, ids, p->len, p->hash, &at)) {
			b->hits++;
			if (!add_values(b->val + at * b->nt, v, b->nt, e))
				return false;
			continue;
		}
		batch_keep(b, ids, to, p, v);
		to += p->len;
		if (b->look) {
			b->slots[at] = (p->hash & ~0xffffffffULL) | b->n;
			if (b->n * 2 > b->mask)
				batch_resize_slots(b, (b->mask + 1) * 4);
		}
	}
	b->nids = to;
	b->tried += n;
	if (b->look && b->tried >= WATCH) {
		/* Repeats are joined by the sort anyway: look only where it pays. */
		b->look = b->hits * 2 >= b->tried;
		b->tried = b->hits = 0;
	}
	if (b->nids * sizeof *b->ids + b->n * (40 + 8 * (size_t)b->nt) >= BATCH)
		return flush(b, e) && balance_runs(b, e);
	return true;
}

bool
build_add(struct build *b, const uint32_t *ids, size_t depth, const int64_t *values,
          uint64_t hash, struct err *e)
{
	uint32_t kinds = 0;

	if (depth > CAP_DEPTH)
		return err_set(e, ERR_LIMIT, "a stack of more than %zu frames",
		               CAP_DEPTH);
	if (b->nids + depth > b->cids || !b->ids)
		b->ids = xgrow(b->ids, &b->cids, b->nids + depth, sizeof *b->ids);
	if (!b->ngroup)
		b->group_at = b->nids;
	if (depth)
		memcpy(b->ids + b->nids, ids, depth * sizeof *ids);
	for (size_t i = 0; i < depth && !b->kinds; i++)
		kinds |= ids[i];
	b->kinds |= (kinds & 7) != 0;
	b->nids += depth;
	if (b->look) {
		/* Not stack_hash, for which each id waits for the one before. */
		if (!hash)
			hash = hash_bytes(ids, depth * sizeof *ids, hash_seed());
		hash = hash_mix(hash ^ hash_seed(), 0xd6e8feb86659fd93U);
		if (b->slots)
			__builtin_prefetch(&b->slots[hash & b->mask]);
	}
	b->group[b->ngroup] = (struct pending){ .hash = hash, .len = (uint32_t)depth };
	if (b->nt)
		memcpy(b->group_val + b->ngroup * b->nt, values,
		       b->nt * sizeof *values);
	return ++b->ngroup < GROUP || drain(b, e);
}

/* ---- representatives and ranks ---- */

/* Whether several frames of the table can be one frame of the tree. */
static bool
coarsens(const struct build *b)
{
	return (b->frames->fields & ~b->identity) != 0;
}

static void
find_representatives(struct build *b)
{
	if (!coarsens(b))
		return;
	b->rep = xgrow(b->rep, &b->crep, b->frames->n, sizeof *b->rep);
	for (; b->nrep < b->frames->n; b->nrep++) {
		struct frame m = frame_identity(&b->frames->at[b->nrep], b->identity);
		uint32_t before = b->coarse.n, c = frames_index(&b->coarse, &m);

		if (b->coarse.n > before) {
			b->coarse_rep = xgrow(b->coarse_rep, &b->ccoarse, b->coarse.n,
			                      sizeof *b->coarse_rep);
			b->coarse_rep[c] = (uint32_t)b->nrep;
		}
		b->rep[b->nrep] = b->coarse_rep[c];
	}
}

static void
mark_room(struct build *b)
{
	size_t old = b->cused;

	if (b->frames->n <= old)
		return;
	b->used = xgrow(b->used, &b->cused, b->frames->n, 1);
	memset(b->used + old, 0, b->cused - old);
}

static void
mark_frames(struct build *b, const uint32_t *index, size_t n)
{
	mark_room(b);
	for (size_t i = 0; i < n; i++)
		b->used[index[i]] = 1;
}

/* Remember which frames the batch holds, for their attributes. */
static void
mark_used(struct build *b)
{
	mark_room(b);
	for (size_t i = 0; i < b->nids; i++)
		b->used[FRAME_INDEX(b->ids[i])] = 1;
}

static uint32_t
representative(const struct build *b, uint32_t index)
{
	return b->nrep ? b->rep[index] : index;
}

static int
index_cmp(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The representatives in the batch, each once. */
static uint32_t
batch_frames(const struct build *b, uint32_t *index)
{
	uint32_t m = 0;

	for (size_t i = 0; i < b->nids; i++)
		index[i] = representative(b, FRAME_INDEX(b->ids[i]));
	qsort(index, b->nids, sizeof *index, index_cmp);
	for (size_t i = 0; i < b->nids; i++)
		if (!m || index[m - 1] != index[i])
			index[m++] = index[i];
	return m;
}

/*
 * Ranks of all frames, for all runs. But many groups share a table, of which each needs
 * little: a first batch with fewer frames than the table ranks its own alone.
 */
static void
rank_frames(struct build *b)
{
	uint32_t n = b->frames->n, m = 0, *index;
	bool few = !b->nruns && b->nids < n / 8;

	if (b->ranked == n && b->rank_identity == b->identity && b->rank)
		return;
	find_representatives(b);
	b->rank = xgrow(b->rank, &b->crank, n, sizeof *b->rank);
	index = xmalloc((few ? b->nids : n) * sizeof *index);
	if (few)
		m = batch_frames(b, index);
	for (uint32_t i = 0; i < n && !few; i++)
		if (representative(b, i) == i)
			index[m++] = i;
	frames_rank(b->frames, index, m, b->identity, b->rank);
	free(index);
	b->ranked = few ? 0 : n;
	b->nranks = m;
	b->rank_identity = b->identity;
}

/* What an id counts in the order: its frame's rank, and its kind where kept apart. */
static uint32_t
order_of(const struct build *b, uint32_t id)
{
	uint32_t r = b->rank[FRAME_INDEX(id)];

	return b->apart ? r << 3 | (id & 7) : r;
}

/* ---- sorting a batch to a run ---- */

struct sort_ctx {
	const struct build *b;
	unsigned bits, pieces;
};

static void
load_ranks(const void *ctx, struct keyed *e, size_t n, size_t depth)
{
	const struct sort_ctx *c = ctx;
	const struct build *b = c->b;

	for (size_t i = 0; i < n; i++) {
		uint32_t s = e[i].item, len = b->len[s];
		const uint32_t *ids = b->ids + b->off[s] + depth;
		uint64_t key = 0;

		if (i + 8 < n)
			__builtin_prefetch(b->ids + b->off[e[i + 8].item] + depth);
		for (unsigned k = 0; k < c->pieces; k++)
			key = key << c->bits |
			        (depth + k < len ? order_of(b, ids[k]) : 0);
		e[i].key = key;
	}
}

/* Frames that two paths have in common, up to max; two at a time. */
static uint32_t
common(const struct build *b, const uint32_t *x, const uint32_t *y, uint32_t max)
{
	uint32_t mask = b->apart ? ~0U : ~7U, d = 0;
	uint64_t both = (uint64_t)mask << 32 | mask, v, w;

	for (; d + 2 <= max; d += 2) {
		memcpy(&v, x + d, sizeof v);
		memcpy(&w, y + d, sizeof w);
		if ((v ^ w) & both)
			break;
	}
	while (d < max && !((x[d] ^ y[d]) & mask))
		d++;
	return d;
}

static void
run_room(struct run *r, size_t n, size_t nids, uint32_t nt)
{
	r->lcp = xmalloc(n * sizeof *r->lcp);
	r->len = xmalloc(n * sizeof *r->len);
	r->ids = xmalloc(nids * sizeof *r->ids);
	r->val = xmalloc(n * nt * sizeof *r->val);
}

static void
run_fit(struct run *r, uint32_t nt)
{
	r->lcp = xrealloc(r->lcp, r->n * sizeof *r->lcp);
	r->len = xrealloc(r->len, r->n * sizeof *r->len);
	r->ids = xrealloc(r->ids, r->nids * sizeof *r->ids);
	r->val = xrealloc(r->val, r->n * nt * sizeof *r->val);
}

/*
 * Sorted stacks being written, to a run or, the last time, to the columns of a tree.
 * The path of the last stack is kept as it was written, and where that was: what is
 * shared with it can still change in kind.
 */
struct writer {
	struct build *b;
	struct run *r;
	struct tree *t;  /* if r is NULL */
	uint32_t *frame; /* of t by frame of the table, or UINT32_MAX */
	uint32_t *path, *at;
	size_t cap_path, cap_at;
	bool join; /* kinds can meet */
	uint32_t len;
};

static struct writer
writer_to(struct build *b, struct run *r)
{
	return (struct writer){ .b = b, .r = r, .join = b->kinds && !b->apart };
}

static void
writer_clear(struct writer *w)
{
	free(w->path);
	free(w->at);
}

/* What is shared with the last path takes the first of both kinds. */
static void
join_prefix(struct writer *w, const uint32_t *path, uint32_t n)
{
	for (uint32_t d = 0; w->join && d < n; d++) {
		uint32_t id = w->path[d];

		if (id == path[d] || (id = join_kinds(id, path[d])) == w->path[d])
			continue;
		w->path[d] = id;
		if (w->r)
			w->r->ids[w->at[d]] = id;
		else
			w->t->kind[w->at[d]] = (uint8_t)(id & 7);
	}
}

static void
put_in_run(struct writer *w, uint32_t l, const uint32_t *path, uint32_t len,
           const int64_t *v)
{
	struct run *r = w->r;

	for (uint32_t d = l; w->join && d < len; d++)
		w->at[d] = (uint32_t)(r->nids + (d - l));
	if (len > l)
		memcpy(r->ids + r->nids, path + l, (len - l) * sizeof *path);
	r->nids += len - l;
	r->lcp[r->n] = l;
	r->len[r->n] = len;
	if (w->b->nt)
		memcpy(r->val + r->n * w->b->nt, v, w->b->nt * sizeof *v);
	r->n++;
}

static void
put_in_tree(struct writer *w, uint32_t l, const uint32_t *path, uint32_t len,
            const int64_t *v)
{
	struct tree *t = w->t;
	uint32_t *parent = t->parent, *frame = t->frame, *at = w->at, n = t->n;
	uint32_t above = l ? at[l - 1] : 0, first = n;

	for (uint32_t d = l; d < len; d++, n++) {
		uint32_t *f = &w->frame[FRAME_INDEX(path[d])];

		if (*f == UINT32_MAX)
			*f = t->nframes++;
		frame[n] = *f;
		parent[n] = above;
		at[d] = above = n;
	}
	for (uint32_t d = l; w->b->kinds && d < len; d++)
		t->kind[first + (d - l)] = (uint8_t)(path[d] & 7);
	for (uint32_t k = 0; k < w->b->nt; k++) {
		memset(t->self[k] + first, 0, (n - first) * sizeof **t->self);
		t->self[k][above] += v[k];
	}
	t->n = n;
}

/* Append a stack that shares l frames with the one before and is not equal to it. */
static void
put(struct writer *w, uint32_t l, const uint32_t *path, uint32_t len, const int64_t *v)
{
	w->at = xgrow(w->at, &w->cap_at, len, sizeof *w->at);
	join_prefix(w, path, l);
	if (w->join) {
		w->path = xgrow(w->path, &w->cap_path, len, sizeof *w->path);
		if (len > l)
			memcpy(w->path + l, path + l, (len - l) * sizeof *path);
	}
	w->len = len;
	if (w->r)
		put_in_run(w, l, path, len, v);
	else
		put_in_tree(w, l, path, len, v);
}

/* The stack equals the last one put. */
static bool
put_again(struct writer *w, const uint32_t *path, uint32_t len, const int64_t *v,
          struct err *e)
{
	uint32_t node = len ? w->at[len - 1] : 0;

	join_prefix(w, path, len);
	if (w->r)
		return add_values(w->r->val + (w->r->n - 1) * w->b->nt, v, w->b->nt, e);
	for (uint32_t k = 0; k < w->b->nt; k++)
		if (!num_add_i64(w->t->self[k][node], v[k], &w->t->self[k][node]))
			return overflow(e, k);
	return true;
}

static bool
sort_batch(struct build *b, struct run *r, struct err *e)
{
	struct sort_ctx ctx = { .b = b };
	struct keysort how = { .load = load_ranks, .ctx = &ctx };
	struct keyed *items = xmalloc(b->n * sizeof *items);
	struct writer w = writer_to(b, r);
	const uint32_t *before = NULL;
	bool ok = true;

	ctx.bits = 64 - (unsigned)__builtin_clzll((uint64_t)b->nranks + 1);
	if (b->apart)
		ctx.bits += 3;
	ctx.pieces = 64 / ctx.bits;
	how.step = ctx.pieces;
	how.end = ((uint64_t)1 << ctx.bits) - 1;
	for (size_t i = 0; i < b->n; i++)
		items[i] = (struct keyed){ .item = (uint32_t)i };
	keysort(items, b->n, &how);

	/* Memory that is not written to is none. */
	run_room(r, b->n, b->nids, b->nt);
	for (size_t i = 0; i < b->n && ok; i++) {
		uint32_t s = items[i].item, len = b->len[s], l = 0;
		const uint32_t *path = b->ids + b->off[s];
		const int64_t *v = b->val + (size_t)s * b->nt;

		if (i + 6 < b->n)
			__builtin_prefetch(b->ids + b->off[items[i + 6].item]);
		if (before)
			l = common(b, before, path, w.len < len ? w.len : len);
		if (before && l == len && l == w.len)
			ok = put_again(&w, path, l, v, e);
		else
			put(&w, l, path, len, v);
		before = path;
	}
	run_fit(r, b->nt);
	writer_clear(&w);
	free(items);
	return ok;
}

/* ---- merging runs ---- */

/* A run being read, with the whole path of the stack at hand. */
struct reader {
	const struct run *r;
	size_t i, at;
	uint32_t lcp; /* with the last stack written */
	uint32_t len;
	uint32_t *path;
	size_t cap;
	bool last;        /* nobody reads the run after this */
	size_t forgotten; /* ids */
};

static bool
run_next(struct reader *c)
{
	uint32_t l;

	if (c->i == c->r->n)
		return false;
	l = c->r->lcp[c->i];
	c->len = c->r->len[c->i];
	c->path = xgrow(c->path, &c->cap, c->len + 1UL, sizeof *c->path);
	if (c->len > l)
		memcpy(c->path + l, c->r->ids + c->at, (c->len - l) * sizeof *c->path);
	c->at += c->len - l;
	if (c->last && c->at - c->forgotten >= FORGET) {
		xforget(c->r->ids, c->at * sizeof *c->r->ids);
		c->forgotten = c->at;
	}
	c->lcp = l;
	c->i++;
	return true;
}

static const int64_t *
run_values(const struct reader *c, uint32_t nt)
{
	return c->r->val + (c->i - 1) * nt;
}

/*
 * Two sorted runs to one. The head that shares more with the last stack written goes
 * first without looking at a frame; only heads that share equally much are compared,
 * from there on.
 */
static bool
merge_runs(struct writer *w, const struct run *x, const struct run *y, struct err *e)
{
	struct build *b = w->b;
	/* Columns take the place of the runs that they are made of. */
	struct reader c[2] = { { .r = x, .last = !w->r }, { .r = y, .last = !w->r } };
	bool have[2] = { run_next(&c[0]), run_next(&c[1]) }, ok = true;

	while (ok && (have[0] || have[1])) {
		int go = have[0] ? 0 : 1;
		bool equal = false;

		if (have[0] && have[1] && c[0].lcp != c[1].lcp) {
			go = c[0].lcp > c[1].lcp ? 0 : 1;
		} else if (have[0] && have[1]) {
			uint32_t l = c[0].lcp;
			uint32_t max = c[0].len < c[1].len ? c[0].len : c[1].len;

			l += common(b, c[0].path + l, c[1].path + l, max - l);
			equal = l == max && c[0].len == c[1].len;
			if (!equal && l == max)
				go = c[0].len < c[1].len ? 0 : 1;
			else if (!equal)
				go = order_of(b, c[0].path[l]) <
				                order_of(b, c[1].path[l])
				        ? 0
				        : 1;
			if (!equal) {
				put(w, c[go].lcp, c[go].path, c[go].len,
				    run_values(&c[go], b->nt));
				c[!go].lcp = l;
				have[go] = run_next(&c[go]);
				continue;
			}
		}
		put(w, c[go].lcp, c[go].path, c[go].len, run_values(&c[go], b->nt));
		if (equal) {
			ok = put_again(w, c[1].path, c[1].len, run_values(&c[1], b->nt),
			               e);
			have[1] = run_next(&c[1]);
		}
		have[go] = run_next(&c[go]);
	}
	free(c[0].path);
	free(c[1].path);
	return ok;
}

static size_t
run_weight(const struct build *b, const struct run *r)
{
	return r->nids + r->n * (2 + 2 * (size_t)b->nt);
}

/* Join the last two runs. */
static bool
join_two(struct build *b, struct err *e)
{
	struct run *x = &b->runs[b->nruns - 2], *y = x + 1, out = { 0 };
	struct writer w = writer_to(b, &out);
	bool ok;

	run_room(&out, x->n + y->n, x->nids + y->nids, b->nt);
	ok = merge_runs(&w, x, y, e);
	writer_clear(&w);
	if (!ok) {
		run_clear(&out);
		return false;
	}
	run_fit(&out, b->nt);
	run_clear(x);
	run_clear(y);
	*x = out;
	b->nruns--;
	return true;
}

/* Until there are no more than so many. */
static bool
join_runs(struct build *b, size_t most, struct err *e)
{
	while (b->nruns > most)
		if (!join_two(b, e))
			return false;
	return true;
}

/* While the last but one is at most twice the last. */
static bool
balance_runs(struct build *b, struct err *e)
{
	while (b->nruns > 1 &&
	       (b->nruns == MAX_RUNS - 1 ||
	        run_weight(b, &b->runs[b->nruns - 2]) <=
	                2 * run_weight(b, &b->runs[b->nruns - 1])))
		if (!join_two(b, e))
			return false;
	return true;
}

static bool
flush(struct build *b, struct err *e)
{
	struct run *r = &b->runs[b->nruns];

	if (b->ngroup && !drain(b, e))
		return false;
	if (!b->n)
		return true;
	rank_frames(b);
	if (b->frames->fields && !b->again)
		mark_used(b);
	if (b->nrep)
		for (size_t i = 0; i < b->nids; i++)
			b->ids[i] =
			        FRAME_ID(b->rep[FRAME_INDEX(b->ids[i])], b->ids[i] & 7);
	*r = (struct run){ 0 };
	b->nruns++;
	if (!sort_batch(b, r, e))
		return false;
	b->n = b->nids = 0;
	if (b->slots)
		memset(b->slots, 0, (b->mask + 1) * sizeof *b->slots);
	b->look = true;
	b->tried = b->hits = 0;
	return true;
}

/* Whether the paths to all nodes are much longer than there are nodes. */
static bool
is_deep(const struct tree *t)
{
	enum { MEAN = 256 };
	uint32_t *depth = xmalloc(t->n * sizeof *depth);
	uint64_t sum = 0;

	tree_depths(t, depth);
	for (uint32_t i = 0; i < t->n; i++)
		sum += depth[i];
	free(depth);
	return sum > (uint64_t)MEAN * t->n;
}

/* A canonical tree as a run: each node's id stands once, in preorder. */
static void
run_of_tree(struct build *b, const struct tree *t, const uint32_t *index, struct run *r)
{
	uint32_t *depth = xmalloc(t->n * sizeof *depth), shared = 0;

	tree_depths(t, depth);
	run_room(r, t->n, t->n, b->nt);
	for (uint32_t i = 0; i < t->n; i++) {
		bool value = i + 1 == t->n || t->parent[i + 1] != i;

		if (i) {
			uint32_t kind = t->kind ? t->kind[i] : 0;

			r->ids[r->nids++] = FRAME_ID(index[t->frame[i]], kind);
			b->kinds |= kind != 0;
			if (depth[i] - 1 < shared)
				shared = depth[i] - 1;
		}
		for (uint32_t k = 0; k < b->nt; k++) {
			r->val[r->n * b->nt + k] = t->self[k][i];
			value = value || t->self[k][i];
		}
		if (!value)
			continue;
		r->lcp[r->n] = shared;
		r->len[r->n++] = depth[i];
		shared = depth[i];
	}
	free(depth);
}

bool
build_take(struct build *b, const struct tree *t, bool *took, struct err *e)
{
	uint32_t *index;
	struct run *r;

	*took = false;
	if (b->apart || b->identity != t->meta.identity || !is_deep(t) ||
	    !tree_canonical(t))
		return true;
	index = xmalloc((t->nframes + 1UL) * sizeof *index);
	for (uint32_t i = 0; i < t->nframes; i++)
		index[i] = frames_index(b->frames, &t->frames[i]);
	if (coarsens(b)) {
		free(index);
		return true;
	}
	r = &b->runs[b->nruns++];
	*r = (struct run){ 0 };
	run_of_tree(b, t, index, r);
	if (b->frames->fields)
		mark_frames(b, index, t->nframes);
	free(index);
	*took = true;
	if (b->nruns > 1)
		rank_frames(b);
	return balance_runs(b, e);
}

bool
build_identity(struct build *b, unsigned identity, struct err *e)
{
	struct reader c = { 0 };
	struct run old;
	bool ok;

	identity &= b->identity;
	if (identity == b->identity)
		return true;
	ok = flush(b, e) && join_runs(b, 1, e);
	if (!ok)
		return false;
	old = b->nruns ? b->runs[0] : (struct run){ 0 };
	b->nruns = 0;
	b->identity = identity;
	b->nrep = 0;
	frames_clear(&b->coarse);
	c.r = &old;
	b->again = true;
	while (ok && run_next(&c))
		ok = build_add(b, c.path, c.len, run_values(&c, b->nt), 0, e);
	ok = ok && flush(b, e) && balance_runs(b, e);
	b->again = false;
	free(c.path);
	run_clear(&old);
	return ok;
}

/* ---- the tree ---- */

/* The strings of the frames move into the tree, each once. */
static void
own_strings(struct tree *t)
{
	struct intern text = { 0 };

	for (uint32_t i = 0; i < t->nframes; i++) {
		struct frame *f = &t->frames[i];
		struct str *field[] = { &f->name, &f->file, &f->module };

		for (size_t k = 0; k < 3; k++) {
			uint32_t id;

			if (k && !field[k]->n)
				continue;
			id = intern_id(&text, *field[k]);
			*field[k] = text.str[id];
		}
	}
	arena_join(&t->arena, &text.text);
	intern_clear(&text);
}

/* Frames, numbered by map, with the attributes of all that stand behind them. */
static void
name_frames(const struct build *b, struct tree *t, uint32_t *map)
{
	uint32_t n = b->frames->n;

	t->frames = arena_calloc(&t->arena, t->nframes, sizeof *t->frames);
	for (uint32_t i = 0; i < n; i++)
		if (map[i] != UINT32_MAX)
			t->frames[map[i]] =
			        frame_identity(&b->frames->at[i], b->identity);
	for (uint32_t i = 0; b->nrep && i < n; i++) {
		if (i >= b->cused || !b->used[i] || map[b->rep[i]] == UINT32_MAX)
			continue;
		frame_attributes(&t->frames[map[b->rep[i]]], &b->frames->at[i],
		                 b->identity);
		map[i] = map[b->rep[i]];
	}
	own_strings(t);
}

/* A tree of the root, with room for more nodes: memory that is not written to is none.
 */
static void
allocate(struct tree *t, size_t n, uint32_t nt, bool kinds)
{
	t->parent = arena_alloc(&t->arena, n * sizeof *t->parent);
	t->frame = arena_alloc(&t->arena, n * sizeof *t->frame);
	t->self = arena_calloc(&t->arena, nt, sizeof *t->self);
	for (uint32_t k = 0; k < nt; k++) {
		t->self[k] = arena_alloc(&t->arena, n * sizeof **t->self);
		t->self[k][0] = 0;
	}
	if (kinds) {
		t->kind = arena_alloc(&t->arena, n);
		t->kind[0] = 0;
	}
	t->parent[0] = NO_PARENT;
	t->frame[0] = 0;
	t->n = 1;
}

bool
build_finish(struct build *b, struct tree *t, uint32_t **base, struct err *e)
{
	struct run none = { 0 }, *x = &b->runs[0], *y = &b->runs[1];
	size_t n = b->frames->n + 1UL, nids;
	struct writer w;
	bool ok;

	if (!flush(b, e) || !join_runs(b, 2, e))
		return false;
	/* Two that share nodes may be a tree though they do not look it. */
	if (b->nruns == 2 && x->nids + y->nids > CAP_NODES && !join_two(b, e))
		return false;
	x = b->nruns > 0 ? &b->runs[0] : &none;
	y = b->nruns > 1 ? &b->runs[1] : &none;
	nids = x->nids + y->nids;
	if (nids > CAP_NODES)
		return err_set(e, ERR_LIMIT, "a tree of more than 2^32 nodes");
	/* The batch is not needed any more, and the columns are the peak. */
	free(b->ids);
	free(b->val);
	b->ids = NULL;
	b->val = NULL;
	b->cids = b->cval = 0;
	allocate(t, nids + 1, b->nt, b->kinds);
	w = writer_to(b, NULL);
	w.t = t;
	w.frame = xmalloc(n * sizeof *w.frame);
	memset(w.frame, 0xff, n * sizeof *w.frame);
	ok = merge_runs(&w, x, y, e);
	if (ok)
		name_frames(b, t, w.frame);
	if (ok && base)
		*base = w.frame;
	else
		free(w.frame);
	writer_clear(&w);
	if (ok)
		forget(b);
	return ok;
}
