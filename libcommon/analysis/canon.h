/*
 * Names of one function from two builds or runs made equal: what compilers, class
 * loaders and address spaces number anew each time is folded. The rules stand at the
 * head of canon.c and in flamediff(1).
 */
#ifndef CANON_H
#define CANON_H

#include "base/buf.h"
#include "base/str.h"
#include "tree/frames.h"

/*
 * The canonical name: name itself if there is nothing to fold, a part of it, or bytes
 * in the scratch buffer, valid until its next use. Never empty unless name is.
 */
struct str names_canon(struct str name, enum frame_class, struct buf *scratch);

#endif
