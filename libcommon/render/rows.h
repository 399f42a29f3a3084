/* What tables of functions share: sums by frame, and cells for a terminal. */
#ifndef ROWS_H
#define ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "bytes/io.h"
#include "tree/tree.h"

struct row {
	uint32_t frame;
	int64_t self, total;
};

/*
 * One row for each frame of the tree, in its order: self summed over all nodes, totals
 * over those that have no caller of the same frame. *all is the total of the tree.
 */
bool rows_fill(const struct tree *, uint32_t type, struct row *, int64_t *all,
               struct err *);
/*
 * A frame as people and folded text see it: its name, and the file and line where these
 * tell it from others. Into the buffer, which is emptied first.
 */
struct str rows_name(struct buf *, const struct frame *, unsigned identity);
/* Text for a terminal: what could steer it becomes '?'. */
void rows_text(struct sink *, struct str);
/* KEY=VALUE behind a separator, and TYPE/UNIT, for a terminal. */
void rows_label(struct sink *, const struct label *, const char *separator);
void rows_type(struct sink *, const struct sample_type *);
/*
 * Text set flush right in so many columns, one for each character; behind a blank at
 * least.
 */
void rows_cell(struct sink *, const char *text, unsigned width);

#endif
