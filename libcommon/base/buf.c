#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/num.h"

char *
buf_room(struct buf *b, size_t n)
{
	size_t need = b->n + n < n ? SIZE_MAX : b->n + n;

	if (need > b->cap)
		b->p = xgrow(b->p, &b->cap, need, 1);
	return b->p + b->n;
}

void
buf_put(struct buf *b, const void *p, size_t n)
{
	if (!n)
		return;
	memcpy(buf_room(b, n), p, n);
	b->n += n;
}

void
buf_str(struct buf *b, struct str s)
{
	buf_put(b, s.p, s.n);
}

void
buf_int(struct buf *b, int64_t v)
{
	char *p = buf_room(b, 24);

	b->n += (size_t)(num_put(p, v) - p);
}

void
buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap, again;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n > 0) {
		vsnprintf(buf_room(b, (size_t)n + 1), (size_t)n + 1, fmt, again);
		b->n += (size_t)n;
	}
	va_end(again);
}

void
buf_clear(struct buf *b)
{
	free(b->p);
	*b = (struct buf){ 0 };
}
