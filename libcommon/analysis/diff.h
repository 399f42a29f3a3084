/*
 * Two trees to one differential tree: the union of their nodes in canonical order, all
 * columns of base, then all columns of target, raw, and for each sample type the scale
 * that makes target comparable. Swapping the trees swaps the columns and inverts the
 * scales, and changes nothing else.
 */
#ifndef DIFF_H
#define DIFF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "tree/tree.h"

enum diff_norm {
	DIFF_NONE, /* values as they are */
	DIFF_SHARE /* target is scaled to the total of base */
};

/* The names that --norm takes, for help. */
extern const char diff_norms[];
bool diff_norm(const char *name, enum diff_norm *out);

struct diff_opts {
	enum diff_norm norm;
	bool no_canon; /* names are compared as they stand */
	struct warn warn;
};

/* Whether both have the same sample types, in whatever order. */
bool diff_comparable(const struct meta *base, const struct meta *target);
/*
 * *out was empty; nothing of it points into the inputs. Sample types that only one side
 * has are an error that names them.
 */
bool diff_trees(const struct tree *base, const struct tree *target,
                const struct diff_opts *, struct tree *out, struct err *);
/*
 * The change of a value: target times scale, less base; 0 where the two are equal
 * within what the scale can be off by rounding (4 in 2^52).
 */
double diff_change(int64_t base, int64_t target, double scale);
/* The scale of sample type k < ntypes / 2 of a differential document. */
double diff_scale(const struct tree *, uint32_t k);
/* Whether any node's own value of sample type k has changed. */
bool diff_differs(const struct tree *, uint32_t k);

#endif
