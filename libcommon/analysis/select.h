/*
 * Selection on any stacks: a sink before a sink. Patterns are POSIX extended regular
 * expressions, matched unanchored against a frame's name, file and module; each frame
 * is looked at once.
 */
#ifndef SELECT_H
#define SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "tree/stack.h"

struct select_label;

struct select_opts {
	/*
	 * Labels that become frames at the root before anything is looked at, so that
	 * patterns match them and skip counts them.
	 */
	const char *const *above;
	size_t nabove;
	const char *focus;  /* keep stacks in which some frame matches */
	const char *ignore; /* drop stacks in which some frame matches */
	const char *hide;   /* take matching frames out; stacks that lose all go */
	const char *show;   /* take all other frames out; stacks that lose all go */
	/* Keep stacks of which a label matches: all of these. */
	const struct select_label *labels;
	size_t nlabels;
	/* Afterwards: */
	size_t skip;  /* leave out so many frames at the root */
	bool reverse; /* what is left, from the leaf to the root */
	size_t stay;  /* so many frames at the root stay there when reversed */
};

struct select_label {
	const char *key, *regex;
};

struct select;

/* Whether there is anything to select. */
bool select_wanted(const struct select_opts *);
/* NULL if a pattern is not well formed, the error saying which. */
struct select *select_new(const struct select_opts *, struct stack_sink *to,
                          struct err *);
struct stack_sink *select_sink(struct select *);
/* How many stacks went on, and how many came. */
uint64_t select_passed(const struct select *, uint64_t *came);
void select_free(struct select *);

#endif
