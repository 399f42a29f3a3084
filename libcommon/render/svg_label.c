/*
 * Names of Java, Go, C++, Rust, Python and the kernel, cut into what can be dropped:
 *
 *   org.mozilla.javascript.NativeFunction.call    segments, class, function
 *   github.com/dgraph-io/badger/v3.(*DB).doWrites segments, package, receiver, function
 *   foo::{anon}::Bar<…>::run(int)                 segments, class, function, arguments
 *
 * flame_label.js does the same in the browser; tests/fixtures/svg/labels.tsv holds both
 * to one table.
 */
#include "render/svg_parts.h"

#include "bytes/utf8.h"

#define ELLIPSIS "\xe2\x80\xa6"
#define LAMBDA "\xce\xbb"

static bool
one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool
is_letter(char c)
{
	return is_upper(c) || (c >= 'a' && c <= 'z');
}

static bool
is_word(char c)
{
	return is_letter(c) || is_digit(c) || c == '_';
}

static bool
is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

static struct str
from(struct str s, size_t at)
{
	return (struct str){ s.p + at, s.n - at };
}

static bool
has(struct str s, const char *needle)
{
	return s.n && memmem(s.p, s.n, needle, strlen(needle));
}

static bool
is_at(struct str s, size_t i, const char *what)
{
	return i <= s.n && str_starts(from(s, i), str_of(what));
}

static size_t
find(struct str s, char c)
{
	const char *p = s.n ? memchr(s.p, c, s.n) : NULL;

	return p ? (size_t)(p - s.p) : SIZE_MAX;
}

static size_t
find_last(struct str s, char c)
{
	const char *p = s.n ? memrchr(s.p, c, s.n) : NULL;

	return p ? (size_t)(p - s.p) : SIZE_MAX;
}

static size_t
columns_of(uint32_t c)
{
	if (c < 0x300)
		return 1;
	if (c <= 0x36f || (c >= 0x200b && c <= 0x200f) ||
	    (c >= 0x20d0 && c <= 0x20ff) || (c >= 0xfe00 && c <= 0xfe0f))
		return 0;
	if (c >= 0x1100 &&
	    (c <= 0x115f || (c >= 0x2e80 && c <= 0xa4cf) ||
	     (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) ||
	     (c >= 0xff00 && c <= 0xff60) || (c >= 0x1f300 && c <= 0x1faff) ||
	     (c >= 0x20000 && c <= 0x3fffd)))
		return 2;
	return 1;
}

/* The code point at i, and its length; a byte that is none counts as itself. */
static size_t
step(struct str s, size_t i, uint32_t *cp)
{
	size_t len = utf8_next(s.p + i, s.n - i, cp);

	if (len)
		return len;
	*cp = 0xfffd;
	return 1;
}

size_t
label_columns(struct str s)
{
	size_t sum = 0;
	uint32_t cp;

	for (size_t i = 0; i < s.n; i += step(s, i, &cp), sum += columns_of(cp))
		;
	return sum;
}

/* --- cleaning --- */

/* "::h0123456789abcdef" of Rust. */
static struct str
cut_hash(struct str s)
{
	if (s.n < 19 || memcmp(s.p + s.n - 19, "::h", 3) != 0)
		return s;
	for (size_t i = s.n - 16; i < s.n; i++)
		if (!is_hex(s.p[i]))
			return s;
	s.n -= 19;
	return s;
}

/* ".isra.0.part.1" and " [clone .cold]" of compilers. */
static struct str
cut_clones(struct str s)
{
	static const char *const suffix[] = { ".isra", ".constprop", ".part", ".cold" };

	for (;;) {
		size_t end = s.n, i;

		if (end && s.p[end - 1] == ']') {
			size_t open = find_last(s, '[');

			if (open == SIZE_MAX || open == 0 ||
			    !is_at(s, open, "[clone ") || s.p[open - 1] != ' ')
				return s;
			s.n = open - 1;
			continue;
		}
		for (size_t j = end; j > 0 && is_digit(s.p[j - 1]);) {
			while (j > 0 && is_digit(s.p[j - 1]))
				j--;
			if (j == 0 || s.p[j - 1] != '.')
				break;
			end = --j;
		}
		for (i = 0; i < 4; i++)
			if (str_ends((struct str){ s.p, end }, str_of(suffix[i])))
				break;
		if (i == 4)
			return s;
		s.n = end - strlen(suffix[i]);
	}
}

