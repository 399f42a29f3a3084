/* What fuzz targets share: reading bytes as an input, and what must hold of trees. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "bytes/io.h"
#include "formats/input.h"
#include "tree/group.h"
#include "tree/treefile.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/* Ends the run where a property does not hold, whatever NDEBUG says. */
#define MUST(condition)                                                                \
	do {                                                                           \
		if (!(condition))                                                      \
			abort();                                                       \
	} while (0)

/* A stop for inputs that inflate: 16 MiB are enough to find faults. */
static const struct source_opts fuzz_limits = { .limit = 16 << 20 };

/* Every document is well formed and canonical, and survives both encodings. */
static inline void
fuzz_check_documents(struct tree *t, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct buf json = { 0 }, pb = { 0 }, again = { 0 };
		struct tree back = { 0 };
		struct envelope v = { 0 };
		enum treefile_kind what;
		struct err e = { 0 };
		struct sink *s;
		struct treefile f = { 0 };

		MUST(tree_check(&t[i], &e));
		MUST(tree_canonical(&t[i]));
		s = sink_buf(&json);
		treefile_json(&t[i], s);
		MUST(sink_close(s, &e));
		s = sink_buf(&pb);
		MUST(treefile_pb(&t[i], s, &e));
		MUST(sink_close(s, &e));
		f.source = source_mem("pb", buf_view(&pb), NULL);
		MUST(treefile_next(&f, &what, &back, &v, &e) && what == TREEFILE_TREE);
		source_close(f.source);
		s = sink_buf(&again);
		treefile_json(&back, s);
		MUST(sink_close(s, &e));
		MUST(str_eq(buf_view(&json), buf_view(&again)));
		tree_clear(&back);
		buf_clear(&json);
		buf_clear(&pb);
		buf_clear(&again);
	}
}

static inline void
fuzz_finish(struct groups *g)
{
	struct tree *t = NULL;
	size_t n = 0;
	struct err e = { 0 };

	if (groups_finish(g, &t, &n, &e)) {
		fuzz_check_documents(t, n);
		for (size_t i = 0; i < n; i++)
			tree_clear(&t[i]);
		free(t);
	}
	groups_free(g);
}

#endif
