/*
 * A view of bytes: pointer and length, not terminated, owned elsewhere. Names in
 * profiles may hold any byte, NUL included, so lengths travel with them.
 */
#ifndef STR_H
#define STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct str {
	const char *p; /* may be NULL when n is 0 */
	size_t n;
};

/* A literal as a view. */
#define STR(lit) ((struct str){ "" lit, sizeof(lit) - 1 })

static inline struct str
str_of(const char *s)
{
	return (struct str){ s, s ? strlen(s) : 0 };
}

static inline bool
str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* Bytewise order, a prefix before what extends it. */
static inline int
str_cmp(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.n > b.n) - (a.n < b.n);
}

static inline bool
str_starts(struct str s, struct str prefix)
{
	return s.n >= prefix.n &&
	        (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

static inline bool
str_ends(struct str s, struct str suffix)
{
	return s.n >= suffix.n &&
	        (suffix.n == 0 ||
	         memcmp(s.p + s.n - suffix.n, suffix.p, suffix.n) == 0);
}

#endif
