/*
 * Nested JSON for other people's viewers, written by iteration: no limit on depth.
 * SkyWalking of pprof: {"signature":NAME,"total":N,"self":N,"children":[...]}; of JFR:
 * {"frame":NAME,"total":N,"self":N,"children":[...]}, leaves without children;
 * d3-flame-graph: {"name":NAME,"value":N,"children":[...]}.
 */
#include <stdlib.h>

#include "base/arena.h"
#include "bytes/json.h"
#include "render/output.h"

static const struct {
	const char *name, *root, *total;
	bool self, bare; /* bare: leaves have no list of children */
} shapes[] = {
	[NESTED_PPROF] = { "signature", "root", "total", true, false },
	[NESTED_JFR] = { "frame", "all", "total", true, true },
	[NESTED_D3] = { "name", "all", "value", false, false },
};

bool
nested_write(const struct tree *t, uint32_t type, enum nested_shape shape,
             struct sink *sink, struct err *e)
{
	struct json_out w = { .sink = sink };
	int64_t *total = xmalloc(t->n * sizeof *total);
	uint32_t open = NO_PARENT;
	bool ok = tree_totals(t, type, total, e);

	for (uint32_t i = 0; i < t->n && ok; i++) {
		bool leaf = i + 1 == t->n || t->parent[i + 1] != i;

		/* Close what is not an ancestor. */
		while (open != NO_PARENT && open != t->parent[i]) {
			json_arr_end(&w);
			json_obj_end(&w);
			open = t->parent[open];
		}
		json_obj(&w);
		json_key(&w, shapes[shape].name);
		json_str(&w,
		         i ? t->frames[t->frame[i]].name : str_of(shapes[shape].root));
		json_key(&w, shapes[shape].total);
		json_int(&w, total[i]);
		if (shapes[shape].self) {
			json_key(&w, "self");
			json_int(&w, t->self[type][i]);
		}
		if (leaf && shapes[shape].bare) {
			json_obj_end(&w);
			continue;
		}
		json_key(&w, "children");
		json_arr(&w);
		open = i;
	}
	for (; ok && open != NO_PARENT; open = t->parent[open]) {
		json_arr_end(&w);
		json_obj_end(&w);
	}
	if (ok)
		sink_write(sink, "\n", 1);
	free(total);
	return ok;
}
