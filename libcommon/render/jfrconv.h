/*
 * async-profiler's converter: its options, and its lines. A line for each node with a
 * value of its own, frames with suffixes that tell how they ran for the most part. The
 * suffix of a node depends on the totals of one column, so the tree must have been
 * built with kinds apart from a recording read with jfr_opts.names.jfrconv.
 */
#ifndef JFRCONV_H
#define JFRCONV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "bytes/io.h"
#include "tree/tree.h"

struct filter;

/* What its options ask for beyond what a filter has options for. */
struct jfrconv {
	double min_width;            /* leave out what is less than so many per cent */
	struct buf include, exclude; /* patterns that a name must match as a whole */
	struct buf words;            /* storage of the options */
	const char *above[2];        /* labels that are frames at the root */
};

/*
 * Set up a filter as jfrconv's own options would have it, "--alloc --total -t"; of text
 * (-o collapsed) alone. What it points to stays in *j, which is used once.
 */
bool jfrconv_options(struct jfrconv *j, const char *options, struct filter *,
                     struct err *);
void jfrconv_clear(struct jfrconv *);
/* Fails if totals overflow. */
bool jfrconv_write(const struct tree *, uint32_t type, double min_width, struct sink *,
                   struct err *);

#endif
