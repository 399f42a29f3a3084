/*
 * Nested JSON for other people's viewers, written by iteration: no limit on depth.
 * SkyWalking: {"signature":NAME,"total":N,"self":N,"children":[...]};
 * d3-flame-graph: {"name":NAME,"value":N,"children":[...]}.
 */
#include <stdlib.h>

#include "base/arena.h"
#include "bytes/json.h"
#include "render/output.h"

bool
nested_write(const struct tree *t, uint32_t type, bool d3, struct sink *sink,
             struct err *e)
{
	struct json_out w = { .sink = sink };
	int64_t *total = xmalloc(t->n * sizeof *total);
	uint32_t open = NO_PARENT;
	bool ok = tree_totals(t, type, total, e);

	for (uint32_t i = 0; i < t->n && ok; i++) {
		/* Close what is not an ancestor. */
		while (open != NO_PARENT && open != t->parent[i]) {
			json_arr_end(&w);
			json_obj_end(&w);
			open = t->parent[open];
		}
		json_obj(&w);
		json_key(&w, d3 ? "name" : "signature");
		json_str(&w,
		         i            ? t->frames[t->frame[i]].name
		                 : d3 ? STR("all")
		                      : STR("root"));
		json_key(&w, d3 ? "value" : "total");
		json_int(&w, total[i]);
		if (!d3) {
			json_key(&w, "self");
			json_int(&w, t->self[type][i]);
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
