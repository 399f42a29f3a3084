/* UTF-8 as RFC 3629 has it: no surrogates, nothing overlong, at most U+10FFFF. */
#ifndef UTF8_H
#define UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

bool utf8_valid(struct str);
/*
 * Length of the well-formed sequence at p (n > 0 bytes left), its code point in *cp;
 * 0 if there is none.
 */
size_t utf8_next(const char *p, size_t n, uint32_t *cp);
/* Append a code point; surrogates and what lies beyond become U+FFFD. */
void utf8_put(struct buf *, uint32_t cp);
/*
 * s itself if it is valid, else a copy in the arena in which each maximal bad part is
 * U+FFFD; *bad (may be NULL) is then increased by one.
 */
struct str utf8_clean(struct arena *, struct str s, size_t *bad);

#endif
