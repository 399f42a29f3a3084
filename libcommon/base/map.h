/*
 * Hash tables, open addressing: 64-bit keys to 32-bit values, and interned bytes.
 * The hash is seeded once per process so that input cannot choose collisions; nothing
 * that programs print depends on it. FLAMEPIPE_HASH_SEED fixes the seed for tests.
 */
#ifndef MAP_H
#define MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/num.h"
#include "base/str.h"

/* Keys are any 64-bit numbers; at most 2^31 of them. */
struct map {
	struct map_slot *slots;
	size_t mask, n;
};

/* Where the value of key is, or NULL. Valid until the next map_put. */
uint32_t *map_get(const struct map *, uint64_t key);
/* Where the value of key is, made (0) if new; *fresh tells. */
uint32_t *map_put(struct map *, uint64_t key, bool *fresh);
/* Forget the keys, keep the memory. */
void map_reset(struct map *);
void map_clear(struct map *);

/* Bytes to ids 0, 1, 2 in order of first use. */
struct intern {
	struct arena text; /* the bytes, each followed by 8 zero bytes */
	struct str *str;   /* by id */
	size_t n, cap;
	struct intern_slot *slots;
	size_t mask;
};

uint32_t intern_id(struct intern *, struct str);
/* The id of bytes that may be there, else UINT32_MAX. */
uint32_t intern_find(const struct intern *, struct str);
void intern_clear(struct intern *);

/* The seed of this process. */
uint64_t hash_seed(void);

/* 64 x 64 -> 128 bits, folded: every bit of the result depends on every bit of both. */
static inline uint64_t
hash_mix(uint64_t a, uint64_t b)
{
	num_u128 r = (num_u128)a * b;

	return (uint64_t)r ^ (uint64_t)(r >> 64);
}

/* Hash of bytes under a seed. */
uint64_t hash_bytes(const void *, size_t n, uint64_t seed);

#endif
