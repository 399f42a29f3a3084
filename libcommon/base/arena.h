/*
 * Memory that goes together: one arena per input, freed in one call. Allocation never
 * returns NULL: out of memory ends the program with a message and status 2, so sizes
 * taken from input are compared with a limit before they come here. The x functions
 * are for what must be freed or grown on its own.
 */
#ifndef ARENA_H
#define ARENA_H

#include <stddef.h>

#include "base/str.h"

struct arena_block;

struct arena {
	struct arena_block *blocks; /* newest first */
	char *next;
	size_t left;
	size_t total; /* bytes taken from the system */
};

/* n bytes aligned to 16, not cleared. */
void *arena_alloc(struct arena *, size_t n);
/* count * size bytes, cleared; a product that overflows is out of memory. */
void *arena_calloc(struct arena *, size_t count, size_t size);
/* A copy of s followed by 8 zero bytes, so that 8-byte loads within it are safe. */
struct str arena_str(struct arena *, struct str s);
/* The same as a C string; s must not contain NUL if the end matters. */
char *arena_strn(struct arena *, const char *s, size_t n);
/* Everything of from belongs to the arena; from is empty. */
void arena_join(struct arena *, struct arena *from);
/* Free everything; the arena is empty and usable again. */
void arena_clear(struct arena *);

void *xmalloc(size_t n);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *p, size_t n);
/* The first n bytes are not read again: their memory goes back before p is freed. */
void xforget(void *p, size_t n);
void *xgrow_more(void *p, size_t *cap, size_t count, size_t size);

/* Room for count elements: doubles *cap until it holds them; returns the new p. */
static inline void *
xgrow(void *p, size_t *cap, size_t count, size_t size)
{
	return count <= *cap && p ? p : xgrow_more(p, cap, count, size);
}

#endif
