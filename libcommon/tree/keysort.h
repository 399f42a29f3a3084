/*
 * Sorting sequences by 64-bit pieces: each item shows its next piece as one number, and
 * only items whose pieces are equal are looked at deeper. A work list takes the place
 * of recursion, heapsort steps in where quicksort would go bad, so no input is slow.
 */
#ifndef KEYSORT_H
#define KEYSORT_H

#include <stddef.h>
#include <stdint.h>

struct keyed {
	uint64_t key;
	uint32_t item;
	uint32_t aux; /* travels along */
};

struct keysort {
	/* Set the key of n items to the piece that begins at depth. */
	void (*load)(const void *ctx, struct keyed *, size_t n, size_t depth);
	const void *ctx;
	size_t step;  /* what one piece covers */
	uint64_t end; /* an item ends within a piece where (key & end) == 0 */
};

/* Sort by pieces. Items with all pieces equal come in no particular order. */
void keysort(struct keyed *, size_t n, const struct keysort *);

#endif
