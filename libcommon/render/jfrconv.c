/*
 * To jfrconv, frames that were interpreted, inlined, compiled by C1 or by C2 are one
 * node, which counts how much of its total came in the first three ways. Here they are
 * siblings of different kind; they are joined from the root down, and each adds its
 * total to the counter of its kind.
 */
#include "render/jfrconv.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/num.h"

struct node {
	uint32_t parent, frame;
	int64_t self, total;
	int64_t by_kind[KIND_COUNT];
};

/* The joined nodes, parents before children; node 0 is the root. */
static bool
join(const struct tree *t, uint32_t type, struct node **out, uint32_t *n, struct err *e)
{
	uint32_t *joined = xmalloc((size_t)t->n * sizeof *joined);
	int64_t *total = xmalloc((size_t)t->n * sizeof *total);
	struct map at = { 0 };
	struct node *nodes = NULL;
	size_t cap = 0;
	bool ok = tree_totals(t, type, total, e);

	*n = 0;
	for (uint32_t i = 0; ok && i < t->n; i++) {
		uint32_t parent = i ? joined[t->parent[i]] : 0;
		uint8_t kind = t->kind ? t->kind[i] : KIND_NONE;
		struct node *node;
		bool fresh = true;
		uint32_t *index = NULL;

		if (i)
			index = map_put(&at, (uint64_t)parent << 32 | t->frame[i],
			                &fresh);
		if (fresh) {
			nodes = xgrow(nodes, &cap, (size_t)*n + 1, sizeof *nodes);
			nodes[*n] =
			        (struct node){ .parent = parent, .frame = t->frame[i] };
			if (index)
				*index = *n;
			joined[i] = (*n)++;
		} else {
			joined[i] = *index;
		}
		node = &nodes[joined[i]];
		/* Parts of a total that did not overflow do so only with signs mixed.
		 */
		ok = num_add_i64(node->self, t->self[type][i], &node->self) &&
		        num_add_i64(node->total, total[i], &node->total) &&
		        num_add_i64(node->by_kind[kind], total[i],
		                    &node->by_kind[kind]);
		if (!ok)
			err_set(e, ERR_LIMIT, "the total of a frame exceeds 64 bits");
	}
	free(joined);
	free(total);
	map_clear(&at);
	*out = nodes;
	return ok;
}

static const char *
suffix(const struct node *n, enum frame_class class)
{
	num_i128 total = n->total;

	if (class == CLASS_KERNEL)
		return "_[k]";
	if (class != CLASS_MANAGED)
		return "";
	if ((num_i128)n->by_kind[KIND_INLINED] * 3 >= total)
		return "_[i]";
	if ((num_i128)n->by_kind[KIND_C1] * 2 >= total)
		return "_[1]";
	if ((num_i128)n->by_kind[KIND_INTERPRETED] * 2 >= total)
		return "_[0]";
	return "_[j]";
}

static bool
write_line(const struct tree *t, const struct node *nodes, uint32_t leaf,
           uint32_t **path, size_t *cap, struct sink *out)
{
	size_t depth = 0;

	for (uint32_t i = leaf; i; i = nodes[i].parent) {
		*path = xgrow(*path, cap, depth + 1, sizeof **path);
		(*path)[depth++] = i;
	}
	while (depth--) {
		const struct node *n = &nodes[(*path)[depth]];
		const struct frame *f = &t->frames[n->frame];

		if (!sink_str(out, f->name) ||
		    !sink_str(out, str_of(suffix(n, f->class))) ||
		    (depth && !sink_write(out, ";", 1)))
			return false;
	}
	return sink_printf(out, " %lld\n", (long long)nodes[leaf].self);
}

bool
jfrconv_write(const struct tree *t, uint32_t type, struct sink *out, struct err *e)
{
	struct node *nodes;
	uint32_t *path = NULL, n;
	size_t cap = 0;
	bool ok = join(t, type, &nodes, &n, e);

	/* What cannot be written is known to the sink. */
	for (uint32_t i = 1; ok && i < n; i++)
		if (nodes[i].self > 0 && !write_line(t, nodes, i, &path, &cap, out))
			break;
	free(path);
	free(nodes);
	return ok;
}
