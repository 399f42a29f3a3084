/*
 * The narrow waist. Readers push weighted stacks, one series at a time or several side
 * by side; trees, filters and counters are sinks. Labels travel with every stack, so
 * that what a reader knows is lost only where somebody decides to drop it.
 */
#ifndef STACK_H
#define STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/map.h"
#include "base/str.h"
#include "tree/frames.h"

/* How the values of a sample type behave when documents are merged. */
enum agg {
	AGG_SUM,   /* adds over everything */
	AGG_GAUGE, /* adds over instances, never over time */
	AGG_FINAL  /* a collapsed gauge or mean: refuses merging */
};

struct sample_type {
	struct str type, unit;
	enum agg agg;
};

struct label {
	struct str key, value;
};

/* What stands above the stacks of one series, and at the head of a tree document. */
struct meta {
	struct sample_type *types;
	uint32_t ntypes;
	uint32_t shown;       /* index of the type to show first; NO_TYPE: not said */
	struct label *labels; /* sorted by key, keys distinct */
	size_t nlabels;
	int64_t start_ns, end_ns; /* Unix time; 0: not known */
	int64_t duration_ns; /* observed time summed over instances; 0: not known */
	uint64_t profiles;   /* how many were merged; 0: not known */
	struct sample_type period_type;
	int64_t period; /* in units of period_type; 0 with an empty type: not known */
	unsigned identity;  /* ID_ bits */
	uint64_t truncated; /* source stacks cut at the producer's depth limit */
};

#define NO_TYPE UINT32_MAX

/* By key, as everything that has labels wants them. */
void labels_sort(struct label *, size_t n);
/* The value of a label, or an empty view with p NULL. */
struct str label_get(const struct label *, size_t n, struct str key);
/* A copy whose strings and arrays are in the arena. */
void meta_copy(struct meta *to, const struct meta *from, struct arena *);
/*
 * Set or replace a label, keeping the order. The array grows in the arena; key and
 * value are not copied.
 */
void meta_label(struct meta *, struct str key, struct str value, struct arena *);
/*
 * The index of the sample type that -t names: TYPE, TYPE/UNIT, /UNIT, an index, or a
 * unit that only one type has. NULL: the one to show first.
 */
bool meta_type(const struct meta *, const char *name, uint32_t *out, struct err *);
/* The type to show first: shown, else the last one. Needs ntypes > 0. */
uint32_t meta_shown(const struct meta *);

struct stack {
	const uint32_t *frames; /* frame ids, root first */
	size_t depth;
	const int64_t *values; /* one per sample type of the series */
	const struct label *labels;
	size_t nlabels;
	uint64_t hash; /* stack_hash of the ids; 0: not known */
	/* Order and time, where asked for. */
	bool timed;
	int64_t time_ns;   /* Unix time */
	struct str thread; /* name of the thread; may be empty */
};

/* The stack's own value of a label, else that of its series, else p NULL. */
struct str stack_label(const struct stack *, const struct meta *, struct str key);
/* The id of a label drawn as a frame; a value with p NULL is drawn as "(no KEY)". */
uint32_t stack_label_frame(struct frames *, const char *key, struct str value);

struct stack_sink {
	struct frames *frames; /* the table that ids refer to; readers add to it */
	bool labels; /* labels of stacks are looked at: readers must give them */
	/* These alone; none: all that there are. The strings outlive the sink. */
	const struct str *want;
	size_t nwant;
	/* A series begins; all but times, duration, profiles and truncated is known. */
	bool (*begin)(struct stack_sink *, const struct meta *, uint32_t *series,
	              struct err *);
	/* One stack. Nothing that it points to is kept. */
	bool (*push)(struct stack_sink *, uint32_t series, const struct stack *,
	             struct err *);
	/* The series ends; meta as at begin, now complete. */
	bool (*end)(struct stack_sink *, uint32_t series, const struct meta *,
	            struct err *);
};

/* Hash of a path: h of the parent's path (STACK_HASH for the root), and the next id. */
#define STACK_HASH (hash_seed() ^ 0x2545f4914f6cdd1dU)

static inline uint64_t
stack_hash_step(uint64_t h, uint32_t id)
{
	return hash_mix(h ^ (id + 1ULL), 0x9e3779b97f4a7c15U);
}

static inline uint64_t
stack_hash(const uint32_t *ids, size_t n)
{
	uint64_t h = STACK_HASH;

	for (size_t i = 0; i < n; i++)
		h = stack_hash_step(h, ids[i]);
	return h;
}

#endif
