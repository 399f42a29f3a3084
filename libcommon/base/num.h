/*
 * Checked arithmetic and parsing of numbers. The add and mul functions return false
 * on overflow and leave the result unspecified; the parsers take the whole text or
 * fail.
 */
#ifndef NUM_H
#define NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

__extension__ typedef __int128 num_i128;
__extension__ typedef unsigned __int128 num_u128;

static inline bool
num_add_i64(int64_t a, int64_t b, int64_t *out)
{
	return !__builtin_add_overflow(a, b, out);
}

static inline bool
num_add_size(size_t a, size_t b, size_t *out)
{
	return !__builtin_add_overflow(a, b, out);
}

static inline bool
num_mul_size(size_t a, size_t b, size_t *out)
{
	return !__builtin_mul_overflow(a, b, out);
}

/* Decimal digits only. */
bool num_u64(struct str, uint64_t *out);
/* An optional sign, then decimal digits. */
bool num_i64(struct str, int64_t *out);
/* A number of bytes with an optional K, M, G or T (powers of 1024), as in 64M. */
bool num_size(const char *, uint64_t *out);
/*
 * A span of time such as 1h30m, 1.5s or 20ms: numbers with d, h, m, s, ms, us or ns,
 * the larger before the smaller, which come to whole nanoseconds.
 */
bool num_duration(const char *, int64_t *ns);
/* A decimal number such as 0.05, without exponent, sign or locale. */
bool num_frac(const char *, double *out);
/* a * b / c without overflow on the way, towards zero; c > 0; clamped to 64 bits. */
int64_t num_muldiv(int64_t a, int64_t b, int64_t c);
/* Decimal text of v at p (room for 20 bytes and a sign); returns its end. */
char *num_put(char *p, int64_t v);

#endif
