/*
 * The call tree as columns: what a document of the tree stream is in memory. Nodes are
 * in preorder, parent[i] < i; node 0 is the root, without a frame. A tree in canonical
 * order has siblings sorted by frame_cmp and frames in order of first use. Totals are
 * derived, never stored.
 */
#ifndef TREE_H
#define TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "tree/frames.h"
#include "tree/stack.h"

#define NO_PARENT UINT32_MAX

/* Order and time: one row an event, sorted by (t, thread, node). */
struct tree_events {
	size_t n;
	int64_t *t; /* ns from start_ns */
	uint32_t *node;
	uint32_t *thread; /* index into threads */
	int64_t **self;   /* by sample type */
	struct str *threads;
	size_t nthreads;
};

/* One side of a differential document. */
struct tree_side {
	struct str name; /* "base", "target" */
	struct label *labels;
	size_t nlabels;
	int64_t start_ns, end_ns, duration_ns;
	uint64_t profiles;
};

/* Numbers per node that do not add: z scores, statuses of a gate. */
struct tree_mark {
	struct str name;
	double *value; /* one per node; NaN: none */
};

struct tree {
	struct meta meta;
	struct frame *frames;
	uint32_t nframes;
	uint32_t n; /* nodes, at least 1 */
	uint32_t *parent;
	uint32_t *frame;            /* frame[0] is 0 and means nothing */
	int64_t **self;             /* by sample type, then by node */
	uint8_t *kind;              /* enum frame_kind by node, or NULL */
	struct tree_events *events; /* or NULL */
	/* A differential document: types are all of base, then all of target. */
	struct tree_side *sides; /* base, target, or NULL */
	struct str norm;         /* how the sides compare: "none", "share" ... */
	double *scale; /* what target values are multiplied by, per type pair */
	uint32_t nscale;
	struct tree_mark *marks;
	size_t nmarks;
	struct arena arena; /* everything above lives here */
};

void tree_clear(struct tree *);
/* Total of each node for one sample type into out[n]. False on overflow. */
bool tree_totals(const struct tree *, uint32_t type, int64_t *out, struct err *);
/* Depth of each node into out[n], the root being 0; returns the greatest. */
uint32_t tree_depths(const struct tree *, uint32_t *out);
/*
 * Everything that a reader of foreign documents must check: parents before children in
 * preorder, frames and threads within their tables, as many columns as types.
 */
bool tree_check(const struct tree *, struct err *);
/* Whether siblings are sorted and distinct and frames in order of first use. */
bool tree_canonical(const struct tree *);
/*
 * Walk the paths that make up the tree: each node with a value or without children,
 * with its ids in terms of a table of frames, to which they are added. hash is
 * stack_hash of the ids.
 */
struct tree_path {
	const uint32_t *ids;
	size_t depth;
	uint64_t hash;
	uint32_t node;
};
bool tree_paths(const struct tree *, struct frames *,
                bool (*each)(void *ctx, const struct tree_path *, struct err *),
                void *ctx, struct err *);
/* (parent << 32 | frame) to node, for every node but the root; the caller clears it. */
void tree_child_map(const struct tree *, struct map *);
/*
 * Push the tree as a series: each node with a value or without children once; a tree
 * with events pushes these instead, timed. Sides and marks stay behind.
 */
bool tree_push(const struct tree *, struct stack_sink *, struct err *);
/* The same into a series that is open and stays so. */
bool tree_push_stacks(const struct tree *, struct stack_sink *, uint32_t series,
                      struct err *);
/*
 * Put the tree into canonical order, joining equal siblings; events and marks follow
 * (of marks that meet, the first is kept).
 */
bool tree_sort(struct tree *, struct err *);
/*
 * Keep one sample type alone, and of the nodes those on the way to a value other than
 * zero.
 */
void tree_keep_type(struct tree *, uint32_t type);
/* Sort the rows by (t, thread, node); the new columns are in the arena. */
void tree_events_sort(struct tree_events *, uint32_t ntypes, struct arena *);
/* Documents: event, then canonical label text, then start, then sample types. */
int tree_order(const struct tree *, const struct tree *);

#endif
