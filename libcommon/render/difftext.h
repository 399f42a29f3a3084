/* A differential document as a table of functions for people. */
#ifndef DIFFTEXT_H
#define DIFFTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "bytes/io.h"
#include "tree/tree.h"

/*
 * The largest changes of one sample type (an index below ntypes / 2), by self and by
 * total, so many rows each (0: all).
 */
bool difftext_write(const struct tree *, uint32_t type, size_t rows, struct sink *,
                    struct err *);

#endif
