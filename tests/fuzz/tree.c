/* Tree streams of both encodings and envelopes, through the opener of all inputs. */
#include "fuzz.h"

#include <unistd.h>

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = { (const char *)data, size };
	struct group_opts opts = { 0 };
	struct groups *groups = groups_new(&opts);
	struct source *s = source_mem("fuzz", bytes, &fuzz_limits);
	struct treefile f = { .source = s, .max_record = 16 << 20 };
	enum treefile_kind what = TREEFILE_TREE;
	struct tree t = { 0 };
	struct envelope v = { 0 };
	struct err e = { 0 };
	bool good = true;

	while (good && what != TREEFILE_END) {
		good = treefile_next(&f, &what, &t, &v, &e);
		if (good && what == TREEFILE_TREE)
			good = groups_take(groups, &t, &e);
		tree_clear(&t);
		envelope_clear(&v);
	}
	source_close(s);
	MUST(good || e.kind != ERR_NONE);
	if (good)
		fuzz_finish(groups);
	else
		groups_free(groups);
	return 0;
}
