/*
 * A tree as the lines that jfrconv writes: one for each node with a value of its own,
 * frames with suffixes that tell how they ran for the most part. The suffix of a node
 * depends on the totals of one column, so the tree must have been built with kinds
 * apart from a recording read with jfr_opts.jfrconv.
 */
#ifndef JFRCONV_H
#define JFRCONV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "bytes/io.h"
#include "tree/tree.h"

/* Fails if totals overflow. */
bool jfrconv_write(const struct tree *, uint32_t type, struct sink *, struct err *);

#endif
