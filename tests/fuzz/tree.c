/* Tree streams of both encodings and envelopes, through the opener of all inputs. */
#include "fuzz.h"

/* An envelope written and read again is the same envelope. */
static void
check_envelope(const struct envelope *v)
{
	struct buf one = { 0 }, two = { 0 };
	struct envelope back = { 0 };
	enum treefile_kind what;
	struct tree t = { 0 };
	struct err e = { 0 };
	struct treefile f;
	struct sink *s = sink_buf(&one);

	MUST(treefile_envelope(v, s, &e) && sink_close(s, &e));
	f = (struct treefile){ .source = source_mem("again", buf_view(&one), NULL) };
	MUST(treefile_next(&f, &what, &t, &back, &e) && what == TREEFILE_ENVELOPE);
	source_close(f.source);
	s = sink_buf(&two);
	MUST(treefile_envelope(&back, s, &e) && sink_close(s, &e));
	MUST(str_eq(buf_view(&one), buf_view(&two)));
	envelope_clear(&back);
	buf_clear(&one);
	buf_clear(&two);
}

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
		else if (good && what == TREEFILE_ENVELOPE)
			check_envelope(&v);
		tree_clear(&t);
		envelope_clear(&v);
	}
	source_close(s);
	treefile_sniff(bytes);
	MUST(good || e.kind != ERR_NONE);
	if (good)
		fuzz_finish(groups);
	else
		groups_free(groups);
	return 0;
}
