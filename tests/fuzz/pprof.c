#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const by[] = { "key", "bytes" };
	struct str bytes = { (const char *)data, size };
	size_t warnings = 0;
	struct pprof_opts o = { .warn = { fuzz_warned, &warnings } };
	struct err e = { 0 };

	/* Every granularity, and labels looked at or not. */
	for (int g = BY_FUNCTION; g <= BY_ADDRESS; g++) {
		struct group_opts opts = { .by = by, .nby = g == BY_LINE ? 2 : 0 };
		struct groups *groups = groups_new(&opts);
		/* Which of block and mutex it is, the name tells. */
		struct source *s =
		        source_mem(g & 1 ? "a/mutex.pb" : "block", bytes, &fuzz_limits);
		bool good;

		o.granularity = (enum granularity)g;
		o.no_inlines = g == BY_FILE;
		o.all_frames = g == BY_LINE;
		o.event = g == BY_FILE ? "heap" : NULL;
		good = pprof_read(s, &o, groups_sink(groups), &e);
		source_close(s);
		if (good)
			fuzz_finish(groups);
		else
			groups_free(groups);
		pprof_sniff(bytes);
		if (!good) {
			MUST(e.kind != ERR_NONE && e.text[0]);
			break;
		}
	}
	return 0;
}