/* Length of the numbers behind "$$Lambda": $12, /0x0000000800c03000, .0x00007f69. */
static size_t
lambda_number(struct str s)
{
	size_t i = 0;

	for (;;) {
		size_t j = i, digits;

		if (j == s.n || !one_of(s.p[j], "$/+."))
			return i;
		bool dot = s.p[j++] == '.';
		bool hex = is_at(s, j, "0x");

		j += hex ? 2 : 0;
		for (digits = j; j < s.n && is_hex(s.p[j]); j++)
			;
		if (j == digits || (j < s.n && is_word(s.p[j])) || (dot && !hex))
			return i;
		i = j;
	}
}

/* "$$Lambda..." becomes "$λ". */
static void
put_lambda(struct buf *out, struct str s)
{
	const char *p = s.n ? memmem(s.p, s.n, "$$Lambda", 8) : NULL;

	if (!p) {
		buf_str(out, s);
		return;
	}
	size_t at = (size_t)(p - s.p), after = at + 8;

	buf_put(out, s.p, at);
	buf_str(out, STR("$" LAMBDA));
	buf_str(out, from(s, after + lambda_number(from(s, after))));
}

/* Where the bracket at s.p[i] closes, or SIZE_MAX; "->" closes none. */
static size_t
closing(struct str s, size_t i)
{
	static const char pairs[] = "<>[]{}()";
	char open = s.p[i], close = strchr(pairs, open)[1];
	size_t depth = 0;

	for (; i < s.n; i++) {
		if (s.p[i] == open)
			depth++;
		else if (s.p[i] == close && !(close == '>' && s.p[i - 1] == '-') &&
		         --depth == 0)
			return i;
	}
	return SIZE_MAX;
}

/* "<T as Trait>::m" becomes "T::m"; so does "<a::T>::m". Result in text. */
static void
unwrap(struct label_parts *l)
{
	for (int round = 0; round < 4; round++) {
		struct str s = buf_view(&l->text);
		size_t end, cut, depth = 0;

		if (s.n == 0 || s.p[0] != '<')
			return;
		end = closing(s, 0);
		if (end == SIZE_MAX || !is_at(s, end + 1, "::"))
			return;
		for (cut = 1; cut < end; cut++) {
			if (one_of(s.p[cut], "<([{"))
				depth++;
			else if (one_of(s.p[cut], ">)]}") && s.p[cut - 1] != '-' &&
			         depth)
				depth--;
			else if (depth == 0 && is_at(s, cut, " as "))
				break;
		}
		if (cut == end && !has((struct str){ s.p, end }, "::"))
			return;
		l->spare.n = 0;
		buf_put(&l->spare, s.p + 1, cut - 1);
		buf_str(&l->spare, from(s, end + 1));

		struct buf swap = l->text;

		l->text = l->spare;
		l->spare = swap;
	}
}

/* "<init>" and "<lambda()>" name something; "<int>" behind a name are arguments. */
static bool
angle_is_name(struct str s, size_t i, size_t end)
{
	if (i > 0 && !one_of(s.p[i - 1], ".:/ $"))
		return false;
	for (size_t j = i + 1; j < end; j++)
		if (!is_word(s.p[j]) && !one_of(s.p[j], "()$-"))
			return false;
	return true;
}

/*
 * The name up to its arguments into out: "<...>" and "[...]" collapsed, "(anonymous
 * namespace)" shortened, the arguments of an enclosing function ("f(int)::{lambda}")
 * dropped. Returns the arguments.
 */
