#include "tree/frames.h"

#include <stdlib.h>

#include "base/map.h"
#include "tree/keysort.h"

const char *const frame_class_name[CLASS_COUNT] = {
	[CLASS_NONE] = "",       [CLASS_CXX] = "cxx",         [CLASS_KERNEL] = "kernel",
	[CLASS_LABEL] = "label", [CLASS_MANAGED] = "managed", [CLASS_NATIVE] = "native",
	[CLASS_TYPE] = "type",
};

const char *const frame_kind_name[KIND_COUNT] = {
	[KIND_NONE] = "",
	[KIND_JIT] = "jit",
	[KIND_C1] = "c1",
	[KIND_INLINED] = "inlined",
	[KIND_INTERPRETED] = "interpreted",
};

struct frames_slot {
	uint64_t hash;
	uint32_t id; /* + 1; 0: free */
	uint32_t pad;
};

static bool
same(const struct frame *a, const struct frame *b)
{
	return a->class == b->class && str_eq(a->name, b->name) && a->line == b->line &&
	        a->address == b->address && str_eq(a->file, b->file) &&
	        str_eq(a->module, b->module);
}

static uint64_t
hash_frame(const struct frame *f)
{
	uint64_t h = hash_bytes(f->name.p, f->name.n, hash_seed() + (uint64_t)f->class);

	/* Each field by itself and under the seed: none can be chosen to undo another.
	 */
	if (f->file.n)
		h = hash_mix(h ^ hash_bytes(f->file.p, f->file.n, hash_seed() + 16),
		             0x9e3779b97f4a7c15U);
	if (f->module.n)
		h = hash_mix(h ^ hash_bytes(f->module.p, f->module.n, hash_seed() + 17),
		             0x9e3779b97f4a7c15U);
	if (f->line)
		h = hash_mix(h ^ (uint64_t)f->line, 0xd6e8feb86659fd93U);
	if (f->address)
		h = hash_mix(h ^ f->address, 0xa0761d6478bd642fU);
	return h;
}

static void
resize(struct frames *t, size_t slots)
{
	struct frames_slot *old = t->slots;
	size_t mask = t->mask;

	t->slots = xcalloc(slots, sizeof *t->slots);
	t->mask = slots - 1;
	for (size_t i = 0; old && i <= mask; i++) {
		size_t j = (size_t)old[i].hash & t->mask;

		if (!old[i].id)
			continue;
		while (t->slots[j].id)
			j = (j + 1) & t->mask;
		t->slots[j] = old[i];
	}
	free(old);
}

static struct str
kept(struct frames *t, struct str s)
{
	uint32_t id = intern_id(&t->text, s);

	return t->text.str[id];
}

uint32_t
frames_index(struct frames *t, const struct frame *f)
{
	uint64_t hash = hash_frame(f);
	struct frames_slot *s;
	struct frame *new;
	size_t i;

	if (!t->slots || ((size_t)t->n + 1) * 2 > t->mask)
		resize(t, t->slots ? (t->mask + 1) * 2 : 256);
	for (i = (size_t)hash & t->mask; (s = &t->slots[i])->id; i = (i + 1) & t->mask)
		if (s->hash == hash && same(&t->at[s->id - 1], f))
			return s->id - 1;
	t->at = xgrow(t->at, &t->cap, (size_t)t->n + 1, sizeof *t->at);
	new = &t->at[t->n++];
	*new = *f;
	new->name = kept(t, f->name);
	new->file = f->file.n ? kept(t, f->file) : (struct str){ 0 };
	new->module = f->module.n ? kept(t, f->module) : (struct str){ 0 };
	t->fields |= (f->file.n ? ID_FILE : 0U) | (f->line ? ID_LINE : 0U) |
	        (f->module.n ? ID_MODULE : 0U) | (f->address ? ID_ADDRESS : 0U);
	*s = (struct frames_slot){ .hash = hash, .id = t->n };
	return t->n - 1;
}

uint32_t
frames_find(const struct frames *t, const struct frame *f)
{
	uint64_t hash = hash_frame(f);
	const struct frames_slot *s;

	for (size_t i = (size_t)hash & t->mask; (s = &t->slots[i])->id;
	     i = (i + 1) & t->mask)
		if (s->hash == hash && same(&t->at[s->id - 1], f))
			return s->id - 1;
	return UINT32_MAX;
}

uint32_t
frames_name(struct frames *t, struct str name, enum frame_class class)
{
	return frames_index(t, &(struct frame){ .name = name, .class = class });
}

