/* Sources: gzip members and zstd frames from anywhere, cut and joined. */
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = { (const char *)data, size }, all, view;
	struct source *s = source_mem("fuzz", bytes, &fuzz_limits);
	struct err e = { 0 };
	uint64_t seen = 0;
	bool whole = source_all(s, &all, &e), step = true;
	struct source *again = source_mem("fuzz", bytes, &fuzz_limits);

	/* Bit by bit gives what all at once gives. */
	while (step) {
		step = source_peek(again, 7, &view, &e);
		if (view.n > all.n - seen)
			view.n = (size_t)(all.n - seen);
		MUST(!view.n ||
		     memcmp(all.p + seen, view.p, view.n < 7 ? view.n : 7) == 0);
		if (!view.n)
			break;
		view.n = view.n < 7 ? view.n : 7;
		seen += view.n;
		source_skip(again, view.n);
	}
	MUST(!whole || seen == all.n);
	source_close(s);
	source_close(again);
	return 0;
}
