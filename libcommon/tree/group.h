/*
 * Stacks and documents to merged trees: the sink at the end of every program. One group
 * is one event, one list of sample types and one value for each of the --by labels.
 * Merging follows flamepipe-tree(5): sum columns add; of gauge columns the last
 * document per instance counts; overflow is an error.
 */
#ifndef GROUP_H
#define GROUP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "tree/stack.h"
#include "tree/tree.h"

struct group_opts {
	const char *const *by; /* labels that split documents */
	size_t nby;
	const char *const
	        *under; /* labels that become frames below the root, in order */
	size_t nunder;
	const struct label *add; /* labels set on every document */
	size_t nadd;
	size_t max_groups; /* 0: CAP_GROUPS */
	bool kinds_apart;  /* frames of different kind are different nodes */
	bool series_apart; /* series do not merge; max_groups counts in each */
	struct warn warn;
};

struct groups;

/* opts must outlive the groups. */
struct groups *groups_new(const struct group_opts *);
/* The sink to push into. */
struct stack_sink *groups_sink(struct groups *);
/*
 * Take a whole document; it is emptied. Differential documents never merge and come
 * out as they are.
 */
bool groups_take(struct groups *, struct tree *, struct err *);
/* The merged documents in canonical order; the caller clears each and frees the array.
 */
bool groups_finish(struct groups *, struct tree **out, size_t *n, struct err *);
void groups_free(struct groups *);

#endif
