/* Growing bytes. All-zero is an empty buffer; p is not terminated. */
#ifndef BUF_H
#define BUF_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct buf {
	char *p;
	size_t n, cap;
};

/* Room for n more bytes; returns where they go. The caller advances b->n. */
char *buf_room(struct buf *, size_t n);
void buf_put(struct buf *, const void *, size_t n);
void buf_str(struct buf *, struct str);
void buf_int(struct buf *, int64_t);
void buf_printf(struct buf *, const char *fmt, ...)
        __attribute__((format(printf, 2, 3)));
void buf_clear(struct buf *);

static inline void
buf_char(struct buf *b, char c)
{
	if (b->n == b->cap)
		buf_room(b, 1);
	b->p[b->n++] = c;
}

static inline struct str
buf_view(const struct buf *b)
{
	return (struct str){ b->p, b->n };
}

#endif
