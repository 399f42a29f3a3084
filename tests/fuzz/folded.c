#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = { (const char *)data, size };
	struct group_opts opts = { 0 };
	size_t warnings = 0;

	for (int mode = 0; mode < 2; mode++) {
		struct folded_opts o = { .unescape = mode,
			                 .comments = mode,
			                 .plain = mode,
			                 .event = mode ? "cpu" : NULL,
			                 .type = mode ? "time/seconds" : NULL,
			                 .scale = mode ? 1000 : 0,
			                 .warn = { fuzz_warned, &warnings } };
		struct groups *groups = groups_new(&opts);
		struct source *s = source_mem("fuzz", bytes, &fuzz_limits);
		struct folded_stats st;
		struct err e = { 0 };
		bool good = folded_read(s, &o, groups_sink(groups), &st, &e);

		source_close(s);
		MUST(mode || !good || !st.accepted || st.rejected ||
		     folded_sniff(bytes) || memchr(data, 0, size));
		MUST(good || e.kind != ERR_NONE);
		MUST(!good || st.accepted || !st.rejected);
		if (good)
			fuzz_finish(groups);
		else
			groups_free(groups);
	}
	return 0;
}
