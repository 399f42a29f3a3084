/* Two folded texts, apart at the first zero byte: what a difference promises. */
#include "fuzz.h"

#include "analysis/canon.h"
#include "analysis/diff.h"
#include "render/difftext.h"

static bool
read_tree(struct str text, struct tree *out)
{
	struct group_opts opts = { 0 };
	struct folded_opts how = { 0 };
	struct folded_stats stats;
	struct groups *g = groups_new(&opts);
	struct source *s = source_mem("fuzz", text, &fuzz_limits);
	struct tree *t = NULL;
	size_t n = 0;
	struct err e = { 0 };
	bool good = folded_read(s, &how, groups_sink(g), &stats, &e) &&
	        groups_finish(g, &t, &n, &e) && n == 1;

	if (good)
		*out = t[0];
	free(t);
	groups_free(g);
	source_close(s);
	return good;
}

static void
check_names(const struct tree *t)
{
	struct buf scratch = { 0 };

	for (uint32_t i = 0; i < t->nframes; i++)
		for (int c = 0; c < CLASS_COUNT; c++) {
			struct str name = t->frames[i].name, got;

			got = names_canon(name, (enum frame_class)c, &scratch);
			MUST(got.n <= name.n && (got.n || !name.n));
		}
	buf_clear(&scratch);
}

static bool
same_sum(const struct tree *x, uint32_t kx, const struct tree *y, uint32_t ky)
{
	uint64_t a = 0, b = 0;

	for (uint32_t i = 0; i < x->n; i++)
		a += (uint64_t)x->self[kx][i];
	for (uint32_t i = 0; i < y->n; i++)
		b += (uint64_t)y->self[ky][i];
	return a == b;
}

static void
check(const struct tree *b, const struct tree *t)
{
	struct diff_opts opts = { .norm = DIFF_SHARE };
	struct tree d = { 0 };
	struct buf text = { 0 };
	struct err e = { 0 };
	struct sink *s;

	/* Names that become one can overflow a sum. */
	if (!diff_trees(b, t, &opts, &d, &e))
		return;
	fuzz_check_documents(&d, 1);
	MUST(same_sum(&d, 0, b, 0) && same_sum(&d, 1, t, 0));
	MUST(b != t || !diff_differs(&d, 0));
	s = sink_buf(&text);
	(void)!difftext_write(&d, 0, 0, s, &e);
	MUST(sink_close(s, &e));
	buf_clear(&text);
	tree_clear(&d);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data, *zero = size ? memchr(p, 0, size) : NULL;
	size_t n = zero ? (size_t)(zero - p) : size;
	struct tree b = { 0 }, t = { 0 };

	if (zero && read_tree((struct str){ p, n }, &b) &&
	    read_tree((struct str){ zero + 1, size - n - 1 }, &t)) {
		check_names(&b);
		check_names(&t);
		check(&b, &t);
		check(&t, &b);
		check(&b, &b);
	}
	tree_clear(&b);
	tree_clear(&t);
	return 0;
}
