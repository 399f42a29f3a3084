/* One document of the tree stream as JSON. treefile.h is the door. */
#ifndef TREEJSON_H
#define TREEJSON_H

#include <stdbool.h>

#include "base/err.h"
#include "bytes/cur.h"
#include "tree/tree.h"

/* text is one object, complete. *t is empty before; cleared by the caller. */
bool treejson_read(struct cur text, struct tree *t, struct err *);

#endif
