#include "base/map.h"

#include <stdlib.h>
#include <sys/random.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

struct map_slot {
	uint64_t key;
	uint32_t value;
	uint32_t used;
};

struct intern_slot {
	uint64_t hash;
	uint32_t id; /* + 1; 0: free */
	uint32_t pad;
};

uint64_t
hash_seed(void)
{
	static uint64_t seed;
	const char *fixed;

	if (seed)
		return seed;
	fixed = getenv("FLAMEPIPE_HASH_SEED");
	if (!(fixed && num_u64(str_of(fixed), &seed)) &&
	    getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed)
		seed = 0x9e3779b97f4a7c15U;
	seed |= 1;
	return seed;
}

uint64_t
hash_bytes(const void *p, size_t n, uint64_t seed)
{
	return XXH3_64bits_withSeed(p, n, seed);
}

static size_t
slot_of(uint64_t key, size_t mask)
{
	return (size_t)hash_mix(key ^ hash_seed(), 0x9e3779b97f4a7c15U) & mask;
}

static struct map_slot *
map_find(const struct map *m, uint64_t key)
{
	size_t i = slot_of(key, m->mask);

	while (m->slots[i].used && m->slots[i].key != key)
		i = (i + 1) & m->mask;
	return &m->slots[i];
}

uint32_t *
map_get(const struct map *m, uint64_t key)
{
	struct map_slot *s;

	if (!m->n)
		return NULL;
	s = map_find(m, key);
	return s->used ? &s->value : NULL;
}

static void
map_resize(struct map *m, size_t slots)
{
	struct map old = *m;

	m->slots = xcalloc(slots, sizeof *m->slots);
	m->mask = slots - 1;
	for (size_t i = 0; old.slots && i <= old.mask; i++)
		if (old.slots[i].used)
			*map_find(m, old.slots[i].key) = old.slots[i];
	free(old.slots);
}

uint32_t *
map_put(struct map *m, uint64_t key, bool *fresh)
{
	struct map_slot *s;

	if (!m->slots || (m->n + 1) * 2 > m->mask)
		map_resize(m, m->slots ? (m->mask + 1) * 2 : 64);
	s = map_find(m, key);
	if (fresh)
		*fresh = !s->used;
	if (!s->used) {
		*s = (struct map_slot){ .key = key, .used = 1 };
		m->n++;
	}
	return &s->value;
}

void
map_reset(struct map *m)
{
	if (m->slots)
		memset(m->slots, 0, (m->mask + 1) * sizeof *m->slots);
	m->n = 0;
}

void
map_clear(struct map *m)
{
	free(m->slots);
	*m = (struct map){ 0 };
}

static struct intern_slot *
intern_slot(const struct intern *t, struct str s, uint64_t hash)
{
	size_t i = (size_t)hash & t->mask;

	while (t->slots[i].id &&
	       (t->slots[i].hash != hash || !str_eq(t->str[t->slots[i].id - 1], s)))
		i = (i + 1) & t->mask;
	return &t->slots[i];
}

static void
intern_resize(struct intern *t, size_t slots)
{
	struct intern_slot *old = t->slots;
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

uint32_t
intern_id(struct intern *t, struct str s)
{
	uint64_t hash = hash_bytes(s.p, s.n, hash_seed());
	struct intern_slot *slot;

	if (!t->slots || (t->n + 1) * 2 > t->mask)
		intern_resize(t, t->slots ? (t->mask + 1) * 2 : 64);
	slot = intern_slot(t, s, hash);
	if (slot->id)
		return slot->id - 1;
	t->str = xgrow(t->str, &t->cap, t->n + 1, sizeof *t->str);
	t->str[t->n++] = arena_str(&t->text, s);
	*slot = (struct intern_slot){ .hash = hash, .id = (uint32_t)t->n };
	return (uint32_t)t->n - 1;
}

uint32_t
intern_find(const struct intern *t, struct str s)
{
	if (!t->n)
		return UINT32_MAX;
	return intern_slot(t, s, hash_bytes(s.p, s.n, hash_seed()))->id - 1;
}

void
intern_clear(struct intern *t)
{
	arena_clear(&t->text);
	free(t->str);
	free(t->slots);
	*t = (struct intern){ 0 };
}
