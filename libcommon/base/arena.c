#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FIRST = 4096, BLOCK = 1 << 18, ALIGN = 16, LARGE = 4 << 20, PAGE = 4096 };

struct arena_block {
	struct arena_block *older;
	size_t size;
};

static void
out_of_memory(void)
{
	static const char text[] = "flamepipe: out of memory\n";

	if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
		_exit(2);
	_exit(2);
}

/*
 * Ask for pages of 2 MiB: where the system has them, a first touch of small ones costs
 * more than all else that is done to a column of a tree. All pages that p is on are
 * asked for, so that malloc's mapping stays one and can grow.
 */
static void *
in_large_pages(void *p, size_t n)
{
	size_t before = (uintptr_t)p & (PAGE - 1);

	if (n >= LARGE)
		madvise((char *)p - before,
		        (n + before + PAGE - 1) & ~(size_t)(PAGE - 1), MADV_HUGEPAGE);
	return p;
}

void *
xmalloc(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (!p)
		out_of_memory();
	return in_large_pages(p, n);
}

void *
xcalloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *
xrealloc(void *p, size_t n)
{
	p = realloc(p, n ? n : 1);
	if (!p)
		out_of_memory();
	return p;
}

void
xforget(void *p, size_t n)
{
	const size_t large = (size_t)1 << 21; /* so that no page has to be split */
	size_t before = (0 - (uintptr_t)p) & (large - 1), after;

	if (n <= before)
		return;
	after = ((uintptr_t)p + n) & (large - 1);
	if (n > before + after)
		madvise((char *)p + before, n - before - after, MADV_DONTNEED);
}

void *
xgrow_more(void *p, size_t *cap, size_t count, size_t size)
{
	size_t c = *cap ? *cap : 16, bytes;

	while (c < count)
		if (__builtin_mul_overflow(c, 2U, &c))
			out_of_memory();
	if (__builtin_mul_overflow(c, size, &bytes))
		out_of_memory();
	*cap = c;
	return in_large_pages(xrealloc(p, bytes), bytes);
}

void *
arena_alloc(struct arena *a, size_t n)
{
	size_t need, block;
	char *p;

	if (__builtin_add_overflow(n, (size_t)ALIGN - 1, &need))
		out_of_memory();
	need &= ~(size_t)(ALIGN - 1);
	if (!need)
		need = ALIGN; /* a pointer of its own even for nothing */
	if (need > a->left) {
		struct arena_block *b;

		block = a->total < BLOCK ? FIRST + a->total : BLOCK;
		if (need > block - sizeof *b - ALIGN &&
		    __builtin_add_overflow(need, sizeof *b + ALIGN, &block))
			out_of_memory();
		b = xmalloc(block);
		*b = (struct arena_block){ .older = a->blocks, .size = block };
		a->blocks = b;
		a->total += block;
		p = (char *)(b + 1);
		p += (ALIGN - ((uintptr_t)p & (ALIGN - 1))) & (ALIGN - 1);
		a->next = p;
		a->left = (size_t)((char *)b + block - p);
	}
	p = a->next;
	a->next += need;
	a->left -= need;
	return p;
}

void *
arena_calloc(struct arena *a, size_t count, size_t size)
{
	size_t n;

	if (__builtin_mul_overflow(count, size, &n))
		out_of_memory();
	return memset(arena_alloc(a, n), 0, n);
}

struct str
arena_str(struct arena *a, struct str s)
{
	return (struct str){ arena_strn(a, s.p, s.n), s.n };
}

char *
arena_strn(struct arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 8);

	if (n)
		memcpy(p, s, n);
	memset(p + n, 0, 8);
	return p;
}

void
arena_join(struct arena *a, struct arena *from)
{
	struct arena_block *b = from->blocks;

	if (b) {
		while (b->older)
			b = b->older;
		b->older = a->blocks;
		a->blocks = from->blocks;
		a->next = from->next;
		a->left = from->left;
		a->total += from->total;
	}
	*from = (struct arena){ 0 };
}

void
arena_clear(struct arena *a)
{
	struct arena_block *older;

	for (struct arena_block *b = a->blocks; b; b = older) {
		older = b->older;
		free(b);
	}
	*a = (struct arena){ 0 };
}