static struct str
put_head(struct buf *out, struct str s)
{
	bool plain_angle = false, plain_square = false, plain_brace = false;

	for (size_t i = 0; i < s.n; i++) {
		struct str done = buf_view(out);
		bool op = str_ends(done, STR("operator"));
		size_t end;

		switch (s.p[i]) {
		case '(':
			if (is_at(s, i, "(anonymous namespace)")) {
				buf_str(out, STR("{anon}"));
				i += 20;
				continue;
			}
			if (op && is_at(s, i, "()")) {
				buf_str(out, STR("()"));
				i++;
				continue;
			}
			end = closing(s, i);
			if (i == 0 || s.p[i - 1] == '.') {
				if (end == SIZE_MAX) {
					buf_str(out, from(s, i));
					return (struct str){ 0 };
				}
				buf_put(out, s.p + i, end + 1 - i);
				i = end;
				continue;
			}
			if (end != SIZE_MAX) {
				size_t next =
				        end + 1 + (is_at(s, end + 1, " const") ? 6 : 0);

				if (is_at(s, next, "::")) {
					i = next - 1;
					continue;
				}
			}
			if (s.p[i - 1] == ' ' && out->n > 1) {
				out->n--;
				return from(s, i - 1);
			}
			return from(s, i);
		case '<':
			end = plain_angle ? SIZE_MAX : closing(s, i);
			if (op || str_ends(done, STR("operator<")))
				break;
			if (end == SIZE_MAX) {
				plain_angle = true;
				break;
			}
			if (angle_is_name(s, i, end))
				buf_put(out, s.p + i, end + 1 - i);
			else
				buf_str(out, STR("<" ELLIPSIS ">"));
			i = end;
			continue;
		case '[':
			if (i == 0 || !is_word(s.p[i - 1]) || plain_square)
				break;
			end = closing(s, i);
			if (end == SIZE_MAX) {
				plain_square = true;
				break;
			}
			buf_str(out, STR("[" ELLIPSIS "]"));
			i = end;
			continue;
		case '{':
			end = plain_brace ? SIZE_MAX : closing(s, i);
			if (end == SIZE_MAX) {
				plain_brace = true;
				break;
			}
			buf_put(out, s.p + i, end + 1 - i);
			i = end;
			continue;
		default:
			break;
		}
		buf_char(out, s.p[i]);
	}
	return (struct str){ 0 };
}

/* --- splitting --- */

static void
add_seg(struct label_parts *l, struct str s)
{
	l->segs = xgrow(l->segs, &l->segs_cap, l->nsegs + 1, sizeof *l->segs);
	l->segs[l->nsegs++] = s;
}

/* The pieces of s between separators outside all brackets, as segments. */
static void
split(struct label_parts *l, struct str s, const char *sep)
{
	size_t n = strlen(sep), start = 0, depth = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (one_of(s.p[i], "<([{")) {
			depth++;
		} else if (one_of(s.p[i], ">)]}")) {
			depth -= depth > 0;
		} else if (depth == 0 && is_at(s, i, sep)) {
			add_seg(l, (struct str){ s.p + start, i - start });
			start = i + n;
			i = start - 1;
		}
	}
	add_seg(l, from(s, start));
}

/* After the last space outside brackets, which ends a return type. */
static struct str
cut_return(struct str s)
{
	const char *op = s.n ? memmem(s.p, s.n, "operator", 8) : NULL;
	size_t end = op ? (size_t)(op - s.p) : s.n, depth = 0, start = 0;

	for (size_t i = 0; i < end; i++) {
		if (one_of(s.p[i], "<([{"))
			depth++;
		else if (one_of(s.p[i], ">)]}"))
			depth -= depth > 0;
		else if (depth == 0 && s.p[i] == ' ')
			start = i + 1;
	}
	return from(s, start);
}

/* Of segments split by ::, the last is the function and the one before its class. */
static void
parse_scopes(struct label_parts *l, struct str s)
{
	l->sep = l->join = "::";
	split(l, s, "::");
	l->fn = l->segs[--l->nsegs];
	/* A closure is part of its function. */
	while (l->nsegs &&
	       (str_starts(l->fn, STR("{")) || str_starts(l->fn, STR("<lambda")) ||
	        (str_eq(l->fn, STR("operator()")) && l->segs[l->nsegs - 1].n &&
	         l->segs[l->nsegs - 1].p[0] == '{')) &&
	       !str_eq(l->segs[l->nsegs - 1], STR("{anon}"))) {
		struct str outer = l->segs[--l->nsegs];

		l->fn.n = (size_t)(l->fn.p + l->fn.n - outer.p);
		l->fn.p = outer.p;
	}
	if (l->nsegs)
		l->quals[l->nquals++] = l->segs[--l->nsegs];
}

/* Whether s, behind a function's name, is a Go closure: "func1.2", "gowrap1", "3". */
static bool
closure_part(struct str s)
{
	size_t i = str_starts(s, STR("func"))  ? 4
	        : str_starts(s, STR("gowrap")) ? 6
	                                       : 0;

	return s.n > i && is_digit(s.p[i]);
}

