/* Labels, colours, numbers and escaping of the SVG renderer. */
#include "render/svg_parts.h"

#include "tap.h"

#include "base/num.h"
#include "bytes/io.h"

/* The next tab-separated field of a line. */
static struct str
field(struct str *line)
{
	const char *tab = line->n ? memchr(line->p, '\t', line->n) : NULL;
	struct str f = { line->p, tab ? (size_t)(tab - line->p) : line->n };

	line->p += f.n + (tab != NULL);
	line->n -= f.n + (tab != NULL);
	return f;
}

static struct str
next_line(struct str *text)
{
	const char *end = text->n ? memchr(text->p, '\n', text->n) : NULL;
	struct str line = { text->p, end ? (size_t)(end - text->p) : text->n };

	text->p += line.n + (end != NULL);
	text->n -= line.n + (end != NULL);
	return line;
}

/*
 * labels.tsv: names by widths in columns; = is the whole name, - no label. The browser
 * test reads the same table.
 */
static void
label_table(void)
{
	struct source *src = NULL;
	struct err e = { 0 };
	struct str text = { 0 }, head;
	struct label_parts parts = { 0 };
	struct label_fit fit = { 0 };
	struct buf got = { 0 };
	uint64_t widths[16];
	size_t n = 0;

	if (!ok(source_open(&src, "tests/fixtures/svg/labels.tsv", NULL, &e) &&
	        source_all(src, &text, &e)))
		return;
	head = next_line(&text);
	field(&head);
	while (head.n && n < 16)
		if (!num_u64(field(&head), &widths[n++]))
			break;
	ok(n == 7);
	while (text.n) {
		struct str line = next_line(&text), name = field(&line);

		for (size_t k = 0; k < n; k++) {
			struct str want = field(&line);
			char what[256];

			label_parse(&parts, name);
			got.n = 0;
			if (label_fit(&parts, (size_t)widths[k], &fit)) {
				buf_str(&got, buf_view(&fit.head));
				buf_str(&got, buf_view(&fit.strong));
				buf_str(&got, fit.tail);
			} else {
				buf_char(&got, '-');
			}
			if (str_eq(want, STR("=")))
				want = name;
			snprintf(what, sizeof what, "%.*s in %u: want %.*s, got %.*s",
			         (int)name.n, name.p, (unsigned)widths[k], (int)want.n,
			         want.p, (int)got.n, got.p);
			ok_named(str_eq(buf_view(&got), want), what);
		}
	}
	source_close(src);
	label_parts_clear(&parts);
	label_fit_clear(&fit);
	buf_clear(&got);
}

static bool
package_is(const char *name, const char *want)
{
	struct label_parts parts = { 0 };
	bool same;

	label_parse(&parts, str_of(name));
	same = str_eq(label_package(&parts), str_of(want));
	label_parts_clear(&parts);
	return same;
}

static bool
fill_is(const char *name, const char *want)
{
	struct label_parts parts = { 0 };
	struct buf b = { 0 };
	bool same;

	label_parse(&parts, str_of(name));
	svg_fill_name(&b, str_of(name), label_package(&parts));
	same = str_eq(buf_view(&b), str_of(want));
	label_parts_clear(&parts);
	buf_clear(&b);
	return same;
}

static void
colours(void)
{
	ok(svg_hash(STR("main.load.func1")) == 0x5ac05e81);
	ok(svg_hash(STR("github.com/google/btree.(*node).iterate")) == 0x8751d97f);
	ok(svg_hash(STR("tcp_sendmsg")) == 0xf2959860);
	ok(fill_is("main.load.func1", "n01"));
	ok(fill_is("github.com/google/btree.(*node).iterate", "n43"));
	ok(fill_is("tcp_sendmsg", "n00"));
	ok(package_is("main.load.func1", "main"));
	ok(package_is("github.com/google/btree.(*node).iterate",
	              "github.com/google/btree"));
	ok(package_is("org.mozilla.javascript.NativeFunction.call",
	              "org.mozilla.javascript"));
	ok(package_is("java/lang/Thread.run", "java.lang"));
	ok(package_is("Worker.run", "Worker"));
	ok(package_is("[libc.so.6]", "[libc.so.6]"));
	ok(package_is("tcp_sendmsg", ""));
	ok(package_is("", ""));
}