int
frame_cmp(const struct frame *a, const struct frame *b, unsigned identity)
{
	int c;

	if ((c = str_cmp(a->name, b->name)))
		return c;
	if (a->class != b->class)
		return (a->class > b->class) - (a->class < b->class);
	if ((identity & ID_FILE) && (c = str_cmp(a->file, b->file)))
		return c;
	if ((identity & ID_MODULE) && (c = str_cmp(a->module, b->module)))
		return c;
	if ((identity & ID_LINE) && a->line != b->line)
		return (a->line > b->line) - (a->line < b->line);
	if ((identity & ID_ADDRESS) && a->address != b->address)
		return (a->address > b->address) - (a->address < b->address);
	return 0;
}

struct frame
frame_identity(const struct frame *f, unsigned identity)
{
	struct frame m = { .name = f->name, .class = f->class };

	if (identity & ID_FILE)
		m.file = f->file;
	if (identity & ID_MODULE)
		m.module = f->module;
	if (identity & ID_LINE)
		m.line = f->line;
	if (identity & ID_ADDRESS)
		m.address = f->address;
	return m;
}

/* Known before not known, then bytewise. */
static int
attribute_cmp(struct str a, struct str b)
{
	return !a.n || !b.n ? (a.n == 0) - (b.n == 0) : str_cmp(a, b);
}

void
frame_attributes(struct frame *to, const struct frame *from, unsigned identity)
{
	/* A line means something only in its file: the pair is one attribute. */
	if (!(identity & ID_FILE)) {
		int c = attribute_cmp(from->file, to->file);
		bool line = !(identity & ID_LINE);

		if (c < 0) {
			to->file = from->file;
			if (line)
				to->line = from->line;
		} else if (c == 0 && line && from->line &&
		           (!to->line || from->line < to->line)) {
			to->line = from->line;
		}
	} else if (!(identity & ID_LINE) && from->line &&
	           (!to->line || from->line < to->line)) {
		to->line = from->line;
	}
	if (!(identity & ID_MODULE) && attribute_cmp(from->module, to->module) < 0)
		to->module = from->module;
	if (!(identity & ID_ADDRESS))
		to->address = 0;
}

/*
 * Seven bytes of the names from depth on, big endian, zeros behind the end, and below
 * them how many there were, 8 where the name goes on: names may hold zero bytes.
 */
static void
load_names(const void *ctx, struct keyed *e, size_t n, size_t depth)
{
	const struct frames *t = ctx;

	for (size_t i = 0; i < n; i++) {
		struct str name = t->at[e[i].item].name;
		size_t left = depth < name.n ? name.n - depth : 0;
		uint64_t w = 0;

		if (i + 8 < n)
			__builtin_prefetch(t->at[e[i + 8].item].name.p + depth);
		if (left) {
			memcpy(&w, name.p + depth, 8); /* names are padded */
			w = __builtin_bswap64(w);
			w &= left < 7 ? ~0ULL << (64 - 8 * left) : ~0xffULL;
		}
		e[i].key = w | (left < 8 ? left : 8);
	}
}

struct rank_ctx {
	const struct frames *t;
	unsigned identity;
};

static int
rank_cmp(const void *a, const void *b, void *ctx)
{
	const struct rank_ctx *c = ctx;
	const struct keyed *x = a, *y = b;

	return frame_cmp(&c->t->at[x->item], &c->t->at[y->item], c->identity);
}

void
frames_rank(const struct frames *t, const uint32_t *index, size_t n, unsigned identity,
            uint32_t *rank)
{
	struct keyed *e = xmalloc(n * sizeof *e);
	struct keysort how = { .load = load_names, .ctx = t, .step = 7, .end = 8 };
	struct rank_ctx ctx = { t, identity };

	for (size_t i = 0; i < n; i++)
		e[i] = (struct keyed){ .item = index[i] };
	keysort(e, n, &how);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1;
		     k < n && str_eq(t->at[e[i].item].name, t->at[e[k].item].name); k++)
			;
		if (k - i > 1)
			qsort_r(e + i, k - i, sizeof *e, rank_cmp, &ctx);
	}
	for (size_t i = 0; i < n; i++)
		rank[e[i].item] = (uint32_t)i + 1;
	free(e);
}

void
frames_clear(struct frames *t)
{
	free(t->at);
	free(t->slots);
	intern_clear(&t->text);
	*t = (struct frames){ 0 };
}