/* "load.func1", "SortFunc[…].func1", "close-fm": a Go function with its closures. */
static bool
is_closure(struct str s)
{
	size_t i = 0;
	bool any = false;

	while (i < s.n && is_word(s.p[i]))
		i++;
	if (i == 0)
		return false;
	if (is_at(s, i, "[" ELLIPSIS "]"))
		i += 5;
	while (i < s.n) {
		if (is_at(s, i, "-fm")) {
			i += 3;
		} else if (s.p[i] == '.' && closure_part(from(s, i + 1))) {
			for (i++; i < s.n && is_word(s.p[i]); i++)
				;
		} else {
			return false;
		}
		any = true;
	}
	return any;
}

/* "v3" of a path: a version, part of the package before it. */
static bool
is_version(struct str s)
{
	for (size_t i = 1; i < s.n; i++)
		if (!is_digit(s.p[i]))
			return false;
	return s.n > 1 && s.p[0] == 'v';
}

/* path/to/pkg.(*T).m: slash is the last one of the path, or SIZE_MAX. */
static void
parse_go(struct label_parts *l, struct str s, size_t slash)
{
	struct str tail = slash == SIZE_MAX ? s : from(s, slash + 1), pkg = tail,
	           rest = { 0 };
	size_t dot = find(tail, '.');

	l->sep = "/";
	if (slash != SIZE_MAX)
		split(l, (struct str){ s.p, slash }, "/");
	if (dot != SIZE_MAX) {
		pkg.n = dot;
		rest = from(tail, dot + 1);
		/* yaml.v3.(*parser).parse */
		dot = find(rest, '.');
		if (dot != SIZE_MAX && is_version((struct str){ rest.p, dot })) {
			pkg.n += 1 + dot;
			rest = from(rest, dot + 1);
		}
	}
	if (is_version(pkg) && l->nsegs) {
		struct str before = l->segs[--l->nsegs];

		pkg.n = (size_t)(pkg.p + pkg.n - before.p);
		pkg.p = before.p;
	}
	if (rest.n == 0) {
		l->fn = pkg;
		return;
	}
	l->quals[l->nquals++] = pkg;
	l->fn = rest;

	size_t end = rest.p[0] == '(' ? closing(rest, 0) : find(rest, '.');

	if (end == SIZE_MAX || end == 0 || rest.n < end + 2)
		return;
	if (rest.p[0] == '(' && rest.p[end + 1] == '.' && rest.n > end + 2) {
		l->quals[l->nquals++] = (struct str){ rest.p, end + 1 };
		l->fn = from(rest, end + 2);
	} else if (rest.p[0] != '(' && !closure_part(from(rest, end + 1)) &&
	           rest.p[end + 1] != '.') {
		l->quals[l->nquals++] = (struct str){ rest.p, end };
		l->fn = from(rest, end + 1);
	}
}

/* Java, .NET, Python: the last piece is the function, the one before it the class. */
static void
parse_dots(struct label_parts *l, struct str s)
{
	/* text is ours: a path of the JVM's own form reads like one with dots. */
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '/')
			l->text.p[(size_t)(s.p - l->text.p) + i] = '.';
	split(l, s, ".");

	bool whole = is_digit(l->segs[l->nsegs - 1].p[0]) ||
	        str_eq(l->segs[l->nsegs - 1], STR("so"));

	for (size_t i = 0; i < l->nsegs; i++)
		whole |= l->segs[i].n == 0;
	if (whole) {
		l->nsegs = 0;
		l->fn = s;
		return;
	}
	l->fn = l->segs[--l->nsegs];
	if (l->nsegs)
		l->quals[l->nquals++] = l->segs[--l->nsegs];
}

static bool
is_one_piece(struct str s)
{
	if (s.n == 0)
		return true;
	if (one_of(s.p[0], "[(<") && one_of(s.p[s.n - 1], "])>"))
		return true;
	for (size_t i = 0; i < s.n; i++)
		if (one_of(s.p[i], ".:/("))
			return false;
	return true;
}

