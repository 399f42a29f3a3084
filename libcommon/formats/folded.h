/*
 * Folded (collapsed) stack text: one stack a line, frames from root to leaf joined by
 * ';', blanks, a decimal count. The format has no grammar of its own; ours:
 *
 * - one trailing CR and trailing blanks go; empty lines and lines that begin with '#'
 *   are comments;
 * - the count is the last run of bytes without blanks: digits, perhaps with a minus
 * (what a difference of two profiles holds), a fraction, an exponent; the stack is all
 * before it, without the blanks at its end; an empty stack needs a blank before its
 * count;
 * - empty frames are frames without a name; inner blanks belong to names;
 * - _[k] _[j] _[i] _[0] _[1] at the end of a frame say how it ran (kernel, jit,
 * inlined, interpreted, c1) and are not part of its name.
 *
 * Lines that do not fit are counted and left out, and said once.
 */
#ifndef FOLDED_H
#define FOLDED_H

#include <stdbool.h>
#include <stdint.h>

#include "bytes/io.h"
#include "tree/stack.h"

struct folded_opts {
	const char *event; /* NULL: none */
	const char *type;  /* NAME/UNIT; NULL: samples/count */
	uint64_t scale; /* counts are multiplied by it, then rounded half to even; 0: 1
	                 */
	bool comments;  /* lines that begin with '#' are stacks */
	bool unescape;  /* \; \\ \s \n in names */
	bool plain;     /* annotations are part of names */
	struct warn warn;
};

struct folded_stats {
	uint64_t accepted, rejected, rounded, empty_frames;
	size_t bad_utf8;
	uint64_t first_line; /* of the first rejected, from 1 */
};

/* Fails when lines were rejected and none accepted. */
bool folded_read(struct source *, const struct folded_opts *, struct stack_sink *,
                 struct folded_stats *, struct err *);
/* Whether at least half of the lines are "stack count". */
bool folded_sniff(struct str head);

#endif