/* Any bytes are a name: none may end the program. */
static void
odd_names(void)
{
	static const char *const odd[] = {
		"",           "<",
		">",          "::",
		".",          "..",
		"a.",         ".a",
		"/",          "a/",
		"(",          ")",
		"(a",         "a(",
		"::a(",       "a::",
		"<a>::",      "<a",
		"[",          "a[b",
		"{",          "a{b",
		"a<<",        "-fm",
		"a.-fm",      " ",
		" a",         "a b/",
		"a (",        "operator",
		"operator()", "operator<<(a)",
		"a.(*b",      "a/b.(*c",
		"a/v2",       "v2",
		"a.v2.",      "a/b.c.",
		"$$Lambda",   "$$Lambda$",
		"\xff",       "\xff.\xfe",
		"a\xe2\x80",  ".isra.0",
		".isra",      "::h0123456789abcdef",
		"x [clone ",  "x [clone a]",
		"[clone a]",  "(anonymous namespace)",
	};
	struct label_parts parts = { 0 };
	struct label_fit fit = { 0 };
	struct buf b = { 0 };

	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		bool fits = true;

		label_parse(&parts, str_of(odd[i]));
		for (size_t room = 0; room < 40; room++)
			if (label_fit(&parts, room, &fit))
				fits &= label_columns(buf_view(&fit.head)) +
				                label_columns(buf_view(&fit.strong)) +
				                label_columns(fit.tail) <=
				        room;
		label_package(&parts);
		ok_named(fits,
		         odd[i][0] ? "an odd name fits its room"
		                   : "the empty name fits");
	}
	/* Long names of brackets take linear time. */
	for (const char *c = "<[({:."; *c; c++) {
		b.n = 0;
		for (size_t i = 0; i < 200000; i++) {
			buf_char(&b, 'a');
			buf_char(&b, *c);
		}
		label_parse(&parts, buf_view(&b));
		ok(label_fit(&parts, 20, &fit));
	}
	label_parts_clear(&parts);
	label_fit_clear(&fit);
	buf_clear(&b);
}

static bool
escapes_to(struct str s, const char *want)
{
	struct buf b = { 0 };
	bool same;

	svg_escape(&b, s);
	same = str_eq(buf_view(&b), str_of(want));
	buf_clear(&b);
	return same;
}

static bool
value_is(int64_t v, const char *unit, const char *want)
{
	struct buf b = { 0 };
	bool same;

	svg_value(&b, v, str_of(unit));
	same = str_eq(buf_view(&b), str_of(want));
	buf_clear(&b);
	return same;
}

static bool
percent_is(int64_t part, int64_t whole, const char *want)
{
	struct buf b = { 0 };
	bool same;

	svg_percent(&b, part, whole);
	same = str_eq(buf_view(&b), str_of(want));
	buf_clear(&b);
	return same;
}

#define T "\xe2\x80\xaf" /* thin space */
#define M "\xe2\x88\x92" /* minus */

static void
text_and_numbers(void)
{
	ok(escapes_to(STR("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c&#39;"));
	ok(escapes_to(STR("a\001b\tc\nd\037"),
	              "a\xef\xbf\xbd"
	              "b\tc\nd\xef\xbf\xbd"));
	ok(escapes_to(((struct str){ "a\0b", 3 }),
	              "a\xef\xbf\xbd"
	              "b"));
	ok(escapes_to(STR("\xef\xbf\xbf\xef\xbf\xbe\xef\xbf\xbd"),
	              "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"));
	ok(escapes_to(STR("]]></script>"), "]]&gt;&lt;/script&gt;"));
	ok(value_is(0, "bytes", "0"));
	ok(value_is(1, "nanoseconds", "1" T "ns"));
	ok(value_is(2850000000, "nanoseconds", "2.85" T "s"));
	ok(value_is(999499, "nanoseconds", "999" T "\xc2\xb5s"));
	ok(value_is(999500, "nanoseconds", "1.00" T "ms"));
	ok(value_is(9995, "nanoseconds", "10.0" T "\xc2\xb5s"));
	ok(value_is(1234567000000000, "nanoseconds", "1" T "234" T "567" T "s"));
	ok(value_is(1500, "microseconds", "1.50" T "ms"));
	ok(value_is(75, "seconds", "75" T "s"));
	ok(value_is(1023, "bytes", "1" T "023" T "B"));
	ok(value_is(1024, "bytes", "1.00" T "KiB"));
	ok(value_is(80453753612, "bytes", "74.9" T "GiB"));
	ok(value_is(INT64_MAX, "bytes", "8.00" T "EiB"));
	ok(value_is(INT64_MIN, "bytes", M "8.00" T "EiB"));
	ok(value_is(1234567, "count", "1" T "234" T "567"));
	ok(value_is(-12, "count", M "12"));
	ok(value_is(12, "pages", "12" T "pages"));
	ok(percent_is(0, 100, "0" T "%"));
	ok(percent_is(5, 0, "0" T "%"));
	ok(percent_is(1, 100000, "<0.01" T "%"));
	ok(percent_is(1, 10000, "0.01" T "%"));
	ok(percent_is(999, 10000, "9.99" T "%"));
	ok(percent_is(99949, 1000000, "9.99" T "%"));
	ok(percent_is(99950, 1000000, "10.0" T "%"));
	ok(percent_is(249, 1000, "24.9" T "%"));
	ok(percent_is(9994, 10000, "99.9" T "%"));
	ok(percent_is(9995, 10000, "100" T "%"));
	ok(percent_is(12, 10, "100" T "%"));
	ok(percent_is(-1, 4, M "25.0" T "%"));
}

int
main(void)
{
	label_table();
	colours();
	odd_names();
	text_and_numbers();
	return done();
}