void
label_parse(struct label_parts *l, struct str name)
{
	struct str s = cut_clones(cut_hash(name)), args;
	size_t slash, space;

	l->nsegs = l->nquals = 0;
	l->sep = l->join = ".";
	l->args = (struct str){ 0 };
	l->text.n = l->spare.n = 0;
	if (is_one_piece(s) && !has(s, "$$Lambda")) {
		/* Room for a byte keeps the view valid when empty. */
		buf_room(&l->text, s.n + 1);
		buf_str(&l->text, s);
		l->fn = buf_view(&l->text);
		return;
	}
	put_lambda(&l->text, s);
	unwrap(l);

	/* The arguments move behind the head, into the same text. */
	l->spare.n = 0;
	args = put_head(&l->spare, buf_view(&l->text));

	size_t head = l->spare.n;
	struct buf swap = l->text;

	buf_str(&l->spare, args);
	buf_room(&l->spare, 1);
	l->text = l->spare;
	l->spare = swap;
	s = (struct str){ l->text.p, head };
	l->args = (struct str){ l->text.p + head, l->text.n - head };
	l->fn = s;

	bool scoped = has(s, "::");

	if (scoped || (args.n && args.p[0] == '(' && !has(s, "/")))
		s = l->fn = cut_return(s);
	if (is_one_piece(s))
		return;
	if (scoped) {
		parse_scopes(l, s);
		return;
	}
	/* "LazyCompile:*f /srv/app.js:12": what follows the space is a place. */
	space = find(s, ' ');
	if (space != SIZE_MAX && space > 0 && has(from(s, space), "/")) {
		l->fn.n = space;
		l->args = (struct str){ s.p + space,
			                (size_t)(l->text.p + l->text.n - s.p) - space };
		return;
	}

	size_t paren = find(s, '(');

	slash = find_last((struct str){ s.p, paren == SIZE_MAX ? s.n : paren }, '/');
	if (slash == 0)
		slash = SIZE_MAX;

	/* Behind the path a class begins like Thread.run, a Go package like http.Get.
	 */
	bool class = slash == SIZE_MAX || slash + 1 == s.n ||
	        is_upper(s.p[slash + 1]) || one_of(s.p[slash + 1], "$_");

	if (has(s, ".(") || !class) {
		parse_go(l, s, slash);
		return;
	}

	size_t dot = find(s, '.');

	if (slash == SIZE_MAX && dot != SIZE_MAX && dot > 0 &&
	    is_closure(from(s, dot + 1))) {
		l->quals[l->nquals++] = (struct str){ s.p, dot };
		l->fn = from(s, dot + 1);
		return;
	}
	parse_dots(l, s);
}

/* --- fitting --- */

/* A segment as its initial; what is not a letter in front of it stays. */
static struct str
initial(struct str s)
{
	size_t i = 0;
	uint32_t cp;

	if (s.n == 0 || s.p[0] == '{' || s.p[0] == '(')
		return s;
	while (i < s.n && (unsigned char)s.p[i] < 0x80 && !is_word(s.p[i]))
		i++;
	if (i == s.n)
		return s;
	return (struct str){ s.p, i + step(s, i, &cp) };
}

static void
put_quals(struct buf *out, const struct label_parts *l, size_t skip)
{
	for (size_t k = skip; k < l->nquals; k++) {
		buf_str(out, l->quals[k]);
		buf_str(out, str_of(l->join));
	}
	buf_str(out, l->fn);
}

/* The function without its <…> and […]. */
static void
put_bare(struct buf *out, struct str fn)
{
	for (size_t i = 0; i < fn.n; i++) {
		if (is_at(fn, i, "<" ELLIPSIS ">") || is_at(fn, i, "[" ELLIPSIS "]"))
			i += 4;
		else
			buf_char(out, fn.p[i]);
	}
}

/* The end of s that takes at most room columns. */
static struct str
last_columns(struct str s, size_t room)
{
	size_t start = s.n, used = 0;

	while (start > 0) {
		size_t i = start - 1;
		uint32_t cp;

		while (i > 0 && ((unsigned char)s.p[i] & 0xc0) == 0x80)
			i--;
		step(s, i, &cp);
		if (used + columns_of(cp) > room)
			break;
		used += columns_of(cp);
		start = i;
	}
	return from(s, start);
}

static struct str
first_columns(struct str s, size_t room)
{
	size_t i = 0, used = 0;

	while (i < s.n) {
		uint32_t cp;
		size_t len = step(s, i, &cp);

		if (used + columns_of(cp) > room)
			break;
		used += columns_of(cp);
		i += len;
	}
	return (struct str){ s.p, i };
}

