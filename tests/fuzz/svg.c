/*
 * A line of tree JSON drawn: no byte of it becomes markup. The first byte chooses the
 * options; what is not a document is fitted as a name.
 */
#include "fuzz.h"
#include "bytes/utf8.h"
#include "render/svg_parts.h"

/* Elements open and close in order, and only ours. */
static void
check_markup(struct str s)
{
	static const char *const ours[] = { "svg",   "title",   "desc",  "style",
		                            "defs",  "pattern", "rect",  "circle",
		                            "g",     "text",    "tspan", "metadata",
		                            "script" };
	uint8_t open[256];
	size_t depth = 0, i = 0;

	while (i < s.n) {
		unsigned char c = (unsigned char)s.p[i];

		MUST(c >= 0x20 || c == '\n' || c == '\t');
		if (c != '<') {
			i++;
			continue;
		}
		if (s.n - i > 9 && memcmp(s.p + i, "<![CDATA[", 9) == 0) {
			const char *end = memmem(s.p + i, s.n - i, "]]>", 3);

			MUST(end);
			i = (size_t)(end - s.p) + 3;
			continue;
		}

		const char *close = memchr(s.p + i, '>', s.n - i);
		bool ends = s.p[i + 1] == '/';
		size_t from = i + 1 + ends, len = 0, k = 0;

		MUST(close);
		i = (size_t)(close - s.p) + 1;
		if (s.p[from] == '?')
			continue;
		while (s.p[from + len] >= 'a' && s.p[from + len] <= 'z')
			len++;
		while (k < 13 &&
		       !str_eq((struct str){ s.p + from, len }, str_of(ours[k])))
			k++;
		MUST(k < 13);
		if (ends) {
			MUST(depth > 0 && open[--depth] == k);
		} else if (close[-1] != '/') {
			MUST(depth < sizeof open);
			open[depth++] = (uint8_t)k;
		}
	}
	MUST(depth == 0);
}

static void
fit_name(struct str name)
{
	struct label_parts parts = { 0 };
	struct label_fit fit = { 0 };

	label_parse(&parts, name);
	for (size_t room = 0; room < 64; room++)
		MUST(!label_fit(&parts, room, &fit) || !utf8_valid(name) ||
		     label_columns(buf_view(&fit.head)) +
		                     label_columns(buf_view(&fit.strong)) +
		                     label_columns(fit.tail) <=
		             room);
	label_package(&parts);
	label_parts_clear(&parts);
	label_fit_clear(&fit);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct svg_opts o = svg_defaults;
	struct treefile f = { 0 };
	struct tree t = { 0 };
	struct envelope v = { 0 };
	struct err e = { 0 };
	enum treefile_kind what;

	if (size == 0)
		return 0;
	o.flame = data[0] & 1;
	o.no_script = data[0] & 2;
	o.embed = data[0] & 4;
	o.colour = (enum svg_colour)(data[0] >> 3 & 3);
	o.max_frames = data[0] & 32 ? 3 : 100;
	o.min_width = data[0] & 64 ? 5 : 0;
	fit_name((struct str){ (const char *)data + 1, size - 1 });
	f.source = source_mem("fuzz", (struct str){ (const char *)data + 1, size - 1 },
	                      &fuzz_limits);
	if (treefile_next(&f, &what, &t, &v, &e) && what == TREEFILE_TREE) {
		struct buf out = { 0 };
		struct sink *s = sink_buf(&out);

		if (svg_render(&t, 1, &o, s, &e))
			check_markup(buf_view(&out));
		MUST(sink_close(s, &e));
		buf_clear(&out);
	}
	envelope_clear(&v);
	tree_clear(&t);
	source_close(f.source);
	return 0;
}
