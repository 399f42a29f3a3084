/* One document of the tree stream as the protobuf message Tree, by protobuf-c. */
#ifndef TREEPB_H
#define TREEPB_H

#include <stdbool.h>

#include "base/err.h"
#include "bytes/io.h"
#include "tree/tree.h"

struct envelope;

/* *t is empty before; cleared by the caller. */
bool treepb_read(struct str message, struct tree *t, struct err *);
bool treepb_read_envelope(struct str message, struct envelope *, struct err *);

#endif