/* The inner class, or an ellipsis and the end of the class, with the function. */
static bool
fit_class(const struct label_parts *l, size_t room, struct buf *out)
{
	struct str q = l->quals[l->nquals - 1], inner = q;
	size_t rest = strlen(l->join) + label_columns(l->fn),
	       dollar = find_last(q, '$');

	if (dollar != SIZE_MAX)
		inner = from(q, dollar + 1);
	if (inner.n && is_letter(inner.p[0]) && label_columns(inner) + rest <= room) {
		buf_str(out, inner);
	} else {
		struct str tail, capital;
		size_t i = 0;

		if (room < rest + 1 + 5 || l->sep[0] == '/' || q.n == 0 ||
		    !is_word(q.p[q.n - 1]))
			return false;
		tail = last_columns(q, room - rest - 1);
		while (i < tail.n && !is_upper(tail.p[i]))
			i++;
		capital = from(tail, i);
		if (label_columns(capital) >= 5)
			tail = capital;
		else if (label_columns(tail) < 8)
			return false;
		buf_str(out, STR(ELLIPSIS));
		buf_str(out, tail);
	}
	buf_str(out, str_of(l->join));
	buf_str(out, l->fn);
	return true;
}

bool
label_fit(const struct label_parts *l, size_t room, struct label_fit *out)
{
	size_t strong, sep = strlen(l->sep), whole = 0, args;
	struct buf *head = &out->head, *text = &out->strong;

	head->n = text->n = 0;
	out->tail = (struct str){ 0 };
	if (room < 2)
		return false;
	put_quals(text, l, 0);
	strong = label_columns(buf_view(text));
	for (size_t i = 0; i < l->nsegs; i++)
		whole += label_columns(l->segs[i]) + sep;

	/* As few segments shortened as needed, from the left. */
	args = label_columns(l->args);
	if (args && whole + strong + args <= room)
		out->tail = l->args;
	for (size_t k = 0; k <= l->nsegs; k++) {
		if (whole + strong <= room) {
			for (size_t i = 0; i < l->nsegs; i++) {
				buf_str(head, i < k ? initial(l->segs[i]) : l->segs[i]);
				buf_str(head, str_of(l->sep));
			}
			return true;
		}
		if (k < l->nsegs)
			whole = whole + label_columns(initial(l->segs[k])) -
			        label_columns(l->segs[k]);
	}
	for (size_t k = 0; k < l->nquals; k++) {
		text->n = 0;
		put_quals(text, l, k);
		if (label_columns(buf_view(text)) <= room)
			return true;
	}
	text->n = 0;
	if (l->nquals && fit_class(l, room, text))
		return true;
	text->n = 0;
	if (label_columns(l->fn) <= room) {
		buf_str(text, l->fn);
		return true;
	}
	put_bare(text, l->fn);
	if (text->n && label_columns(buf_view(text)) <= room)
		return true;
	if (room < 5)
		return false;

	/* 45 % front, rest back. */
	struct str fn = text->n ? buf_view(text) : l->fn;
	size_t front = ((room - 1) * 45 + 99) / 100;
	struct str a = first_columns(fn, front), b = last_columns(fn, room - 1 - front);

	/* The parts are put together behind the name and then moved to the front. */
	head->n = 0;
	buf_str(head, a);
	buf_str(head, STR(ELLIPSIS));
	buf_str(head, b);
	text->n = 0;
	buf_str(text, buf_view(head));
	head->n = 0;
	return true;
}

struct str
label_package(const struct label_parts *l)
{
	struct str last;

	if (l->sep[0] == '/') {
		last = l->nquals ? l->quals[0] : l->fn;
	} else if (l->nsegs) {
		last = l->segs[l->nsegs < 3 ? l->nsegs - 1 : 2];
	} else if (l->nquals) {
		return l->quals[0];
	} else {
		return l->fn.n && l->fn.p[0] == '[' ? l->fn : (struct str){ 0 };
	}

	const char *start = l->nsegs ? l->segs[0].p : last.p;

	return (struct str){ start, (size_t)(last.p + last.n - start) };
}

void
label_parts_clear(struct label_parts *l)
{
	buf_clear(&l->text);
	buf_clear(&l->spare);
	free(l->segs);
	*l = (struct label_parts){ 0 };
}

void
label_fit_clear(struct label_fit *f)
{
	buf_clear(&f->head);
	buf_clear(&f->strong);
	*f = (struct label_fit){ 0 };
}
