/*
 * How far reading is: told by who reads, shown by the program. A zero struct swallows
 * it.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdint.h>

enum progress_when { PROGRESS_AUTO, PROGRESS_NEVER, PROGRESS_ALWAYS };

struct progress {
	/*
	 * So many bytes of the file were read, packed as they are; all: how many there
	 * are, 0 if nobody knows. name NULL: the file is done with.
	 */
	void (*tell)(void *ctx, const char *name, uint64_t done, uint64_t all);
	void *ctx;
};

static inline void
progress_tell(const struct progress *p, const char *name, uint64_t done, uint64_t all)
{
	if (p->tell)
		p->tell(p->ctx, name, done, all);
}

#endif
